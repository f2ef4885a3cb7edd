"""Search a collection with a model: rank its texts by cosine or by a reranker's score, and test what a hit rests on.

The vectors are those of `Backend.embed`, scaled to length 1: a product of two is the cosine of sentence-transformers.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from encoder.attribution.removals import removable_units, without
from encoder.collection.results import FIRST_ROWS
from encoder.collection.table import Collection
from encoder.comparison.text_vectors import text_vectors
from encoder.errors import DataError, UnsupportedModelError
from encoder.measures.similarity import unit_vectors
from encoder.measures.units import Level, unit_states, units_of
from encoder.models.base import READ_TOGETHER, Backend, Progress
from encoder.models.pooling import check_pooling
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from encoder.text.occurrences import Positions
from encoder.text.tokens import Tokens

EMBEDDED_TOGETHER: Final = 128  # rows; fewer leave less memory unused between them
RANDOM_PAIRS: Final = 20  # to which the removed pair is compared


def documents_of(collection: Collection) -> str:
    """The column that is searched: the second texts of pairs such as query and passage, else the texts."""
    return collection.text_b or collection.text


def check_documents(collection: Collection) -> None:
    """Raise DataError where a text that is searched is blank."""
    column = documents_of(collection)
    for row, text in enumerate(collection.column(column)):
        if not text.strip():
            raise DataError(f"Row {row + 1:,} has no text in column {column!r}: leave it out of the table.")


class GrowingVectors:
    """The vectors of a collection's texts while they are computed.

    Attributes:
        count: how many rows have a vector.
        cut: how many of these texts were cut off.
    """

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self.count = 0
        self.cut = 0
        self._vectors: FloatArray | None = None

    @property
    def vectors(self) -> FloatArray:
        """(n, D) vectors of length 1 of the first rows."""
        return np.zeros((0, 0), np.float32) if self._vectors is None else self._vectors[: self.count]

    def append(self, vectors: FloatArray) -> None:
        """Append the vectors of the next rows, (n, D), scaled to length 1."""
        if self._vectors is None:
            self._vectors = np.zeros((len(self.collection), vectors.shape[1]), np.float32)
        self._vectors[self.count : self.count + len(vectors)] = unit_vectors(vectors)
        self.count += len(vectors)


def embed_rows(model: Backend, into: GrowingVectors, progress: Progress) -> FloatArray:
    """The vectors of all texts of a collection, continuing after those that are there.

    Args:
        into: receives the vectors.
        progress: called with the rows done and in total.
    Returns:
        (N, D), each of length 1.
    Raises:
        UnsupportedModelError: the pooling of the model's folder is not supported.
        DataError: a searched text is blank.
    """
    check_pooling(model.pooling.differs)
    check_documents(into.collection)
    collection, total = into.collection, len(into.collection)
    column = documents_of(collection)
    while (done := into.count) < total:
        progress(done, total)
        texts = collection.column(column, range(done, min(done + (EMBEDDED_TOGETHER if done else FIRST_ROWS), total)))
        readings = list(model.readings(texts))
        into.cut += sum(any(reading.tokens.truncated) for reading in readings)
        into.append(np.stack([reading.vector for reading in readings if reading.vector is not None]))
        del readings
        return_freed_memory()
    progress(total, total)
    return into.vectors


def return_freed_memory() -> None:
    """Return what was freed to the system, where the C library is glibc.

    It keeps freed tensors of other sizes than the next ones between those in use: tens of MB in a minute.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """N rows in the order of a search, the best first.

    Attributes:
        rows: (N,) indices of rows.
        scores: (N,) the cosine, or the reranker's score, of each of these rows.
    """

    rows: npt.NDArray[np.intp]
    scores: FloatArray

    def place_of(self, row: int) -> int:
        """The place of a row, counted from 1."""
        return int(np.flatnonzero(self.rows == row)[0]) + 1


