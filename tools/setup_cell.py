"""The first code cell of every notebook, made from one template and the texts of a language.

    python tools/setup_cell.py es        prints it

``tools/build_notebooks.py`` writes it into the cell tagged "setup", so nobody copies it by hand.
It has to live in the notebook: its work is to find the course when ``import bloque`` fails, to say
with which command to install it, and to install it by itself in Colab, where often only the notebook
was opened.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from string import Template

from bloque.texts import languages, text

ROOT = Path(__file__).resolve().parent.parent

# The exception draws itself, so that a reader sees a sentence instead of a traceback, and "Run all" stops.
# The course is installed with its whole repository beside it (-e), because the real model lies in data/;
# site.main() lets the Python that is already running see what was installed.
TEMPLATE = Template(
    '''\
# $comment
import sys

try:
    import bloque
except ImportError as reason:
    import site
    from pathlib import Path
    from subprocess import list2cmdline, run

    root = Path("../..").resolve()
    course = root if (root / "lib" / "bloque").is_dir() else "git+$repository.git#egg=bloque"
    command = [sys.executable, "-m", "pip", "install", "-e", str(course)]
    if "google.colab" not in sys.modules or run(command).returncode:
        stop = type("CourseMissing", (Exception,), {"_render_traceback_": lambda error: list(error.args)})
        raise stop(f"""$missing ({reason}). $uses: {sys.executable}
$terminal:

    {list2cmdline(command)}

$restart""") from None
    site.main()
    import bloque

bloque.language("$language")
print("$greeting", bloque.__version__)'''
)


def repository() -> str:
    """The address of the course, which stands in pyproject.toml and nowhere else by hand."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return settings["project"]["urls"]["Repository"]


def setup_cell(language: str) -> str:
    """The source of the cell in a language."""
    words = ("comment", "greeting", "missing", "uses", "terminal", "restart")
    return TEMPLATE.substitute(
        {word: text(f"setup.{word}", lang=language) for word in words},
        repository=repository(),
        language=language,
    )


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in languages():
        sys.exit(f"python tools/setup_cell.py {'|'.join(languages())}")
    print(setup_cell(sys.argv[1]))
