"""The browser kernel: a folder with Pyodide, its lock file cut down, and every wheel the course needs.

Nothing in it points outside: the kernel starts with the network cut. Compiled wheels are the ones
Pyodide's own release holds, whatever their source, or the build stops: each is compared by SHA-256
with the lock file of Pyodide's npm package.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import urllib.request
import zipfile
from email.parser import Parser
from pathlib import Path
from typing import Any

CORE = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"]

Entry = dict[str, Any]


def canonical(name: str) -> str:
    """A distribution's name as the package index writes it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def digest(content: bytes) -> str:
    """The SHA-256 of some bytes, as lock files write it."""
    return hashlib.sha256(content).hexdigest()


class WheelSource:
    """Where compiled wheels are read from: a folder, a wheel holding them, or an address with {file}."""

    def __init__(self, where: str) -> None:
        self.where = where
        path = Path(where)
        self.archive = zipfile.ZipFile(path) if path.suffix == ".whl" and path.is_file() else None
        self.inside = {n.rsplit("/", 1)[-1]: n for n in self.archive.namelist()} if self.archive else {}
        if not (self.archive or path.is_dir() or "{file}" in where):
            raise SystemExit(f"--wheels {where}: neither a folder, nor a .whl file, nor an address with {{file}} in it")

    def read(self, file_name: str) -> bytes:
        """The bytes of a wheel; SystemExit when the source does not hold it."""
        if self.archive:
            if file_name not in self.inside:
                raise SystemExit(f"{self.where} does not hold {file_name}")
            return self.archive.read(self.inside[file_name])
        if "{file}" in self.where:
            with urllib.request.urlopen(self.where.replace("{file}", file_name), timeout=120) as answer:
                return answer.read()
        path = Path(self.where) / file_name
        if not path.is_file():
            raise SystemExit(f"{path} is missing; it must be the file of Pyodide's release")
        return path.read_bytes()


def lock_entry(wheel: Path, unneeded: set[str]) -> Entry:
    """A wheel described as Pyodide's lock file describes one."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata_name = next(n for n in names if n.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(archive.read(metadata_name).decode("utf-8"))
    imports = set()
    for name in names:
        first, _, rest = name.partition("/")
        if first.endswith((".dist-info", ".data")) or not name.endswith(".py"):
            continue
        imports.add(first if rest else first.removesuffix(".py"))
    return {
        "name": canonical(metadata["Name"]),
        "version": metadata["Version"],
        "file_name": wheel.name,
        "sha256": digest(wheel.read_bytes()),
        "install_dir": "site",
        "package_type": "package",
        "imports": sorted(imports),
        "depends": sorted(requirements(metadata.get_all("Requires-Dist") or []) - unneeded),
        "unvendored_tests": False,
    }


def requirements(lines: list[str]) -> set[str]:
    """The distributions that a wheel needs in the browser: no extras, no other systems, no older Pythons."""
    needed = set()
    for line in lines:
        requirement, _, marker = line.partition(";")
        if re.search(r"extra|win32|emscripten|python_version *<|python_full_version *<", marker.replace('"', "").replace("'", "")):
            continue
        match = re.match(r"[A-Za-z0-9._-]+", requirement.strip())
        if match:
            needed.add(canonical(match.group(0)))
    return needed


def assemble(*, npm: Path, source: WheelSource, pure: list[Path], compiled: list[str], unneeded: set[str], out: Path) -> Entry:
    """Write the kernel's folder and return its lock.

    npm: the unpacked Pyodide npm package. pure: folders of pure wheels, the course's own among them.
    Raises SystemExit when a wheel is not the one of the lock, or when a dependency is missing.
    """
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    for name in CORE:
        shutil.copy(npm / name, out / name)
    lock = json.loads((npm / "pyodide-lock.json").read_text(encoding="utf-8"))
    packages: dict[str, Entry] = {}
    for name in compiled:
        official = lock["packages"][name]
        content = source.read(official["file_name"])
        if digest(content) != official["sha256"]:
            raise SystemExit(f"{official['file_name']}: SHA-256 differs from Pyodide's lock")
        (out / official["file_name"]).write_bytes(content)
        packages[name] = official
    for folder in pure:
        for wheel in sorted(folder.glob("*.whl")):
            described = lock_entry(wheel, unneeded)
            if described["name"] in unneeded or described["name"] in packages:
                continue
            shutil.copy(wheel, out / wheel.name)
            packages[described["name"]] = described
    missing = sorted(
        f"{name} needs {dependency}"
        for name, described in packages.items()
        for dependency in described["depends"]
        if canonical(dependency) not in packages
    )
    if missing:
        raise SystemExit("the browser kernel lacks: " + "; ".join(missing))
    lock["packages"] = dict(sorted(packages.items()))
    (out / "pyodide-lock.json").write_text(json.dumps(lock, indent=1), encoding="utf-8")
    return lock


def download_pure(pins: list[str], python: str, into: Path) -> None:
    """Fetch pinned pure wheels for the browser's Python, once."""
    stamp = into / "pins.json"
    if stamp.is_file() and json.loads(stamp.read_text(encoding="utf-8")) == pins:
        return
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "--python-version", python,
         "--implementation", "py", "--abi", "none", "--platform", "any", "-d", str(into), *pins],
        check=True,
    )  # fmt: skip
    stamp.write_text(json.dumps(pins), encoding="utf-8")


def npm_package(name: str, version: str, cache: Path) -> Path:
    """The unpacked npm package, fetched once."""
    folder = cache / f"{name}-{version}"
    if not (folder / "package" / "package.json").is_file():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "pack", "-s", f"{name}@{version}"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["tar", "xzf", next(folder.glob("*.tgz")).name], cwd=folder, check=True)
    return folder / "package"


def compile_wheels(folder: Path, script: Path) -> None:
    """Byte-compile every wheel in place with the very Pyodide that will import it (needs Node)."""
    compiled = folder.with_name(folder.name + "-compiled")
    shutil.rmtree(compiled, ignore_errors=True)
    subprocess.run(["node", str(script), str(folder), str(compiled)], check=True)
    shutil.rmtree(folder)
    compiled.rename(folder)
