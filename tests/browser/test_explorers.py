"""How an explorer behaves in a real browser, on a notebook of the tests' own."""

import time
from pathlib import Path

import nbformat
import pytest

import bloque
from bloque import explore
from tools.lab import close_notebooks, open_notebook, run_all

from . import sample
from .conftest import Shown, in_kernel, in_python, write_notebook


@pytest.fixture
def shown(waves):
    explorer = Shown(waves)
    explorer.settle()
    explorer.box.locator(".bloque-reset").click()
    assert explorer.settle() == "9,0,1"
    return explorer


def test_keyboard(shown):
    handle = shown.handle()
    handle.focus()
    assert handle.get_attribute("aria-label") == "speed"
    for key, position, readout in [
        ("ArrowRight", 10, "11 Hz"),
        ("ArrowLeft", 9, "10 Hz"),
        ("End", 39, "40 Hz"),
        ("ArrowRight", 39, "40 Hz"),
        ("Home", 0, "1 Hz"),
        ("PageUp", 5, None),
        ("PageDown", 0, "1 Hz"),
    ]:
        handle.press(key)
        assert shown.settle() == f"{position},0,1" or readout is None
        if readout:
            assert handle.get_attribute("aria-valuetext") == readout
            assert shown.control(0).locator(".widget-readout").inner_text() == readout
            assert shown.caption.inner_text().startswith(f"speed {readout.split()[0]},")
    outline = handle.evaluate("e => getComputedStyle(e).outlineStyle")
    assert outline == "solid"


def test_picture_and_caption_are_pythons(shown):
    shown.handle().press("End")
    shown.settle()
    shown.control(1).locator("select").select_option(index=1)
    shown.settle()
    digest, caption = in_python(shown.page, shown)
    assert shown.picture() == digest
    assert shown.caption.inner_text() == caption == "speed 40, square, shown True, highest 3"
    assert shown.canvas.get_attribute("role") == "img"
    assert shown.canvas.get_attribute("aria-label") == "A curve and three bars."
    assert shown.caption.get_attribute("aria-live") == "polite"


def test_a_drag_storm_leaves_the_last_picture_and_no_queue(shown):
    page = shown.page
    track = shown.control(0).locator(".noUi-base").bounding_box()
    y = track["y"] + track["height"] / 2
    before = page.locator(".jp-WindowedPanel-outer").first.evaluate("e => e.scrollTop")
    shown.handle().hover()
    page.mouse.down()
    for turn in range(120):
        page.mouse.move(track["x"] + track["width"] * ((turn * 37) % 100) / 100, y)
    page.mouse.move(track["x"] + track["width"] * 0.99, y)
    page.mouse.up()
    assert shown.settle(5).startswith("39")
    assert shown.evaluate("view.serial") < 200
    assert page.locator(".jp-WindowedPanel-outer").first.evaluate("e => e.scrollTop") == before


def test_reset_and_two_explorers_do_not_mix(shown):
    other = Shown(shown.page, 1)
    other.settle()
    shown.handle().press("End")
    shown.control(2).locator("input").press("Space")
    assert shown.settle() == "39,0,0"
    assert other.key() == "9,0,1"
    shown.box.locator(".bloque-reset").click()
    assert shown.settle() == "9,0,1"
    assert shown.control(2).locator("input").is_checked()
    in_kernel(shown.page, "one.at(speed=30, rule='square')")
    shown.page.wait_for_function("e => e.bloque.here().join() === '29,1,1'", arg=other.view.element_handle())
    assert other.settle() == "29,1,1"


def test_a_guess_is_made_before_the_truth_is_shown(shown):
    guess = Shown(shown.page, 2)
    guess.settle()
    size = guess.canvas.bounding_box()
    _, left, top, _, _ = guess.evaluate("view.spec.places.boxes")[1]
    guess.canvas.click(position={"x": size["width"] * left + 4, "y": size["height"] * top + 4})
    assert guess.key() == "9,0,1"  # a click on the picture chooses nothing yet
    assert guess.handle().get_attribute("disabled") is not None or guess.control(0).locator("[disabled]").count()
    assert guess.box.locator(".bloque-mark.truth").count() == 0
    guess.box.locator(".bloque-guess input").press("Home")
    guess.box.locator(".bloque-commit").click()
    assert guess.box.locator(".bloque-answer").inner_text() == "You guessed −1.0; it is 1.0."
    truth, mine = (guess.box.locator(f".bloque-mark.{kind}").bounding_box() for kind in ("truth", "guess"))
    assert truth["y"] < mine["y"]
    guess.handle().press("End")
    assert guess.settle() == "39,0,1"


