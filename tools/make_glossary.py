"""Write notebook 90 of each language, the glossary, from the tables of terms.

    python tools/make_glossary.py [--check]

The words stand in lib/bloque/texts/<language>/glossary.toml, the lessons that teach them in
tools/glossary.toml. Afterwards: python tools/build_notebooks.py notebooks/*/90_*.py
"""

from __future__ import annotations

import sys
import tomllib
import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:  # started as a script, only tools/ is on the path
    sys.path.insert(0, str(ROOT))

import nbformat

from bloque.texts import entry, languages, text
from tools.build_notebooks import fill_in, write_script

NUMBER = 90


def target(root: Path, language: str) -> Path:
    return root / "notebooks" / language / f"{NUMBER}_{text('glossary.file', lang=language)}.py"


def glossary(root: Path, language: str, taught: dict[str, list[int]]) -> str:
    """The .py of a language's glossary, its terms in alphabetical order."""
    others = [other for other in languages() if other != language and (root / "notebooks" / other).is_dir()]
    twins = " · ".join(f"[{text('language.name', lang=other)}](../{other}/{target(root, other).stem}.ipynb)" for other in others)
    title = f"# {text('glossary.title', lang=language)}\n\n{twins}\n\n{text('glossary.intro', lang=language)}"
    rows = [entry("glossary.columns", lang=language), ["---"] * 4]
    terms = entry("glossary.terms", lang=language)
    if missing := sorted(terms.keys() - taught.keys()):
        raise SystemExit(f"tools/glossary.toml does not say which lessons teach: {', '.join(missing)}")
    for key in sorted(terms, key=lambda key: alphabetical(terms[key]["term"])):
        elsewhere = " · ".join(entry(f"glossary.terms.{key}.term", lang=other) for other in others)
        where = ", ".join(lesson_link(root, language, number) for number in taught[key])
        rows.append([f"**{terms[key]['term']}**", elsewhere, terms[key]["line"], where])
    table = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    heading = text("glossary.terms_heading", lang=language)
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [
        nbformat.v4.new_markdown_cell(title),
        nbformat.v4.new_code_cell(metadata={"tags": ["setup"]}),
        nbformat.v4.new_markdown_cell(f"## {heading}\n\n{table}"),
        nbformat.v4.new_code_cell(metadata={"tags": ["colophon"]}),
    ]
    fill_in(notebook, language, NUMBER)
    return write_script(notebook)


def lesson_link(root: Path, language: str, number: int) -> str:
    """A link to a lesson; its bare name while the lesson is not written."""
    name = text("glossary.lesson", lang=language, number=number)
    found = sorted((root / "notebooks" / language).glob(f"{number:02d}_*.py"))
    return f"[{name}]({found[0].stem}.ipynb)" if found else name


def alphabetical(word: str) -> str:
    """Accents and capitals do not count."""
    return "".join(c for c in unicodedata.normalize("NFD", word.casefold()) if not unicodedata.combining(c))


def read_taught() -> dict[str, list[int]]:
    return tomllib.loads((ROOT / "tools" / "glossary.toml").read_text(encoding="utf-8"))


def main(arguments: list[str]) -> int:
    changed = 0
    for folder in sorted((ROOT / "notebooks").iterdir()):
        if folder.is_dir() and folder.name in languages():
            path, source = target(ROOT, folder.name), glossary(ROOT, folder.name, read_taught())
            if not path.exists() or path.read_text(encoding="utf-8") != source:
                changed += 1
                print(("would change " if "--check" in arguments else "wrote ") + str(path))
                if "--check" not in arguments:
                    path.write_text(source, encoding="utf-8")
    return 1 if changed and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
