"""Which sense a word has, by the nearest centroid of labelled occurrences; and how often that is right.

`python -m encoder.measures.senses FILE --model NAME` measures a model on a file of labelled occurrences.

A centroid is the mean direction of a sense's states in one layer. Nothing is trained, so that the figure says what the
states hold.

Source: Loureiro et al. (2021), "Analysis and Evaluation of Language Models for Word Sense Disambiguation", section 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from encoder.errors import ShapeError
from encoder.measures.similarity import unit_vectors
from encoder.trace import FloatArray

Labels = NDArray[np.str_]


@dataclass(frozen=True, slots=True, kw_only=True)
class SenseAccuracy:
    """How often the sense is right, by entry of the hidden states.

    Attributes:
        micro: (L + 1,) share of occurrences; None where there are none.
        macro: (L + 1,) the mean over senses of the share among a sense's occurrences.
        majority_micro, majority_macro: what the commonest sense of each word would give for all its occurrences.
        n, n_senses: how many occurrences, and of how many senses.
    """

    micro: FloatArray | None
    macro: FloatArray | None
    majority_micro: float | None
    majority_macro: float | None
    n: int
    n_senses: int


def nearest_senses(train: FloatArray, senses: Sequence[str], states: FloatArray) -> Labels:
    """The sense whose centroid lies nearest by cosine, in every layer; of two that lie equally near, the first seen.

    Args:
        train: (M, L + 1, D) states of one word's labelled occurrences.
        senses: their M senses.
        states: (N, L + 1, D) of the occurrences whose sense is sought.
    Returns:
        (L + 1, N) senses.
    Raises:
        ShapeError: nothing is labelled, or the arrays do not fit together.
    """
    names, sums = _sums(train, senses)  # C, (C, L + 1, D)
    if states.shape[1:] != train.shape[1:]:
        raise ShapeError(
            f"The states are {states.shape} and those to learn from {train.shape}: they must be one model's."
        )
    cosines = np.einsum("nld,cld->lnc", unit_vectors(states), unit_vectors(sums))
    nearest: Labels = names[cosines.argmax(axis=2)]
    return nearest


def leave_one_out(states: FloatArray, senses: Sequence[str]) -> Labels:
    """The nearest sense of every occurrence by the centroids of all others, in every layer.

    The only occurrence of a sense leaves no centroid behind, so that it is never right.

    Args:
        states: (N, L + 1, D) states of one word's occurrences.
        senses: their N senses.
    Returns:
        (L + 1, N) senses; "" where no other occurrence is left.
    Raises:
        ShapeError: there are no states, or the counts differ.
    """
    names, sums = _sums(states, senses)  # C, (C, L + 1, D)
    unit = unit_vectors(states)
    cosines = np.einsum("nld,cld->lnc", unit, unit_vectors(sums))  # (L + 1, N, C)
    for at, sense in enumerate(senses):
        [[own]] = np.nonzero(names == sense)
        if list(senses).count(sense) == 1:
            cosines[:, at, own] = -np.inf
        else:
            others = unit_vectors(sums[own] - unit[at])  # (L + 1, D)
            cosines[:, at, own] = (unit[at] * others).sum(axis=-1)
    nearest: Labels = names[cosines.argmax(axis=2)]
    return np.where(np.isneginf(cosines.max(axis=2)), "", nearest)


def _sums(states: FloatArray, senses: Sequence[str]) -> tuple[Labels, FloatArray]:
    """C senses in the order in which they are first seen, and (C, L + 1, D) sums of their unit states."""
    if len(states) != len(senses) or not senses:
        raise ShapeError(f"{len(states)} states have {len(senses)} senses: each needs one, and one is needed.")
    names, unit = np.array(list(dict.fromkeys(senses))), unit_vectors(states)
    return names, np.stack([unit[np.array(senses) == name].sum(axis=0) for name in names])


def sense_accuracy(
    right: NDArray[np.bool_], majority_right: Sequence[bool], senses: Sequence[tuple[str, str]]
) -> SenseAccuracy:
    """Figures from what was right.

    Args:
        right: (L + 1, N).
        majority_right: N, whether the commonest sense of the word would be right.
        senses: N pairs of a word and its true sense; the same sense of two words counts as two.
    Raises:
        ShapeError: the counts differ.
    """
    if not right.shape[1] == len(majority_right) == len(senses):
        raise ShapeError(f"{right.shape[1]} answers for {len(majority_right)} guesses and {len(senses)} senses.")
    kinds = list(dict.fromkeys(senses))
    if not kinds:
        return SenseAccuracy(micro=None, macro=None, majority_micro=None, majority_macro=None, n=0, n_senses=0)
    every = np.concatenate([right, [majority_right]]).astype(np.float32)  # (L + 2, N)
    members = np.array([kinds.index(sense) for sense in senses])
    micro = every.mean(axis=1)
    macro = np.stack([every[:, members == kind].mean(axis=1) for kind in range(len(kinds))]).mean(axis=0)
    return SenseAccuracy(
        micro=micro[:-1],
        macro=macro[:-1],
        majority_micro=float(micro[-1]),
        majority_macro=float(macro[-1]),
        n=len(senses),
        n_senses=len(kinds),
    )


def commonest(senses: Sequence[str]) -> str:
    """The commonest sense; of several, the one that is seen first."""
    return max(dict.fromkeys(senses), key=list(senses).count)


def leave_one_out_accuracy(states: FloatArray, words: Sequence[str], senses: Sequence[str]) -> SenseAccuracy:
    """Leave-one-out accuracy over the occurrences of one or several words, each told apart among its own senses.

    The majority baseline is the share of each word's commonest sense, the occurrence itself included.

    Args:
        states: (N, L + 1, D).
        words, senses: N each.
    Raises:
        ShapeError: there are no states, or the counts differ.
    """
    if not len(states) == len(words) == len(senses):
        raise ShapeError(f"{len(states)} states have {len(words)} words and {len(senses)} senses: each needs one.")
    right = np.zeros((states.shape[1], len(words)), dtype=bool)
    guessed = np.zeros(len(words), dtype=bool)
    for word in dict.fromkeys(words):
        own = [at for at, other in enumerate(words) if other == word]
        truth = [senses[at] for at in own]
        right[:, own] = leave_one_out(states[own], truth) == np.array(truth)
        guessed[own] = np.array(truth) == commonest(truth)
    return sense_accuracy(right, guessed.tolist(), list(zip(words, senses, strict=True)))
