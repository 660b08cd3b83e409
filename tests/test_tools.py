"""The tools that others lean on: a JupyterLab of one's own, which leaves nothing behind, and the browser it is seen in."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tools import lab as labs

ROOT = Path(__file__).resolve().parents[1]


def test_the_browser_is_looked_for_under_the_same_names_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    script = (ROOT / "tools" / "system_packages.sh").read_text(encoding="utf-8")
    names = re.search(r"^for name in (.+); do$", script, re.M)
    assert names
    assert tuple(names[1].split()) == labs.BROWSERS
    assert "BLOQUE_CHROMIUM" in script

    monkeypatch.delenv("BLOQUE_CHROMIUM", raising=False)
    monkeypatch.setattr(labs.shutil, "which", {name: f"/there/{name}" for name in labs.BROWSERS[2:]}.get)
    assert labs.find_chromium() == f"/there/{labs.BROWSERS[2]}"
    monkeypatch.setenv("BLOQUE_CHROMIUM", "/mine")
    assert labs.find_chromium() == "/mine"
    monkeypatch.delenv("BLOQUE_CHROMIUM")
    monkeypatch.setattr(labs.shutil, "which", lambda name: None)
    with pytest.raises(RuntimeError, match="BLOQUE_CHROMIUM"):
        labs.find_chromium()


def mine(*_: object) -> None:
    """A handler that somebody else has put there."""


@pytest.fixture
def traces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Where temporary folders are made, and a handler of SIGTERM that is not the lab's."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = signal.signal(signal.SIGTERM, mine)
    yield tmp_path
    signal.signal(signal.SIGTERM, before)


def test_a_lab_that_cannot_start_leaves_nothing_behind(traces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError("no process")

    monkeypatch.setattr(labs.subprocess, "Popen", refuse)
    with pytest.raises(OSError, match="no process"), labs.lab():
        pass
    assert signal.getsignal(signal.SIGTERM) is mine
    assert list(traces.iterdir()) == []


def test_a_lab_ends_what_it_started_and_puts_everything_back(traces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labs, "_command", lambda port, folder: [sys.executable, "-c", "import time; time.sleep(60)"])
    monkeypatch.setattr(labs.Lab, "ask", lambda *_: [])
    with labs.lab([ROOT / "notebooks" / "es" / "00_entrada.ipynb", Path(__file__)]) as running:
        found = sorted(p.relative_to(running.folder).as_posix() for p in running.folder.rglob("*.*"))
        assert found == ["es/00_entrada.ipynb", Path(__file__).name]
        assert signal.getsignal(signal.SIGTERM) is not mine
    assert running.process.poll() is not None
    assert signal.getsignal(signal.SIGTERM) is mine
    assert list(traces.iterdir()) == []


def test_a_server_that_ends_at_once_is_told_with_its_log(traces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labs, "_command", lambda port, folder: [sys.executable, "-c", "print('what went wrong')"])
    with pytest.raises(RuntimeError, match="what went wrong"), labs.lab():
        pass
    assert list(traces.iterdir()) == []


def test_a_tool_is_started_by_its_path_from_anywhere(tmp_path: Path) -> None:
    """As CONTRIBUTING does it: then only tools/ is on the path, and not the folder of the course."""
    command = [sys.executable, str(ROOT / "tools" / "look.py"), "--help"]
    said = subprocess.run(command, capture_output=True, cwd=tmp_path, encoding="utf-8", check=True).stdout
    assert "usage" in said


def test_the_head_of_a_benchmark_names_the_options_it_has() -> None:
    source = (ROOT / "tools" / "bench_explorers.py").read_text(encoding="utf-8")
    head = source.split('"""')[1]
    assert set(re.findall(r"--\w+", head)) == set(re.findall(r'add_argument\("(--\w+)"', source))


def test_the_site_pins_the_widgets_that_the_tests_passed_with() -> None:
    """The site has versions of its own; of what the notebooks themselves run on, they must be the same."""
    locked = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines() if "==" in line)
    for name in ("requirements.txt", "pins.toml"):
        pinned = dict(re.findall(r"\b(ipywidgets|anywidget)==([\w.]+)", (ROOT / "tools" / "site" / name).read_text(encoding="utf-8")))
        assert pinned == {name: locked[name] for name in ("ipywidgets", "anywidget")}, (
            f"tools/site/{name}: make lock changed constraints.txt"
        )
