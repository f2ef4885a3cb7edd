"""A model's output for the rows of a table: what all kinds of heads have. Each kind is a file of this folder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from encoder.collection.row_labels import NO_LABEL, LabelRule
from encoder.measures.classification import Calibration, calibration
from encoder.measures.inference import Interval, ratio, share
from encoder.runs.arrays import FloatArray
from encoder.text.readings import CUT_OFF, NO_KNOWN_WORD, Unread

if TYPE_CHECKING:  # torch, which a page of these numbers does not need
    from encoder.models.base import Reading

Kind = Literal["classes", "labels", "score", "scores", "tags", "span", "mask", "choices"]
Bools = npt.NDArray[np.bool_]
TINY: Final = float(np.finfo(np.float32).tiny)


class Rows(NamedTuple):
    """N rows as a model has read them.

    Attributes:
        model_name: the model.
        readings: what it read and says, row by row.
        labels: their own; "" for none.
        distinct: the labels of all rows of the table.
        rule: how labels of classes are read; None = as `distinct` say.
    """

    model_name: str
    readings: Sequence[Reading]
    labels: Sequence[str]
    distinct: Sequence[str]
    rule: LabelRule | None = None

    @property
    def shared_fields(self) -> dict[str, Any]:
        """Fields of `Results` that do not depend on the head."""
        unread, lengths = Unread(), np.array([len(reading.tokens) for reading in self.readings], np.int32)
        for reading in self.readings:
            unread.note(reading.tokens)
        truncated, no_word = unread.columns.values()
        return {"model_name": self.model_name, "lengths": lengths, "truncated": truncated, "unread": no_word}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Results(ABC):
    """A model's output for the first N rows of a table; compared and hashed by identity.

    Attributes:
        kind: of the head.
        one, several: what the page calls one of `labels`, and all of them.
        model_name: the model.
        labels: the C classes, labels, numbers or tags; none for answers, masked words and choices.
        lengths: (N,) tokens of each text, special tokens included.
        truncated: (N,) whether a text was cut off.
        unread: (N,) whether the model knows none of a text's words.
        unknown_labels: labels of rows that the model does not have and how many have them, the most frequent first; of
            tags and choices those that do not fit their row.
        trained: whether the head was trained.
        note: of the head, in full sentences.
        label_rule: how labels of classes are read, in all rows of the table.
        unit: of the number that words and heads change; "" where they change none.
    """

    kind: ClassVar[Kind]
    one: ClassVar[str] = "class"
    several: ClassVar[str] = "classes"
    model_name: str
    labels: tuple[str, ...]
    lengths: npt.NDArray[np.int32]
    truncated: Bools
    unread: Bools
    unknown_labels: Mapping[str, int] = field(default_factory=dict)
    trained: bool = True
    note: str = ""
    label_rule: LabelRule = "names"
    unit: str = ""

    @abstractmethod
    def predictions_of(self, rows: Sequence[int]) -> list[str]:
        """The output for some rows, in words."""

    @property
    @abstractmethod
    def has_gold(self) -> Bools:
        """(N,) whether a row has a label that the model has."""

    @property
    @abstractmethod
    def losses(self) -> FloatArray:
        """(N,) cross-entropy of what is right in nats, or squared difference of a score; NaN without a label."""

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def predictions(self) -> list[str]:
        """The output for each row, in words."""
        return self.predictions_of(range(len(self)))

    @property
    def confidence(self) -> FloatArray | None:
        """(N,) probability of what is predicted; None where the head gives none."""
        return None

    @property
    def verdict(self) -> Bools:
        """(N,) whether all that is predicted is right; of no meaning for a row without a label, and for a score."""
        return np.zeros(len(self), bool)

    @property
    def correct(self) -> Bools | None:
        """`verdict`; None for a score, and where no row has a label that the model has."""
        return self.verdict if self.has_gold.any() else None

    @property
    def unsure(self) -> Bools:
        """(N,) whether the model is unsure: the probability of what it says is below 50 %, or is not a number."""
        return np.zeros(len(self), bool) if self.confidence is None else ~(self.confidence >= 0.5)

    def with_labels(self, labels: Sequence[str], distinct: Sequence[str]) -> Self:
        """The same rows, compared with other labels; `distinct` are those of all rows of the table.

        Here the rows themselves: labels of words and answers are compared as they are read.
        """
        return self

    def select(self, rows: npt.NDArray[np.intp]) -> Self:
        """The results of some rows, without `unknown_labels`."""
        found: dict[str, Any] = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, np.ndarray):
                found[each.name] = value[rows]
            elif isinstance(value, RowAnswers):
                said, *numbers = value
                arrays: list[Any] = [number[rows] for number in numbers]
                found[each.name] = RowAnswers(tuple(said[row] for row in rows.tolist()), *arrays)
        return replace(self, **found | {"unknown_labels": {}})

    def columns_of(self, rows: Sequence[int]) -> dict[str, Any]:
        """The output for some rows, as columns without numbers of classes; a score stays a number."""
        return {"prediction": self.predictions_of(rows)}

    @property
    def shares(self) -> dict[str, Any]:
        """Columns of N rows with a number for each class or label."""
        return {}

    def columns(self, *, with_loss: bool | None = None) -> dict[str, Any]:
        """Columns of N rows for `pandas.DataFrame`, without those of the table.

        Args:
            with_loss: whether there is a column of losses; None = if a row has a label that the model has.
        """
        columns = self.columns_of(range(len(self)))
        if self.confidence is not None:
            columns["probability"] = self.confidence
        columns |= self.shares
        if self.has_gold.any() if with_loss is None else with_loss:
            columns["loss"] = self.losses
        return columns | {"tokens": self.lengths, CUT_OFF: self.truncated, NO_KNOWN_WORD: self.unread}

    # How right the model is -----------------------------------------------------------------------------------------

    @property
    def right(self) -> Interval | None:
        """The share of the rows with a label whose `verdict` is right; None where `correct` is."""
        if self.correct is None:
            return None
        has = self.has_gold
        return share(int(self.correct[has].sum()), int(has.sum()))

    @property
    def calibration(self) -> Calibration | None:
        """Calibration; None where no row has a label, or the head gives no probability.

        Of several labels, over every label of every row. Of tags, a row's words count each. A score whose labels are
        yes and no is the logit of yes; any other is compared with the labels themselves.
        """
        has = self.has_gold if self.confidence is None else self.has_gold & ~np.isnan(self.confidence)
        return self.calibration_in(has) if has.any() else None

    def calibration_in(self, has: Bools) -> Calibration | None:
        """That of some rows that have a label."""
        return None if self.confidence is None else calibration(self.confidence[has], self.verdict[has])

    @property
    def row_values(self) -> tuple[npt.NDArray[np.floating[Any]], str]:
        """(N,) a number for each row that slices and models are compared by, and what it is."""
        return self.verdict.astype(np.float64), "right"

    @property
    def own_measures(self) -> dict[str, Interval | None]:
        """The measures of this kind of head alone."""
        return {}

    @property
    def measures(self) -> dict[str, Interval]:
        """The measures by their names on the page; none where no row has a label that the model has.

        Returns:
            "right", the share of rows of which all is right; those of this kind of head; and the "calibration error".
        """
        if not self.has_gold.any():
            return {}
        calibrated = self.calibration
        error = None if calibrated is None else calibrated.error
        found = {"right": self.right, **self.own_measures, "calibration error": error}
        return {name: interval for name, interval in found.items() if interval is not None}

    # Another model over the same rows -------------------------------------------------------------------------------

    @property
    def comparable(self) -> list[str]:
        """The output for each row, as it is compared with that of another model."""
        return [text.lower() for text in self.predictions]

    def differences(self, other: Self) -> tuple[Bools, npt.NDArray[np.float64]]:
        """(N,) whether another model with a head of this kind disagrees, and by how much.

        Here the probability of the less sure one; kinds with a number for each class compare these where both models
        have the same.
        """
        differs = np.asarray(np.array(self.comparable, object) != np.array(other.comparable, object), bool)
        if self.confidence is None or other.confidence is None:
            return differs, differs.astype(np.float64)
        return differs, np.nan_to_num(np.fmin(self.confidence, other.confidence)).astype(np.float64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WholeText(Results):
    """Of a head that reads a whole text, whose numbers words and heads change.

    Attributes:
        logits: (N, C).
        gold: (N,) index of the row's own label among `labels`, or `NO_LABEL` where it has none or is none of them; of
            several labels (N, C) 1, 0 or `NO_LABEL`; of a score (N,) the number itself, or NaN.
    """

    logits: FloatArray
    gold: npt.NDArray[Any]

    @classmethod
    @abstractmethod
    def compared(
        cls, own: Sequence[str], distinct: Sequence[str], names: tuple[str, ...], rule: LabelRule | None = None
    ) -> dict[str, Any]:
        """The fields `gold`, `unknown_labels` and `label_rule` of rows with these labels."""

    @classmethod
    @abstractmethod
    def numbers_in(cls, columns: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
        """The logits, and the fields of this kind of head, from the columns of a table."""

    @classmethod
    def read(cls, rows: Rows) -> Self:
        """The results of some rows."""
        found = [reading.prediction for reading in rows.readings if reading.prediction is not None]
        names = found[0].labels
        numbers: dict[str, Any] = {"logits": np.stack([one.logits for one in found])}
        if shares := [one.probabilities for one in found if one.probabilities is not None]:
            numbers["probabilities"] = np.stack(shares)
        elif scores := [one.score for one in found if one.logit is not None]:
            numbers |= {"activated": np.array(scores, np.float32), "unit": "logit"}
        compared = cls.compared(rows.labels, rows.distinct, names, rows.rule)
        return cls(
            **rows.shared_fields, labels=names, trained=found[0].trained, note=found[0].note, **numbers, **compared
        )

    @classmethod
    def from_columns(cls, columns: Mapping[str, Any], own: Sequence[str], **fields: Any) -> Self:
        """The results in the columns of a saved table; `own` are the rows' labels."""
        names = fields["labels"]
        compared = cls.compared(own, (), names, fields["label_rule"])
        return cls(**fields | compared | cls.numbers_in(columns, names))

    def with_labels(self, labels: Sequence[str], distinct: Sequence[str]) -> Self:
        return replace(self, **self.compared(labels, distinct, self.labels))

    @property
    def predicted(self) -> npt.NDArray[np.intp]:
        """(N,) index of the likeliest class of each row."""
        return self.logits.argmax(axis=1)

    @property
    def has_gold(self) -> Bools:
        return (self.gold if self.gold.ndim == 1 else self.gold[:, 0]) != NO_LABEL

    @property
    def own_classes(self) -> npt.NDArray[Any]:
        """(N,) index of a row's own class, where it has one class; else `NO_LABEL`."""
        return np.full(len(self), NO_LABEL)

    def num_wrong(self, rows: npt.NDArray[np.intp]) -> int:
        """How many of some rows have another class than their own."""
        own = self.own_classes[rows]
        return int(((own != NO_LABEL) & (own != self.predicted[rows])).sum())

    def number_of(self, logits: FloatArray, classes: npt.NDArray[np.intp]) -> FloatArray:
        """(N,) the probability of each row's class, or the score, from other logits (N, C).

        Here each row's own number of these, which kinds with probabilities make of logits first.
        """
        own: FloatArray = np.take_along_axis(logits, classes[:, None], axis=1)[:, 0]
        return own

    def decided(self, logits: FloatArray, classes: npt.NDArray[np.intp]) -> npt.NDArray[Any]:
        """(N,) what other logits (N, C) say: the class, or whether the label of `classes` holds; 0 for a score."""
        return np.zeros(len(logits), np.intp)


