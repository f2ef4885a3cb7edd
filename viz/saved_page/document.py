"""A saved page as HTML in one file."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from viz.answers.answer import Answer
from viz.html.document import ANSWER_SHEETS, html_of
from viz.html.terms import html_with_terms
from viz.saved_page.contents import Page, PageRun, described
from viz.wording.explanations import Explanation

_BODY: Final = "<main><noscript>This page draws with JavaScript, which is switched off here.</noscript></main>"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FirstScreen:
    """What a page that runs a model has besides a saved page.

    Attributes:
        facts: what its scripts know of the model, as JSON.
        form: HTML with all text escaped.
        explanations: those that depend on what a visitor sets, by the view and the setting.
    """

    facts: Mapping[str, Any]
    form: str
    explanations: Mapping[str, Explanation]


def document(page: Page, *, site: FirstScreen | None = None) -> str:
    """The whole page. The same page gives the same text."""
    blocks = [block for run in page.runs for block in run.blocks]
    answers = [_template(run, view, answer) for run in page.runs for view, answer in run.answers.items()]
    explained: dict[str, Explanation] = {view: page.runs[0].explanations[view] for view in page.views}
    if site:
        explained |= dict(site.explanations)
    explanations = [
        f'<template data-explanation="{name}">{_html_of_explanation(explanation)}</template>'
        for name, explanation in explained.items()
    ]
    has_charts = any(answer.charts for run in page.runs for answer in run.answers.values())
    return html_of(
        page.title,
        "\n".join([_BODY, *([site.form] if site else []), *answers, *explanations]),
        described(page) | ({"site": dict(site.facts)} if site else {}),
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
