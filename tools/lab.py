"""A JupyterLab of one's own and a browser in it: for looking at lessons, for tests, for measuring.

The server listens on the loopback only, with a token of its own, and keeps its settings, its
runtime files and its notebooks in a folder that goes away with it: nothing of the reader's is
read or written.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")  # and in tools/system_packages.sh
SETTINGS = {
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},
    "@jupyterlab/apputils-extension/notification": {"checkForUpdates": False, "fetchNews": "false", "doNotDisturbMode": True},
    "@jupyterlab/docmanager-extension/plugin": {"autosave": False},
}


class Lab:
    """A running JupyterLab over a folder of notebooks."""

    def __init__(self, url: str, token: str, folder: Path, process: subprocess.Popen[bytes]):
        self.url, self.token, self.folder, self.process = url, token, folder, process

    def address(self, notebook: str, ui: str = "lab") -> str:
        """Where a notebook of the folder opens, or JupyterLab without one; with ui="notebook", in Notebook 7."""
        # A workspace of its own: JupyterLab would open again whatever the page before had open, and run that instead.
        workspace = f"lab/workspaces/{secrets.token_hex(4)}"
        way = f"notebooks/{notebook}" if ui == "notebook" else f"{workspace}/tree/{notebook}" if notebook else workspace
        return f"{self.url}/{way}?token={self.token}"

    def ask(self, path: str, method: str = "GET", body: Any = None) -> Any:
        """The server's own interface (kernels, sessions)."""
        request = urllib.request.Request(
            f"{self.url}/api/{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"token {self.token}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            written = answer.read()
        return json.loads(written) if written else None

    def kernels(self) -> list[str]:
        """The ids of the kernels that run."""
        return [kernel["id"] for kernel in self.ask("kernels")]

    def start_kernel(self) -> str:
        """A kernel of no notebook yet, for `open_notebook`; its id."""
        return str(self.ask("kernels", "POST", {"name": "python3"})["id"])

    def stop_kernels(self, but: str = "") -> None:
        """Stop them all, or all but one."""
        for kernel in self.kernels():
            if kernel != but:
                self.ask(f"kernels/{kernel}", "DELETE")


def free_port() -> int:
    """A port of the loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def find_chromium() -> str:
    """The browser that BLOQUE_CHROMIUM names, or the first of its usual names that this system has.

    Raises RuntimeError when there is none.
    """
    found = os.environ.get("BLOQUE_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if not found:
        raise RuntimeError("no chromium found: apt-get install chromium, or set BLOQUE_CHROMIUM")
    return found


@contextlib.contextmanager
def lab(notebooks: list[Path] | None = None, theme: str = "light") -> Iterator[Lab]:
    """Start a JupyterLab over copies of these notebooks; stop it and everything it started at the end."""
    with contextlib.ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bloque-lab-", ignore_cleanup_errors=True)))
        folder = _copied(notebooks or [], home / "notebooks")
        settings = _write_settings(home / "config" / "lab" / "user-settings", theme)
        port, token = free_port(), secrets.token_hex(16)
        stack.enter_context(_stopping_when_told())
        log = stack.enter_context((home / "log").open("wb"))
        process = stack.enter_context(
            _process(_command(port, folder), env=_environment(home, settings, token), stdout=log, stderr=log, cwd=home)
        )
        running = Lab(f"http://127.0.0.1:{port}", token, folder, process)
        stack.callback(_try_to_stop_kernels, running)
        _wait_for_answer(running, home / "log")
        yield running


def place_of(notebook: Path) -> Path:
    """Where a notebook stands in the folder of a lab: with its language where it is one of the course."""
    course = ROOT / "notebooks"
    return notebook.relative_to(course) if notebook.is_relative_to(course) else Path(notebook.name)


def _copied(notebooks: list[Path], folder: Path) -> Path:
    folder.mkdir()
    for notebook in notebooks:
        target = folder / place_of(notebook)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(notebook, target)
    return folder


def _write_settings(folder: Path, theme: str) -> Path:
    chosen = SETTINGS | {"@jupyterlab/apputils-extension/themes": {"theme": "JupyterLab Dark" if theme == "dark" else "JupyterLab Light"}}
    for plugin, values in chosen.items():
        file = folder / f"{plugin}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values), encoding="utf-8")
    return folder


def _environment(home: Path, settings: Path, token: str) -> dict[str, str]:
    return os.environ | {
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(settings),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "IPYTHONDIR": str(home / "ipython"),
        "JUPYTER_PLATFORM_DIRS": "1",
        "JUPYTER_TOKEN": token,
    }


def _command(port: int, folder: Path) -> list[str]:
    return [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", f"--port={port}"),
        *(f"--ServerApp.root_dir={folder}", "--ServerApp.port_retries=0", "--LabApp.news_url=None"),
        "--ServerApp.allow_root=True",
        "--ServerApp.disable_check_xsrf=True",
        "--LabApp.extension_manager=readonly",
        "--LabApp.expose_app_in_browser=True",
        "--JupyterNotebookApp.expose_app_in_browser=True",
    ]


@contextlib.contextmanager
def _stopping_when_told() -> Iterator[None]:
    """Told to stop, we still stop what we started; only the main thread may say so, and the caller's own answer is put back."""

    def stopped(*_: Any) -> None:
        raise SystemExit(143)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, stopped)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def _process(command: list[str], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A process that ends with the block, whether it wants to or not."""
    process = subprocess.Popen(command, start_new_session=True, **options)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _try_to_stop_kernels(running: Lab) -> None:
    with contextlib.suppress(Exception):  # a server that does not answer is stopped all the same
        running.stop_kernels()


def _wait_for_answer(running: Lab, log: Path, seconds: float = 90) -> None:
    """Until the server answers; a RuntimeError with its log when it ends or takes too long."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            running.ask("status")
            return
        except OSError:
            if running.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(log.read_text(encoding="utf-8", errors="replace")) from None
            time.sleep(0.2)


@contextlib.contextmanager
def browser(width: int = 1280, height: int = 900, ratio: float = 1, touch: bool = False, port: int = 0) -> Iterator[Any]:
    """A page of Debian's Chromium, through Playwright; nothing is downloaded. ``port``: where else it may be spoken to."""
    from playwright.sync_api import sync_playwright

    chosen = find_chromium()
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]
    if port:
        arguments.append(f"--remote-debugging-port={port}")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chosen, args=arguments)
        try:
            context = chromium.new_context(viewport={"width": width, "height": height}, device_scale_factor=ratio, has_touch=touch)
            yield context.new_page()
        finally:
            chromium.close()


