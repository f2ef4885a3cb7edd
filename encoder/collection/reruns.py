"""Run the rows of a collection again, with words removed or a head silenced."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt
import torch

from encoder.attribution.quantities import ROW_TOKENS, batch_of
from encoder.collection.results import Kind, Results
from encoder.errors import UnsupportedModelError
from encoder.models.base import Backend, batches_by_length
from encoder.models.hooks import Hooks
from encoder.models.interventions import Intervention, hooks_of
from encoder.models.tensors import to_numpy
from encoder.runs.arrays import FloatArray, softmax
from encoder.text.tokens import Tokens


@torch.no_grad()
def logits_of(model: Backend, texts: Sequence[Tokens], *, silenced_heads: Iterable[tuple[int, int]] = ()) -> FloatArray:
    """The logits (N, C) of the model's head for N texts, in batches of similar length.

    Args:
        silenced_heads: (layer, head) pairs whose context is replaced by zero.
    Raises:
        UnsupportedModelError: the model has no head that reads the whole text.
        SelectionError: there is no such head, or it cannot be silenced.
    """
    heads = model.check_heads(silenced_heads)
    found: dict[int, FloatArray] = {}
    for rows in batches_by_length(texts, ROW_TOKENS):
        hooks: list[Hooks] = []
        if heads:
            hooks = [hooks_of([Intervention(silenced_heads=heads)] * len(rows), num_heads=model.num_heads)]
        logits = model.run_batch(batch_of(model, [texts[row] for row in rows]), *hooks).logits  # (B, C)
        if logits is None:
            raise UnsupportedModelError(f"{model.name} has no head that predicts something for a whole text.")
        found |= zip(rows, to_numpy(logits), strict=True)
    return np.stack([found[row] for row in range(len(texts))])


def tokenize(model: Backend, text: str | tuple[str, str]) -> Tokens:
    """A row's text or pair as tokens, checked against the model's vocabulary."""
    a, b = text if isinstance(text, tuple) else (text, None)
    tokens = model.tokenize(a, b)
    model.check_ids(tokens)
    return tokens


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Changed:
    """What is different when some rows are read again after a change.

    Attributes:
        rows: (N,) indices of the rows.
        changes: (N,) change of the probability of each row's class, or of the score.
        flipped: (N,) whether the predicted class changes, or whether the label still holds.
        was_right, is_right: (N,) whether the row's own class is predicted, before and after; False without a label.
    """

    rows: npt.NDArray[np.intp]
    changes: FloatArray
    flipped: npt.NDArray[np.bool_]
    was_right: npt.NDArray[np.bool_]
    is_right: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, results: Results, rows: npt.NDArray[np.intp], after: FloatArray, targets: npt.NDArray[np.intp]) -> Self:
        """Compare the logits (N, C) of rows with those of `results`; `targets` has the class of every row."""
        before, classes = results.logits[rows], targets[rows]
        was, now = (_values(logits, classes, results.kind) for logits in (before, after))
        none = np.zeros(len(rows), np.bool_)
        flipped, was_right, is_right = none, none, none
        if results.kind == "classes":
            own, predicted = results.gold[rows], after.argmax(1)
            flipped, was_right, is_right = predicted != before.argmax(1), own == before.argmax(1), own == predicted
        elif results.kind == "labels":
            flipped = (was >= 0.5) != (now >= 0.5)
        return cls(rows=rows, changes=now - was, flipped=flipped, was_right=was_right, is_right=is_right)

    @property
    def flips(self) -> int:
        """Number of rows whose prediction changes."""
        return int(self.flipped.sum())

    @property
    def repaired(self) -> int:
        """Number of rows that become right."""
        return int((~self.was_right & self.is_right).sum())

    @property
    def broken(self) -> int:
        """Number of rows that become wrong."""
        return int((self.was_right & ~self.is_right).sum())


def _values(logits: FloatArray, classes: npt.NDArray[np.intp], kind: Kind) -> FloatArray:
    """(N,) the probability of each row's class, or the score."""
    if kind == "classes":
        logits = softmax(logits)
    own: FloatArray = np.take_along_axis(logits, classes[:, None], axis=1)[:, 0]
    return own if kind != "labels" else (1 / (1 + np.exp(-own))).astype(np.float32)
