"""Filters of a table's rows, in words."""

from __future__ import annotations

from typing import Final

from encoder.collection.kinds.base import Results
from encoder.collection.row_filters import (
    ALL,
    ERRORS,
    FALSE_POSITIVES,
    UNSURE,
    cell_of,
    mistakes_of,
    parts_of,
    search_of,
)
from encoder.collection.row_slices import find_slice
from encoder.collection.table import Collection
from viz.answers.collection.slices import title_of
from viz.wording.labels import name_label

TITLES: Final = {ALL: "All rows", ERRORS: "Errors", UNSURE: "Unsure"}


def title_of_rows(rows: str, collection: Collection, results: Results) -> str:
    """A filter that applies to a table and to a model's output, in words; "" for one that does not."""
    parts = parts_of(rows, collection, results)
    if parts != [rows]:
        return ", ".join(title_of_rows(part, collection, results) for part in parts)
    if rows in TITLES:
        return TITLES[rows]
    if (cell := cell_of(rows, results)) is not None:
        own, predicted = (name_label(results.labels[index]) for index in cell)
        return f"{own}, predicted {predicted}"
    if (mistakes := mistakes_of(rows, results)) is not None:
        kind, index = mistakes
        return f"False {'positives' if kind == FALSE_POSITIVES else 'negatives'} of {name_label(results.labels[index])}"
    if (chosen := find_slice(rows, collection, results)) is not None:
        return title_of(chosen)
    if (search := search_of(rows, collection)) is not None:
        return f"{search.column or 'Text'} with “{name_label(search.characters)}”"
    return "Chosen in the table"
