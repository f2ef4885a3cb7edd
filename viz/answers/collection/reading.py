"""How much of the texts of a table the model reads, and its errors where it reads them in part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from encoder.collection.row_readings import ReadRows
from encoder.measures.classification import Interval
from viz.answers.answer import Answer, Columns, Sentence, Table
from viz.wording.explanations import Explanation
from viz.wording.numbers import percent

EXPLANATION: Final = Explanation(
    "A row is read in part if a character is lost, in an unknown piece, or cut off. Intervals are Wilson's, at 95 %.",
    "Rows that are read in part may be harder for other reasons.",
)


def reading(found: Sequence[ReadRows]) -> Answer:
    """A sentence about all rows, and a table by label; `found` begins with all rows."""
    every, counts = found[0], found[0].counts
    lost, unknown = _ratio(counts.lost, counts.characters), _ratio(counts.unknown_pieces, counts.pieces)
    a_word = _ratio(counts.pieces, counts.words)
    said = (
        f"**{counts.in_part:,} of {every.rows:,} rows** are read in part. {percent(lost, 2)} of characters are lost, "
        f"and {percent(unknown, 2)} of pieces are unknown. A word is {a_word:.2f} pieces on average."
    )
    errors = [
        f"{percent(interval.value)} of the rows that are read {how} ({_interval(interval)})"
        for interval, how in ((every.wrong_whole, "whole"), (every.wrong_in_part, "in part"))
        if interval.n
    ]
    parts = [Sentence(said)]
    if errors:
        parts.append(Sentence(f"The model is wrong in {' and in '.join(errors)}."))
    table = Table(
        name="reading",
        title="What is read, by label",
        columns=lambda: columns_of_reading(found),
        on_page="open",
        decimals=3,
    )
    return Answer((*parts, table), explanation=EXPLANATION)


def columns_of_reading(found: Sequence[ReadRows]) -> Columns:
    """A row for all rows, and for each label."""
    columns: Columns = {
        "label": ["all" if each.label is None else each.label for each in found],
        "rows": [each.rows for each in found],
        "characters lost": [_ratio(each.counts.lost, each.counts.characters) for each in found],
        "unknown pieces": [_ratio(each.counts.unknown_pieces, each.counts.pieces) for each in found],
        "pieces a word": [_ratio(each.counts.pieces, each.counts.words) for each in found],
        "read in part": [each.counts.in_part for each in found],
    }
    for name, intervals in (
        ("wrong, read whole", [each.wrong_whole for each in found]),
        ("wrong, read in part", [each.wrong_in_part for each in found]),
    ):
        if any(each.n for each in intervals):
            ends = {name: "value", f"{name}, from": "low", f"{name}, to": "high"}
            columns = {**columns, **{title: [getattr(each, end) for each in intervals] for title, end in ends.items()}}
    return columns


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _interval(found: Interval) -> str:
    ends = f"{100 * found.low:.0f} to {percent(found.high)}"
    return f"95 % interval {ends}; {found.n:,} row{'' if found.n == 1 else 's'}"
