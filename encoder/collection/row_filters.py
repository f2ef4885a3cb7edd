"""Rows of a table chosen by what a model says of them: the errors, the unsure ones, or a cell of the confusions."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from encoder.collection.results import Results
from encoder.errors import SelectionError

ALL, ERRORS, UNSURE = "all", "errors", "unsure"
ARROW: Final = ">"  # between the own class of a row and the predicted one
MARGIN: Final = 0.2  # by which the likeliest class leads the next in a row that the model is unsure of
Bools = npt.NDArray[np.bool_]


def name_of_cell(own: str | int, predicted: str | int) -> str:
    """The filter of a cell of the confusion matrix, by names of classes or by their numbers."""
    return f"{own}{ARROW}{predicted}"


def cell_of(rows: str, results: Results) -> tuple[int, int] | None:
    """The own class and the predicted one that a filter such as "negative>positive" names, or None."""
    names = {name: index for index, name in enumerate(results.labels)}
    numbers = {str(index): index for index in range(len(names))}
    for place, character in enumerate(rows):
        if character == ARROW:
            ends = [names.get(end, numbers.get(end)) for end in (rows[:place], rows[place + 1 :])]
            if ends[0] is not None and ends[1] is not None:
                return ends[0], ends[1]
    return None


def is_error(results: Results) -> Bools:
    """(N,) whether a row's label is known, and something else is predicted; False for all of a score."""
    correct = results.correct
    return np.zeros(len(results), bool) if correct is None else results.has_gold & ~correct


def is_unsure(results: Results) -> Bools:
    """(N,) whether the likeliest class leads the next by less than `MARGIN`.

    Where several labels may hold, whether the probability of one is as near to 50 %; elsewhere, whether that of what
    is said is below 50 %.
    """
    shares = results.probabilities
    if shares is None:
        return np.zeros(len(results), bool) if results.confidence is None else ~(results.confidence >= 0.5)
    if results.kind == "labels":
        return np.asarray(np.abs(shares - 0.5).min(axis=1) < MARGIN / 2)
    if shares.shape[1] < 2:
        return np.zeros(len(results), bool)
    ordered = np.partition(shares, -2, axis=1)
    return np.asarray(ordered[:, -1] - ordered[:, -2] < MARGIN)


def filtered(results: Results, rows: str) -> Bools | None:
    """(N,) the rows that a filter keeps; None for one that does not apply to these results."""
    if rows == ALL:
        return np.ones(len(results), bool)
    if rows == ERRORS:
        return None if results.correct is None else is_error(results)
    if rows == UNSURE:
        return None if results.confidence is None else is_unsure(results)
    cell = cell_of(rows, results)
    if cell is None or results.kind != "classes":
        return None
    kept: Bools = (results.gold == cell[0]) & (results.predicted == cell[1])
    return kept


def select_rows(results: Results, rows: str) -> npt.NDArray[np.intp]:
    """Indices of some rows, in the order of the table.

    Args:
        rows: "all" rows, the "errors", the "unsure" ones, or those of a cell of the confusion matrix, such as
            "negative>positive": the row's own label, and the predicted one.
    Raises:
        SelectionError: there is no such cell, or no row has a label that the model has.
    """
    kept = filtered(results, rows)
    if kept is None and rows == ERRORS:
        raise SelectionError("No row has a label that this model predicts, so none is right or wrong.")
    if kept is None:
        example = name_of_cell(results.labels[0], results.labels[-1]) if results.labels else "own>predicted"
        raise SelectionError(
            f"There are no rows {rows!r}: name {ALL!r}, {ERRORS!r}, {UNSURE!r} or a cell, such as {example!r}."
        )
    return np.flatnonzero(kept)
