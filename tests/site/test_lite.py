"""JupyterLite with the network cut: every lesson runs in the browser's own Python, and a slider moves."""

from __future__ import annotations

import json

import pytest

from tests.site.conftest import ROOT, Watched

NOTEBOOKS = {language: sorted(p.name for p in (ROOT / "notebooks" / language).glob("*.ipynb")) for language in ("es", "en")}
# Every lesson in one language, lesson 1 in both.
RUNS = [("es", name) for name in NOTEBOOKS["es"]] + [("en", name) for name in NOTEBOOKS["en"] if name.startswith("01")]


@pytest.mark.parametrize(("language", "name"), RUNS)
def test_notebook_runs_in_the_browser(language: str, name: str, watched: Watched, site: str) -> None:
    page = watched.page
    page.goto(f"{site}/lite/{language}/lab/index.html?path={language}/{name}")
    page.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=120_000)
    page.wait_for_function("document.querySelector('.jp-NotebookPanel-toolbar')", timeout=60_000)
    page.locator(".jp-Notebook").click(position={"x": 200, "y": 60})
    before = json.loads((ROOT / "notebooks" / language / name).read_text(encoding="utf-8"))
    last = sum(cell["cell_type"] == "code" for cell in before["cells"])
    page.wait_for_function("window.jupyterapp", timeout=60_000)
    page.evaluate("window.jupyterapp.commands.execute('notebook:restart-run-all').catch(() => null)")
    accept = page.locator(".jp-Dialog .jp-mod-accept")
    accept.wait_for(timeout=30_000)
    accept.click()
    page.wait_for_function(
        """() => {
          const content = window.jupyterapp.shell.currentWidget.content;
          const code = content.widgets.filter((cell) => cell.model.type === 'code');
          return code.every(({ model }) =>
            typeof model.executionCount === 'number' && model.executionState !== 'running');
        }""",
        timeout=420_000,
    )
    failed = page.evaluate(
        """() => window.jupyterapp.shell.currentWidget.content.widgets
          .filter((cell) => cell.model.type === 'code')
          .flatMap((cell) => cell.model.outputs.toJSON())
          .filter((output) => output.output_type === 'error').map((output) => output.evalue)"""
    )
    assert failed == []
    assert last > 0
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
