"""Words that are added to a query until it finds a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from encoder.collection.lexical import words_of
from encoder.collection.missed_case import FOUND, MissedCase
from encoder.collection.search import rank, scores_of_queries
from encoder.comparison.exact_splits import Vectors

MOST_RUNS: Final = 50  # edited queries
DRAWS: Final = 20  # random edits


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Words of the text that are added to the query.

    Attributes:
        words: none if no edit in `MOST_RUNS` runs brings the text nearer.
        place: of the text for the edited query.
        random_found: in how many of `DRAWS` edits by as many words of other texts it is found.
        runs: of the model.
    """

    words: tuple[str, ...]
    place: int
    random_found: int
    runs: int


def greedy_edit(case: MissedCase, vectors: Vectors) -> Edit:
    """Words of the text that bring it among the first, added to the query one by one: rare words first.

    A greedy search: it may miss a smaller edit.
    """
    counts = case.index.counts
    known = set(words_of(case.query))
    words = sorted(
        dict.fromkeys(word for word in case.index.words[case.row] if word not in known), key=counts.__getitem__
    )
    added: list[str] = []
    place, runs = case.place, 0
    while place > FOUND and words and runs < MOST_RUNS:
        tried = words[: MOST_RUNS - runs] if not added else words[: min(10, MOST_RUNS - runs)]
        places = _places(case, vectors, [" ".join((case.query, *added, word)) for word in tried])
        runs += len(tried)
        best = int(np.argmin(places))
        if places[best] >= place:
            break
        place = places[best]
        added.append(tried[best])
        words = [word for _, word in sorted(zip(places, tried, strict=True)) if word != tried[best]]
    draw = np.random.default_rng(0)
    others = sorted(set(counts) - set(case.index.words[case.row]) - known)
    drawn = [draw.choice(len(others), size=len(added), replace=False) for _ in range(DRAWS if added and others else 0)]
    random = [" ".join((case.query, *(others[index] for index in indices))) for indices in drawn]
    found = sum(each <= FOUND for each in _places(case, vectors, random)) if random else 0
    return Edit(words=tuple(added), place=place, random_found=found, runs=runs)


def _places(case: MissedCase, vectors: Vectors, queries: Sequence[str]) -> list[int]:
    """The place of the text for other queries."""
    return [rank(scores).place_of(case.row) for scores in scores_of_queries(case.model, queries, vectors)]
