"""Run the rows of a collection again, with words removed or a head silenced."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt
import torch

from encoder.attribution.quantities import ROW_TOKENS, batch_of
from encoder.collection.kinds.base import WholeText
from encoder.errors import UnsupportedModelError
from encoder.models.base import Backend, batches_by_length
from encoder.models.hooks import Hooks
from encoder.models.interventions import Intervention, hooks_of
from encoder.models.tensors import to_numpy
from encoder.runs.arrays import FloatArray
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


Indices = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Changed:
    """What is different when some rows are read again after a change.

    Attributes:
        rows: (N,) indices of the rows.
        changes: (N,) change of the probability of each row's class, or of the score.
        flipped: (N,) whether the predicted class changes, or whether the label still holds.
        was_right, is_right: (N,) whether the row's own class is predicted, before and after; False without a label.
    """

    rows: Indices
    changes: FloatArray
    flipped: npt.NDArray[np.bool_]
    was_right: npt.NDArray[np.bool_]
    is_right: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, results: WholeText, rows: Indices, after: FloatArray, targets: Indices) -> Self:
        """Compare the logits (N, C) of rows with those of `results`; `targets` has the class of every row."""
        before, classes, own = results.logits[rows], targets[rows], results.own_classes[rows]
        was, now = (results.number_of(logits, classes) for logits in (before, after))
        said, says = (results.decided(logits, classes) for logits in (before, after))
        return cls(rows=rows, changes=now - was, flipped=said != says, was_right=own == said, is_right=own == says)

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
