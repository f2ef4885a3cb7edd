"""What the view of a table shows, as HTML in one file."""

from __future__ import annotations

from typing import Final

from encoder.collection.kinds.base import Results
from encoder.collection.table import Collection
from viz.answers.answer import Answer, Part, Row, Sentence, Table
from viz.state.selection import Order
from viz.views.texts.answer.details import calibration_of, classes, conclusion, slices_of, tags
from viz.views.texts.answer.rows import columns_of, shown_rows
from viz.views.texts.answer.summary import confusions, confusions_table, summary

MOST_ROWS: Final = 2_000  # in the file


def answers_of(collection: Collection, results: Results, *, rows: str, order: Order) -> tuple[tuple[str, Answer], ...]:
    """The headings and answers of the file: all that the page shows, and the rows that a filter leaves."""
    chosen = shown_rows(collection, results, rows, order)
    table = Table(
        name="rows",
        title=f"{len(chosen):,} rows"
        if len(chosen) <= MOST_ROWS
        else f"The first {MOST_ROWS:,} of {len(chosen):,} rows",
        columns=lambda: columns_of(collection, results, chosen[:MOST_ROWS]),
        on_page="open",
        decimals=3,
    )
    matrix = confusions(results, rows)
    said = conclusion(collection, results)
    parts: list[Part | Row] = [*summary(collection, results).parts, *(said.parts if said else ())]
    if matrix is not None:
        parts += matrix.parts
    elif (errors := confusions_table(results)) is not None:
        parts.append(errors)
    found = [("", Answer((*parts, table)))]
    for heading, answer in (
        ("Each class", classes(results)),
        ("Entities and tags", tags(collection, results)),
        ("Calibration", calibration_of(results)),
        ("Slices", slices_of(collection, results)),
    ):
        if answer is not None:
            found.append((heading, _with_explanation(answer)))
    return tuple(found)


def _with_explanation(answer: Answer) -> Answer:
    if answer.explanation is None:
        return answer
    return Answer((*answer.parts, Sentence(answer.explanation.what_it_does_not_show, "caption")))
