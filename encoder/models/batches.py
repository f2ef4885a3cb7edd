"""Texts cut into batches, so that little padding runs through a model at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def batches_within(order: Iterable[int], lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Cut an order of texts into batches of neighbours, each as long as it can be.

    Args:
        order: indices of texts; where like lengths are neighbours, there is little padding.
        lengths: tokens of each text.
        budget: tokens of a batch, with its padding. A text that is longer than that is a batch of its own.
    """
    batches: list[list[int]] = []
    current: list[int] = []
    longest = 0
    for index in order:
        longest = max(longest, lengths[index])
        if current and longest * (len(current) + 1) > budget:
            batches.append(current)
            current, longest = [], lengths[index]
        current.append(index)
    return [*batches, current] if current else batches
