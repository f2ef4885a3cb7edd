"""How often the nearest vector, and the nearest centroid, have a vector's label: leave one text out, per hidden state.

The vectors of one text share its label and much of their context, so a text is always left out as a whole. The control
is the same measurement with the labels shuffled among texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from encoder.errors import ShapeError
from encoder.measures.inference import p_of_shuffles, wilson_interval
from encoder.measures.near_ties import first_largest
from encoder.runs.arrays import FloatArray

Integers = NDArray[np.intp]
Rule = Literal["neighbour", "centroid"]
SHUFFLES: Final = 99
BLOCK: Final = 512  # vectors that are compared with all others at a time
NOBODY: Final = -1  # in place of the neighbour of a vector without any
NO_LENGTH: Final = 5e-3  # of a sum of vectors of length 1: a smaller one is a rounding error of single precision


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelAccuracy:
    """Leave-one-text-out accuracies of N vectors with a label, for each of S hidden states, against shuffled labels.

    Attributes:
        labels: the C labels, the most frequent first.
        scored: (N,) indices of the vectors with one of these labels.
        num_texts: number of texts that they are in.
        neighbour, centroid: (S,) share of vectors whose nearest other vector, or nearest centroid, has their label.
        shuffled: of each rule, (R, S) the same after labels were shuffled among the texts, R times.
        independent: (S,) number of independent vectors whose share would vary as much as that of `neighbour`.
    """

    labels: tuple[str, ...]
    scored: Integers
    num_texts: int
    neighbour: FloatArray
    centroid: FloatArray
    shuffled: dict[Rule, FloatArray]
    independent: FloatArray

    def accuracy(self, rule: Rule) -> FloatArray:
        """(S,) of a rule."""
        return self.neighbour if rule == "neighbour" else self.centroid

    def interval(self, state: int) -> tuple[float, float]:
        """The 95 % interval of `neighbour`: Wilson's, of the independent vectors.

        In simulations with known accuracies it holds in 88 to 96 %; of all vectors, it would in 55 to 88 %.
        """
        count = float(self.independent[state])
        return wilson_interval(float(self.neighbour[state]) * count, count)

    def p(self, state: int) -> float:
        """How often `neighbour` is as high after some layer with shuffled labels: corrected for all layers."""
        highest = self.shuffled["neighbour"].max(axis=1)
        return float(p_of_shuffles((highest >= self.neighbour[state]).sum(), len(highest)))


def nearest_in_other_texts(unit: FloatArray, texts: Integers) -> Integers:
    """The vector with the largest cosine among those of other texts; near-ties go to the first.

    Args:
        unit: (N, D) vectors of length 1.
        texts: (N,) number of each vector's text.
    Returns:
        (N,) indices; `NOBODY` if there is only one text.
    """
    _check(unit, texts)
    nearest = np.full(len(unit), NOBODY, np.intp)
    if (texts == texts[0]).all():
        return nearest
    for start in range(0, len(unit), BLOCK):
        block = slice(start, start + BLOCK)
        cosines = unit[block] @ unit.T  # (B, N)
        cosines[texts[block, None] == texts] = -np.inf
        nearest[block] = first_largest(cosines, 1)
    return nearest


def nearest_centroids(unit: FloatArray, texts: Integers, labels: Integers, count: int) -> Integers:
    """The label of the nearest centroid by cosine, where a vector's own text counts for no centroid.

    A centroid is the mean direction of the vectors of a label.

    Args:
        unit: (N, D) vectors of length 1.
        texts: (N,) number of each vector's text.
        labels: (R, N) labels from 0 to `count` - 1, R times; the vectors of a text share theirs.
    Returns:
        (R, N) labels; near-ties go to the first.
    """
    _check(unit, texts)
    rounds, size = labels.shape
    own_text = np.unique(texts, return_inverse=True)[1]  # (N,)
    order = np.argsort(own_text, kind="stable")
    starts = np.flatnonzero(np.diff(own_text[order], prepend=-1))
    of_text = np.add.reduceat(unit[order], starts)  # (T, D), the sum of each text's vectors
    offsets = labels + count * np.arange(rounds)[:, None]  # a number for each round and label
    has_label = labels[:, None] == np.arange(count)[:, None]  # (R, C, N)
    sums = has_label.reshape(rounds * count, size).astype(np.float32) @ unit  # (R C, D)
    squares = np.square(sums).sum(axis=1)  # (R C,)
    products = (unit @ sums.T).reshape(size, rounds, count)  # (N, R, C)
    cosines = products / np.maximum(np.sqrt(squares).reshape(rounds, count), NO_LENGTH)
    # The centroid of a vector's own label, without the vectors of its text.
    places = np.arange(size)
    text_sums = of_text[own_text]  # (N, D)
    overlap = (unit * text_sums).sum(axis=1)  # (N,)
    text_squares = np.square(text_sums).sum(axis=1)
    with_sums = of_text @ sums.T  # (T, R C)
    for number in range(rounds):
        own = offsets[number]
        length = np.sqrt(np.maximum(squares[own] - 2 * with_sums[own_text, own] + text_squares, 0))
        left = products[places, number, labels[number]] - overlap
        cosines[places, number, labels[number]] = np.where(
            length > NO_LENGTH, left / np.maximum(length, NO_LENGTH), -np.inf
        )
    return first_largest(cosines, 2).T


def scored_labels(labels: Sequence[str], texts: Integers, *, most: int) -> tuple[str, ...]:
    """The labels that can be scored: those of at least two texts, the most frequent first, at most so many.

    Blank labels are none.
    """
    owners: dict[str, set[int]] = {}
    counts: dict[str, int] = {}
    for label, text in zip(labels, texts.tolist(), strict=True):
        if label:
            owners.setdefault(label, set()).add(text)
            counts[label] = counts.get(label, 0) + 1
    found = [label for label, of_label in owners.items() if len(of_label) > 1]
    return tuple(sorted(found, key=lambda label: -counts[label])[:most])


class AccuracyByState:
    """Accumulates the accuracies of one set of labels, state by state."""

    def __init__(self, labels: Sequence[str], texts: Integers, *, most: int) -> None:
        """Prepare N labels, each of a vector.

        Args:
            texts: (N,) number of each vector's text; the vectors of a text share their label.
            most: labels that are scored.
        """
        self.labels = scored_labels(labels, texts, most=most)
        number = {label: index for index, label in enumerate(self.labels)}
        self.scored = np.array([index for index, label in enumerate(labels) if label in number], np.intp)
        self.texts = texts[self.scored]
        own = np.array([number[labels[index]] for index in self.scored])
        self._given = np.stack([own, *_shuffled(own, self.texts)]) if len(self.labels) > 1 else own[None]
        self._right: dict[Rule, list[FloatArray]] = {"neighbour": [], "centroid": []}
        self._independent: list[float] = []

    @property
    def applies(self) -> bool:
        """Whether there are two labels to tell apart."""
        return len(self.labels) > 1

    def add(self, unit: FloatArray, nearest: Integers) -> None:
        """Score one state's (N, D) vectors of the scored, given the (N,) nearest of each among them."""
        right = self._given[:, nearest] == self._given  # (1 + R, N)
        self._right["neighbour"].append(right.mean(axis=1, dtype=np.float32))
        self._independent.append(_independent(right[0], self.texts, self.texts[nearest]))
        found = nearest_centroids(unit, self.texts, self._given, len(self.labels))
        self._right["centroid"].append((found == self._given).mean(axis=1, dtype=np.float32))

    def result(self) -> LabelAccuracy:
        """The accuracies of all states so far."""
        right = {rule: np.stack(by_state, axis=1) for rule, by_state in self._right.items()}  # (1 + R, S)
        return LabelAccuracy(
            labels=self.labels,
            scored=self.scored,
            num_texts=len(np.unique(self.texts)),
            neighbour=right["neighbour"][0],
            centroid=right["centroid"][0],
            shuffled={rule: shares[1:] for rule, shares in right.items()},
            independent=np.array(self._independent, np.float32),
        )