def open_notebook(page: Any, running: Lab, notebook: str, ui: str = "lab", kernel: str = "") -> None:
    """Open a notebook and wait until its kernel is ready.

    A page that shows JupyterLab already opens it there, beside what else is open: loading JupyterLab
    takes as long as running a lesson. ``kernel``: one that runs already, in such a page, instead of a new one.
    """
    if ui == "lab" and page.url.startswith(running.url) and page.evaluate("() => Boolean(window.jupyterapp)"):
        page.evaluate(
            "async (path) => { await window.jupyterapp.commands.execute('docmanager:open', path); }",
            {"path": notebook} | ({"kernel": {"id": kernel}} if kernel else {}),
        )
    else:
        page.goto(running.address(notebook, ui))
    page.wait_for_selector(".jp-Notebook .jp-Cell", state="attached", timeout=120_000)
    _wait(page, READY, 90, notebook)
    if ui == "lab" and page.locator("#jp-left-stack:visible").count():
        page.keyboard.press("Control+b")  # the file list takes a third of a narrow window


def close_notebooks(page: Any, notebook: str | None = None) -> None:
    """Close a notebook, or all, without asking whether to save; its kernel lives on."""
    page.evaluate(
        """(path) => { for (const widget of [...jupyterapp.shell.widgets("main")]) {
            if (!widget.context?.model || (path && widget.context.path !== path)) continue;
            widget.context.model.dirty = false;
            widget.close();
        } }""",
        notebook,
    )
    if notebook is None:
        page.wait_for_function("() => !document.querySelector('.jp-Notebook')")


READY = """(path) => [...(window.jupyterapp?.shell.widgets("main") ?? [])].some((w) => {
    const session = w.context?.path === path && w.context.sessionContext;  // the page says "idle" before there is a kernel
    return session && session.isReady && session.session?.kernel?.status === "idle";
})"""
DONE = r"""() => {
    const prompts = [...document.querySelectorAll('.jp-NotebookPanel:not(.lm-mod-hidden) .jp-CodeCell .jp-InputPrompt')];
    return prompts.length && prompts.every(p => /\d/.test(p.textContent));
}"""


def run_all(page: Any, seconds: float = 120) -> None:
    """Run every cell, in order, and wait for the last."""
    page.evaluate("() => void window.jupyterapp.commands.execute('notebook:run-all-cells')")
    _wait(page, DONE, seconds)


def _wait(page: Any, condition: str, seconds: float, argument: Any = None) -> None:
    """Wait for a condition; meanwhile answer JupyterLab's question for a kernel, should it ask one."""
    deadline = time.monotonic() + seconds
    choose = page.locator(".jp-Dialog:has(.jp-Dialog-content select) button.jp-mod-accept")
    while not page.evaluate(condition, argument):
        if choose.count():
            choose.first.click()
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {seconds:.0f} s: {condition}")
        page.wait_for_timeout(250)