def test_a_click_on_the_picture_chooses_what_the_control_chooses(shown):
    boxes = shown.evaluate("view.spec.places.boxes")
    size = shown.canvas.bounding_box()

    def click(box):
        shown.canvas.click(position={"x": size["width"] * (box[1] + box[3]) / 2, "y": size["height"] * (box[2] + box[4]) / 2})
        return shown.settle()

    assert click(boxes[1]) == "9,1,1"
    assert shown.control(1).locator("select").evaluate("e => e.selectedIndex") == 1
    assert ", square," in shown.caption.inner_text()
    shown.canvas.click(position={"x": size["width"] / 2, "y": size["height"] - 3})  # on nothing
    assert shown.settle() == "9,1,1"
    assert click(boxes[0]) == "9,0,1"


def test_a_frame_that_fails_says_so_in_its_place(shown):
    broken = Shown(shown.page, 3)
    broken.settle()
    handle = broken.handle()
    handle.press("ArrowRight")
    handle.press("ArrowRight")
    broken.settle()
    assert "nothing to divide by" in broken.note.inner_text()
    handle.press("ArrowRight")
    broken.settle()
    assert broken.note.is_hidden()
    assert broken.caption.inner_text().startswith("speed 13")


STATIC = """<!doctype html><div id="here"></div>
<script type="module">import { mount } from "./static.js"; await mount(document.getElementById("here"), "./manifest.json");</script>"""


@pytest.fixture
def offline(window, tmp_path):
    """An explorer on a page without Python; while the list it comes with is not empty, its frames cannot be fetched."""
    before = bloque.language()
    bloque.language("en")
    sample.waves().export(tmp_path, pixel_ratio=1)
    bloque.language(before)
    (tmp_path / "index.html").write_text(STATIC, encoding="utf-8")
    broken, asked = ["the network"], []

    def answer(route):
        name = route.request.url.rsplit("/", 1)[1]
        asked.append(name)
        if name.startswith("part") and broken:
            return route.abort()
        folder = Path(explore.__file__).parent if name in ("view.js", "static.js") else tmp_path
        return route.fulfill(path=folder / name)

    page = window.new_page()
    page.route("http://static.test/**", answer)
    page.goto("http://static.test/index.html")
    yield Shown(page), broken, asked
    page.close()


def test_what_failed_in_passing_is_asked_for_at_the_next_move(offline):
    shown, broken, asked = offline
    shown.settle()
    slider = shown.control(0).locator("input")
    shown.page.wait_for_timeout(500)
    assert shown.note.inner_text() == "This position cannot be drawn."
    before = len(asked)
    shown.page.wait_for_timeout(500)
    assert len(asked) == before  # it waits, and does not ask without end
    slider.press("ArrowRight")
    assert shown.settle() == "10,0,1"
    assert "cannot be drawn" in shown.note.inner_text()
    assert len(asked) > before
    broken.clear()
    slider.press("ArrowLeft")
    assert shown.settle() == "9,0,1"
    assert shown.note.is_hidden()
    assert shown.caption.inner_text() == "speed 10, sine, shown True, highest 3"
    slider.press("ArrowRight")
    shown.settle()
    assert shown.caption.inner_text() == "speed 11, sine, shown True, highest 3"
    shown.control(1).locator("select").select_option(index=1)
    shown.settle()
    assert "open the lesson live" in shown.note.inner_text()  # outside the tour: that will not change
    assert shown.evaluate("[view.frames.has(view.shown), view.failed.size]") == [True, 0]


def test_numbers_are_written_and_read(shown):
    field = shown.box.locator("input[type=text]")
    field.fill("4 5,5 x")
    field.press("Enter")
    shown.note.wait_for(state="visible")
    assert "4 5,5 x" in shown.note.inner_text()
    field.fill("4 5,5 8")
    field.press("Enter")
    shown.page.wait_for_function("e => e.bloque.caption.textContent.endsWith('highest 8')", arg=shown.view.element_handle())
    assert shown.note.is_hidden()
    field.fill("1 2 3")
    field.press("Enter")
    shown.page.wait_for_function("e => e.bloque.caption.textContent.endsWith('highest 3')", arg=shown.view.element_handle())


def test_a_cell_run_again_stops_the_old_and_frees_it(shown):
    page = shown.page
    live = "from bloque.explore import view as _v\nprint(sum(not l.closed for _, ls in _v._cells.values() for l in ls))"
    before = in_kernel(page, live).strip()
    page.evaluate("() => { window.old = document.querySelector('.bloque-view').bloque; }")
    page.locator(".jp-CodeCell").nth(1).locator(".jp-InputArea-editor").click()
    page.keyboard.press("Control+Enter")
    page.wait_for_function("() => window.old.closed")
    assert page.evaluate("() => [window.old.frames.kept.size, window.old.frames.bytes]") == [0, 0]
    Shown(page).settle()
    assert in_kernel(page, live).strip() == before
    assert page.locator(".bloque-explorer").count() == 4


