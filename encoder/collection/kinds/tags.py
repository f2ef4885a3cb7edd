"""Heads that tag each word of a text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from encoder.collection.kinds.base import TINY, Answered, Bools, RowAnswer, Rows
from encoder.collection.row_labels import NO_LABEL, index_of, structure_of
from encoder.measures.classification import Calibration, calibration
from encoder.measures.inference import Interval, ratio
from encoder.measures.word_tags import WordTags, tags_of_words
from encoder.text.tokens import Tokens

if TYPE_CHECKING:
    from encoder.models.base import Reading

WORDS_BY_ROW: Final = "share of words right, mean of rows"  # long rows count as much as short ones


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tags(Answered):
    """The tags of the words; right tags stand in the label with spaces between, one for each word.

    They may also be one for each part of the text between spaces, which then has the tag of its first word.
    """

    kind = "tags"
    partly_means = "words right"
    compared_by = WORDS_BY_ROW

    @classmethod
    def names_and_labels(cls, rows: Rows) -> tuple[tuple[str, ...], Sequence[str]]:
        names = next(each.token_prediction.labels for each in rows.readings if each.token_prediction is not None)
        return names, rows.labels if _are_tags(rows.distinct, names) else [""] * len(rows.labels)

    @classmethod
    def misfits(cls, counts: npt.NDArray[np.int32]) -> Bools:
        return np.ones(len(counts), bool)

    @classmethod
    def answer(cls, reading: Reading, label: str) -> RowAnswer:
        prediction = reading.token_prediction
        tags = None if prediction is None else tags_of_words(prediction, reading.tokens)
        if tags is None or not tags.words:
            return RowAnswer()
        own = gold_tags(label, tags.labels)
        rows, units = _tagged_units(tags, reading.tokens, len(own))
        shares = tags.probabilities[rows]
        likeliest = [tags.labels[index] for index in shares.argmax(axis=1)]
        answer = RowAnswer(" ".join(likeliest), float(shares.max(axis=1).mean()), counts=len(likeliest))
        if not set(own) <= set(tags.labels) or not units:
            return answer
        columns = [tags.labels.index(own[unit]) for unit in units]
        right = shares.argmax(axis=1) == columns
        losses = -np.log(np.maximum(shares[range(len(columns)), columns], TINY))
        return answer._replace(exact=float(right.all()), partly=float(right.mean()), losses=float(losses.mean()))

    @property
    def partly_right(self) -> Interval:
        """The share of words with the right tag."""
        has = self.has_gold
        words = self.answers.counts[has].astype(np.float64)
        return ratio(np.rint(self.answers.partly[has] * words), words)

    def calibration_in(self, has: Bools) -> Calibration | None:
        answers = self.answers
        return calibration(answers.probability[has], answers.partly[has], trials=answers.counts[has])


def _tagged_units(tags: WordTags, tokens: Tokens, count: int) -> tuple[list[int], list[int]]:
    """The rows of `tags` that are compared, and with which of `count` own tags; none where these do not fit."""
    every = list(range(len(tags.words)))
    if count == len(tokens.words):
        return every, list(tags.words)
    starts = [part.start() for part in re.finditer(r"\S+", tokens.sentences[0])]
    if count != len(starts) or len(tokens.sentences) > 1:
        return every, []
    units: dict[int, int] = {}
    for row, position in enumerate(tags.positions):
        if (span := tokens.spans[position]) is not None:
            units.setdefault(bisect_right(starts, span[0]) - 1, row)
    return list(units.values()), list(units)


def gold_tags(label: str, names: Sequence[str]) -> list[str]:
    """The tags in a cell, by the names of a model's where they are these in another case, or their numbers."""
    return [names[place] if (place := index_of(each, names)) != NO_LABEL else each for each in _tags_in(label)]


def _are_tags(labels: Sequence[str], names: Sequence[str]) -> bool:
    """Whether the tags of a column are names, or exactly the numbers of all tags of a model."""
    found = {tag for label in labels for tag in _tags_in(label)}
    numbers = {tag for tag in found - set(names) if tag.isdecimal()}
    return not numbers or {*map(int, numbers)} == set(range(len(names)))


def _tags_in(label: str) -> list[str]:
    """The tags in a cell, with spaces or commas between, or as a list of names or of numbers."""
    if label.startswith('["') and isinstance(found := structure_of(label), list):
        return [str(tag) for tag in found]
    return [part for part in re.split(r"[\s,\[\]'\"]+", label) if part]
