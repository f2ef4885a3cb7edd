"""The predictions of a model for many texts, as arrays and as columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Self

import numpy as np

from encoder.columns import Columns
from encoder.errors import ShapeError
from encoder.runs.arrays import ByValue, FloatArray
from encoder.runs.trace import Prediction
from encoder.text.readings import Unread

HOLDS: Final = 0.5  # probability from which on a label holds, where several may
NO_LABEL_HOLDS: Final = "none"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Predictions(ByValue, Columns):
    """What one head predicts for N texts.

    Attributes:
        labels: the C classes; one, "score", for a head with a single number; "choice 0" and so on for choices, which
            each text has its own of.
        logits: (N, C).
        probabilities: (N, C), or None as in `Prediction`.
        scores: (N,), or None without a regression head.
        unread: what the model does not read of the texts.
        kind: whether a text has one of the C "classes", any number of C "labels", or C "numbers".
    """

    labels: tuple[str, ...]
    logits: FloatArray
    probabilities: FloatArray | None
    scores: FloatArray | None
    unread: Unread
    kind: Literal["classes", "labels", "numbers"] = "classes"

    @classmethod
    def of(cls, found: Sequence[Prediction], unread: Unread) -> Self:
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
            unread=unread,
            kind="numbers" if not shares else "labels" if found[0].of == "labels" else "classes",
        )

    def __len__(self) -> int:
        return len(self.logits)

    @property
    def columns(self) -> dict[str, Any]:
        """Columns of N rows, for `pandas.DataFrame`.

        Returns:
            "label", the likeliest class, or the labels that hold; each probability, or each number of several, by its
            label, with " (class)" behind a label that is called like another column; the "score", and its "logit" where
            the score is a function of it; whether a text was "cut off", and whether there is "no known word" in it.
        """
        read = self.unread.columns
        numbers = self.logits if self.probabilities is None else self.probabilities
        if len(self.labels) == 1 and self.scores is not None:
            of_score = {} if np.array_equal(self.scores, self.logits[:, 0]) else {"logit": self.logits[:, 0]}
            return {"score": self.scores, **of_score, **read}
        taken = {"label", "score", *read}
        names = [f"{label} (class)" if label in taken else label for label in self.labels]
        columns: dict[str, Any] = dict(zip(names, numbers.T, strict=True))
        if self.kind != "numbers":
            columns = {"label": self.said, **columns}
        return columns | ({} if self.scores is None else {"score": self.scores}) | read

    @property
    def said(self) -> list[str]:
        """The likeliest class of each text, or the labels that hold."""
        if self.kind == "labels" and self.probabilities is not None:
            return [labels_that_hold(self.labels, shares) for shares in self.probabilities]
        return [self.labels[best] for best in self.logits.argmax(axis=1)]


def labels_that_hold(labels: Sequence[str], probabilities: FloatArray) -> str:
    """Those of the C labels that hold, with commas between; "none" if none does."""
    held = [label for label, share in zip(labels, probabilities, strict=True) if share >= HOLDS]
    return ", ".join(held) or NO_LABEL_HOLDS
