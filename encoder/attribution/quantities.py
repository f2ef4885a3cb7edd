"""Numbers that a model puts out for a text, as functions of a batch: what is attributed to the words.

Those of a model's heads are here, those of its states in `encoder.attribution.state_quantities`. All of them have
gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from encoder.errors import SelectionError, UnsupportedModelError
from encoder.models.base import Backend, BatchOutput
from encoder.models.batches import batches_within
from encoder.models.device import device_of
from encoder.models.interventions import Intervention, hooks_of
from encoder.models.tensors import Batch, padded, to_numpy
from encoder.runs.arrays import FloatArray
from encoder.text.tokens import Tokens

Quantity = Callable[[BatchOutput], Tensor]  # one number for each text of a batch without padding, (B,)
WHOLE = 1e-3  # probabilities of one choice among several sum to 1 up to this
ROW_TOKENS = 2048  # tokens that go through a model at once, padding included


@dataclass(frozen=True, slots=True)
class ClassQuantity:
    """One class of a model's classification head.

    Attributes:
        label: index of the class.
        against: indices of the classes that it is held against; empty = all others.
        unit: "logit" alone, "log odds" = logit minus the log of the others' summed exponentials, or "probability" of
            the class among itself and the others.
    """

    label: int
    against: tuple[int, ...] = ()
    unit: Literal["logit", "log odds", "probability"] = "log odds"

    def __call__(self, output: BatchOutput) -> Tensor:
        """(B,). Raises UnsupportedModelError where there is no head, SelectionError where there is no such class."""
        logits = output.logits
        if logits is None:
            raise UnsupportedModelError("This model has no classification head, so that no class can be explained.")
        classes = logits.shape[-1]
        against = self.against or tuple(index for index in range(classes) if index != self.label)
        if not all(0 <= index < classes for index in (self.label, *against)):
            raise SelectionError(f"Class {self.label} against {against} was asked for; there are 0 to {classes - 1}.")
        if self.unit == "logit" or not against:
            return logits[:, self.label]
        log_odds = logits[:, self.label] - logits[:, list(against)].logsumexp(-1)
        return log_odds if self.unit == "log odds" else log_odds.sigmoid()

    @property
    def linear(self) -> bool:
        """Whether it is a sum of multiples of the logits."""
        return self.unit == "logit" or (self.unit == "log odds" and len(self.against) == 1)


@dataclass(frozen=True, slots=True)
class ScoreQuantity:
    """The score of a model's regression head.

    Attributes:
        unit: "score" from 0 to 1, after the sigmoid, or its "log odds", which a head without a sigmoid gives as they
            are.
    """

    unit: Literal["score", "log odds"] = "log odds"

    def __call__(self, output: BatchOutput) -> Tensor:
        """(B,). Raises UnsupportedModelError where there is no such head."""
        if output.score is None:
            raise UnsupportedModelError("This model has no regression head, so that no score can be explained.")
        return output.score if self.unit == "log odds" else output.score.sigmoid()

    @property
    def linear(self) -> bool:
        """Whether it is what the head gives before the sigmoid."""
        return self.unit == "log odds"


def is_choice(probabilities: FloatArray | None) -> bool:
    """Whether a head, by the probabilities that it gives, chooses one class of several."""
    return probabilities is not None and len(probabilities) > 1 and abs(float(probabilities.sum()) - 1) < WHOLE


@torch.no_grad()
def measure(
    backend: Backend,
    texts: Sequence[Tokens],
    quantities: Quantity | Sequence[Quantity],
    *,
    silenced_heads: Sequence[tuple[int, int]] = (),
) -> FloatArray:
    """What a quantity is for each of N texts; texts of about one length are run together.

    Args:
        quantities: one for all texts, or one for each.
        silenced_heads: (layer, head) pairs whose context is replaced by zero.
    Returns:
        (N,) in the unit of the quantity.
    Raises:
        SelectionError: a head that the model does not have, or a model whose heads cannot be silenced.
    """
    changed = Intervention(silenced_heads=backend.check_heads(silenced_heads))
    of_each = [quantities] * len(texts) if callable(quantities) else list(quantities)
    values = torch.empty(len(texts))
    for rows in in_batches([len(tokens) for tokens in texts]):
        hooks = [hooks_of([changed] * len(rows), num_heads=backend.num_heads)] if silenced_heads else []
        output = backend.run_batch(batch_of(backend, [texts[row] for row in rows]), *hooks)
        for number, row in enumerate(rows):
            values[row] = of_each[row](one_row(output, number, len(texts[row])))[0]
    return to_numpy(values)


def in_batches(lengths: Sequence[int]) -> list[list[int]]:
    """Which texts are run together: neighbours by length, up to `ROW_TOKENS` tokens with padding."""
    return batches_within(sorted(range(len(lengths)), key=lengths.__getitem__), lengths, ROW_TOKENS)


def batch_of(backend: Backend, texts: Sequence[Tokens]) -> Batch:
    """Texts padded to one length, where the model is."""
    return padded(texts, pad_id=backend.pad_id, device=device_of(backend.modules[0]))


def one_row(output: BatchOutput, row: int, length: int) -> BatchOutput:
    """One text of a batch, of so many tokens, as a batch of one without padding."""
    states = tuple(of_batch[row : row + 1, :length] for of_batch in output.hidden_states)
    logits, score = (None if values is None else values[row : row + 1] for values in (output.logits, output.score))
    return BatchOutput(states, logits, score)
