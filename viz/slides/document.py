"""Slides as HTML in one file: it contains the words in reading order, and the script adds the views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from viz.answers.answer import Formula, TokenLine
from viz.html.answers import html_of_answer
from viz.html.document import SLIDE_SHEETS, html_of
from viz.html.markdown import html_of_markdown
from viz.slides.contents import ClaimLine, Slide, Slides, described_slides
from viz.wording.labels import make_visible

MARKS: Final[Mapping[bool | None, tuple[str, str]]] = {
    True: ("holds", "✓"),
    False: ("fails", "✗"),
    None: ("absent", "–"),
}

# Heights in pixels: all charts of a slide, a line of tokens, a formula above the charts, a chart's title, the lowest
# chart, and a chart on a slide that scrolls because it has more rows than a window shows.
ROOM, LINE, FORMULA, TITLE, LEAST_HEIGHT, SCROLLED_HEIGHT = 480, 100, 80, 40, 220, 300
ROWS, COLUMNS = 2, 2  # of charts that a window shows at once, and of the charts of one answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The site that the slides are a page of.

    Attributes:
        folder: the address of its first page, which the slides lead back to.
        links: for each slide, the address of the page with what the slide shows; "" if the page does not show it.
    """

    folder: str
    links: Sequence[str]


def slides_document(slides: Slides, *, is_still: bool = False, site: Site | None = None) -> str:
    """The whole file. The same slides give the same text.

    Args:
        is_still: whether the views are shown alone, without words and controls.
        site: None for slides in one file.
    """
    count = len(slides.slides)
    sections = "\n".join(
        _section(slide, number, count, slides.words if number == 1 else "", site.links[number - 1] if site else "")
        for number, slide in enumerate(slides.slides, 1)
    )
    home = f'<a href="{escape(site.folder)}">Headlight</a> / ' if site else ""
    body = f"""<main class="slides{" still" if is_still else ""}">
<h1>{home}{escape(slides.title)}</h1>
{sections}
</main>"""
    blocks = [block for run in slides.runs for block in run.blocks]
    has_charts = any(answer.charts for slide in slides.slides for _, answer in slide.answers)
    return html_of(
        slides.title,
        body,
        described_slides(slides),
        blocks,
        sheets=SLIDE_SHEETS,
        has_charts=has_charts,
        plotly_folder=site.folder if site else None,
    )


def _section(slide: Slide, number: int, count: int, introduction: str, link: str) -> str:
    """One stop. The part "revealed" is shown with the answer; `link` is the page's address for other texts, or ""."""
    defined = set[str]()
    revealed = [
        _words("answer", slide.answer, defined),
        _words("words", slide.words, defined),
        _paragraph("looks-at", f"Look at {slide.looks_at}." if slide.looks_at else ""),
        _claims(slide),
    ]
    about = "".join(f"<p>{escape(sentence)}</p>" for sentence in slide.about)
    parts = [
        f'<section class="slide" id="slide-{number}" aria-labelledby="title-{number}">',
        f'<header><p class="place">{number} of {count}</p><h2 id="title-{number}">{escape(slide.title)}</h2></header>',
        '<div class="columns"><div class="said">',
        _words("introduction", introduction),
        _words("question", slide.question),
        f'<div class="revealed">{"".join(revealed)}</div>',
        '<div class="map"></div>',
        f'<p class="try"><a href="{escape(link)}">Try it with your own text</a></p>' if link else "",
        f'<div class="about">{about}</div></div>',
        '<div class="pictures">',
        _paragraph("remark", slide.remark),
        _paragraph("texts", slide.texts),
        "".join(map(_tokens, slide.lines)),
        '<div class="live"></div><div class="printed"></div>',
        _answers(slide),
        "</div></div>",
        f'<aside class="notes" aria-label="Notes for the speaker">{html_of_markdown(slide.notes)}</aside>'
        if slide.notes
        else "",
        "</section>",
    ]
    return "\n".join(filter(None, parts))


def _answers(slide: Slide) -> str:
    """The answers of a slide's view, fitted to a window of 1280 by 720 pixels if possible."""
    if not slide.answers:
        return ""
    highest = max(len(answer.charts) for _, answer in slide.answers)
    rows = -(-highest // COLUMNS) if len(slide.answers) == 1 else highest
    formulas = sum(isinstance(part, Formula) for _, answer in slide.answers for part in answer.parts[:1])
    room = ROOM - LINE * len(slide.lines) - FORMULA * formulas
    height = max(room // max(rows, 1) - TITLE, LEAST_HEIGHT) if rows <= ROWS else SCROLLED_HEIGHT
    answers = "".join(
        f'<div class="view-answer">{f"<h3>{escape(heading)}</h3>" if heading else ""}'
        f"{html_of_answer(answer, height=height)}</div>"
        for heading, answer in slide.answers
    )
    return f'<div class="view-answers" data-columns="{len(slide.answers)}" data-charts="{highest}">{answers}</div>'


def _words(name: str, markdown: str, defined: set[str] | None = None) -> str:
    return f'<div class="{name}">{html_of_markdown(markdown, defined=defined)}</div>' if markdown else ""


def _paragraph(name: str, text: str) -> str:
    return f'<p class="{name}">{escape(text)}</p>' if text else ""


def _claims(slide: Slide) -> str:
    if not slide.claims:
        return ""
    lines = "".join(map(_claim, slide.claims))
    return f'<p class="claims-of">Claims, worked out on {escape(slide.claims_of)}:</p><ul class="claims">{lines}</ul>'


def _claim(claim: ClaimLine) -> str:
    name, mark = MARKS[claim.holds]
    title = escape(claim.claim, quote=True)
    return f'<li class="{name}" title="{title}">{escape(claim.sentence)} <b class="mark">{mark}</b></li>'


def _tokens(line: TokenLine) -> str:
    cells = "".join(
        f'<span class="token"><b>{escape(make_visible(above))}</b> <i>{escape(below)}</i></span>'
        for above, below in line.pairs
    )
    return f'<div class="token-line"><p>{escape(line.caption)}</p><p class="tokens" dir="auto">{cells}</p></div>'
