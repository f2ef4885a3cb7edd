"""Numbers that a model puts out for a text, as functions of a batch: what is attributed to the words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from encoder.errors import SelectionError, UnsupportedModelError
from encoder.models.base import Backend, BatchOutput
from encoder.models.device import device_of
from encoder.models.tensors import Batch, padded, to_numpy
from encoder.runs.trace import FloatArray
from encoder.text.tokens import Tokens

Quantity = Callable[[BatchOutput], Tensor]  # one number for each text of a batch, (B,)
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


@torch.no_grad()
def measure(backend: Backend, texts: Sequence[Tokens], quantities: Quantity | Sequence[Quantity]) -> FloatArray:
    """What a quantity is for each of N texts; texts of about one length are run together.

    Args:
        quantities: one for all texts, or one for each.
    Returns:
        (N,) in the unit of the quantity.
    """
    of_each = [quantities] * len(texts) if callable(quantities) else list(quantities)
    values = torch.empty(len(texts))
    for rows in in_batches([len(tokens) for tokens in texts]):
        output = backend.run_batch(batch_of(backend, [texts[row] for row in rows]))
        for number, row in enumerate(rows):
            values[row] = of_each[row](one_row(output, number))[0]
    return to_numpy(values)


def in_batches(lengths: Sequence[int]) -> Iterable[list[int]]:
    """Which texts are run together: neighbours by length, up to `ROW_TOKENS` tokens with padding."""
    order = sorted(range(len(lengths)), key=lambda index: lengths[index])
    while order:
        count = 1
        while count < len(order) and lengths[order[count]] * (count + 1) <= ROW_TOKENS:
            count += 1
        yield order[:count]
        order = order[count:]


def batch_of(backend: Backend, texts: Sequence[Tokens]) -> Batch:
    """Texts padded to one length, where the model is."""
    pad_id = backend.tokenizer.inner.pad_token_id or 0
    return padded(texts, pad_id=pad_id, device=device_of(backend.modules[0]))


def one_row(output: BatchOutput, row: int) -> BatchOutput:
    """One text of a batch, as a batch of one."""
    logits = None if output.logits is None else output.logits[row : row + 1]
    return BatchOutput(tuple(states[row : row + 1] for states in output.hidden_states), logits)
