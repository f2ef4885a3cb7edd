"""Pairs of texts that share nearly all of their words, found without a model."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from encoder.collection.lexical import words_of
from encoder.collection.search import documents_of
from encoder.collection.table import Collection
from encoder.progress import Progress, no_progress
from encoder.runs.arrays import FloatArray

LIKENESS: Final = 0.8  # the share of the different words of two texts that both have
MOST_PAIRS: Final = 10_000
TRIED: Final = 1_000  # copies
REPORTED: Final = 1_024  # texts between two reports of progress
Words = frozenset[str]


class NearDuplicates(NamedTuple):
    """Pairs of rows, those that share most first.

    Attributes:
        pairs: (P, 2) indices of rows, the first one smaller.
        likeness: (P,) of the different words of two texts, the share that both have.
        copies_found: the share of copies without one word, drawn at random, that would be found; NaN without any.
        by_chance: how many pairs there are if the words are shuffled among all rows.
        is_cut: whether there are more than `MOST_PAIRS`.
    """

    pairs: npt.NDArray[np.intp]
    likeness: FloatArray
    copies_found: float
    by_chance: int
    is_cut: bool


def near_duplicates(collection: Collection, *, progress: Progress = no_progress) -> NearDuplicates:
    """Pairs of texts of which at least `LIKENESS` of the words are the same, whatever their order and case.

    Of pairs such as query and passage, the second texts are compared.

    Args:
        progress: called with the texts done and in total, of the table and of the control.
    Source: the prefix filter of Chaudhuri, Ganti and Kaushik (2006), "A primitive operator for similarity joins".
    """
    lists = [words_of(text) for text in collection.column(documents_of(collection))]
    count, random = len(lists), np.random.default_rng(0)
    pairs = _alike(list(map(frozenset, lists)), lambda done: progress(done, 2 * count))
    every = random.permutation(np.array([word for words in lists for word in words], object))
    ends = np.cumsum([len(words) for words in lists])
    shuffled = [frozenset(words.tolist()) for words in np.split(every, ends[:-1])]
    by_chance = _alike(shuffled, lambda done: progress(count + done, 2 * count))
    order = sorted(range(len(pairs)), key=lambda index: (-pairs[index][2], pairs[index]))
    rows = np.array([pairs[index][:2] for index in order], np.intp).reshape(-1, 2)
    likeness = np.array([pairs[index][2] for index in order], np.float32)
    return NearDuplicates(rows, likeness, _copies_found(lists, random), len(by_chance), len(pairs) == MOST_PAIRS)


def _alike(texts: Sequence[Words], report: Callable[[int], object]) -> list[tuple[int, int, float]]:
    """The first pairs of texts that are alike enough."""
    counts = Counter(word for words in texts for word in words)
    by_word: dict[str, list[int]] = defaultdict(list)
    pairs: list[tuple[int, int, float]] = []
    for row, words in enumerate(texts):
        if row % REPORTED == 0:
            report(row)
        # Two texts that share so many words share one of the rarest of each.
        prefix = len(words) - math.ceil(LIKENESS * len(words)) + 1
        rarest = sorted(words, key=lambda word: (counts[word], word))[:prefix] if words else []
        others = {other for word in rarest for other in by_word[word]}
        for other in sorted(others):
            if len(pairs) == MOST_PAIRS:
                return pairs
            if (share := _likeness(words, texts[other])) >= LIKENESS:
                pairs.append((other, row, share))
        for word in rarest:
            by_word[word].append(row)
    return pairs


def _likeness(one: Words, other: Words) -> float:
    return len(one & other) / len(one | other) if one or other else 0.0


def _copies_found(lists: Sequence[Sequence[str]], random: np.random.Generator) -> float:
    """The share of copies without one word that are alike enough."""
    tried = [row for row in random.permutation(len(lists))[:TRIED].tolist() if len(lists[row]) > 1]
    found = []
    for row in tried:
        left_out = random.integers(len(lists[row]))
        copy = frozenset(word for place, word in enumerate(lists[row]) if place != left_out)
        found.append(_likeness(frozenset(lists[row]), copy) >= LIKENESS)
    return float(np.mean(found)) if found else math.nan
