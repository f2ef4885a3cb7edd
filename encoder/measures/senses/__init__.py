"""Predict a word's sense by the nearest centroid of labelled occurrences, and measure the accuracy.

`python -m encoder.measures.senses FILE --model NAME` measures a model on a file of labelled occurrences.

A centroid is the mean direction of a sense's states in one layer. Nothing is trained, so the accuracy depends on the
states alone.

Source: Loureiro et al. (2021), "Analysis and Evaluation of Language Models for Word Sense Disambiguation", section 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from encoder.errors import ShapeError
from encoder.measures.similarity import unit_vectors
from encoder.runs.arrays import FloatArray

Labels = NDArray[np.str_]


@dataclass(frozen=True, slots=True, kw_only=True)
class SenseAccuracy:
    """Accuracy of the predicted sense, for each of the L + 1 hidden states.

    Attributes:
        micro: (L + 1,) over occurrences; None if there are none.
        macro: (L + 1,) mean over senses of the accuracy on a sense's occurrences.
        majority_micro, majority_macro: baseline that always predicts a word's most frequent sense.
        n, n_senses: number of occurrences and of senses.
    """

    micro: FloatArray | None
    macro: FloatArray | None
    majority_micro: float | None
    majority_macro: float | None
    n: int
    n_senses: int


def nearest_senses(train_states: FloatArray, senses: Sequence[str], states: FloatArray) -> Labels:
    """The sense of the nearest centroid by cosine, in every layer; ties go to the sense seen first.

    Args:
        train_states: (M, L + 1, D) states of one word's labelled occurrences.
        senses: their M senses.
        states: (N, L + 1, D) of the occurrences to classify.
    Returns:
        (L + 1, N) senses.
    Raises:
        ShapeError: there are no labels, or the shapes do not match.
    """
    names, sums = _sums(train_states, senses)  # C, (C, L + 1, D)
    if states.shape[1:] != train_states.shape[1:]:
        raise ShapeError(
            f"The states are {states.shape} and those to learn from {train_states.shape}: they must be one model's."
        )
    cosines = np.einsum("nld,cld->lnc", unit_vectors(states), unit_vectors(sums))
    return names[cosines.argmax(axis=2)]


def leave_one_out(states: FloatArray, senses: Sequence[str]) -> Labels:
    """The sense of each occurrence by the centroids of all other occurrences, in every layer.

    A sense with a single occurrence has no other occurrence, so that one is never right.

    Args:
        states: (N, L + 1, D) states of one word's occurrences.
        senses: their N senses.
    Returns:
        (L + 1, N) senses; "" if there is no other occurrence.
    Raises:
        ShapeError: there are no states, or the counts differ.
    """
    names, sums = _sums(states, senses)  # C, (C, L + 1, D)
    unit = unit_vectors(states)
    cosines = np.einsum("nld,cld->lnc", unit, unit_vectors(sums))  # (L + 1, N, C)
    for occurrence, sense in enumerate(senses):
        [[sense_index]] = np.nonzero(names == sense)
        if list(senses).count(sense) == 1:
            cosines[:, occurrence, sense_index] = -np.inf
        else:
            others = unit_vectors(sums[sense_index] - unit[occurrence])  # (L + 1, D)
            cosines[:, occurrence, sense_index] = (unit[occurrence] * others).sum(axis=1)
    return np.where(np.isneginf(cosines.max(axis=2)), "", names[cosines.argmax(axis=2)])


def _sums(states: FloatArray, senses: Sequence[str]) -> tuple[Labels, FloatArray]:
    """C senses in order of first appearance, and (C, L + 1, D) sums of their unit states."""
    if len(states) != len(senses) or not senses:
        raise ShapeError(f"{len(states)} states have {len(senses)} senses: each needs one, and one is needed.")
    names, unit = np.array(list(dict.fromkeys(senses))), unit_vectors(states)
    return names, np.stack([unit[np.array(senses) == name].sum(axis=0) for name in names])


def sense_accuracy(
    right: NDArray[np.bool_], majority_right: Sequence[bool], senses: Sequence[tuple[str, str]]
) -> SenseAccuracy:
    """Accuracies from flags of right answers.

    Args:
        right: (L + 1, N).
        majority_right: N, whether the word's most frequent sense would be right.
        senses: N pairs of a word and its true sense; the same sense of two words counts as two.
    Raises:
        ShapeError: the counts differ.
    """
    if not right.shape[1] == len(majority_right) == len(senses):
        raise ShapeError(f"{right.shape[1]} answers for {len(majority_right)} guesses and {len(senses)} senses.")
    distinct_senses = list(dict.fromkeys(senses))
    if not distinct_senses:
        return SenseAccuracy(micro=None, macro=None, majority_micro=None, majority_macro=None, n=0, n_senses=0)
    answers = np.concatenate([right, [majority_right]]).astype(np.float32)  # (L + 2, N)
    members = np.array([distinct_senses.index(sense) for sense in senses])
    micro = answers.mean(axis=1)
    macro = np.stack(
        [answers[:, members == sense_index].mean(axis=1) for sense_index in range(len(distinct_senses))]
    ).mean(axis=0)
    return SenseAccuracy(
        micro=micro[:-1],
        macro=macro[:-1],
        majority_micro=float(micro[-1]),
        majority_macro=float(macro[-1]),
        n=len(senses),
        n_senses=len(distinct_senses),
    )


def commonest(senses: Sequence[str]) -> str:
    """The most frequent sense; ties go to the one seen first."""
    return max(dict.fromkeys(senses), key=list(senses).count)


def leave_one_out_accuracy(states: FloatArray, words: Sequence[str], senses: Sequence[str]) -> SenseAccuracy:
    """Leave-one-out accuracy over occurrences of one or several words, each classified among its own senses.

    The majority baseline includes the occurrence itself.

    Args:
        states: (N, L + 1, D).
        words, senses: N each.
    Raises:
        ShapeError: there are no states, or the counts differ.
    """
    if not len(states) == len(words) == len(senses):
        raise ShapeError(f"{len(states)} states have {len(words)} words and {len(senses)} senses: each needs one.")
    right = np.zeros((states.shape[1], len(words)), dtype=bool)
    majority_right = np.zeros(len(words), dtype=bool)
    for word in dict.fromkeys(words):
        occurrences = [index for index, other in enumerate(words) if other == word]
        true_senses = [senses[index] for index in occurrences]
        right[:, occurrences] = leave_one_out(states[occurrences], true_senses) == np.array(true_senses)
        majority_right[occurrences] = np.array(true_senses) == commonest(true_senses)
    return sense_accuracy(right, majority_right.tolist(), list(zip(words, senses, strict=True)))
