"""A saved page as HTML in one file."""

from __future__ import annotations

import html
from typing import Final

from viz.html.answers import html_of_answer
from viz.html.document import html_of
from viz.html.markdown import html_of_markdown
from viz.saved_page.contents import Page, described
from viz.wording.explanations import Explanation

_BODY: Final = "<main><noscript>This page draws with JavaScript, which is switched off here.</noscript></main>"


def document(page: Page) -> str:
    """The whole page. The same page gives the same text."""
    blocks = [block for run in page.runs for block in run.blocks]
    answers = [
        f'<template data-answer="{html.escape(run.name or run.place)}.{view}">{html_of_answer(answer)}</template>'
        for run in page.runs
        for view, answer in run.answers.items()
    ]
    explanations = [
        f'<template data-explanation="{view}">{_html_of_explanation(page.runs[0].explanations[view])}</template>'
        for view in page.views
    ]
    has_charts = any(answer.charts for run in page.runs for answer in run.answers.values())
    body = "\n".join([_BODY, *answers, *explanations])
    return html_of(page.title, body, described(page), blocks, has_charts=has_charts)


def _html_of_explanation(explanation: Explanation) -> str:
    how, what_not = explanation.how_to_read, explanation.what_it_does_not_show
    return html_of_markdown(f"**How to read it.** {how} **What it does not show.** {what_not}", defined=set())
