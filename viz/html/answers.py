"""An answer in a file: sentences and tables as HTML, charts as data that `browser/plots.mjs` renders."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final

import numpy as np

from viz.answers.answer import Answer, Chart, Code, Formula, Part, Row, Sentence, ShadedWords, Table, TokenRows
from viz.figures.rendering import fit_height, plot_config
from viz.html.document import html_without_scripts
from viz.html.markdown import html_of_formula, html_of_markdown
from viz.html.marked_code import html_of_code
from viz.html.shaded_words import html_of_shaded_words
from viz.html.text_bytes import text_of_bytes
from viz.html.token_rows import html_of_token_rows
from viz.theme import THEMES, ThemeName
from viz.wording.labels import isolate_quoted, make_visible
from viz.wording.numbers import written

DECIMALS: Final = 4  # of a table's numbers
WIDER_FONT: Final = 1.25  # a browser's own sans serif, by the font that margins are measured in


def html_of_answer(answer: Answer, *, height: int | None = None) -> str:
    """The parts in reading order.

    Args:
        height: the largest height of a chart in pixels; None without a limit.
    """
    return "\n".join(
        _row(part, height) if isinstance(part, Row) else _html_of_part(part, height) for part in answer.parts
    )


def html_page_of_answer(title: str, answer: Answer) -> str:
    """A document with an answer without charts, which runs no script."""
    body = f'<main class="report"><h1>{escape(title)}</h1>\n{html_of_answer(answer)}</main>'
    return html_without_scripts(title, body, sheets=("answers.css", "report.css"))


def _row(row: Row, height: int | None) -> str:
    columns = ("\n".join(_html_of_part(part, height) for part in column) for column in row.columns)
    return f'<div class="row">{"".join(f"<div>{column}</div>" for column in columns)}</div>'


def _html_of_part(part: Part, height: int | None) -> str:
    match part:
        case Sentence(text, "plain"):
            return f'<p class="plain">{escape(text)}</p>'
        case Sentence(text, "caption" | "left out"):
            return f'<div class="caption">{html_of_markdown(text, defined=set())}</div>'
        case Sentence(text, role):
            return f'<div class="{role}">{html_of_markdown(text)}</div>'
        case Chart():
            return _chart(part, height)
        case Table():
            return _table(part)
        case ShadedWords(sentence=letter):
            return html_of_shaded_words(part, f"var(--sentence-{letter.lower()})")
        case TokenRows():
            return html_of_token_rows(part)
        case Formula(latex):
            lines = "".join(html_of_formula(line, "block") for line in latex.splitlines())
            return f'<div class="formula scrolls">{lines}</div>'
        case Code(""):
            return html_of_code(part)
        case Code(title):
            summary = escape(title.replace("`", ""))
            return f'<details class="twin"><summary>{summary}</summary>{html_of_code(part)}</details>'


def _chart(chart: Chart, height: int | None) -> str:
    figures, is_wide = figures_of_chart(chart, height)
    contents = contents_of_chart(chart, figures)
    packed = text_of_bytes(zlib.compress(json.dumps(contents, separators=(",", ":")).encode(), level=9))
    return html_of_chart(chart, packed, is_wide=is_wide)


def figures_of_chart(chart: Chart, height: int | None = None) -> tuple[dict[ThemeName, Any], bool]:
    """The JSON of a chart's figure by theme, for a file, and whether the figure has a width of its own."""
    figures: dict[ThemeName, Any] = {}
    is_wide = False
    for name, theme in THEMES.items():
        figure = chart.figure(theme)
        if height is not None:
            fit_height(figure, max(height, chart.least_height))
        is_wide = figure.layout.width is not None
        figure.layout.width = None  # it has its column's
        figure.layout.margin.l *= WIDER_FONT
        figures[name] = json.loads(figure.to_json())
    return figures, is_wide


def contents_of_chart(chart: Chart, figures: Mapping[ThemeName, Any]) -> dict[str, Any]:
    """What `browser/plots.mjs` renders; `figures` are by theme."""
    light, dark = figures["light"], figures["dark"]
    return {"figure": light, "dark": list(_differences(light, dark)), "config": plot_config(chart.name)}


def html_of_chart(chart: Chart, packed: str, *, is_wide: bool) -> str:
    """The element of a chart, with its contents as text."""
    title = f"<figcaption>{html_of_markdown(chart.title)}</figcaption>" if chart.title else ""
    alt = escape(isolate_quoted(chart.alt))
    return (
        f'<figure class="plot-figure{" wide" if is_wide else ""}" aria-label="{alt}">{title}'
        f'<div class="plot"></div><script type="text/plain" data-plot="{escape(chart.name)}">{packed}</script></figure>'
    )


def _differences(one: Any, other: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[list[str | int], Any]]:
    """The paths at which a figure differs from another, and the other's values."""
    if one == other:
        return
    if isinstance(one, Mapping) and isinstance(other, Mapping) and one.keys() == other.keys():
        for key in one:
            yield from _differences(one[key], other[key], (*path, key))
    elif _has_records(one) and _has_records(other) and len(one) == len(other):
        for index, (first, second) in enumerate(zip(one, other, strict=True)):
            yield from _differences(first, second, (*path, index))
    else:
        yield list(path), other


def _has_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], Mapping)


def _table(table: Table) -> str:
    """A table folded under its title."""
    columns = table.columns()
    header = "".join(f'<th scope="col">{escape(make_visible(name))}</th>' for name in columns)
    decimals = DECIMALS if table.decimals is None else table.decimals
    rows = "".join(_table_row(cells, decimals) for cells in zip(*columns.values(), strict=True))
    return (
        f'<details class="twin"><summary>{escape(table.title)}</summary><table class="table">'
        f"<thead><tr>{header}</tr></thead><tbody>{rows}</tbody></table>{html_of_markdown(table.note)}</details>"
    )


def _table_row(cells: Sequence[object], decimals: int) -> str:
    first, *others = (_cell(cell, decimals) for cell in cells)
    return f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in others)}</tr>'


def _cell(value: object, decimals: int) -> str:
    if value is None:
        return ""
    if isinstance(value, float | np.floating):
        return "" if np.isnan(value) else written(float(value), f".{decimals}f")
    return escape(make_visible(str(value)))
