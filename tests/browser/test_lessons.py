"""Every lesson in a real browser: all cells run, controls move their pictures to what Python draws."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from tools.lab import ROOT, open_notebook, run_all

from .conftest import LESSONS, Shown, in_kernel, in_python


def obstacles(page, *, prose):
    """What axe-core finds serious in what the lesson itself put on the page: outputs, explorers, quizzes, and its prose.

    Prose is JupyterLab's own rendering of text whose headings, links and pictures have rules of their own.
    """
    where = {"include": [[".jp-OutputArea-output"], *([[".jp-MarkdownOutput"]] if prose else [])]}
    found = Axe().run(page, context=where, options={"resultTypes": ["violations"]}).response
    serious = [violation for violation in found["violations"] if violation["impact"] in ("serious", "critical")]
    return [f"{v['id']}: {len(v['nodes'])} like {v['nodes'][0]['html'][:200]}" for v in serious]


NEVER_AHEAD = """() => { window.neverAhead ??= setInterval(() => document.querySelectorAll('.bloque-view').forEach((e) => {
    if (e.bloque) e.bloque.ahead = () => [];
}), 20); }"""


def open_lesson(page, jupyter, lesson, kernel):
    """Open it with nothing drawn ahead: every picture is asked for, which is the longer way, and the tests stay short."""
    open_notebook(page, jupyter, lesson.relative_to(ROOT / "notebooks").as_posix(), kernel=kernel)
    in_kernel(page, "%reset -f")
    page.evaluate(NEVER_AHEAD)


def twins(lessons):
    """One twin of each lesson, in turns, and the other once a week: it runs the same code, and nbval runs that every time."""
    for path in lessons:
        daily = (int(path.stem[:2]) % 2 == 1) == (path.parent.name == "es")
        yield pytest.param(path, id=f"{path.parent.name}-{path.stem}", marks=[] if daily else pytest.mark.weekly)


def moved(controls, *, every):
    """Which controls are moved, with their places: the first and the last that can be, and once a week every one."""
    found = [(place, control) for place, control in enumerate(controls) if control["count"] > 1]
    return found if every or len(found) < 3 else [found[0], found[-1]]


@pytest.mark.parametrize("lesson", list(twins(LESSONS)))
def test_a_lesson_runs_and_its_explorers_move(page, jupyter, lesson, kernel, request):
    open_lesson(page, jupyter, lesson, kernel)
    theme = "JupyterLab Dark" if lesson.parent.name == "es" else "JupyterLab Light"
    page.evaluate("(theme) => jupyterapp.commands.execute('apputils:change-theme', { theme })", theme)
    run_all(page)
    assert page.locator('[data-mime-type="application/vnd.jupyter.error"], [data-mime-type="application/vnd.jupyter.stderr"]').count() == 0
    for place in range(page.locator(".bloque-explorer").count()):
        shown = Shown(page, place)
        shown.settle()
        guess = shown.box.locator(".bloque-commit")
        if guess.count():
            shown.box.locator(".bloque-guess input").press("ArrowRight")
            guess.click()
        dragged = False
        for number, control in moved(shown.evaluate("view.spec.controls"), every=request.config.getoption("--weekly")):
            before = shown.key()
            row = shown.control(number)
            if control["kind"] == "choice":
                row.locator("select").select_option(index=1 if control["default"] == 0 else 0)
            elif control["kind"] == "switch":
                row.locator("input").press("Space")
            elif not dragged:
                track = row.locator(".noUi-base").bounding_box()
                handle = shown.handle(number).bounding_box()
                y = handle["y"] + handle["height"] / 2
                page.mouse.move(handle["x"] + handle["width"] / 2, y)
                page.mouse.down()
                page.mouse.move(track["x"] + track["width"] * (0.04 if control["default"] > control["count"] / 2 else 0.96), y, steps=4)
                page.mouse.up()
                dragged = True
            else:
                at_end = control["default"] == control["count"] - 1
                shown.handle(number).press("ArrowLeft" if at_end else "ArrowRight")
            assert shown.settle() != before
            assert shown.note.is_hidden(), shown.note.inner_text()
        digest, caption = in_python(page, shown)
        assert shown.caption.inner_text().split() == caption.split()
        assert shown.picture() == digest
    found = obstacles(page, prose=request.config.getoption("--weekly") or lesson.stem.startswith("00"))
    assert not found, "\n".join(found)


ACTIVE = "() => [...document.querySelectorAll('.jp-Notebook .jp-Cell')].findIndex((e) => e.classList.contains('jp-mod-active'))"
CELL_DONE = r"(i) => /\d/.test(document.querySelectorAll('.jp-Notebook .jp-Cell')[i].querySelector('.jp-InputPrompt').textContent)"


def go_to(page, cell):
    """With the arrow keys to a cell that is chosen, not edited."""
    for _ in range(200):
        here = page.evaluate(ACTIVE)
        if here == cell:
            return
        page.keyboard.press("ArrowDown" if here < cell else "ArrowUp")
    raise AssertionError(f"the keys do not lead to cell {cell}")


def tab_to(page, selector, most=40):
    """With Tab to the next thing that a selector finds; it must have the focus and show it."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("(s) => document.activeElement.matches(s)", selector):
            outline, shadow = page.evaluate(
                "() => { const look = getComputedStyle(document.activeElement); return [look.outlineStyle, look.boxShadow]; }"
            )
            assert (outline, shadow) != ("none", "none"), f"{selector}: no one can see that it has the focus"
            return
    raise AssertionError(f"Tab does not lead to {selector}")