def rank(scores: FloatArray) -> Ranking:
    """Rows by falling score; equal ones in the order of the table."""
    rows = np.argsort(-scores, kind="stable")
    return Ranking(rows, scores[rows])


def query_vector(model: Backend, query: str) -> FloatArray:
    """(D,) the vector of a query, of length 1. Raises InputError."""
    return query_vectors(model, [query])[0]


def query_vectors(model: Backend, queries: Sequence[str]) -> FloatArray:
    """(Q, D) the vectors of queries, each of length 1. Raises InputError."""
    return text_vectors(model, [model.tokenize(query) for query in queries])


def is_reranker(model: Backend) -> bool:
    """Whether the model's head gives a pair of texts a single score."""
    prediction = next(iter(model.readings([("a", "b")]))).prediction
    return prediction is not None and prediction.of == "classes" and prediction.labels == ("score",)


def rerank(model: Backend, progress: Progress, collection: Collection, query: str) -> FloatArray:
    """(N,) the score that a reranker gives to the query with each text of a collection.

    Raises:
        UnsupportedModelError: the model's head does not give a pair a single score.
    """
    texts = collection.column(documents_of(collection))
    scores: list[float] = []
    while (done := len(scores)) < len(texts):
        progress(done, len(texts))
        for reading in model.readings([(query, text) for text in texts[done : done + READ_TOGETHER]]):
            if reading.prediction is None or reading.prediction.labels != ("score",):
                raise UnsupportedModelError(f"{model.name} has no head that gives a pair of texts one score.")
            scores.append(float(reading.prediction.logits[0]))
    return np.array(scores, np.float32)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MaxSim:
    """Late interaction: each unit of the query with the unit of the text that is most like it.

    Attributes:
        cosines: (U, V) cosines of the last states of the query's U units and the text's V units.
        a, b: the labels of the units.
    Source: Khattab and Zaharia (2020), ColBERT, equation 3.
    """

    cosines: FloatArray
    a: tuple[str, ...]
    b: tuple[str, ...]

    @property
    def best(self) -> npt.NDArray[np.intp]:
        """(U,) index of the unit of the text that is most like each unit of the query."""
        return self.cosines.argmax(axis=1)

    @property
    def score(self) -> float:
        """The sum over the query's units of their largest cosine."""
        return float(self.cosines.max(axis=1).sum())


def max_sim(query: Trace, text: Trace, *, level: Level) -> MaxSim:
    """The cosines of the last states of the units of two runs, without special tokens."""
    states, labels = [], []
    for trace in (query, text):
        units = units_of(trace.tokens, level=level, special="hide")
        states.append(unit_vectors(unit_states(trace.hidden_states[-1], units)))  # (U, D)
        labels.append(units.labels)
    return MaxSim(cosines=states[0] @ states[1].T, a=labels[0], b=labels[1])


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PairTest:
    """The place of a hit before and after a pair of words is deleted, one in the query and one in the hit.

    Attributes:
        pair: a unit of the query and a unit of the hit.
        before, after: places among all rows, counted from 1.
        random: (R,) the places after random pairs are deleted instead.
        cosine_before, cosine_after, cosines_random: of the query and the hit; the last (R,).
    """

    pair: tuple[int, int]
    before: int
    after: int
    random: npt.NDArray[np.int64]
    cosine_before: float
    cosine_after: float
    cosines_random: FloatArray

    @property
    def falls_further(self) -> int:
        """The number of random pairs after whose removal the cosine is higher than after this pair's."""
        return int((self.cosines_random > self.cosine_after).sum())


