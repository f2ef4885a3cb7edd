"""A saved page as HTML in one file."""

from __future__ import annotations

import html
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from viz.answers.answer import Answer
from viz.html.document import ANSWER_SHEETS, html_of
from viz.html.terms import html_with_terms
from viz.saved_page.contents import Page, described
from viz.wording.explanations import Explanation

NONE: Final[Mapping[str, Answer]] = MappingProxyType({})
_BODY: Final = "<main><noscript>This page draws with JavaScript, which is switched off here.</noscript></main>"


def document(
    page: Page, *, site: Mapping[str, Any] | None = None, together: Mapping[str, Answer] = NONE, below: str = ""
) -> str:
    """The whole page. The same page gives the same text.

    Args:
        site: what a page that runs a model knows of it; None for a page in one file.
        together: further views, each an answer about all runs.
        below: Markdown under the page.
    """
    blocks = [block for run in page.runs for block in run.blocks]
    answers = [
        *(
            _template(f"{run.name or run.place}.{view}", answer)
            for run in page.runs
            for view, answer in run.answers.items()
        ),
        *(_template(view, answer) for view, answer in together.items()),
    ]
    explained = {view: page.runs[0].explanations[view] for view in page.views} | {
        view: answer.explanation for view, answer in together.items() if answer.explanation
    }
    explanations = [
        f'<template data-explanation="{view}">{_html_of_explanation(explanation)}</template>'
        for view, explanation in explained.items()
    ]
    has_charts = bool(together) or any(answer.charts for run in page.runs for answer in run.answers.values())
    return html_of(
        page.title,
        "\n".join([_BODY, *([_below(below)] if below else []), *answers, *explanations]),
        described(page, together=tuple(together)) | ({"site": dict(site)} if site else {}),
        blocks,
        sheets=(*(ANSWER_SHEETS if answers else ()), *(("site.css",) if site else ())),
        has_charts=has_charts,
        is_site=site is not None,
        shared="" if site else None,
    )


def _template(name: str, answer: Answer) -> str:
    from viz.html.answers import html_of_answer  # with Plotly and Markdown, which pages of arrays do not need

    return f'<template data-answer="{html.escape(name)}">{html_of_answer(answer)}</template>'


def _below(text: str) -> str:
    from viz.html.markdown import html_of_markdown  # as above

    return f'<div class="below">{html_of_markdown(text)}</div>'


def _html_of_explanation(explanation: Explanation) -> str:
    how, what_not = map(html_with_terms, (explanation.how_to_read, explanation.what_it_does_not_show))
    return f"<p><strong>How to read it.</strong> {how} <strong>What it does not show.</strong> {what_not}</p>"
