"""What a model says of every row of a collection, row by row while it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from encoder.collection.table import Collection
from encoder.errors import SelectionError, UnsupportedModelError
from encoder.models.base import Backend, Reading
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Prediction

Progress = Callable[[int, int], object]
Kind = Literal["classes", "labels", "score"]
FIRST_ROWS: Final = 32  # are read first, so that a page can show them
SCORE: Final = "score"
NO_LABEL: Final = -1
ALL, ERRORS, CELL = "all", "errors", "{own}>{predicted}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Results:
    """What one model says of the first N rows of a collection; compared and hashed by identity.

    Attributes:
        model_name: the model.
        kind: "classes" for one of C classes, "labels" for any number of C labels, "score" for one number.
        labels: the C classes or labels; "score" alone for a score.
        logits: (N, C).
        probabilities: (N, C); None for a score.
        lengths: (N,) tokens of each text, special tokens included.
        truncated: (N,) whether a text was cut off.
        gold: (N,) index of the row's own label among `labels`, or `NO_LABEL` where it has none or is none of them; for
            a score the number itself, or NaN.
        unknown_labels: labels of rows that the model does not have, the most frequent first.
        trained: whether the head was trained.
        note: of the head, in full sentences.
    """

    model_name: str
    kind: Kind
    labels: tuple[str, ...]
    logits: FloatArray
    probabilities: FloatArray | None
    lengths: npt.NDArray[np.int32]
    truncated: npt.NDArray[np.bool_]
    gold: npt.NDArray[Any]
    unknown_labels: tuple[str, ...] = ()
    trained: bool = True
    note: str = ""

    def __len__(self) -> int:
        return len(self.logits)

    @property
    def predicted(self) -> npt.NDArray[np.intp]:
        """(N,) index of the likeliest class of each row."""
        return self.logits.argmax(axis=1)

    @property
    def predictions(self) -> list[str]:
        """What the model says of each row, in words: its class, the labels that hold, or its score."""
        if self.kind == "score":
            return [f"{value:.3f}" for value in self.logits[:, 0]]
        if self.kind == "labels" and self.probabilities is not None:
            holds = self.probabilities >= 0.5
            return [", ".join(np.array(self.labels)[row]) or "none" for row in holds]
        return [self.labels[best] for best in self.predicted]

    @property
    def confidence(self) -> FloatArray | None:
        """(N,) probability of the predicted class; None for a score."""
        if self.probabilities is None:
            return None
        return self.probabilities.max(axis=1)

    @property
    def correct(self) -> npt.NDArray[np.bool_] | None:
        """(N,) whether the predicted class is the row's own; None where no row has one of the model's classes."""
        if self.kind != "classes" or not self.has_gold.any():
            return None
        return self.predicted == self.gold

    @property
    def has_gold(self) -> npt.NDArray[np.bool_]:
        """(N,) whether a row has a label that the model has."""
        return ~np.isnan(self.gold) if self.kind == "score" else self.gold != NO_LABEL

    @property
    def losses(self) -> FloatArray:
        """(N,) cross-entropy of a row's own class in nats, or squared difference of a score; NaN without a label."""
        if self.kind == "score":
            return np.square(self.logits[:, 0] - self.gold).astype(np.float32)
        if self.kind == "labels" or self.probabilities is None:
            return np.full(len(self), np.nan, np.float32)
        shifted = self.logits - self.logits.max(axis=1, keepdims=True)
        log_shares = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
        own = np.take_along_axis(log_shares, np.maximum(self.gold, 0)[:, None].astype(int), axis=1)[:, 0]
        return np.where(self.has_gold, -own, np.nan).astype(np.float32)

    def columns(self) -> dict[str, Any]:
        """Columns of N rows for `pandas.DataFrame`, without those of the collection."""
        columns: dict[str, Any] = {"prediction": self.predictions}
        if self.probabilities is not None:
            columns["probability"] = self.confidence
            columns |= {f"p({label})": shares for label, shares in zip(self.labels, self.probabilities.T, strict=True)}
        if self.has_gold.any():
            columns["loss"] = self.losses
        return columns | {"tokens": self.lengths, "cut off": self.truncated}


