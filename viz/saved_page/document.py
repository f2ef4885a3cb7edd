"""A saved page as HTML in one file."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any, Final

from viz.answers.answer import Answer
from viz.html.document import ANSWER_SHEETS, html_of
from viz.html.terms import html_with_terms
from viz.saved_page.contents import Page, PageRun, described
from viz.wording.explanations import Explanation

_BODY: Final = "<main><noscript>This page draws with JavaScript, which is switched off here.</noscript></main>"


def document(page: Page, *, site: Mapping[str, Any] | None = None) -> str:
    """The whole page. The same page gives the same text.

    Args:
        site: what a page that runs a model knows of it; None for a page in one file.
    """
    blocks = [block for run in page.runs for block in run.blocks]
    answers = [_template(run, view, answer) for run in page.runs for view, answer in run.answers.items()]
    explanations = [
        f'<template data-explanation="{view}">{_html_of_explanation(page.runs[0].explanations[view])}</template>'
        for view in page.views
    ]
    has_charts = any(answer.charts for run in page.runs for answer in run.answers.values())
    return html_of(
        page.title,
        "\n".join([_BODY, *answers, *explanations]),
        described(page) | ({"site": dict(site)} if site else {}),
        blocks,
        sheets=(*(ANSWER_SHEETS if answers else ()), *(("site.css",) if site else ())),
        has_charts=has_charts,
        is_site=site is not None,
    )


def _template(run: PageRun, view: str, answer: Answer) -> str:
    from viz.html.answers import html_of_answer  # with Plotly and Markdown, which pages of arrays do not need

    return f'<template data-answer="{html.escape(run.name or run.place)}.{view}">{html_of_answer(answer)}</template>'


def _html_of_explanation(explanation: Explanation) -> str:
    how, what_not = map(html_with_terms, (explanation.how_to_read, explanation.what_it_does_not_show))
    return f"<p><strong>How to read it.</strong> {how} <strong>What it does not show.</strong> {what_not}</p>"
