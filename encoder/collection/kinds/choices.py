"""Heads that compare the choices in the second text of a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from encoder.collection.kinds.base import TINY, Answered, Bools, RowAnswer
from encoder.collection.row_labels import NO_LABEL, index_of

if TYPE_CHECKING:
    from encoder.models.base import Reading


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Choices(Answered):
    """One of a row's own choices; the label is one of them, or its number from 0."""

    kind = "choices"

    @classmethod
    def misfits(cls, counts: npt.NDArray[np.int32]) -> Bools:
        return counts > 0

    @classmethod
    def answer(cls, reading: Reading, label: str) -> RowAnswer:
        prediction = reading.prediction
        if prediction is None or prediction.probabilities is None:  # a row without choices
            return RowAnswer()
        choices, shares = prediction.labels, prediction.probabilities
        best, own = int(shares.argmax()), index_of(label, choices)
        answer = RowAnswer(choices[best], float(shares[best]), counts=len(choices))
        if own == NO_LABEL:
            return answer
        right = float(own == best)
        return answer._replace(exact=right, partly=right, losses=float(-np.log(max(shares[own], TINY))))
