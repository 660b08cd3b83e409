"""The built site, served on a loopback port, in a browser that may ask nobody else."""

from __future__ import annotations

import functools
import http.server
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from playwright.sync_api import Browser, Page, Route, sync_playwright

from tools.lab import find_chromium

ROOT = Path(__file__).resolve().parents[2]
SITE = Path(os.environ.get("BLOQUE_SITE", ROOT / "_site"))


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A file server that says nothing, with the types a browser insists on."""

    extensions_map: ClassVar[dict[str, str]] = http.server.SimpleHTTPRequestHandler.extensions_map | {
        ".mjs": "text/javascript",
        ".js": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, *arguments: Any) -> None:
        pass


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """The address of the built site, under a path of its own, as on a course server."""
    if not (SITE / "index.html").is_file():
        pytest.fail(f"{SITE} holds no site: run «make site» first")
    handler = functools.partial(Quiet, directory=str(SITE))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-first-run"]
        started = playwright.chromium.launch(executable_path=find_chromium(), args=arguments)
        yield started
        started.close()


class Watched:
    """A page, and what it said and asked for."""

    def __init__(self, page: Page, site: str) -> None:
        self.page = page
        self.errors: list[str] = []
        self.refused: list[str] = []
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))

        def judge(route: Route) -> None:
            address = route.request.url
            if address.startswith((site, "data:", "blob:")):
                route.continue_()
            else:
                self.refused.append(address)
                route.abort()

        page.route("**/*", judge)


@pytest.fixture
def watched(browser: Browser, site: str) -> Iterator[Watched]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield Watched(context.new_page(), site)
    context.close()


def lesson_pages() -> list[str]:
    """Every reading page, as es/01_….html."""
    return sorted(f"{p.parent.name}/{p.name}" for p in SITE.glob("e[sn]/*.html"))


def manifests(page: str) -> list[dict[str, Any]]:
    """The manifests of a page's explorers, in the page's order."""
    text = (SITE / page).read_text(encoding="utf-8")
    found = [part.split('"')[0] for part in text.split('data-manifest="')[1:]]
    return [json.loads((SITE / page).parent.joinpath(address).read_text(encoding="utf-8")) for address in found]