def select_rows(results: Results, rows: str) -> npt.NDArray[np.intp]:
    """Indices of some rows, in the order of the table.

    Args:
        rows: "all" rows, the "errors", or those of a cell of the confusion matrix, such as "negative>positive": the
            row's own label, and the predicted one.
    Raises:
        SelectionError: there is no such cell, or no row has a label that the model has.
    """
    if rows == ALL:
        return np.arange(len(results))
    correct = results.correct
    if correct is None:
        raise SelectionError("No row has a label that this model predicts, so none is right or wrong.")
    if rows == ERRORS:
        return np.flatnonzero(results.has_gold & ~correct)
    if results.kind != "classes":
        raise SelectionError(f"{results.model_name} chooses none of several classes: choose {ALL!r} or {ERRORS!r}.")
    cells = {
        CELL.format(own=own, predicted=predicted): (results.gold == i) & (results.predicted == j)
        for i, own in enumerate(results.labels)
        for j, predicted in enumerate(results.labels)
    }
    if rows not in cells:
        raise SelectionError(
            f"There are no rows {rows!r}: name {ALL!r}, {ERRORS!r} or a cell, such as {next(iter(cells))!r}."
        )
    return np.flatnonzero(cells[rows])


@dataclass(slots=True, kw_only=True)
class GrowingResults:
    """The results of a collection while it is read; `so_far` may be called from another thread.

    Attributes:
        collection: whose rows are read.
        readings: those of its first rows.
    """

    collection: Collection
    model_name: str
    readings: list[Reading] = field(default_factory=list)

    def so_far(self) -> Results | None:
        """The results of the rows that are read; None before the first.

        Raises:
            UnsupportedModelError: the model's head predicts nothing for a whole text.
        """
        count = len(self.readings)
        return results_of(self.collection, self.model_name, self.readings[:count]) if count else None


def read_rows(model: Backend, collection: Collection, into: GrowingResults, progress: Progress) -> Results:
    """Read all rows, in their order, continuing after those that are already read.

    Args:
        into: receives the readings.
        progress: called with the rows done and in total.
    Raises:
        InputError: a row cannot be read.
        UnsupportedModelError: the model's head predicts nothing for a whole text.
    """
    total = len(collection)
    while (done := len(into.readings)) < total:
        progress(done, total)
        rows = range(done, min(done + (256 if done else FIRST_ROWS), total))
        into.readings += _read(model, collection.texts(rows))
        into.so_far() if not done else None
    progress(total, total)
    return results_of(collection, model.name, into.readings)


def _read(model: Backend, texts: Sequence[Any]) -> Iterator[Reading]:
    for reading in model.readings(texts):
        yield reading._replace(vector=None)


def results_of(collection: Collection, model_name: str, readings: Sequence[Reading]) -> Results:
    """The results of the first rows of a collection. Raises UnsupportedModelError."""
    found = [reading.prediction for reading in readings if reading.prediction is not None]
    if len(found) < len(readings):
        raise UnsupportedModelError(f"{model_name} has no head that predicts something for a whole text.")
    first = found[0]
    kind = _kind_of(first)
    labels = collection.labels(range(len(readings))) or [""] * len(readings)
    gold, unknown = _gold(labels, first.labels, kind)
    shares = [one.probabilities for one in found if one.probabilities is not None]
    return Results(
        model_name=model_name,
        kind=kind,
        labels=first.labels,
        logits=np.stack([one.logits for one in found]),
        probabilities=np.stack(shares) if shares else None,
        lengths=np.array([len(reading.tokens) for reading in readings], np.int32),
        truncated=np.array([any(reading.tokens.truncated) for reading in readings]),
        gold=gold,
        unknown_labels=unknown,
        trained=first.trained,
        note=first.note,
    )


def _kind_of(prediction: Prediction) -> Kind:
    if prediction.probabilities is None:
        return "score"
    return "classes" if prediction.is_choice else "labels"


def _gold(labels: list[str], names: tuple[str, ...], kind: Kind) -> tuple[npt.NDArray[Any], tuple[str, ...]]:
    """Each row's own label as an index or a number, and those that the model does not have, the most frequent first.

    A label is found by its name, whatever its case, or by its number.
    """
    if kind == "score":
        return np.array([_number(label) for label in labels], np.float32), ()
    known = {str(index): index for index in range(len(names))} | {name.lower(): i for i, name in enumerate(names)}
    gold = [known.get(label.lower(), NO_LABEL) for label in labels]
    counts: dict[str, int] = {}
    for label, index in zip(labels, gold, strict=True):
        if label and index == NO_LABEL:
            counts[label] = counts.get(label, 0) + 1
    return np.array(gold, np.int32), tuple(sorted(counts, key=lambda label: -counts[label]))


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
