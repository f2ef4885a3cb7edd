"""Answers of texts that the browser reads: the app's own answers, with references where they depend on the text.

Python makes each answer from a text of its own, and replaces every number and name in it that comes from the text by a
reference such as `{"$": "norms", "to": [["plus", 1]]}`: a value, and how it is changed. `{"each": "words", "as": …}` is
a list with a template for each word. The references are replaced by what they refer to in
`viz/html/browser/site/answers.mjs`.
A test compares the result with the answers that Python makes of the same texts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any

from viz.answers.answer import Answer, Chart, Part, Row, Table
from viz.html.answers import contents_of_chart, figures_of_chart, html_of_answer, html_of_chart
from viz.theme import THEMES, Theme

Reference = dict[str, Any]
References = dict[str, Any]  # by the path in a figure, such as "data.0.z"
ReferencesOf = Callable[[Mapping[str, Any], Theme], References]


def html_of_template(answer: Answer) -> str:
    """The elements of an answer whose sentences have references in braces, without its tables and charts' contents."""

    def of_part(part: Part | Row) -> str:
        match part:
            case Row(columns):
                return f'<div class="row">{"".join(f"<div>{of_parts(column)}</div>" for column in columns)}</div>'
            case Chart():
                return html_of_chart(part, "", is_wide=figures_of_chart(part)[1])
            case Table():
                return ""
            case _:
                return html_of_answer(Answer((part,)))

    def of_parts(parts: Sequence[Part | Row]) -> str:
        return "\n".join(map(of_part, parts))

    return of_parts(answer.parts)


def template_of(chart: Chart, references: ReferencesOf) -> dict[str, Any]:
    """A chart's contents, as `browser/plots.mjs` reads them, with references."""
    figures, _ = figures_of_chart(chart)
    return contents_of_chart(
        chart,
        {name: _with_references(figure, references(figure, THEMES[name])) for name, figure in figures.items()},
    )


def _with_references(figure: Mapping[str, Any], references: References) -> dict[str, Any]:
    found = deepcopy(dict(figure))
    for path, reference in references.items():
        *places, last = (int(key) if key.isdigit() else key for key in path.split("."))
        inner: Any = found
        for key in places:
            inner = inner[key]
        inner[last] = reference
    return found
