"""How alike two occurrences of a word are, layer by layer, and from which layer on they have parted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from encoder.errors import ShapeError
from encoder.trace import FloatArray

QUANTILES = (0.1, 0.5, 0.9)


def cosines_by_layer(a: FloatArray, b: FloatArray) -> FloatArray:
    """Cosine similarity of two occurrences' states.

    Args:
        a, b: (L + 1, ..., D) states, the embeddings first.
    Returns:
        (L + 1, ...) in [-1, 1]; 0 where a state is zero.
    Raises:
        ShapeError: the two differ in shape, because they come from different models.
    """
    if a.shape != b.shape:
        raise ShapeError(f"The states are {a.shape} and {b.shape}: only states of one model can be compared.")
    return np.clip(np.einsum("...d,...d->...", unit_vectors(a), unit_vectors(b)), -1, 1)


def unit_vectors(states: FloatArray) -> FloatArray:
    """(..., D) vectors scaled to length 1; zero stays zero."""
    length = np.linalg.norm(states, axis=-1, keepdims=True)
    return np.divide(states, length, out=np.zeros_like(states), where=length > 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """How similar two occurrences of one word usually are in a model, by whether they share their sense.

    Attributes:
        same, different: (L + 1, 3) the 10th, 50th and 90th percentile of the cosines of pairs.
        same_mean, different_mean: (L + 1,).
        told_apart: (L + 1,) share of pairs on the right side of `threshold`, the mean of the share among pairs of one
            sense and that among pairs of two; 0.5 = chance.
        n_same, n_different: how many pairs.
        words: the words that they are pairs of.
    """

    same: FloatArray
    different: FloatArray
    same_mean: FloatArray
    different_mean: FloatArray
    told_apart: FloatArray
    n_same: int
    n_different: int
    words: tuple[str, ...]

    @property
    def threshold(self) -> FloatArray:
        """(L + 1,) half way between the two means: below it a pair is nearer to pairs of two senses."""
        return _float32((self.same_mean + self.different_mean) / 2)


def reference_band(states: FloatArray, words: Sequence[str], senses: Sequence[str]) -> Band:
    """The band of a model, from labelled occurrences: every pair of one word, never of two words.

    Args:
        states: (N, L + 1, D).
        words, senses: N labels each; a sense is compared within its word only.
    Raises:
        ShapeError: the counts differ, or there is no pair of one sense or none of two.
    """
    if not len(states) == len(words) == len(senses):
        raise ShapeError(f"{len(states)} states have {len(words)} words and {len(senses)} senses: each needs one.")
    same, different = [], []
    for word in dict.fromkeys(words):
        of_word = [at for at, other in enumerate(words) if other == word]
        unit = unit_vectors(states[of_word]).transpose(1, 0, 2)  # (L + 1, n, D)
        cosines = np.matmul(unit, unit.transpose(0, 2, 1))  # (L + 1, n, n)
        labels = np.array([senses[at] for at in of_word])
        first, second = np.triu_indices(len(of_word), 1)
        alike = labels[first] == labels[second]
        same.append(cosines[:, first[alike], second[alike]])
        different.append(cosines[:, first[~alike], second[~alike]])
    of_one, of_two = np.concatenate(same or [np.empty((0, 0))], 1), np.concatenate(different or [np.empty((0, 0))], 1)
    if not of_one.size or not of_two.size:
        raise ShapeError(
            f"{len(states)} occurrences give {of_one.shape[1]} pairs of one sense and {of_two.shape[1]} of two: "
            "a band needs both."
        )
    return _band(np.clip(of_one, -1, 1), np.clip(of_two, -1, 1), tuple(dict.fromkeys(words)))


def _band(same: FloatArray, different: FloatArray, words: tuple[str, ...]) -> Band:
    """From (L + 1, n) cosines of pairs of one sense, and of two."""
    same_mean, different_mean = same.mean(axis=1), different.mean(axis=1)
    threshold = ((same_mean + different_mean) / 2)[:, None]  # (L + 1, 1)
    right = (same >= threshold).mean(axis=1) + (different < threshold).mean(axis=1)  # (L + 1,)
    return Band(
        same=_float32(np.quantile(same, QUANTILES, axis=1).T),
        different=_float32(np.quantile(different, QUANTILES, axis=1).T),
        same_mean=same_mean,
        different_mean=different_mean,
        told_apart=_float32(right / 2),
        n_same=same.shape[1],
        n_different=different.shape[1],
        words=words,
    )


def parting_layer(cosines: FloatArray, band: Band) -> int | None:
    """The layer from which two occurrences have parted, or None if they never do.

    It is the first layer after which, and after every later one, their cosine lies below the band's threshold: nearer
    to what two senses of a word usually have than to what one sense has. The embeddings do not count: they know no
    context, so that occurrences differ there by their positions alone.

    Args:
        cosines: (L + 1,).
    Returns:
        A layer l in 0 to L - 1; the cosine after it is `cosines[l + 1]`.
    Raises:
        ShapeError: the band is another model's.
    """
    if cosines.shape != band.same_mean.shape:
        raise ShapeError(f"Cosines are {cosines.shape}, the band is {band.same_mean.shape}: they must be one model's.")
    together = np.flatnonzero(cosines[1:] >= band.threshold[1:])  # layers
    first = int(together[-1]) + 1 if len(together) else 0
    return first if first < len(cosines) - 1 else None


def _float32(array: NDArray[np.floating]) -> FloatArray:
    return array.astype(np.float32)
