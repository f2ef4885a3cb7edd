"""Heads that give one number, or several, for a whole text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from encoder.collection.kinds.base import Bools, WholeText
from encoder.collection.row_labels import NO_LABEL, LabelRule
from encoder.measures.classification import Calibration, calibration, mean_absolute_error, score_calibration
from encoder.measures.inference import Interval, auc, rank_correlation_interval
from encoder.runs.arrays import FloatArray

YES_OR_NO: Final[Mapping[str, float]] = {"yes": 1, "true": 1, "relevant": 1, "no": 0, "false": 0, "irrelevant": 0}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Score(WholeText):
    """One number, which is compared with numbers, or with yes and no as the logit of yes.

    Attributes:
        activated: (N,) the score that the head's activation makes of its logit; None where the logit is the score.
        yes_or_no: whether the score is compared with yes and no, where other rows say so; None if these rows do.
    """

    kind = "score"
    unit: str = "score"
    activated: FloatArray | None = None
    yes_or_no: bool | None = None

    @classmethod
    def compared(
        cls, own: Sequence[str], distinct: Sequence[str], names: tuple[str, ...], rule: LabelRule | None = None
    ) -> dict[str, Any]:
        numbers = [_number(label) for label in own]
        unknown = Counter(label for label, number in zip(own, numbers, strict=True) if label and np.isnan(number))
        return {"gold": np.array(numbers, np.float32), "unknown_labels": dict(unknown.most_common())}

    @classmethod
    def numbers_in(cls, columns: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
        scores = columns["prediction"].to_numpy()
        if "logit" not in columns:
            return {"logits": scores[:, None]}
        return {"logits": columns["logit"].to_numpy()[:, None], "activated": scores, "unit": "logit"}

    @property
    def scores(self) -> FloatArray:
        """(N,) the number that the head gives, as `Prediction.score`."""
        return self.logits[:, 0] if self.activated is None else self.activated

    def predictions_of(self, rows: Sequence[int]) -> list[str]:
        return [f"{self.scores[row]:.3f}" for row in rows]

    def columns_of(self, rows: Sequence[int]) -> dict[str, Any]:
        columns = {"prediction": self.scores[rows]}
        return columns if self.activated is None else columns | {"logit": self.logits[rows, 0]}

    @property
    def has_gold(self) -> Bools:
        return ~np.isnan(self.gold)

    @property
    def correct(self) -> None:
        """A score is neither right nor wrong."""

    @property
    def is_binary(self) -> bool:
        """Whether the labels are yes and no, and both are among the rows."""
        if self.yes_or_no is not None:
            return self.yes_or_no
        return set(self.gold[self.has_gold].tolist()) == {0.0, 1.0}

    @property
    def losses(self) -> FloatArray:
        """(N,) squared differences; of yes and no the cross-entropy, in nats."""
        if not self.is_binary:
            return np.square(self.scores - self.gold).astype(np.float32)
        logits = self.logits[:, 0]
        return np.asarray(np.logaddexp(0, np.where(self.gold == 1, -logits, logits)) + 0 * self.gold, np.float32)

    @property
    def area_under_curve(self) -> Interval:
        """The AUC of a score whose labels are yes and no."""
        has = self.has_gold
        return auc(self.logits[has, 0], self.gold[has] == 1)

    @property
    def errors(self) -> tuple[Interval, Interval]:
        """The mean absolute error, and the rank correlation with labels that are numbers."""
        scores, own = self.scores[self.has_gold], self.gold[self.has_gold]
        return mean_absolute_error(scores, own), rank_correlation_interval(scores, own)

    @property
    def own_measures(self) -> dict[str, Interval | None]:
        if self.is_binary:
            return {"AUC": self.area_under_curve}
        return dict(zip(("mean absolute error", "rank correlation"), self.errors, strict=True))

    def calibration_in(self, has: Bools) -> Calibration | None:
        if not self.is_binary:
            return score_calibration(self.scores[has].astype(np.float64), self.gold[has])
        return calibration((1 + np.tanh(self.logits[has, 0].astype(np.float64) / 2)) / 2, self.gold[has])

    @property
    def row_values(self) -> tuple[npt.NDArray[np.floating[Any]], str]:
        if self.is_binary:
            return self.losses.astype(np.float64), "loss"
        return np.abs(self.scores - self.gold).astype(np.float64), "absolute error"

    def differences(self, other: Self) -> tuple[Bools, npt.NDArray[np.float64]]:
        size = np.abs(self.scores - other.scores).astype(np.float64)
        return size > 0, size


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scores(WholeText):
    """C numbers, which are compared with nothing."""

    kind = "scores"

    @classmethod
    def compared(
        cls, own: Sequence[str], distinct: Sequence[str], names: tuple[str, ...], rule: LabelRule | None = None
    ) -> dict[str, Any]:
        return {"gold": np.full(len(own), NO_LABEL, np.int32)}

    @classmethod
    def numbers_in(cls, columns: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
        return {"logits": np.stack([columns[f"score({name})"].to_numpy() for name in names], axis=1)}  # (N, C)

    def predictions_of(self, rows: Sequence[int]) -> list[str]:
        named = [zip(self.labels, self.logits[row], strict=True) for row in rows]
        return [", ".join(f"{label} {score:.3f}" for label, score in row) for row in named]

    @property
    def shares(self) -> dict[str, Any]:
        return {f"score({label})": column for label, column in zip(self.labels, self.logits.T, strict=True)}

    @property
    def losses(self) -> FloatArray:
        return np.full(len(self), np.nan, np.float32)


def are_yes_or_no(labels: Sequence[str]) -> bool:
    """Whether those labels that are numbers, or yes and no, are both of yes and no and nothing else."""
    return {number for label in set(labels) if not np.isnan(number := _number(label))} == {0.0, 1.0}


def _number(text: str) -> float:
    """A label as a number, 1 or 0 for yes or no; NaN for another text."""
    if (known := YES_OR_NO.get(text.lower())) is not None:
        return known
    try:
        number = float(text)
    except ValueError:
        return float("nan")
    return number if np.isfinite(number) else float("nan")
