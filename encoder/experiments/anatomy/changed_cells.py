"""One attention weight under a mask, or with something changed, with the scores of its row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from encoder.experiments.anatomy.arithmetic import Softmax
from encoder.experiments.anatomy.cells import weight
from encoder.experiments.anatomy.masks import Masked
from encoder.experiments.anatomy.record import Record
from encoder.experiments.anatomy.what_if import Changed
from encoder.runs.arrays import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MaskedWeight:
    """A weight under a mask.

    Attributes:
        scores, mask: (T,) the row of scores before the mask is added, and what is added: 0 or -inf.
        softmax: of their sum.
    """

    scores: FloatArray
    mask: FloatArray
    softmax: Softmax


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ChangedWeight:
    """A weight of the model beside the changed one, each with the softmax of its own row.

    Attributes:
        value: the changed weight as it multiplies the value. Dropout comes behind the softmax, sets a weight to 0 or
            scales it up, so that the value may differ from the softmax's.
        dropout: the share of weights that dropout sets to 0.
    """

    own: Softmax
    changed: Softmax
    value: float
    dropout: float


def masked_weight(masked: Masked, *, head: int, row: int, column: int) -> MaskedWeight:
    """A weight of a pass with a mask."""
    return MaskedWeight(
        scores=masked.unmasked[head, row],
        mask=np.where(masked.allowed[row], 0, -np.inf).astype(np.float32),
        softmax=Softmax(scores=masked.scores[head, row], index=column, value=float(masked.weights[head, row, column])),
    )


def changed_weight(record: Record, changed: Changed, *, head: int, row: int, column: int) -> ChangedWeight:
    """A weight of a changed pass; a changed layer with a single head has that head for all."""
    changed_head = 0 if len(changed.weights) == 1 else head
    return ChangedWeight(
        own=weight(record, head=head, row=row, column=column),
        changed=Softmax(
            scores=changed.scores[changed_head, row],
            index=column,
            value=float(changed.softmax[changed_head, row, column]),
        ),
        value=float(changed.weights[changed_head, row, column]),
        dropout=record.config.attention_probs_dropout_prob,
    )
