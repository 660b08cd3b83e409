"""``python -m tools.site``: build the site into ``_site/`` and, on request, the classroom zip.

The compiled wheels of the browser kernel come from ``--wheels``: a folder, a wheel that holds them,
or an address with {file} in it; ``release`` means Pyodide's own release, and without the option a
wheel that holds the same files is fetched from the package index. Each is checked by SHA-256.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import bloque
from bloque import texts
from tools.site import kernel, lite, pages

REPOSITORY = Path(__file__).parents[2]
CACHE = REPOSITORY / ".cache" / "site"


def main(arguments: list[str] | None = None) -> int:
    """Build what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tools.site", description=__doc__)
    parser.add_argument("--out", type=Path, default=REPOSITORY / "_site", help="the folder to write")
    parser.add_argument("--wheels", help="source of the compiled wheels: folder, .whl, address with {file}, or 'release'")
    parser.add_argument("--pages-only", action="store_true", help="only the reading pages, without JupyterLite")
    parser.add_argument("--no-compile", action="store_true", help="leave the wheels as sources")
    parser.add_argument("--zip", type=Path, help="also write the whole site into this zip, for a classroom")
    options = parser.parse_args(arguments)
    pins = tomllib.loads((Path(__file__).parent / "pins.toml").read_text(encoding="utf-8"))
    katex = kernel.npm_package("katex", pins["npm"]["katex"], CACHE / "npm")
    pages.write_all(REPOSITORY, options.out, katex, bloque.__version__, with_lite=not options.pages_only)
    if not options.pages_only:
        write_lite(options, pins)
    write_notices(options.out, pins, katex)
    (options.out / ".nojekyll").touch()
    (options.out / "LEEME-README.txt").write_text(SERVE, encoding="utf-8")
    if options.zip:
        pack(options.out, options.zip)
    report(options.out)
    return 0


SERVE = """ES  Abre una terminal en esta carpeta, escribe:  python -m http.server 8000
    y abre en el navegador:  http://localhost:8000
EN  Open a terminal in this folder, type:  python -m http.server 8000
    and open in the browser:  http://localhost:8000
"""


def write_lite(options: argparse.Namespace, pins: dict[str, Any]) -> None:
    """The browser kernel and one JupyterLite per language."""
    browser = pins["kernel"]
    source = kernel.WheelSource(wheel_source(options.wheels, pins))
    kernel.download_pure(browser["pure"], browser["python"], CACHE / "pure")
    own = CACHE / "own"
    shutil.rmtree(own, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(own), str(REPOSITORY)], check=True)
    bundled = Path(sys.prefix) / "share/jupyter/labextensions/@jupyterlite/pyodide-kernel-extension/static/pypi"
    assembled = CACHE / "kernel"
    kernel.assemble(
        npm=kernel.npm_package("pyodide", pins["npm"]["pyodide"], CACHE / "npm"),
        source=source,
        pure=[own, CACHE / "pure", bundled],
        compiled=browser["compiled"],
        unneeded=set(browser["unneeded"]),
        out=assembled,
    )
    if not options.no_compile:
        kernel.compile_wheels(assembled, Path(__file__).parent / "compile.mjs")
    root = options.out / "lite"
    shutil.copytree(assembled, root / "kernel")
    for language in pages.lessons(REPOSITORY):
        name = texts.text("site.name", lang=language)
        lite.build(repository=REPOSITORY, work=CACHE, out=root / language, language=language, title=name)


def wheel_source(wanted: str | None, pins: dict[str, Any]) -> str:
    """The chosen source of compiled wheels; by default a wheel of the package index that holds them."""
    if wanted == "release":
        return pins["source"]["release"].replace("{pyodide}", pins["npm"]["pyodide"])
    if wanted:
        return wanted
    folder = CACHE / "source"
    requirement = pins["source"]["package"]
    name, version = requirement.split("==")
    found = list(folder.glob(f"{name.replace('-', '_')}-{version}-*.whl"))
    if not found:
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "-d", str(folder), requirement], check=True
        )
        found = list(folder.glob(f"{name.replace('-', '_')}-{version}-*.whl"))
    return str(found[0])


def write_notices(out: Path, pins: dict[str, Any], katex: Path) -> None:
    """Third parties in the site, each with its licence as its own files state it."""
    lines = ["This site contains work of others, each under its own licence.", "", f"KaTeX {pins['npm']['katex']}", ""]
    lines += [(katex / "LICENSE").read_text(encoding="utf-8"), ""]
    folder = out / "lite" / "kernel"
    if folder.is_dir():
        lines += [f"Pyodide {pins['npm']['pyodide']}: MPL-2.0 (with CPython, PSF licence, inside)", ""]
        for wheel in sorted(folder.glob("*.whl")):
            lines += licence_lines(wheel)
        lines += ["JupyterLab and JupyterLite: BSD-3-Clause; their bundles carry the licences of their parts", ""]
    (out / "NOTICES.txt").write_text("\n".join(lines), encoding="utf-8")


def licence_lines(wheel: Path) -> list[str]:
    """What a wheel says of its own licence."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(next(n for n in names if n.endswith(".dist-info/METADATA"))).decode("utf-8")
        head = metadata.split("\n\n", 1)[0].splitlines()
        stated = [line for line in head if line.startswith(("License-Expression:", "License:", "Classifier: License"))][:1]
        texts_inside = [n for n in names if ".dist-info/" in n and Path(n).name.upper().startswith(("LICEN", "COPYING", "NOTICE"))]
        body = [archive.read(n).decode("utf-8", "replace") for n in texts_inside]
    return [wheel.name.split("-cp")[0].split("-py")[0], *stated, "", *body, ""]


def pack(site: Path, target: Path) -> None:
    """The whole site in one zip whose only folder a teacher serves."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for file in sorted(site.rglob("*")):
            if file.is_file():
                archive.write(file, Path("bloque") / file.relative_to(site))


def report(out: Path) -> None:
    """Say how large the site has become."""
    files = [f for f in out.rglob("*") if f.is_file()]
    print(f"{len(files)} files, {sum(f.stat().st_size for f in files) / 1e6:.1f} MB in {out.name}/")


if __name__ == "__main__":
    sys.exit(main())
