"""Filters of a table's rows, in words."""

from __future__ import annotations

from typing import Final

from encoder.collection.results import Results
from encoder.collection.row_filters import (
    ALL,
    AND,
    ERRORS,
    FALSE_POSITIVES,
    UNSURE,
    cell_of,
    filtered,
    mistakes_of,
    search_of,
)
from encoder.collection.row_slices import find_slice
from encoder.collection.table import Collection
from viz.answers.collection.slices import title_of
from viz.wording.labels import make_visible, shorten

TITLES: Final = {ALL: "All rows", ERRORS: "Errors", UNSURE: "Unsure"}
LONGEST: Final = 40  # characters of a value or of a class


def title_of_rows(rows: str, collection: Collection, results: Results) -> str:
    """A filter that applies to a table and to what a model says of it, in words; "" for one that does not."""
    if filtered(collection, results, rows) is None:
        return ""
    if rows in TITLES:
        return TITLES[rows]
    if results.kind == "classes" and (cell := cell_of(rows, results)) is not None:
        own, predicted = (_name(results.labels[index]) for index in cell)
        return f"{own}, predicted {predicted}"
    if (mistakes := mistakes_of(rows, results)) is not None:
        kind, index = mistakes
        return f"False {'positives' if kind == FALSE_POSITIVES else 'negatives'} of {_name(results.labels[index])}"
    if (chosen := find_slice(rows, collection, results)) is not None:
        return title_of(chosen)
    if (search := search_of(rows, collection)) is not None:
        return f"{search.column or 'Text'} with “{_name(search.characters)}”"
    if AND in rows:
        return ", ".join(title_of_rows(part, collection, results) for part in rows.split(AND))
    return "Chosen in the table"


def _name(text: str) -> str:
    return shorten(make_visible(text), LONGEST)
