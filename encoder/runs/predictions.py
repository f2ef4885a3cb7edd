"""The predictions of a model for many texts, as arrays and as columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from encoder.columns import Columns
from encoder.errors import ShapeError
from encoder.runs.arrays import ByValue, FloatArray
from encoder.runs.trace import Prediction


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Predictions(ByValue, Columns):
    """What one head predicts for N texts.

    Attributes:
        labels: the C classes; one, "score", for a head with a single number; "choice 0" and so on for choices, which
            each text has its own of.
        logits: (N, C).
        probabilities: (N, C), or None as in `Prediction`.
        scores: (N,), or None without a regression head.
    """

    labels: tuple[str, ...]
    logits: FloatArray
    probabilities: FloatArray | None
    scores: FloatArray | None

    @classmethod
    def of(cls, found: Sequence[Prediction]) -> Self:
        """Those of at least one text, all by the same head.

        Raises:
            ShapeError: the texts have different numbers of choices.
        """
        counts = sorted({len(one.labels) for one in found})
        if len(counts) > 1:
            raise ShapeError(
                f"The texts have between {counts[0]} and {counts[-1]} choices, which make no table: predict for texts "
                "with as many choices, or take the prediction of each trace."
            )
        labels = found[0].labels
        if found[0].of == "choices" and counts[0] > 1:
            labels = tuple(f"choice {number}" for number in range(counts[0]))
        shares = [one.probabilities for one in found if one.probabilities is not None]
        scores = [one.score for one in found if one.score is not None]
        return cls(
            labels=labels,
            logits=np.stack([one.logits for one in found]),
            probabilities=np.stack(shares) if shares else None,
            scores=np.array(scores, np.float32) if scores else None,
        )

    def __len__(self) -> int:
        return len(self.logits)

    @property
    def columns(self) -> dict[str, Any]:
        """Columns of N rows, for `pandas.DataFrame`: the likeliest label, each probability or logit, and the score."""
        numbers = self.logits if self.probabilities is None else self.probabilities
        columns: dict[str, Any] = dict(zip(self.labels, numbers.T, strict=True))
        if len(self.labels) > 1:
            columns = {"label": [self.labels[best] for best in self.logits.argmax(axis=1)], **columns}
        return columns if self.scores is None else {**columns, "score": self.scores}
