"""Cosines and norms of states, and the layer from which on two occurrences of a word diverge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from encoder.errors import ShapeError
from encoder.runs.arrays import FloatArray

QUANTILES = (0.1, 0.5, 0.9)
NO_SHIFT = 1e-6  # smaller cosine distances are rounding errors


def cosines_by_layer(a: FloatArray, b: FloatArray) -> FloatArray:
    """Cosine similarity of two occurrences' states.

    Args:
        a, b: (L + 1, ..., D) states, the embeddings first.
    Returns:
        (L + 1, ...) in [-1, 1]; 0 where a state is zero.
    Raises:
        ShapeError: the shapes differ, as for different models.
    """
    if a.shape != b.shape:
        raise ShapeError(f"The states are {a.shape} and {b.shape}: only states of one model can be compared.")
    return np.clip(np.einsum("...d,...d->...", unit_vectors(a), unit_vectors(b)), -1, 1)


def unit_vectors(states: FloatArray) -> FloatArray:
    """(..., D) vectors scaled to length 1; zero stays zero."""
    length = np.linalg.norm(states, axis=-1, keepdims=True)
    return np.divide(states, length, out=np.zeros_like(states), where=length > 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceBand:
    """How similar two occurrences of one word usually are in a model, by whether they share their sense.

    Attributes:
        same, different: (L + 1, 3) the 10th, 50th and 90th percentile of the cosines of pairs.
        same_mean, different_mean: (L + 1,).
        pair_accuracy: (L + 1,) share of pairs on the right side of `threshold`: the mean of the shares among pairs of
            one sense and among pairs of two; 0.5 = chance.
        n_same, n_different: number of pairs.
        words: the words that the pairs are of.
    """

    same: FloatArray
    different: FloatArray
    same_mean: FloatArray
    different_mean: FloatArray
    pair_accuracy: FloatArray
    n_same: int
    n_different: int
    words: tuple[str, ...]

    @property
    def threshold(self) -> FloatArray:
        """(L + 1,) midpoint of the two means: a pair below it is nearer to the mean of pairs of two senses."""
        return _float32((self.same_mean + self.different_mean) / 2)


def reference_band(states: FloatArray, words: Sequence[str], senses: Sequence[str]) -> ReferenceBand:
    """The band of a model, from labelled occurrences: all pairs of occurrences of the same word.

    Args:
        states: (N, L + 1, D).
        words, senses: N labels each; senses are compared within a word only.
    Raises:
        ShapeError: the counts differ, or there is no pair of one sense or none of two.
    """
    if not len(states) == len(words) == len(senses):
        raise ShapeError(f"{len(states)} states have {len(words)} words and {len(senses)} senses: each needs one.")
    same, different = [], []
    for word in dict.fromkeys(words):
        occurrences = [index for index, other in enumerate(words) if other == word]
        unit = unit_vectors(states[occurrences]).transpose(1, 0, 2)  # (L + 1, n, D)
        cosines = np.matmul(unit, unit.transpose(0, 2, 1))  # (L + 1, n, n)
        labels = np.array([senses[index] for index in occurrences])
        first, second = np.triu_indices(len(occurrences), 1)
        share_sense = labels[first] == labels[second]
        same.append(cosines[:, first[share_sense], second[share_sense]])
        different.append(cosines[:, first[~share_sense], second[~share_sense]])
    same_sense, different_senses = (np.concatenate(pairs or [np.empty((0, 0))], 1) for pairs in (same, different))
    if not same_sense.size or not different_senses.size:
        raise ShapeError(
            f"{len(states)} occurrences give {same_sense.shape[1]} pairs of one sense and {different_senses.shape[1]} "
            "of two: a band needs both."
        )
    return _band(np.clip(same_sense, -1, 1), np.clip(different_senses, -1, 1), tuple(dict.fromkeys(words)))


def _band(same: FloatArray, different: FloatArray, words: tuple[str, ...]) -> ReferenceBand:
    """From (L + 1, n) cosines of pairs of one sense, and of two."""
    same_mean, different_mean = same.mean(axis=1), different.mean(axis=1)
    threshold = ((same_mean + different_mean) / 2)[:, None]  # (L + 1, 1)
    right = (same >= threshold).mean(axis=1) + (different < threshold).mean(axis=1)  # (L + 1,)
    return ReferenceBand(
        same=_float32(np.quantile(same, QUANTILES, axis=1).T),
        different=_float32(np.quantile(different, QUANTILES, axis=1).T),
        same_mean=same_mean,
        different_mean=different_mean,
        pair_accuracy=_float32(right / 2),
        n_same=same.shape[1],
        n_different=different.shape[1],
        words=words,
    )


def divergence_layer(cosines: FloatArray, band: ReferenceBand) -> int | None:
    """The layer from which on two occurrences have diverged, or None if they never do.

    After this layer and all later ones, their cosine is below the band's threshold: nearer to the usual cosine of two
    senses than to that of one. The embeddings are ignored: they have no context, so occurrences differ there by
    position only.

    Args:
        cosines: (L + 1,).
    Returns:
        A layer l in 0 to L - 1; the cosine after it is `cosines[l + 1]`.
    Raises:
        ShapeError: the band is another model's.
    """
    if cosines.shape != band.same_mean.shape:
        raise ShapeError(f"Cosines are {cosines.shape}, the band is {band.same_mean.shape}: they must be one model's.")
    not_diverged = np.flatnonzero(cosines[1:] >= band.threshold[1:])  # layers
    first = int(not_diverged[-1]) + 1 if len(not_diverged) else 0
    return first if first < len(cosines) - 1 else None


def _float32(array: NDArray[np.floating]) -> FloatArray:
    return array.astype(np.float32)


def l2_norms(vectors: FloatArray) -> FloatArray:
    """(..., D) to (...): the L2 norm of every vector."""
    return np.linalg.norm(vectors, axis=-1)


def successive_cosines(hidden_states: FloatArray) -> FloatArray:
    """Cosine between each layer's input and output, for each token.

    Args:
        hidden_states: (L + 1, U, D), the embedding output first.
    Returns:
        (L, U) cosine of layer l's input and output, in [-1, 1]; 0 where a state is zero.
    Raises:
        ShapeError: fewer than two arrays.
    """
    if len(hidden_states) < 2:
        raise ShapeError(f"Hidden states are {hidden_states.shape}; at least two arrays are needed to compare.")
    return cosines_by_layer(hidden_states[:-1], hidden_states[1:])
