"""Reading pages: each notebook as one light HTML page, with explorers that move without Python."""

from __future__ import annotations

import html
import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from string import Template

from bloque import texts
from bloque.explore import Explorer, Picture
from bloque.quiz import Quiz, Score
from tools.site import notebook
from tools.site.markdown import Prose, code_html
from tools.site.quiz import quiz_html

HERE = Path(__file__).parent
SCRIPT = HERE / "math.mjs"
PIXEL_RATIO = 1.5  # sharp enough on a phone, half the bytes of 2


@dataclass(frozen=True)
class Lesson:
    """One notebook of one language."""

    language: str
    path: Path

    @property
    def number(self) -> str:
        """What its file name begins with: "03"."""
        return self.path.stem.split("_")[0]

    @property
    def page(self) -> str:
        """The file name of its page."""
        return f"{self.path.stem}.html"

    @property
    def cells(self) -> list[dict]:
        """The cells as they stand in the file."""
        return json.loads(self.path.read_text(encoding="utf-8"))["cells"]

    @property
    def title(self) -> str:
        """Its first heading; SystemExit when the first cell has none."""
        first = "".join(self.cells[0]["source"])
        match = re.search(r"^# (.+)$", first, re.M)
        if not match:
            raise SystemExit(f"{self.path}: the first cell has no title")
        return match[1]


def lessons(repository: Path) -> dict[str, list[Lesson]]:
    """The notebooks of every language, in order."""
    return {
        folder.name: [Lesson(folder.name, path) for path in sorted(folder.glob("*.ipynb"))]
        for folder in sorted((repository / "notebooks").iterdir())
        if folder.is_dir()
    }


def write_all(repository: Path, out: Path, katex: Path, version: str, *, with_lite: bool = True) -> None:
    """Write every page, the front pages and what they share."""
    shutil.rmtree(out, ignore_errors=True)
    shared = out / "assets"
    shutil.copytree(HERE / "assets", shared)
    copy_katex(katex, shared / "katex")
    (shared / "code.css").write_text(code_styles(), encoding="utf-8")
    engine = repository / "lib" / "bloque" / "explore"
    for script in ("view.js", "static.js"):
        shutil.copy(engine / script, shared / script)
    course = lessons(repository)
    for language, notebooks in course.items():
        texts.language(language)
        for position, lesson in enumerate(notebooks):
            around = (notebooks[position - 1] if position else None, notebooks[position + 1] if position + 1 < len(notebooks) else None)
            page = lesson_page(lesson, course, around, out, katex, version, with_lite)
            (out / language / lesson.page).write_text(page, encoding="utf-8")
        (out / language / "index.html").write_text(front_page(language, course, version, with_lite), encoding="utf-8")
    (out / "index.html").write_text(welcome_page(course, version), encoding="utf-8")


def copy_katex(katex: Path, out: Path) -> None:
    """The style sheet and the fonts of KaTeX."""
    (out / "fonts").mkdir(parents=True)
    css = (katex / "dist" / "katex.min.css").read_text(encoding="utf-8")
    # Only woff2: every browser that runs the pages reads it.
    (out / "katex.css").write_text(re.sub(r",url\(fonts/[^)]+\.(?:woff|ttf)\) format\(\"[a-z]+\"\)", "", css), encoding="utf-8")
    for font in (katex / "dist" / "fonts").glob("*.woff2"):
        shutil.copy(font, out / "fonts" / font.name)


def code_styles() -> str:
    """Colours of code in both themes, each at 4.5:1 or more on its ground."""
    from pygments.formatters import HtmlFormatter

    light = HtmlFormatter(style="a11y-high-contrast-light" if _has("a11y-high-contrast-light") else "xcode").get_style_defs(".code")
    dark_style = "a11y-high-contrast-dark" if _has("a11y-high-contrast-dark") else "github-dark"
    dark = HtmlFormatter(style=dark_style).get_style_defs(".code")
    clean = [re.sub(r"background(-color)?: [^;}]+;?", "", sheet) for sheet in (light, dark)]
    dark_media = _scoped(clean[1], ':root:not([data-theme="light"])')
    return f"{clean[0]}\n@media (prefers-color-scheme: dark) {{\n{dark_media}\n}}\n{_scoped(clean[1], ':root[data-theme=dark]')}\n"


