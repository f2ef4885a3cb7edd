"""Why a text was not found: its cause, and the words that would find it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from encoder.collection.lexical import WordIndex
from encoder.collection.missed_case import FOUND, MissedCase, Others, other_queries
from encoder.collection.missed_causes import TESTS, Cause, Check
from encoder.collection.query_edits import Edit, greedy_edit
from encoder.collection.row_filters import check_row
from encoder.collection.search import GrowingVectors, documents_of, hits_by_words, places_of_relevant, rank, search
from encoder.collection.table import Collection
from encoder.columns import Columns
from encoder.comparison.exact_splits import Vectors
from encoder.measures.inference import Interval, share
from encoder.models.base import Backend
from encoder.progress import Progress, no_progress, reported
from encoder.runs.arrays import FloatArray


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class Missed(Columns):
    """Why a text was not found.

    Attributes:
        row: of the text, and winner, of the one that came first.
        place: of the text, counted from 1; found, whether it is among the first `FOUND`.
        scores: of the text, and of the first.
        checks: of all causes, in the order in which they are named.
        edit: None for a reranker, which would read every text again for each query.
        bm25: the place of the text by its words alone; None if it has no word of the query.
    """

    query: str
    row: int
    winner: int
    place: int
    scores: tuple[float, float]
    checks: tuple[Check, ...]
    edit: Edit | None
    bm25: int | None

    @property
    def found(self) -> bool:
        return self.place <= FOUND

    @property
    def cause(self) -> Cause | None:
        """The first cause that holds; None where none does, or where the text was found."""
        return next((check.cause for check in self.checks if check.holds and not self.found), None)

    @property
    def about(self) -> str:
        named = self.cause or ("found" if self.found else "no cause holds")
        return f"row {self.row} at place {self.place} for {self.query!r}: {named};"

    @property
    def columns(self) -> dict[str, Any]:
        """Columns of a row for each cause: whether it holds, the place after its repair, and the chance of that."""
        names = ("cause", "holds", "place", "chance", "detail")
        return {name: [getattr(check, name) for check in self.checks] for name in names}

    @property
    def rest(self) -> dict[str, Any]:
        """The place and what came first; the edit; and the place by BM25."""
        edit = None if self.edit is None else {"words": self.edit.words, "place": self.edit.place}
        return {"cause": self.cause, "place": self.place, "winner": self.winner, "bm25": self.bm25, "edit": edit}


def why_not(model: Backend, collection: Collection, query: str, row: int, into: GrowingVectors | None = None) -> Missed:
    """Why a text is not among the first `FOUND` for a query.

    Args:
        row: of the text that was expected.
        into: vectors of the texts, as `search` takes them.
    Raises:
        SelectionError: the table has no such row.
        InputError, UnsupportedModelError, DataError: as `search`.
    """
    check_row(row, len(collection))
    found = search(model, collection, query, into)
    index = WordIndex(collection.column(documents_of(collection)))
    return missed(model, collection, query, row, found.scores, found.vectors, index)


def missed(
    model: Backend,
    collection: Collection,
    query: str,
    row: int,
    scores: FloatArray,
    vectors: Vectors | None,
    index: WordIndex,
    *,
    others: Others | None = None,
    progress: Progress = no_progress,
) -> Missed:
    """The same of a ranking that is there.

    Args:
        scores, vectors: of all rows, from `search`.
        index: of the texts.
        others: from `other_queries`; None to ask them here.
        progress: called after each cause, and after the edits.
    """
    is_found, total = rank(scores).place_of(row) <= FOUND, len(TESTS) + 1
    others = others or other_queries(model, collection, None if is_found else vectors)
    case = MissedCase(model, collection, query, row, vectors, scores, index, others)
    checks = []
    for done, (cause, test) in enumerate(TESTS.items()):
        progress(done, total)
        checks.append(Check(cause=cause, holds=False) if is_found else test(case))
    edit = None if vectors is None or is_found else greedy_edit(case, vectors)
    progress(total, total)
    return Missed(
        query=query,
        row=row,
        winner=case.winner,
        place=case.place,
        scores=(float(scores[row]), float(scores[case.winner])),
        checks=tuple(checks),
        edit=edit,
        bm25=_place_by_words(index, query, row),
    )


def _place_by_words(index: WordIndex, query: str, row: int) -> int | None:
    hits = hits_by_words(index, query)
    return hits.place_of(row) if row in hits.rows else None


def missed_queries(
    model: Backend,
    collection: Collection,
    wanted: Mapping[str, Sequence[int]],
    scores: FloatArray,
    vectors: Vectors | None,
    index: WordIndex,
    *,
    progress: Progress = no_progress,
) -> tuple[Missed, ...]:
    """Why no relevant text is among the first, of each query of which that is so; the worst first.

    Args:
        wanted: the relevant rows of each query.
        scores: (Q, N) of the queries and all rows.
        progress: called with the queries done and in total.
    """
    places, rows = places_of_relevant([rank(of_query) for of_query in scores], list(wanted.values()))
    order = [at for at in np.argsort(-places, kind="stable").tolist() if places[at] > FOUND]
    queries, others = list(wanted), other_queries(model, collection, vectors)
    return tuple(
        missed(model, collection, queries[at], int(rows[at]), scores[at], vectors, index, others=others)
        for at in reported(order, progress)
    )


def shares_of_causes(found: Sequence[Missed]) -> dict[Cause | None, Interval]:
    """The share of each cause among searches that failed, the most frequent first, and None, no cause, last."""
    counts = Counter(each.cause for each in found)
    order = sorted(counts, key=lambda cause: (cause is None, -counts[cause]))
    return {cause: share(counts[cause], len(found)) for cause in order}
