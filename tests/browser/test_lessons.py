"""Every lesson in a real browser: all cells run, every control moves its picture to what Python draws."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from tools.lab import ROOT, open_notebook, run_all

from .conftest import LESSONS, Shown, in_python


def obstacles(page):
    """What axe-core finds serious in what the lesson itself put on the page: prose, outputs, explorers, quizzes."""
    found = Axe().run(page, context={"include": [[".jp-MarkdownOutput"], [".jp-OutputArea-output"]]}).response
    serious = [violation for violation in found["violations"] if violation["impact"] in ("serious", "critical")]
    return [f"{v['id']}: {len(v['nodes'])} like {v['nodes'][0]['html'][:200]}" for v in serious]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_lesson_runs_and_its_explorers_move(page, jupyter, lesson):
    whole = (int(lesson.stem[:2]) % 2 == 1) == (lesson.parent.name == "es")  # of two twins one is walked, the other opened
    open_notebook(page, jupyter, lesson.relative_to(ROOT / "notebooks").as_posix())
    run_all(page)
    # Nothing is drawn ahead here: every picture is asked for, which is the longer way, and the tests stay short.
    page.evaluate("() => document.querySelectorAll('.bloque-view').forEach((e) => { e.bloque.ahead = () => []; })")
    if not whole and lesson.parent.name == "es":  # half of the twins that are only opened are seen in the dark
        page.evaluate("() => jupyterapp.commands.execute('apputils:change-theme', { theme: 'JupyterLab Dark' })")
    assert page.locator('[data-mime-type="application/vnd.jupyter.error"], [data-mime-type="application/vnd.jupyter.stderr"]').count() == 0
    for place in range(page.locator(".bloque-explorer").count()):
        shown = Shown(page, place)
        shown.settle()
        if not whole:
            continue
        guess = shown.box.locator(".bloque-commit")
        if guess.count():
            shown.box.locator(".bloque-guess input").press("ArrowRight")
            guess.click()
        dragged = False
        for number, control in enumerate(shown.evaluate("view.spec.controls")):
            if control["count"] < 2:
                continue
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
    if not whole:
        found = obstacles(page)
        assert not found, "\n".join(found)