def _independent(right: NDArray[np.bool_], texts: Integers, of_nearest: Integers) -> float:
    """How many independent vectors would vary as much as these, which err together where they share a text.

    Args:
        right: (N,) whether the nearest vector has the label.
        texts, of_nearest: (N,) the text of each vector, and that of its nearest one.
    Source: Aronow, Samii & Assenova (2015), "Cluster-robust variance estimation for dyadic data".
    """
    share = right.mean()
    errors = right - share
    _, (own, other) = np.unique(np.stack([texts, of_nearest]), return_inverse=True)
    count = max(own.max(), other.max()) + 1
    in_text = np.bincount(own, errors, count) + np.bincount(other, errors, count)
    pairs = np.minimum(own, other) * count + np.maximum(own, other)
    in_pair = np.bincount(np.unique(pairs, return_inverse=True)[1], errors)  # both of its texts counted it
    variance = (np.square(in_text).sum() - np.square(in_pair).sum()) / len(right) ** 2
    most = len(np.unique(texts))
    return float(min(share * (1 - share) / variance, most) if variance > 0 else most)


def _shuffled(labels: Integers, texts: Integers) -> Iterator[Integers]:
    """Labels shuffled among texts, `SHUFFLES` times; each text keeps its number of vectors."""
    _, first, own_text = np.unique(texts, return_index=True, return_inverse=True)
    generator = np.random.default_rng(0)
    for _ in range(SHUFFLES):
        yield generator.permutation(labels[first])[own_text]


def _check(unit: FloatArray, texts: Integers) -> None:
    if unit.ndim != 2 or not unit.size or len(unit) != len(texts):
        raise ShapeError(f"Vectors are {unit.shape}, with {len(texts)} numbers of texts: (N, D) and N are needed.")
