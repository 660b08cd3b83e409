"""One JupyterLab and one browser for all browser tests; a notebook of their own beside the lessons."""

import contextlib
import shutil
from pathlib import Path

import nbformat
import pytest

from tools.lab import ROOT, browser, close_notebooks, lab, open_notebook, run_all

HERE = Path(__file__).parent
LESSONS = sorted((ROOT / "notebooks").glob("*/*.ipynb"))
# What JupyterLab itself says, with or without explorers; the comm is one that a restarted kernel has forgotten.
HARMLESS = ("Comm not found", "favicon", "Failed to load resource", "source map", "Deprecat", "preloaded", "WebSocket", "manifest")
RESTARTED = "Canceled future"  # JupyterLab's own requests to a kernel that is restarted before it answers
CELLS = [
    "from sample import waves",
    "waves()",
    "one = waves()\none",
    "waves(guess=True)",
    "waves(broken=12)",
    "import time\ntime.sleep(0.01)",
]


def write_notebook(path, cells, outputs=None):
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    made.metadata.kernelspec = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    made.metadata.language_info = {"name": "python"}
    if outputs:
        made.cells[0].outputs = outputs
    nbformat.write(made, path)


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(item.fspath).is_relative_to(HERE):
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def jupyter():
    with lab(LESSONS) as running:
        shutil.copy(HERE / "sample.py", running.folder)
        write_notebook(running.folder / "waves.ipynb", CELLS)
        yield running


@pytest.fixture(scope="session")
def window():
    with browser(1280, 900) as page:
        page.context.set_default_timeout(30_000)
        yield page.context


@pytest.fixture(scope="session")
def desk(window, jupyter):
    """JupyterLab, loaded once: that takes longer than most tests."""
    page = window.new_page()
    page.goto(jupyter.address(""))
    page.wait_for_function("() => window.jupyterapp", timeout=120_000)
    page.evaluate("async () => { await window.jupyterapp.restored; }")
    yield page
    page.close()


@contextlib.contextmanager
def watched(page, jupyter, restarts=False, kernel=""):
    """Whatever goes wrong in the page's console fails at the end; then nothing is left open, but one kernel if it is to stay."""
    wrong = []

    def hear(told, harmless=()):
        if not any(words in told for words in (*harmless, *([RESTARTED] if restarts else []))):
            wrong.append(told)

    heard = {
        "pageerror": lambda error: hear(str(error)),
        "console": lambda message: hear(message.text, HARMLESS) if message.type == "error" else None,
    }
    for event, listener in heard.items():
        page.on(event, listener)
    yield page
    close_notebooks(page)
    for event, listener in heard.items():
        page.remove_listener(event, listener)
    jupyter.stop_kernels(but=kernel)
    assert not wrong


@pytest.fixture(scope="session")
def kernel(jupyter):
    """One for all lessons: nbval runs each in a kernel of its own, and starting one takes as long as a lesson's explorers."""
    return jupyter.start_kernel()


@pytest.fixture
def page(desk, jupyter, kernel):
    with watched(desk, jupyter, kernel=kernel) as opened:
        opened.set_viewport_size({"width": 1280, "height": 900})
        yield opened


@pytest.fixture(scope="module")
def waves(desk, jupyter, kernel):
    """The tests' own notebook, run once for all of them; one of them restarts its kernel."""
    with watched(desk, jupyter, restarts=True, kernel=kernel) as opened:
        open_notebook(opened, jupyter, "waves.ipynb")
        run_all(opened)
        yield opened


class Shown:
    """An explorer on a page, found by its place among them."""

    def __init__(self, page, place=0):
        self.page = page
        self.box = page.locator(".bloque-explorer").nth(place)
        self.canvas = self.box.locator(".bloque-stage canvas")
        self.caption = self.box.locator(".bloque-caption")
        self.note = self.box.locator(".bloque-note")
        self.view = self.box.locator(".bloque-view")

    def control(self, place):
        return self.box.locator(f".bloque-at-{place}")

    def handle(self, place=0):
        return self.control(place).locator(".noUi-handle")

    def key(self):
        return self.view.evaluate("e => e.bloque.here().join(',')")

    def settle(self, seconds=30):
        """Wait until the picture is that of the controls."""
        self.box.scroll_into_view_if_needed()
        view = self.view.element_handle()
        there = "e => e.bloque && e.bloque.shown === e.bloque.key(e.bloque.here())"
        self.page.wait_for_function(there, arg=view, timeout=seconds * 1000, polling=30)
        return self.key()

    def evaluate(self, script):
        return self.view.evaluate(f"e => {{ const view = e.bloque; return {script}; }}")

    def picture(self):
        """The digest of the colours on the canvas."""
        return self.view.evaluate(
            """async e => { const c = e.bloque.canvas;
            const data = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
            const found = await crypto.subtle.digest("SHA-256", data);
            return [...new Uint8Array(found)].map(b => b.toString(16).padStart(2, "0")).join(""); }"""
        )


def in_kernel(page, code):
    """What the page's kernel prints."""
    return page.evaluate(
        """async code => {
            const widgets = [...jupyterapp.shell.widgets("main")];
            const kernel = widgets.find(w => w.context?.sessionContext).context.sessionContext.session.kernel;
            const asked = kernel.requestExecute({ code, store_history: false });
            let told = "";
            asked.onIOPub = ({ header, content }) => {
                if (header.msg_type === "stream") told += content.text;
                if (header.msg_type === "error") told += content.traceback.join("\\n");
            };
            await asked.done;
            return told;
        }""",
        code,
    )


def in_python(page, shown):
    """Caption and digest of a whole fresh drawing of the explorer, in its kernel, at the position shown."""
    model, ratio = shown.evaluate("[view.spec.id, view.ratio]")
    told = in_kernel(
        page,
        f"""
import hashlib as _h
from bloque.explore import view as _v
_live = next(l for _, ls in _v._cells.values() for l in ls if hasattr(l, "explorer") and l.explorer.spec_id == {model!r})
_live.explorer.drawing.forget()
_p, _c = _live.explorer.pixels(({shown.key()},), {ratio})
print(_h.sha256(_p.tobytes()).hexdigest(), _c)
""",
    )
    assert "Traceback" not in told, told
    digest, _, caption = told.strip().partition(" ")
    return digest, caption
