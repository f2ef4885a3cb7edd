"""What the record of every encoder-decoder says of its steps: the likeliest tokens, and in which order it reads."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from encoder.runs.generation import Candidate

CANDIDATES = 5  # tokens of each step that a record keeps
CAUSAL_NOTE = "The decoder reads from left to right: a token attends to itself and to earlier tokens only."


def candidates_of(logits: Tensor, label: Callable[[int], str]) -> tuple[tuple[Candidate, ...], ...]:
    """(T, V) to the likeliest tokens of every step, as `label` writes their ids."""
    likeliest = logits.softmax(-1).topk(min(CANDIDATES, logits.shape[-1]))  # (T, 5) each
    return tuple(
        tuple(
            Candidate(label=label(index), probability=probability)
            for index, probability in zip(indices, probabilities, strict=True)
        )
        for indices, probabilities in zip(likeliest.indices.tolist(), likeliest.values.tolist(), strict=True)
    )
