"""How much of the texts of a table a model reads, by label, and whether it errs more where it reads less."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from encoder.collection.kinds.base import Results
from encoder.collection.table import Collection
from encoder.measures.inference import Interval, share
from encoder.progress import Progress, no_progress, reported
from encoder.text.readings import is_unknown, reading_of
from encoder.text.tokens import Tokens

if TYPE_CHECKING:
    from encoder.models.base import Backend

MOST_LABELS: Final = 20  # the most frequent ones


class ReadRows(NamedTuple):
    """Some rows; one is read in part if a character is lost, in an unknown piece, or cut off.

    Attributes:
        label: that they share; None for all rows.
        lost: share of the characters that are lost, of those that are typed and not cut off.
        unknown: share of the pieces that are unknown.
        a_word: pieces of a word.
        wrong_whole, wrong_in_part: share of the rows that are read whole, and in part, of which not all that is
            predicted is right; of none, or without such a verdict, NaN.
    """

    label: str | None
    rows: int
    in_part: int
    lost: float
    unknown: float
    a_word: float
    wrong_whole: Interval
    wrong_in_part: Interval


def read_texts(
    model: Backend, collection: Collection, results: Results, *, progress: Progress = no_progress
) -> tuple[ReadRows, ...]:
    """All rows that have results, and those of each label.

    Args:
        progress: called with the rows read and in total.
        results: of this model.
    Raises:
        InputError: a row cannot be read.
    """
    total = len(results)
    counts = [
        _counts(model.tokenize(*((text,) if isinstance(text, str) else text)))
        for text in reported(collection.texts(range(total)), progress)
    ]
    labels = np.array(collection.labels(range(total)) or [""] * total, object)
    frequent = sorted(label for label, _ in Counter(labels[labels != ""]).most_common(MOST_LABELS))
    wrong = np.zeros(total, bool) if results.correct is None else ~results.correct
    judged = results.has_gold & (results.correct is not None)

    def rows(label: str | None) -> ReadRows:
        chosen = np.ones(total, bool) if label is None else labels == label
        of_rows: npt.NDArray[np.int64] = np.array(counts)[chosen]
        characters, lost, pieces, unknown, words, _ = of_rows.sum(axis=0).tolist()
        in_part, wrong_here = of_rows[:, -1][judged[chosen]] > 0, wrong[chosen & judged]
        errors = (share(int(wrong_here[kind].sum()), int(kind.sum())) for kind in (~in_part, in_part))
        shares = lost / max(characters, 1), unknown / max(pieces, 1), pieces / max(words, 1)
        return ReadRows(label, len(of_rows), int(of_rows[:, -1].sum()), *shares, *errors)

    return tuple(map(rows, (None, *frequent)))


def _counts(tokens: Tokens) -> tuple[int, ...]:
    """Typed characters, lost ones, pieces, unknown ones, words, and 1 if the text is read in part."""
    reading = reading_of(tokens)
    found, unknown = reading.counts, sum(is_unknown(tokens, position) for position in range(len(tokens)))
    in_part = bool(found["lost"] or unknown or any(tokens.truncated))
    return found.total(), found["lost"], reading.num_pieces, unknown, reading.num_words, int(in_part)
