"""Commands for teachers.

    python -m bloque check FILE.ipynb […] [--csv TABLE.csv] [--json TABLE.json] [--seconds 120] [--jobs 2]
    python -m bloque class [FOLDER] [--from notebooks]

``check`` runs notebooks, each in a kernel of its own, and tells which exercises pass; its exit status is
1 if one does not. ``class`` writes the notebooks without solutions, and a page for the teacher; its exit
status is 1 if there are no notebooks in the folder it is to read.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import bloque


def main(arguments: list[str] | None = None) -> int:
    """Run the command that is asked for; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m bloque", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--language", default=None, help="es, en …: the language of the tables (default: that of the notebooks)")
    commands = parser.add_subparsers(dest="command", required=True)
    checking = commands.add_parser("check", help="run the exercises of notebooks")
    checking.add_argument("notebooks", nargs="+", type=Path, metavar="FILE.ipynb")
    checking.add_argument("--csv", type=Path, help="write the table here")
    checking.add_argument("--json", type=Path, help="write the table here too, as JSON")
    checking.add_argument("--seconds", type=float, default=120, help="for each notebook (default 120)")
    checking.add_argument("--jobs", type=int, default=2, help="kernels at a time, about 250 to 400 MB each (default 2)")
    classroom = commands.add_parser("class", help="notebooks without solutions and a teacher's page")
    classroom.add_argument("folder", nargs="?", type=Path, default=Path("_class"), help="where to write (default _class)")
    classroom.add_argument(
        "--from", dest="source", type=Path, default=Path("notebooks"), help="the folder of notebooks to read (default notebooks)"
    )
    chosen = parser.parse_args(arguments)
    if chosen.language:
        bloque.language(chosen.language)
    if chosen.command == "check":
        from bloque.checks.marking import language_of, mark

        if not chosen.language and (spoken := language_of(chosen.notebooks)) in bloque.texts.languages():
            bloque.language(spoken)
        return mark(chosen.notebooks, seconds=chosen.seconds, jobs=chosen.jobs, csv_path=chosen.csv, json_path=chosen.json)
    from bloque.checks.classroom import make_class

    made = False
    for path in make_class(chosen.source, chosen.folder):
        made = True
        print(path)
    if not made:
        expected = ", ".join(f"{code}/01_….ipynb" for code in bloque.texts.languages())
        print(bloque.texts.text("commands.class.nothing", folder=chosen.source, expected=expected), file=sys.stderr)
    return 0 if made else 1


if __name__ == "__main__":
    sys.exit(main())