@pytest.fixture
def limited(shown):
    """The explorer with room for few frames, and none of them there yet; the tests after it have all the room again."""
    limits = shown.evaluate("[view.frames.most, view.spec.most_bytes]")
    shown.evaluate("view.frames.most = view.spec.most_bytes = 2_000_000")
    shown.evaluate("(view.forget(), view.show())")
    yield shown
    shown.evaluate(f"[view.frames.most, view.spec.most_bytes] = {limits}")


def test_never_more_bytes_than_promised(limited):
    seen = set()  # what is drawn ahead of each of these would fill it by itself
    for key in ["Home", *["ArrowRight"] * 5, "End"]:
        limited.handle().press(key)
        limited.settle()
        assert limited.evaluate("view.frames.bytes") <= 2_000_000
        seen |= set(limited.evaluate("[...view.frames.kept.keys()]"))
    assert len(seen) > limited.evaluate("view.frames.kept.size")  # some had to go


def test_the_stored_picture_waits_behind_and_serves_without_a_kernel(shown, jupyter):
    page = shown.page
    stored = page.locator(".jp-CodeCell").nth(1).locator(".jp-OutputArea-child")
    assert stored.count() == 3
    assert [stored.nth(i).is_visible() for i in range(3)] == [True, False, False]
    notebook = page.evaluate("""() => [...jupyterapp.shell.widgets("main")].find(w => w.context?.model).context.model.toJSON()""")
    outputs = nbformat.from_dict(notebook).cells[1].outputs
    kept = [o for o in outputs if "application/vnd.jupyter.widget-view+json" not in o.data]
    assert [set(o.data) for o in kept] == [{"image/png"}, {"text/plain", "text/html"}]
    write_notebook(jupyter.folder / "stored.ipynb", ["waves()"], kept)
    open_notebook(page, jupyter, "stored.ipynb")
    reopened = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
    assert reopened.locator(".jp-OutputArea-child img").is_visible()
    assert reopened.locator(".jp-OutputArea-child p").inner_text() == "speed 10, sine, shown True, highest 3"
    close_notebooks(page, "stored.ipynb")
    open_notebook(page, jupyter, "waves.ipynb")


@pytest.mark.parametrize(("width", "theme"), [(800, "JupyterLab Dark"), (1280, "JupyterLab Light")])
def test_full_width_opaque_and_in_either_theme(shown, width, theme):
    page = shown.page
    page.evaluate("theme => jupyterapp.commands.execute('apputils:change-theme', { theme })", theme)
    page.set_viewport_size({"width": width, "height": 900})
    shown.settle()
    output = shown.box.locator("xpath=ancestor::*[contains(@class,'jp-OutputArea-output')][1]")
    canvas, room = shown.canvas.bounding_box(), output.bounding_box()
    assert canvas["width"] <= room["width"] + 1
    assert canvas["width"] > min(890, room["width"] * 0.9)
    assert output.evaluate("e => e.scrollWidth <= e.clientWidth + 1")
    assert shown.canvas.evaluate("c => [...c.getContext('2d').getImageData(0, 0, 1, 1).data]") == [255, 255, 255, 255]


def filled(shown):
    shown.page.wait_for_function("e => !e.bloque.out.size && !e.bloque.ahead(e.bloque.here(), 1).length", arg=shown.view.element_handle())


def test_frames_in_the_browser_answer_while_the_kernel_is_busy_or_gone(shown):
    page = shown.page
    shown.handle().hover()
    filled(shown)
    asked = shown.evaluate("view.serial")
    page.evaluate(
        """() => { const w = [...jupyterapp.shell.widgets("main")].find(w => w.context?.sessionContext);
        w.context.sessionContext.session.kernel.requestExecute({ code: "import time; time.sleep(4)" }); }"""
    )
    began = time.monotonic()
    shown.handle().press("End")
    shown.settle(3)
    assert time.monotonic() - began < 3
    assert shown.evaluate("view.serial") <= asked + 1
    page.evaluate(
        """async () => { const w = [...jupyterapp.shell.widgets("main")].find(w => w.context?.sessionContext);
        await w.context.sessionContext.session.kernel.restart(); }"""
    )
    shown.note.wait_for(state="visible")
    assert "Python has stopped" in shown.note.inner_text()
    assert shown.canvas.evaluate("c => c.getContext('2d').getImageData(c.width - 1, 0, 1, 1).data[3]") == 255
    shown.handle().press("ArrowLeft")
    assert shown.settle(5).startswith("38")


@pytest.mark.weekly
def test_notebook_7(window, jupyter):
    page = window.new_page()  # its console is left alone: Notebook 7 complains there of JupyterLab's settings
    open_notebook(page, jupyter, "waves.ipynb", ui="notebook")
    run_all(page)
    shown = Shown(page)
    shown.settle()
    shown.handle().press("End")
    assert shown.settle() == "39,0,1"
    assert shown.caption.inner_text().startswith("speed 40")
    page.close()
    jupyter.stop_kernels()