def _has(style: str) -> bool:
    from pygments.styles import get_all_styles

    return style in set(get_all_styles())


def _scoped(sheet: str, scope: str) -> str:
    return "\n".join(f"{scope} {line}" for line in sheet.splitlines() if line.startswith(".code"))


def lesson_page(
    lesson: Lesson,
    course: dict[str, list[Lesson]],
    around: tuple[Lesson | None, Lesson | None],
    out: Path,
    katex: Path,
    version: str,
    with_lite: bool,
) -> str:
    """The HTML of one lesson; its pictures and frames are written beside it."""
    prose = Prose(relink=page_address)
    folder = out / lesson.language / f"{lesson.path.stem}_files"
    folder.mkdir(parents=True, exist_ok=True)
    body = "\n".join(cells_html(notebook.run(lesson.path), prose, folder, out))
    twins = {code: next(t for t in notebooks if t.number == lesson.number) for code, notebooks in course.items()}
    before, after = around
    links = [
        f'<a rel="prev" href="{before.page}">← {plain(before.title)}</a>' if before else "<span></span>",
        f'<a rel="next" href="{after.page}">{plain(after.title)} →</a>' if after else "<span></span>",
    ]
    page = frame_page(
        language=lesson.language,
        title=f"{plain(lesson.title)} · {texts.text('site.name')}",
        twins={code: f"../{code}/{twin.page}" for code, twin in twins.items()},
        main=body + f'\n<nav class="around" aria-label="{texts.text("site.around")}">{"".join(links)}</nav>',
        lite=f"../lite/{lesson.language}/notebooks/index.html?path={lesson.language}/{lesson.path.name}" if with_lite else None,
        version=version,
        root="..",
    )
    return prose.finish(page, katex, SCRIPT)


def page_address(address: str) -> str:
    """A link between notebooks as a link between pages."""
    return re.sub(r"\.ipynb(?=$|#)", ".html", address)


def plain(title: str) -> str:
    """A heading without its Markdown, safe in HTML."""
    return html.escape(re.sub(r"[*`$]", "", title.replace("$\\sqrt{d_k}$", "√dₖ").replace("√d_k", "√dₖ")))


def cells_html(cells: list[notebook.RunCell], prose: Prose, folder: Path, out: Path) -> Iterator[str]:
    """Each cell as HTML: prose, code, and what it shows."""
    for position, cell in enumerate(cells):
        if cell.kind == "markdown":
            yield prose.render(cell.source)
            continue
        if isinstance(cell.value, Score):
            continue  # the page's own questions count for themselves
        shown = shown_html(cell, position, prose, folder, out)
        source = code_html(cell.source)
        if "exercise" in cell.tags:
            yield f'<div class="cell">{source}</div>'  # nothing runs here, and so nothing is marked
            continue
        if {"setup", "colophon"} & set(cell.tags):
            kind = "setup" if "setup" in cell.tags else "colophon"
            yield f'<details class="cell-details"><summary>{texts.text(f"site.code.{kind}")}</summary>{source}</details>'
            yield shown
        elif isinstance(cell.value, Quiz):
            yield shown
        elif isinstance(cell.value, (Explorer, Picture)):
            yield shown
            yield f'<details class="cell-details"><summary>{texts.text("site.code.figure")}</summary>{source}</details>'
        else:
            yield f'<div class="cell">{source}{shown}</div>'


def shown_html(cell: notebook.RunCell, position: int, prose: Prose, folder: Path, out: Path) -> str:
    """What a code cell shows, from its object where it is one of ours, from its stored outputs otherwise."""
    value = cell.value
    if isinstance(value, Explorer):
        return explorer_html(value, f"explorer{position}", folder)
    if isinstance(value, Picture):
        name = f"picture{position}.png"
        (folder / name).write_bytes(value.png())
        return figure_html(f"{folder.name}/{name}", value.alt, value.caption)
    if isinstance(value, Quiz):
        return quiz_html(value, prose)
    return "".join(output_html(output) for output in cell.outputs)


