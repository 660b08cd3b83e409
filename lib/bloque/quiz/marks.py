"""The little Markdown and the little TeX of the questions, as HTML and as plain text.

Widget labels take neither, and a notebook on GitHub sets no formula inside an output: so a question's
formulas are written with the letters and signs that every page has.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "eta": "η", "theta": "θ", "lambda": "λ",
    "mu": "μ", "nu": "ν", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
    "Delta": "Δ", "Sigma": "Σ", "Phi": "Φ", "Omega": "Ω", "Gamma": "Γ",
}  # fmt: skip
SIGNS = {
    "times": "×", "cdot": "·", "odot": "⊙", "pm": "±", "partial": "∂", "nabla": "∇", "sum": "Σ", "prod": "∏", "infty": "∞",
    "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "approx": "≈", "sim": "∼", "propto": "∝",
    "to": "→", "rightarrow": "→", "mapsto": "↦", "Rightarrow": "⇒", "in": "∈", "top": "T", "ell": "ℓ", "circ": "∘",
    "ldots": "…", "dots": "…", "cdots": "⋯", "|": "‖", "lVert": "‖", "rVert": "‖", "Vert": "‖", "lvert": "|", "rvert": "|", "mid": "|",
    "ll": "≪", "gg": "≫", "lceil": "⌈", "rceil": "⌉", "lfloor": "⌊", "rfloor": "⌋", "quad": " ", "qquad": " ",
    ",": " ", ";": " ", ":": " ", "!": "", " ": " ", "{": "{", "}": "}", "%": "%", "_": "_", "left": "", "right": "", "big": "",
    "displaystyle": "", "limits": "", "\\": " ",
}  # fmt: skip
WORDS = frozenset(["log", "ln", "exp", "max", "min", "arg", "tanh", "sin", "cos", "tr", "det", "dim"])
FONTS = frozenset(["mathrm", "text", "operatorname", "mathbf", "mathsf", "mathcal", "mathit", "textbf", "textit", "boldsymbol"])
ACCENTS = {"hat": "\u0302", "bar": "\u0304", "tilde": "\u0303", "vec": "\u20d7"}
SUPERSCRIPTS = str.maketrans("0123456789+-−=()niTtk", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱᵀᵗᵏ")
SUBSCRIPTS = str.maketrans("0123456789+-−=()aeijkmnt", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑᵢⱼₖₘₙₜ")
TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[{}^_]|\s+|.", re.DOTALL)


class UnknownMark(ValueError):
    """A formula that uses more TeX than questions may."""


def as_html(source: str) -> str:
    """Bold, italics, code and formulas as HTML."""
    return "".join(
        f"<code>{html.escape(piece, quote=False)}</code>"
        if kind == "code"
        else formula(piece, tags=True)
        if kind == "math"
        else re.sub(
            r"(?<!\*)\*([^*]+)\*(?!\*)", r"<em>\1</em>", re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", html.escape(piece, quote=False))
        )
        for kind, piece in _pieces(source)
    )


def as_plain(source: str) -> str:
    """The same without marks, for labels and terminals."""
    return "".join(
        piece if kind == "code" else formula(piece, tags=False) if kind == "math" else re.sub(r"\*+([^*]+)\*+", r"\1", piece)
        for kind, piece in _pieces(source)
    )


def _pieces(source: str) -> Iterator[tuple[str, str]]:
    for piece in re.split(r"(`[^`]+`|\$\$[^$]+\$\$|\$[^$]+\$)", source):
        if piece.startswith("`"):
            yield "code", piece[1:-1]
        elif piece.startswith("$"):
            yield "math", piece.strip("$")
        else:
            yield "text", piece


def formula(tex: str, *, tags: bool) -> str:
    """A formula in letters and signs; raised and lowered ones by tags, or by their own characters."""
    tokens = TOKEN.findall(tex)
    written, rest = _sequence(tokens, 0, tags)
    if rest < len(tokens):
        raise UnknownMark(f"an unmatched brace in {tex!r}")
    return re.sub(r"(?<=[∂∇√]) | +(?= )", "", written).strip()


def _sequence(tokens: list[str], place: int, tags: bool) -> tuple[str, int]:
    written = ""
    while place < len(tokens) and tokens[place] != "}":
        piece, place = _item(tokens, place, tags)
        written += piece
    return written, place


def _item(tokens: list[str], place: int, tags: bool) -> tuple[str, int]:
    token = tokens[place]
    if token == "{":
        inside, place = _sequence(tokens, place + 1, tags)
        if place >= len(tokens):
            raise UnknownMark("an open brace")
        return inside, place + 1
    if token in "^_":
        inside, place = _argument(tokens, place + 1, tags)
        return _moved(inside, token, tags), place
    if token.startswith("\\"):
        return _command(token[1:], tokens, place + 1, tags)
    if token == "-":
        return "−", place + 1
    if token == "'":
        return "′", place + 1
    if token.isspace():
        return " ", place + 1
    return html.escape(token, quote=False) if tags else token, place + 1


def _argument(tokens: list[str], place: int, tags: bool) -> tuple[str, int]:
    while place < len(tokens) and tokens[place].isspace():
        place += 1
    if place >= len(tokens):
        raise UnknownMark("an argument is missing")
    return _item(tokens, place, tags)


def _command(name: str, tokens: list[str], place: int, tags: bool) -> tuple[str, int]:
    if name in SIGNS or name in GREEK:
        return (SIGNS | GREEK)[name], place
    if name in WORDS:
        return name, place
    if name in FONTS or name in ACCENTS or name in ("sqrt", "mathbb"):
        inside, place = _argument(tokens, place, tags)
        if name == "sqrt":
            return "√" + _grouped(inside), place
        if name == "mathbb":
            return {"R": "ℝ", "N": "ℕ", "E": "𝔼"}.get(inside, inside), place
        return inside + ACCENTS.get(name, ""), place
    if name in ("frac", "tfrac", "dfrac"):
        above, place = _argument(tokens, place, tags)
        below, place = _argument(tokens, place, tags)
        return f"{_grouped(above)}/{_grouped(below)}", place
    raise UnknownMark(f"questions do not know \\{name}")


def _grouped(inside: str) -> str:
    """With parentheses unless it is read as one thing anyway."""
    bare = re.sub(r"<su[bp]>.*?</su[bp]>", "", inside)
    return inside if re.fullmatch(r"[∂√]?[\w.,′\u0300-\u036f₀-ₜ⁰-ⁿ]+", bare) else f"({inside})"


def _moved(inside: str, where: str, tags: bool) -> str:
    inside = inside.strip()
    if tags:
        tag = "sup" if where == "^" else "sub"
        return f"<{tag}>{inside}</{tag}>"
    table = SUPERSCRIPTS if where == "^" else SUBSCRIPTS
    if all(ord(letter) in table for letter in inside):
        return inside.translate(table)
    return f"{where}{inside}" if len(inside) == 1 or (where == "_" and inside.isalnum()) else f"{where}({inside})"
