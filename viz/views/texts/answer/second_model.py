"""Two models over the same table, or a model over two: where they disagree, and whether one is right more often."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from encoder.collection import correctness
from encoder.collection.correctness import Disagreements
from encoder.collection.kinds.base import Results
from encoder.collection.kinds.scores import Score
from encoder.collection.table import Collection
from encoder.measures.inference import is_clear
from viz.answers.answer import Answer, Sentence, Table
from viz.wording.labels import escape_markdown
from viz.wording.numbers import interval_in_words, p_in_words, percent, written

MOST_ROWS: Final = 1_000  # of the table


def disagreements(
    collection: Collection, first: Results, second: Results, *, names: tuple[str, str], what: str = "models"
) -> tuple[Answer, NDArray[np.intp]]:
    """Where two models disagree, the largest difference first, and the rows of the table.

    Args:
        first, second: of the same rows.
        names: of the models, plain.
        what: has these names, in the plural.
    """
    if first.kind != second.kind:
        return _unlike(names), np.zeros(0, np.intp)
    found = correctness.disagreements(first, second)
    rows = found.rows
    one, other = (f"“{escape_markdown(name)}”" for name in names)
    said = _how_many(first, len(rows), what)
    table = Table(
        name="disagreements",
        title=f"Rows where the {what} disagree",
        columns=lambda: columns_of_disagreements(collection, first, second, rows[:MOST_ROWS], names, found.size),
        on_page="open",
        note=f"The first {MOST_ROWS:,} of {len(rows):,}." if len(rows) > MOST_ROWS else "",
    )
    text = f"{said} {_which_is_right(found, (one, other))}"
    return Answer((Sentence(text.strip()), *([table] if len(rows) else []))), rows[:MOST_ROWS]


def _unlike(names: tuple[str, str]) -> Answer:
    one, other = map(escape_markdown, names)
    return Answer(
        (Sentence(f"{one} and {other} have heads of different kinds: choose a model of the same kind.", "info"),)
    )


def _how_many(first: Results, count: int, what: str) -> str:
    if isinstance(first, Score):
        return f"The scores of the two {what} differ in {count:,} of {len(first):,} rows."
    return f"The two {what} disagree in **{count:,} of {len(first):,}** rows ({percent(count / max(len(first), 1))})."


def _which_is_right(disagreements: Disagreements, names: tuple[str, str]) -> str:
    found, measure = disagreements.difference, disagreements.measure
    if found is None:
        return ""
    change = found.difference
    low, high = change.low, change.high
    p = p_in_words(found.p)
    verdict = "more than chance explains" if is_clear(found.p) else "which chance explains"
    if found.only_first is None:
        better = names[1] if (change.value < 0) == (measure in ("loss", "absolute error")) else names[0]
        interval = interval_in_words(low, high, lambda value: written(value, "+.2g"), n=change.n)
        verdict, p = ("without a test", "") if np.isnan(found.p) else (verdict, f", {p}")
        return (
            f"{better} is better by {written(abs(change.value), '.3g')} in {measure} on average, {verdict} "
            f"(difference: {interval}{p}; {change.n:,} rows)."
        )
    interval = interval_in_words(low, high, lambda value: written(100 * value, "+.0f"), n=change.n)
    return (
        f"{names[0]} alone is right in {found.only_first:,} of them, {names[1]} alone in {found.only_second:,}, "
        f"{verdict} (McNemar's test, {p}; the difference is {written(100 * change.value, '+.0f')} points, {interval}; "
        f"{change.n:,} rows)."
    )


def columns_of_disagreements(
    collection: Collection,
    first: Results,
    second: Results,
    rows: NDArray[np.intp],
    names: tuple[str, str],
    size: NDArray[np.float64],
) -> dict[str, Any]:
    """Rows with the output of each model, and how large the difference is; `size` is of all N rows."""
    columns: dict[str, Any] = {"row": collection.numbers(rows) + 1}
    for name in dict.fromkeys(filter(None, (collection.text, collection.text_b, collection.label))):
        columns[name] = collection.column(name, rows.tolist())
    for name, each in zip(names, (first, second), strict=True):
        columns[name if name not in columns else f"{name} (model)"] = each.predictions_of(rows.tolist())
    return columns | {"difference": size[rows]}