def explorer_html(explorer: Explorer, name: str, folder: Path) -> str:
    """An explorer: its stored picture for everyone, its tour for those with JavaScript."""
    explorer.export(folder / name, pixel_ratio=PIXEL_RATIO)
    (folder / name / "stored.png").write_bytes(explorer.stored_png())
    address = f"{folder.name}/{name}"
    return (
        f'<figure class="explorer" data-manifest="{address}/manifest.json">'
        f'<img src="{address}/stored.png" alt="{html.escape(explorer.alt)}" loading="lazy">'
        f"<figcaption>{html.escape(explorer.caption)}</figcaption></figure>"
    )


def figure_html(address: str, alt: str, caption: str) -> str:
    """A picture that does not move, with its caption."""
    return f'<figure><img src="{address}" alt="{html.escape(alt)}" loading="lazy"><figcaption>{html.escape(caption)}</figcaption></figure>'


def output_html(output: dict) -> str:
    """A stored output that is text or HTML."""
    if output["output_type"] == "stream":
        return f'<div class="output"><pre tabindex="0">{html.escape("".join(output["text"]))}</pre></div>'
    data = output.get("data", {})
    if "text/html" in data:
        return f'<div class="output"><div class="rich">{"".join(data["text/html"])}</div></div>'
    if "text/plain" in data:
        return f'<div class="output"><pre tabindex="0">{html.escape("".join(data["text/plain"]))}</pre></div>'
    return ""


def frame_page(*, language: str, title: str, twins: dict[str, str], main: str, lite: str | None, version: str, root: str) -> str:
    """A whole page round its main part."""
    say = texts.text
    others = "".join(
        f'<a href="{address}" lang="{code}" hreflang="{code}">{say("language.name", lang=code)}</a>'
        for code, address in twins.items()
        if code != language
    )
    alternates = "".join(f'<link rel="alternate" hreflang="{code}" href="{address}">' for code, address in twins.items())
    run = f'<a class="action" href="{lite}">{say("site.run")}</a>' if lite else ""
    return Template((HERE / "page.html").read_text(encoding="utf-8")).substitute(
        language=language, title=title, alternates=alternates, root=root, name=say("site.name"), skip=say("site.skip"),
        others=others, theme=say("site.theme"), run=run, main=main, footer=say("site.footer", version=version),
    )  # fmt: skip


def front_page(language: str, course: dict[str, list[Lesson]], version: str, with_lite: bool) -> str:
    """The map of the course in one language."""
    say = texts.text
    items = []
    for lesson in course[language]:
        about = texts.entry("site.lessons").get(f"n{lesson.number}", "")
        items.append(f'<li><h2><a href="{lesson.page}">{plain(lesson.title)}</a></h2><p>{html.escape(about)}</p></li>')
    main = f'<h1>{say("site.name")}</h1><p>{say("site.lead")}</p><ol class="lessons">{"".join(items)}</ol><p>{say("site.offline")}</p>'
    lite = f"../lite/{language}/lab/index.html?path={language}/{course[language][0].path.name}" if with_lite else None
    return frame_page(language=language, title=say("site.name"), twins={c: f"../{c}/index.html" for c in course}, main=main,
                      lite=lite, version=version, root="..")  # fmt: skip


def welcome_page(course: dict[str, list[Lesson]], version: str) -> str:
    """The root: straight to the language remembered or asked for by the browser, and a choice for the rest."""
    choices = "".join(
        f'<li lang="{code}"><h2><a href="{code}/index.html">{texts.text("site.name", lang=code)}</a></h2>'
        f"<p>{texts.text('site.lead', lang=code)}</p></li>"
        for code in course
    )
    return Template((HERE / "welcome.html").read_text(encoding="utf-8")).substitute(
        choices=choices, codes=json.dumps(list(course)), version=version
    )