def test_a_lesson_by_keyboard_alone(page, jupyter, kernel):
    lesson = next(path for path in LESSONS if path.parent.name == "es" and path.stem.startswith("00"))
    open_lesson(page, jupyter, lesson, kernel)
    cells = page.locator(".jp-Notebook .jp-Cell")
    for cell in range(cells.count()):  # Shift+Enter from the first cell to the last
        go_to(page, cell)
        code = "jp-CodeCell" in cells.nth(cell).get_attribute("class")
        page.keyboard.press("Shift+Enter")
        if code:
            page.wait_for_function(CELL_DONE, arg=cell)
    page.keyboard.press("Escape")

    def cell_of(selector):
        return page.evaluate("(s) => [...document.querySelectorAll('.jp-Cell')].findIndex((e) => e.querySelector(s))", selector)

    shown = Shown(page)  # the guess first, then the slider
    shown.settle()
    go_to(page, cell_of(".bloque-explorer"))
    tab_to(page, ".bloque-guess input[type=range]")
    page.keyboard.press("ArrowRight")
    tab_to(page, ".bloque-commit")
    page.keyboard.press("Enter")
    assert shown.box.locator(".bloque-commit").count() == 0 or shown.box.locator(".bloque-commit").is_hidden()
    tab_to(page, ".bloque-explorer .noUi-handle")
    before, caption = shown.key(), shown.caption.inner_text()
    here = page.evaluate(ACTIVE)
    for key in ("ArrowRight", "ArrowUp", "PageUp"):
        page.keyboard.press(key)
    assert shown.settle() != before
    assert shown.caption.inner_text() != caption
    assert page.evaluate(ACTIVE) == here  # the slider's arrows do not lead out of its cell
    page.keyboard.press("Escape")

    go_to(page, cell_of(".bloque-quiz"))  # an answer, and the verdict on it
    here = page.evaluate(ACTIVE)
    quiz = page.locator(".bloque-quiz").first
    tab_to(page, ".bloque-quiz input[type=radio]")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    assert quiz.locator("input[type=radio]:checked").count() == 1
    tab_to(page, ".bloque-quiz button")
    before = quiz.inner_text()
    page.keyboard.press("Enter")
    page.wait_for_function("(s) => document.querySelector('.bloque-quiz').innerText !== s", arg=before)
    tab_to(page, ".bloque-quiz select")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("() => document.activeElement.selectedIndex") == 1
    assert page.evaluate(ACTIVE) == here