class RowAnswer(NamedTuple):
    """The output of a head that does not classify whole texts, for a row.

    Attributes:
        said: the tags of its words, the answer, the word at the first mask, or the preferred choice; "" without any.
        probability: of the prediction; of tags their mean. NaN without any.
        exact: 1 where all of it is right, else 0; NaN without a label.
        partly: share of the words with the right tag, F1 of the answer's words, or whether the word is among the
            likeliest; NaN without a label.
        losses: mean cross-entropy of the right tags, or that of the right word or choice; NaN if unknown.
        counts: words with a tag, or choices.
    """

    said: str = ""
    probability: float = np.nan
    exact: float = np.nan
    partly: float = np.nan
    losses: float = np.nan
    counts: int = 0


class RowAnswers(NamedTuple):
    """`RowAnswer` of N rows: a text and (N,) numbers."""

    said: tuple[str, ...]
    probability: FloatArray
    exact: FloatArray
    partly: FloatArray
    losses: FloatArray
    counts: npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answered(Results):
    """Of a head that says something of a text's words, or chooses an answer.

    Attributes:
        partly_means: what `RowAnswer.partly` is; "" where it says no more than `RowAnswer.exact`.
        compared_by: the same where rows are compared by it; "" where they are by `RowAnswer.exact`.
    """

    partly_means: ClassVar[str] = ""
    compared_by: ClassVar[str] = ""
    answers: RowAnswers

    @classmethod
    @abstractmethod
    def answer(cls, reading: Reading, label: str) -> RowAnswer:
        """The head's answer for a row, compared with its label; "" for none."""

    @classmethod
    def names_and_labels(cls, rows: Rows) -> tuple[tuple[str, ...], Sequence[str]]:
        """The names of the head's tags, and the labels of the rows as they are compared, "" for none."""
        return (), rows.labels

    @classmethod
    def misfits(cls, counts: npt.NDArray[np.int32]) -> Bools:
        """(N,) whether a label that is not compared is one that does not fit its row."""
        return np.zeros(len(counts), bool)

    @classmethod
    def read(cls, rows: Rows) -> Self:
        """The results of some rows."""
        names, compared = cls.names_and_labels(rows)
        found = [cls.answer(reading, label) for reading, label in zip(rows.readings, compared, strict=True)]
        numbers = np.array([row[1:] for row in found], np.float32).reshape(-1, len(RowAnswer._fields) - 1).T
        probability, exact, partly, losses, counts = numbers
        said = tuple(row.said for row in found)
        answers = RowAnswers(said, probability, exact, partly, losses, counts.astype(np.int32))
        return cls._of(answers, rows.labels, labels=names, **rows.shared_fields)

    @classmethod
    def from_columns(cls, columns: Mapping[str, Any], own: Sequence[str], **fields: Any) -> Self:
        """As `WholeText.from_columns`."""
        names = ("probability", "right", "partly right", "loss", "parts")
        empty = np.full(len(own), np.nan, np.float32)
        numbers: list[Any] = [columns[name].to_numpy() if name in columns else empty for name in names]
        probability, exact, partly, losses, counts = numbers
        said, parts = tuple(columns["prediction"].to_pylist()), np.nan_to_num(counts).astype(np.int32)
        return cls._of(RowAnswers(said, probability, exact, partly, losses, parts), own, **fields)

    @classmethod
    def _of(cls, answers: RowAnswers, own: Sequence[str], **fields: Any) -> Self:
        misfits = np.flatnonzero(np.isnan(answers.exact) & cls.misfits(answers.counts))
        unknown = Counter(own[row] for row in misfits.tolist() if own[row])
        return cls(**fields, answers=answers, unknown_labels=dict(unknown.most_common()))

    def predictions_of(self, rows: Sequence[int]) -> list[str]:
        return [self.answers.said[row] for row in rows]

    @property
    def has_gold(self) -> Bools:
        return ~np.isnan(self.answers.exact)

    @property
    def losses(self) -> FloatArray:
        return self.answers.losses

    @property
    def confidence(self) -> FloatArray | None:
        return self.answers.probability

    @property
    def verdict(self) -> Bools:
        return self.answers.exact == 1

    @property
    def partly_right(self) -> Interval:
        """The mean of `partly`."""
        partly = np.asarray(self.answers.partly[self.has_gold], np.float64)
        return ratio(partly, np.ones(len(partly)))

    @property
    def own_measures(self) -> dict[str, Interval | None]:
        return {self.partly_means: self.partly_right} if self.partly_means else {}

    @property
    def row_values(self) -> tuple[npt.NDArray[np.floating[Any]], str]:
        values = self.answers.partly if self.compared_by else self.verdict
        return values.astype(np.float64), self.compared_by or "right"

    @property
    def verdicts(self) -> dict[str, Any]:
        """Columns of N rows with how right an answer is, which a saved table needs."""
        return {"right": self.answers.exact, "partly right": self.answers.partly, "parts": self.answers.counts}


def joined(parts: Sequence[Results], model_name: str) -> Results:
    """The results of consecutive rows as one."""
    first = parts[0]
    together: dict[str, Any] = {"model_name": model_name}
    for each in fields(first):
        values = [getattr(part, each.name) for part in parts]
        if isinstance(values[0], np.ndarray):
            together[each.name] = np.concatenate(values)
        elif isinstance(values[0], RowAnswers):
            said, *numbers = zip(*values, strict=True)
            together[each.name] = RowAnswers(tuple(chain.from_iterable(said)), *map(np.concatenate, numbers))
    unknown = sum((Counter(part.unknown_labels) for part in parts), Counter[str]())
    return replace(first, **together, unknown_labels=dict(unknown.most_common()))
