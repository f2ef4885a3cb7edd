"""Two models over the same table: where they disagree, and whether one is right more often."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from encoder.collection.results import Results
from encoder.collection.table import Collection
from encoder.measures.classification import paired_difference
from viz.answers.answer import Answer, Sentence, Table
from viz.answers.collection.details import row_values
from viz.wording.labels import escape_markdown
from viz.wording.numbers import percent, written

MOST_ROWS: Final = 1_000  # of the table
SIGNIFICANT: Final = 0.05


def disagreements(
    collection: Collection, first: Results, second: Results, *, names: tuple[str, str]
) -> tuple[Answer, NDArray[np.intp]]:
    """Where two models disagree, the largest difference first, and the rows of the table.

    Args:
        first, second: of the same rows.
        names: of the models, plain.
    """
    if first.kind != second.kind:
        return _unlike(names), np.zeros(0, np.intp)
    differs, size = _differences(first, second)
    rows = np.flatnonzero(differs)
    rows = rows[np.argsort(-size[rows], kind="stable")]
    one, other = (f"“{escape_markdown(name)}”" for name in names)
    said = _how_many(first, len(rows))
    table = Table(
        name="disagreements",
        title="Rows where the models disagree",
        columns=lambda: _columns(collection, first, second, rows[:MOST_ROWS], names, size),
        on_page="open",
        note=f"The first {MOST_ROWS:,} of {len(rows):,}." if len(rows) > MOST_ROWS else "",
    )
    text = f"{said} {_which_is_right(first, second, (one, other))}"
    return Answer((Sentence(text.strip()), *([table] if len(rows) else []))), rows[:MOST_ROWS]


def _unlike(names: tuple[str, str]) -> Answer:
    one, other = map(escape_markdown, names)
    return Answer(
        (Sentence(f"{one} and {other} have heads of different kinds: choose a model of the same kind.", "info"),)
    )


def _differences(first: Results, second: Results) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """(N,) whether the models disagree, and by how much."""
    if first.kind == "score":
        size = np.abs(first.logits[:, 0] - second.logits[:, 0]).astype(np.float64)
        return size > 0, size
    said = [np.array([text.lower() for text in each.predictions], object) for each in (first, second)]
    differs = np.asarray(said[0] != said[1], bool)
    if first.probabilities is not None and second.probabilities is not None and _same_labels(first, second):
        order = [[label.lower() for label in second.labels].index(label.lower()) for label in first.labels]
        return differs, np.abs(first.probabilities - second.probabilities[:, order]).max(axis=1).astype(np.float64)
    if first.confidence is None or second.confidence is None:
        return differs, differs.astype(np.float64)
    sure = np.fmin(first.confidence, second.confidence)
    return differs, np.nan_to_num(sure).astype(np.float64)


def _same_labels(first: Results, second: Results) -> bool:
    return sorted(map(str.lower, first.labels)) == sorted(map(str.lower, second.labels))


def _how_many(first: Results, count: int) -> str:
    if first.kind == "score":
        return f"The scores of the two models differ in {count:,} of {len(first):,} rows."
    return f"The two models disagree in **{count:,} of {len(first):,}** rows ({percent(count / max(len(first), 1))})."


def _which_is_right(first: Results, second: Results, names: tuple[str, str]) -> str:
    has = first.has_gold & second.has_gold
    if not has.any() or (first.is_binary != second.is_binary):
        return ""
    (one, measure), (other, _) = row_values(first), row_values(second)
    found = paired_difference(one[has], other[has])
    change = found.difference
    low, high = change.low, change.high
    if found.p is None:
        better = names[1] if (change.value < 0) == (measure in ("loss", "absolute error")) else names[0]
        clear = "" if low > 0 or high < 0 else ", which is within chance"
        return (
            f"{better} is better by {written(abs(change.value), '.3g')} in {measure} on average (95 % interval of the "
            f"difference {written(low, '.2g')} to {written(high, '.2g')}; {change.n:,} rows){clear}."
        )
    verdict = "more than chance explains" if found.p < SIGNIFICANT else "which chance explains"
    p = "p < 0.001" if found.p < 0.001 else f"p = {written(found.p, '.2g')}"
    return (
        f"{names[0]} alone is right in {found.only_first:,} of them, {names[1]} alone in {found.only_second:,}, "
        f"{verdict} (McNemar's test, {p}; the difference is {written(100 * change.value, '+.0f')} points, 95 % "
        f"interval {written(100 * low, '+.0f')} to {written(100 * high, '+.0f')}; {change.n:,} rows)."
    )


def _columns(
    collection: Collection,
    first: Results,
    second: Results,
    rows: NDArray[np.intp],
    names: tuple[str, str],
    size: NDArray[np.float64],
) -> dict[str, Any]:
    columns: dict[str, Any] = {"row": rows + 1}
    for name in dict.fromkeys(filter(None, (collection.text, collection.text_b, collection.label))):
        columns[name] = collection.column(name, rows.tolist())
    for name, each in zip(names, (first, second), strict=True):
        columns[name if name not in columns else f"{name} (model)"] = each.predictions_of(rows.tolist())
    return columns | {"difference": size[rows]}
