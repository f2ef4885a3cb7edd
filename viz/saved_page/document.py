"""A saved page as HTML in one file."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from viz.answers.answer import Answer
from viz.html.document import ANSWER_SHEETS, html_of
from viz.html.terms import html_with_terms
from viz.saved_page.contents import Page, described
from viz.wording.explanations import Explanation

_BODY: Final = "<main><noscript>This page draws with JavaScript, which is switched off here.</noscript></main>"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FirstScreen:
    """What a page with a live model adds to a saved page.

    Attributes:
        facts: what its scripts know of the model, as JSON.
        form: HTML with all text escaped.
        explanations: those that depend on what a visitor sets, by the view and the setting.
        together: further views, each an answer about all runs.
        below: Markdown under the page.
    """

    facts: Mapping[str, Any]
    form: str
    explanations: Mapping[str, Explanation]
    together: Mapping[str, Answer]
    below: str


def document(page: Page, *, site: FirstScreen | None = None) -> str:
    """The whole page. The same page gives the same text."""
    blocks = [block for run in page.runs for block in run.blocks]
    together = site.together if site else {}
    of_runs = {f"{run.name or run.place}.{view}": each for run in page.runs for view, each in run.answers.items()}
    answers = [_template(name, answer) for name, answer in (*of_runs.items(), *together.items())]
    given = page.runs[0].explanations
    explained: dict[str, Explanation] = {view: given[view] for view in page.views if view in given}
    if site:
        explained |= dict(site.explanations)
        explained |= {view: answer.explanation for view, answer in together.items() if answer.explanation}
    explanations = [
        f'<template data-explanation="{name}">{_html_of_explanation(explanation)}</template>'
        for name, explanation in explained.items()
    ]
    has_charts = bool(together) or any(answer.charts for answer in of_runs.values())
    return html_of(
        page.title,
        "\n".join([_BODY, *([site.form, _below(site.below)] if site else []), *answers, *explanations]),
        described(page, together=tuple(together)) | ({"site": dict(site.facts)} if site else {}),
        blocks,
        sheets=(*(ANSWER_SHEETS if answers else ()), *(("site.css",) if site else ())),
        has_charts=has_charts,
        is_site=site is not None,
        plotly_folder="" if site else None,
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
