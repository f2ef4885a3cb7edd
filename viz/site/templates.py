"""Answers of texts that the browser reads: the app's own answers, with references where they depend on the text.

Python makes each answer from a text of its own, and replaces every number and name in it that comes from the text by a
reference: a value, and how it is changed. Values are the outputs of `encoder.export.measures`, by name, and labels. The
browser replaces references by what they refer to, in `viz/html/browser/site/templates.mjs`. A test compares the result
with the answers that Python makes of the same texts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any

from viz.answers.answer import Answer, Chart, Part, Row, Table
from viz.html.answers import contents_of_chart, figures_of_chart, html_of_answer, html_of_chart
from viz.theme import THEMES, Theme

Reference = list[Any]
References = dict[str, Any]  # by the path in a figure, such as "data.0.z"
ReferencesOf = Callable[[Mapping[str, Any], Theme], References]


def value(path: str, *changes: Sequence[Any]) -> Reference:
    """A value, such as "norms.0" for the first row of "norms".

    Args:
        changes: one after the other; each has its name in `CHANGES` of `templates.mjs`, and what it takes.
    """
    return ["$", path, *map(list, changes)]


def among(index: Reference, templates: Sequence[Any]) -> Reference:
    """The template at an index, or a list of those at several indices."""
    return ["$among", index, list(templates)]


def each(name: str, template: Any) -> Reference:
    """A list with a template for each of the records of this name, to whose values it can refer."""
    return ["$each", name, template]


def template(html: Any, charts: Mapping[str, Any] | None = None, words: References | None = None) -> dict[str, Any]:
    """An answer as the browser fills it in.

    Args:
        html: with the names of `words` in braces.
        charts: the contents of its charts, by name.
    """
    return {"html": html, "charts": charts or {}, "words": words or {}}


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


def template_of_chart(chart: Chart, references: ReferencesOf) -> dict[str, Any]:
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
