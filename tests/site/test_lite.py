"""JupyterLite with the network cut: every lesson runs in the browser's own Python, and a slider moves."""

from __future__ import annotations

import pytest

from tests.site.conftest import ROOT, Watched

NOTEBOOKS = {language: sorted(p.name for p in (ROOT / "notebooks" / language).glob("*.ipynb")) for language in ("es", "en")}
# Every lesson in one language, lesson 1 in both.
RUNS = [("es", name) for name in NOTEBOOKS["es"]] + [("en", name) for name in NOTEBOOKS["en"] if name.startswith("01")]

SESSION = "window.jupyterapp.shell.currentWidget?.context?.sessionContext"
CODE = "window.jupyterapp.shell.currentWidget.content.widgets.filter((cell) => cell.model.type === 'code')"
ERRORS = f"{CODE}.flatMap((cell) => cell.model.outputs.toJSON()).filter((output) => output.output_type === 'error').map((o) => o.evalue)"


@pytest.mark.parametrize(("language", "name"), RUNS)
def test_notebook_runs_in_the_browser(language: str, name: str, watched: Watched, site: str) -> None:
    page = watched.page
    page.goto(f"{site}/lite/{language}/lab/index.html?path={language}/{name}")
    page.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=120_000)
    page.wait_for_function("document.querySelector('.jp-NotebookPanel-toolbar')", timeout=60_000)
    page.wait_for_function("window.jupyterapp", timeout=60_000)
    page.wait_for_function(f"() => {SESSION}?.session?.kernel?.status === 'idle'", timeout=180_000)
    assert page.locator(".jp-Dialog").count() == 0  # nobody is asked to choose a kernel
    # What the saved notebook tells of its own runs must not be taken for a run here.
    page.evaluate(f"() => {CODE}.forEach((cell) => {{ cell.model.executionCount = null; cell.model.outputs.clear(); }})")
    page.evaluate("() => void window.jupyterapp.commands.execute('notebook:run-all-cells')")
    page.wait_for_function(
        f"""() => {CODE}.every(({{ model }}) => typeof model.executionCount === 'number' && model.executionState !== 'running')
          || {ERRORS}.length""",
        timeout=420_000,
    )
    failed = page.evaluate(f"() => {ERRORS}")
    assert failed == []
    assert watched.refused == []


def test_a_slider_moves_in_the_browser_kernel(watched: Watched, site: str) -> None:
    test_notebook_runs_in_the_browser("es", NOTEBOOKS["es"][1], watched, site)
    page = watched.page
    page.evaluate(
        """() => { const content = window.jupyterapp.shell.currentWidget.content;
          const place = content.widgets.findIndex((cell) => cell.node.querySelector('.bloque-explorer'));
          content.activeCellIndex = place; return content.scrollToItem(place, 'start'); }"""
    )
    explorer = page.locator(".bloque-explorer").first
    explorer.wait_for(timeout=60_000)
    button = explorer.locator(".bloque-guess button")
    if button.count():
        button.first.click()
    before = explorer.inner_text()
    slider = explorer.locator(".noUi-handle, [role=slider]").last
    slider.focus()
    slider.press("ArrowRight")
    page.wait_for_function("(before) => document.querySelector('.bloque-explorer').innerText !== before", arg=before, timeout=30_000)
