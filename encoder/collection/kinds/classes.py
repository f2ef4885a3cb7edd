"""Heads that choose one of C classes of a whole text, or any number of C labels."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

import numpy as np
import numpy.typing as npt

from encoder.collection.kinds.base import TINY, Bools, WholeText
from encoder.collection.row_labels import LabelRule, gold_of, label_rule
from encoder.measures.classification import (
    Calibration,
    ClassScores,
    calibration,
    class_scores,
    confusion_matrix,
    label_scores,
)
from encoder.measures.inference import Interval, auc
from encoder.runs.arrays import FloatArray, softmax
from encoder.runs.predictions import HOLDS, labels_that_hold

MARGIN: Final = 0.2  # by which the likeliest class leads the next in a row that the model is unsure of
UNDER_ONE: Final = 1 - float(np.finfo(np.float32).epsneg)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WithShares(WholeText):
    """Of a head that gives a probability for each class or label.

    Attributes:
        may_have_several: whether a row has any number of them.
        probabilities: (N, C).
    """

    may_have_several: ClassVar[bool] = False
    probabilities: FloatArray

    @property
    @abstractmethod
    def memberships(self) -> tuple[Bools, Bools]:
        """(N, C) whether a row has each class or label, and whether it gets it."""

    @property
    @abstractmethod
    def class_scores(self) -> ClassScores | None:
        """Precision, recall and F1 of each class or label; None where no row has one."""

    @classmethod
    def compared(
        cls, own: Sequence[str], distinct: Sequence[str], names: tuple[str, ...], rule: LabelRule | None = None
    ) -> dict[str, Any]:
        rule = rule or label_rule(distinct, names, several=cls.may_have_several)
        gold, unknown = gold_of(own, names, rule, several=cls.may_have_several)
        return {"gold": gold, "unknown_labels": dict(unknown.most_common()), "label_rule": rule}

    @classmethod
    def numbers_in(cls, columns: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
        given = np.stack([columns[f"p({name})"].to_numpy() for name in names], axis=1)  # (N, C)
        shares = np.clip(given, TINY, UNDER_ONE)
        logits = np.log(shares) - (np.log1p(-shares) if cls.may_have_several else 0)
        return {"probabilities": given, "logits": logits}

    @property
    def confidence(self) -> FloatArray | None:
        return self.probabilities.max(axis=1)

    @property
    def shares(self) -> dict[str, Any]:
        return {f"p({label})": column for label, column in zip(self.labels, self.probabilities.T, strict=True)}

    @property
    def verdict(self) -> Bools:
        has, gets = self.memberships
        return self.has_gold & (has == gets).all(axis=1)

    @property
    def own_measures(self) -> dict[str, Interval | None]:
        scores = self.class_scores
        return {"F1": None if scores is None else scores.macro_f1, "AUC": self.area_under_curve}

    @property
    def area_under_curve(self) -> Interval | None:
        """The AUC of the second of two classes."""
        return None

    def differences(self, other: Self) -> tuple[Bools, npt.NDArray[np.float64]]:
        differs, size = WholeText.differences(self, other)
        own, others = ([label.lower() for label in each.labels] for each in (self, other))
        if sorted(own) == sorted(others):
            shares = other.probabilities[:, [others.index(label) for label in own]]
            size = np.abs(self.probabilities - shares).max(axis=1).astype(np.float64)
        return differs, size


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Classes(WithShares):
    """One of C classes."""

    kind = "classes"
    unit: str = "log odds"

    def predictions_of(self, rows: Sequence[int]) -> list[str]:
        predicted = self.predicted
        return [self.labels[predicted[row]] for row in rows]

    @property
    def unsure(self) -> Bools:
        """(N,) whether the likeliest class leads the next by less than `MARGIN`."""
        if len(self.labels) < 2:
            return np.zeros(len(self), bool)
        ordered = np.partition(self.probabilities, -2, axis=1)
        return np.asarray(ordered[:, -1] - ordered[:, -2] < MARGIN)

    @property
    def losses(self) -> FloatArray:
        shifted = self.logits - self.logits.max(axis=1, keepdims=True)
        log_shares = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
        own = np.take_along_axis(log_shares, np.maximum(self.gold, 0)[:, None].astype(int), axis=1)[:, 0]
        return np.where(self.has_gold, -own, np.nan).astype(np.float32)

    @property
    def confusions(self) -> npt.NDArray[np.int64]:
        """(C, C) rows by their own class and the predicted one."""
        has = self.has_gold
        return confusion_matrix(self.gold[has], self.predicted[has], len(self.labels))

    @property
    def class_scores(self) -> ClassScores | None:
        return class_scores(self.confusions) if self.has_gold.any() else None

    @property
    def area_under_curve(self) -> Interval | None:
        has = self.has_gold
        return auc(self.probabilities[has, 1], self.gold[has] == 1) if len(self.labels) == 2 else None

    @property
    def memberships(self) -> tuple[Bools, Bools]:
        classes = np.arange(len(self.labels))
        return self.gold[:, None] == classes, self.predicted[:, None] == classes

    @property
    def own_classes(self) -> npt.NDArray[Any]:
        return self.gold

    def number_of(self, logits: FloatArray, classes: npt.NDArray[np.intp]) -> FloatArray:
        return WithShares.number_of(self, softmax(logits), classes)

    def decided(self, logits: FloatArray, classes: npt.NDArray[np.intp]) -> npt.NDArray[Any]:
        return logits.argmax(axis=1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Labels(WithShares):
    """Any number of C labels."""

    kind = "labels"
    one = "label"
    several = "labels"
    may_have_several = True
    unit: str = "logit"

    def predictions_of(self, rows: Sequence[int]) -> list[str]:
        return [labels_that_hold(self.labels, self.probabilities[row]) for row in rows]

    @property
    def holds(self) -> Bools:
        """(N, C) whether a label holds."""
        return self.probabilities >= HOLDS

    @property
    def unsure(self) -> Bools:
        """(N,) whether the probability of a label is within half of `MARGIN` of 50 %."""
        return np.asarray(np.abs(self.probabilities - 0.5).min(axis=1) < MARGIN / 2)

    @property
    def losses(self) -> FloatArray:
        """(N,) the mean over the labels."""
        signed = np.where(self.gold == 1, -self.logits, self.logits)
        return np.where(self.has_gold, np.logaddexp(0, signed).mean(axis=1), np.nan).astype(np.float32)

    @property
    def class_scores(self) -> ClassScores | None:
        has = self.has_gold
        return label_scores(self.gold[has] == 1, self.holds[has]) if has.any() else None

    def calibration_in(self, has: Bools) -> Calibration | None:
        return calibration(self.probabilities[has], self.gold[has])

    @property
    def memberships(self) -> tuple[Bools, Bools]:
        return self.gold == 1, self.holds

    @property
    def comparable(self) -> list[str]:
        return [", ".join(sorted(text.lower().split(", "))) for text in self.predictions]

    def number_of(self, logits: FloatArray, classes: npt.NDArray[np.intp]) -> FloatArray:
        return (1 / (1 + np.exp(-WithShares.number_of(self, logits, classes)))).astype(np.float32)

    def decided(self, logits: FloatArray, classes: npt.NDArray[np.intp]) -> npt.NDArray[Any]:
        return self.number_of(logits, classes) >= HOLDS