def remove_pair(
    model: Backend, vectors: FloatArray, query: str, text: str, row: int, pair: tuple[int, int], *, level: Level
) -> PairTest:
    """Delete a pair of units, and random pairs, and rank the hit again among the other rows.

    A unit that is the whole text is masked instead.

    Args:
        vectors: (N, D) of all rows, of length 1.
        row: of the hit, whose text is `text`.
        pair: a unit of the query and a unit of the text.
    Raises:
        ArgumentError: the query or the text has no word.
    """
    a, b = model.tokenize(query), model.tokenize(text)
    units_a, units_b = removable_units(a, level=level), removable_units(b, level=level)
    generator = np.random.default_rng(0)
    others = [
        (int(one), int(other))
        for one, other in zip(
            generator.integers(len(units_a), size=RANDOM_PAIRS),
            generator.integers(len(units_b), size=RANDOM_PAIRS),
            strict=True,
        )
    ]
    pairs = [pair, *others]
    queries = text_vectors(model, [a, *(_remaining(model, a, units_a, one) for one, _ in pairs)])  # (P + 1, D)
    texts = text_vectors(model, [b, *(_remaining(model, b, units_b, other) for _, other in pairs)])  # (P + 1, D)
    own = (queries * texts).sum(axis=1)  # (P + 1,)
    rest = np.delete(vectors, row, axis=0) @ queries.T  # (N - 1, P + 1)
    places = 1 + (rest > own).sum(axis=0)
    return PairTest(
        pair=pair,
        before=int(places[0]),
        after=int(places[1]),
        random=places[2:],
        cosine_before=float(own[0]),
        cosine_after=float(own[1]),
        cosines_random=own[2:],
    )


def _remaining(model: Backend, tokens: Tokens, units: Sequence[Positions], unit: int) -> Tokens:
    return without(tokens, list(units[unit]), "mask" if len(units) == 1 else "delete", backend=model)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PairsOfRows:
    """How near the two texts of each row are, compared with texts of different rows.

    Attributes:
        cosines: (N,) of the two texts of each row.
        others: (N,) of each first text with the second text of a random other row.
        nearest: (N,) whether no other row's first or second text is nearer to the first text than its own second one.
    """

    cosines: FloatArray
    others: FloatArray
    nearest: npt.NDArray[np.bool_]


def pairs_of_rows(model: Backend, progress: Progress, collection: Collection) -> PairsOfRows:
    """The cosines of the two texts of every row.

    Raises:
        DataError: the collection has no second texts, or fewer than two rows.
        UnsupportedModelError: the pooling of the model's folder is not supported.
    """
    if collection.text_b is None or len(collection) < 2:
        raise DataError("Two columns of texts and two rows are needed: choose the second column above.")
    halves = []
    for number, column in enumerate((collection.text, collection.text_b)):
        texts = collection.column(column)
        vectors: list[FloatArray] = []
        while (done := len(vectors)) < len(texts):
            progress(number * len(texts) + done, 2 * len(texts))
            readings = model.readings(text or " " for text in texts[done : done + READ_TOGETHER])
            vectors += [reading.vector for reading in readings if reading.vector is not None]
        halves.append(np.stack(vectors))
    first, second = map(unit_vectors, halves)
    own = (first * second).sum(axis=1)
    shift = 1 + np.random.default_rng(0).integers(len(own) - 1, size=len(own))  # never the row itself
    others = (first * second[(np.arange(len(own)) + shift) % len(own)]).sum(axis=1)
    rivals = np.maximum(first @ second.T, _without_diagonal(first @ first.T))
    np.fill_diagonal(rivals, -np.inf)
    return PairsOfRows(cosines=own, others=others, nearest=own >= rivals.max(axis=1))


def _without_diagonal(matrix: FloatArray) -> FloatArray:
    copy = matrix.copy()
    np.fill_diagonal(copy, -np.inf)
    return copy


def found_among(rankings: Sequence[Ranking], wanted: Sequence[Sequence[int]], k: int) -> float:
    """Share of queries of which a wanted row is among the first k; (Q,) rankings and the wanted rows of each."""
    hits = [bool(set(ranking.rows[:k].tolist()) & set(rows)) for ranking, rows in zip(rankings, wanted, strict=True)]
    return float(np.mean(hits))
