"""Reading pages: whole, quiet, self-contained, and with sliders that move the right picture."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.site.conftest import SITE, Watched, lesson_pages, manifests

PAGES = lesson_pages()
LESSONS = [page for page in PAGES if re.search(r"/\d\d_", page)]


def test_both_languages_have_the_same_pages() -> None:
    numbers = {language: sorted(p.split("/")[1][:2] for p in LESSONS if p.startswith(language)) for language in ("es", "en")}
    assert numbers["es"]
    assert numbers["es"] == numbers["en"]


@pytest.mark.parametrize("page", PAGES)
def test_page_is_quiet_and_accessible(page: str, watched: Watched, site: str) -> None:
    watched.page.goto(f"{site}/{page}")
    watched.page.wait_for_load_state("networkidle")
    height = watched.page.evaluate("document.body.scrollHeight")
    for y in range(0, height, 800):
        watched.page.evaluate(f"window.scrollTo(0, {y})")
        watched.page.wait_for_timeout(30)
    watched.page.wait_for_load_state("networkidle")
    assert watched.page.evaluate("document.documentElement.lang") == page[:2]
    result = Axe().run(watched.page, options={"resultTypes": ["violations"]}).response
    serious = [f"{v['id']}: {v['nodes'][0]['html'][:120]}" for v in result["violations"] if v["impact"] in ("serious", "critical")]
    assert not serious, "\n".join(serious)
    assert watched.errors == []
    assert watched.refused == []


@pytest.mark.parametrize("page", PAGES)
def test_page_fits_a_phone_and_is_light(page: str, watched: Watched, site: str) -> None:
    watched.page.set_viewport_size({"width": 360, "height": 740})
    watched.page.goto(f"{site}/{page}")
    watched.page.wait_for_load_state("networkidle")
    assert watched.page.evaluate("document.documentElement.scrollWidth") <= 360
    assert (SITE / page).stat().st_size < 3_000_000


@pytest.mark.parametrize("page", LESSONS)
def test_sliders_move_the_picture_to_the_frame_of_their_value(page: str, watched: Watched, site: str) -> None:
    expected = manifests(page)
    watched.page.goto(f"{site}/{page}")
    for place, manifest in enumerate(expected):
        explorer = watched.page.locator("figure.explorer").nth(place)
        explorer.scroll_into_view_if_needed()
        explorer.locator(".bloque-static").wait_for(timeout=15_000)
        commit = explorer.locator(".bloque-guess button").first
        if manifest.get("guess"):
            commit.click()
        control = next((i for i, spec in enumerate(manifest["controls"]) if spec["kind"] == "slider" and spec["count"] > 1), None)
        if control is None:
            continue
        position = [spec["default"] for spec in manifest["controls"]]
        slider = explorer.locator(f".bloque-at-{control} input[type=range]")
        step = "ArrowRight" if position[control] + 1 < manifest["controls"][control]["count"] else "ArrowLeft"
        slider.focus()
        slider.press(step)
        position[control] += 1 if step == "ArrowRight" else -1
        frame = manifest["frames"].get(",".join(map(str, position)))
        assert frame, f"{page}, explorer {place}: the tour lacks the step beside its default"
        watched.page.wait_for_function(
            "([place, caption]) => document.querySelectorAll('figure.explorer')[place].innerText.replace(/\\s+/g, ' ').includes(caption)",
            arg=[place, re.sub(r"\s+", " ", frame["caption"])],
            timeout=10_000,
        )
    assert watched.errors == []
    assert watched.refused == []


@pytest.mark.parametrize("page", [p for p in LESSONS if p[3:5] not in ("90",)])
def test_quiz_answers(page: str, watched: Watched, site: str) -> None:
    watched.page.goto(f"{site}/{page}")
    field = watched.page.locator("form.quiz fieldset", has=watched.page.locator("input[type=radio]")).first
    if field.count() == 0:
        pytest.fail(f"{page} has no question of one choice")
    field.locator("input[type=radio]").first.check()
    field.locator("button").click()
    reply = field.locator(".reply").inner_text()
    assert reply.strip().startswith(("✓", "✗"))


def test_links_lead_somewhere() -> None:
    broken = []
    for page in PAGES:
        text = (SITE / page).read_text(encoding="utf-8")
        anchors = set(re.findall(r'id="([^"]+)"', text))
        for address in re.findall(r'(?:href|src)="([^"]+)"', text):
            if re.match(r"[a-z]+:", address):
                continue
            path, _, fragment = unquote(address).partition("#")
            target = (SITE / page).parent / path.split("?")[0]
            if path and not target.exists():
                broken.append(f"{page}: {address}")
            elif not path and fragment and fragment not in anchors:
                broken.append(f"{page}: #{fragment}")
    assert not broken, "\n".join(broken)


def test_pages_are_whole_without_javascript(browser, site: str) -> None:
    context = browser.new_context(java_script_enabled=False, viewport={"width": 800, "height": 900})
    page = context.new_page()
    page.goto(f"{site}/{LESSONS[1]}")
    assert page.locator("h1").inner_text()
    assert page.locator(".katex").count() > 5
    assert page.locator("figure.explorer img").first.get_attribute("alt")
    assert page.locator("details.answer").count() >= 6
    context.close()


def test_welcome_page_remembers_the_language(watched: Watched, site: str) -> None:
    watched.page.goto(f"{site}/es/index.html")
    watched.page.goto(f"{site}/index.html")
    watched.page.wait_for_url("**/es/index.html")


def test_no_page_names_another_server() -> None:
    """Whatever a page loads by itself stands beside it; links to sources are the reader's to follow."""
    for file in [*SITE.glob("e[sn]/*.html"), *SITE.glob("assets/**/*.css"), *SITE.glob("assets/*.js")]:
        text = Path(file).read_text(encoding="utf-8")
        loaded = re.findall(
            r'<(?:script|img|link|iframe)[^>]+(?:src|href)="(https?:[^"]+)"|url\(["\']?(https?:[^)"\']+)|\bimport\s*\(?[\w{}*,\s]*(?:from\s*)?["\'](https?:[^"\']+)',
            text,
        )
        assert not loaded, f"{file.name}: {loaded}"
