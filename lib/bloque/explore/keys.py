"""The keyboard inside what we show: JupyterLab takes arrows and Enter for its own commands unless it is told not to."""

from __future__ import annotations

import anywidget


class Keys(anywidget.AnyWidget):
    """Put into a box, it leaves the keys pressed there to the box; Escape goes back to the cell.

    Without it an arrow on a slider, a menu or a radio button may choose another cell, and Enter on a button
    edits this one. Nothing of it is seen.
    """

    # ipywidgets draws the arrow of a menu in dark grey in every theme.
    _css = """
:is(.jp-mod-theme-dark, [data-jp-theme-light="false"]) .bloque-keys {
  --jp-widgets-dropdown-arrow: url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 18 18'\
%3E%3Cpath d='M5.2 7.5 9 11.3l3.8-3.8' fill='none' stroke='%23cccccc' stroke-width='1.6'/%3E%3C/svg%3E"); }
"""

    _esm = """
export default { render({ el }) {
  el.style.display = "none";
  let box = null;
  // JupyterLab asks the focused element itself, then those around it, and takes the first that fits a command.
  const keep = (event) => event.target.setAttribute("data-lm-suppress-shortcuts", "true");
  const back = (event) => {
    const cell = event.key === "Escape" && box.closest(".jp-Cell");
    if (cell) cell.focus();
  };
  const take = () => {
    box = el.parentElement;
    if (!box) { waiting = setTimeout(take, 50); return; } // not on the page yet
    box.classList.add("bloque-keys");
    box.addEventListener("focusin", keep);
    box.addEventListener("keydown", back);
  };
  let waiting = setTimeout(take, 0);
  return () => {
    clearTimeout(waiting);
    box?.removeEventListener("focusin", keep);
    box?.removeEventListener("keydown", back);
  };
} };
"""
