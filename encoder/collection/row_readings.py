"""How much of the texts of a table a model reads, by label, and whether it errs more where it reads less."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from encoder.collection.results import Results
from encoder.collection.table import Collection
from encoder.measures.classification import Interval, share
from encoder.text.readings import reading_of
from encoder.text.tokens import Tokens

if TYPE_CHECKING:
    from encoder.models.base import Backend

MOST_LABELS: Final = 20  # the most frequent ones
ROWS_AT_ONCE: Final = 200  # between two reports of the progress


class ReadCounts(NamedTuple):
    """Of one row, or summed over several.

    Attributes:
        characters: that are typed and not cut off, white space apart.
        in_part: rows of which a character is lost, in an unknown piece, or cut off.
    """

    characters: int
    lost: int
    pieces: int
    unknown_pieces: int
    words: int
    in_part: int


class ReadRows(NamedTuple):
    """Some rows.

    Attributes:
        label: that they share; None for all rows.
        wrong_whole, wrong_in_part: the share of rows that are read whole, and in part, of which not all that is
            predicted is right; of none, or without such a verdict, NaN.
    """

    label: str | None
    rows: int
    counts: ReadCounts
    wrong_whole: Interval
    wrong_in_part: Interval


def read_texts(
    model: Backend, progress: Callable[[int, int], object], collection: Collection, results: Results
) -> tuple[ReadRows, ...]:
    """All rows that have results, and those of each label.

    Args:
        progress: called with the rows read and in total.
        results: of this model.
    Raises:
        InputError: a row cannot be read.
    """
    texts, total = collection.texts(range(len(results))), len(results)
    counts = np.zeros((total, len(ReadCounts._fields)), np.int64)
    for row, text in enumerate(texts):
        if row % ROWS_AT_ONCE == 0:
            progress(row, total)
        counts[row] = _counts(model.tokenize(*((text,) if isinstance(text, str) else text)))
    labels = np.array(collection.labels(range(total)) or [""] * total, object)
    frequent = [label for label, _ in Counter(labels[labels != ""]).most_common(MOST_LABELS)]
    return (
        _sums(None, counts, results, np.ones(total, bool)),
        *(_sums(label, counts, results, labels == label) for label in sorted(frequent)),
    )


def _counts(tokens: Tokens) -> ReadCounts:
    reading = reading_of(tokens)
    found, unknown = reading.counts, reading.unknown_pieces
    in_part = bool(found["lost"] or unknown or any(tokens.truncated))
    return ReadCounts(found.total(), found["lost"], reading.pieces, unknown, len(reading.text_words), in_part)


def _sums(
    label: str | None, counts: npt.NDArray[np.int64], results: Results, chosen: npt.NDArray[np.bool_]
) -> ReadRows:
    in_part = counts[:, -1].astype(bool)

    def wrong(rows: npt.NDArray[np.bool_]) -> Interval:
        if results.correct is None:
            return share(0, 0)
        judged = rows & chosen & results.has_gold
        return share(int((judged & ~results.correct).sum()), int(judged.sum()))

    sums = ReadCounts(*counts[chosen].sum(axis=0).tolist())
    return ReadRows(label, int(chosen.sum()), sums, wrong(~in_part), wrong(in_part))
