"""Search a collection with a model: rank its texts by the similarity of its folder, or by a reranker's score.

The vectors are those of `Backend.embed` for queries and documents, of length 1 for the cosine, so that similarities are
those of sentence-transformers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from encoder.collection.lexical import WordIndex
from encoder.collection.results import FIRST_ROWS
from encoder.collection.table import Collection, is_visible
from encoder.comparison.exact_splits import (
    ExactSplit,
    TokenVectors,
    Vectors,
    exact_split,
    similarities_of,
    token_vectors,
    vectors_of_tokens,
)
from encoder.errors import ArgumentError, DataError, InputError, UnsupportedModelError
from encoder.measures.near_ties import ROUNDING, first_largest, largest_first
from encoder.measures.similarity import unit_vectors
from encoder.measures.units import Level, Units, unit_states, units_of
from encoder.models.base import READ_TOGETHER, Backend
from encoder.models.memory import return_freed_memory
from encoder.models.pooling import Similarity, check_pooling
from encoder.progress import Progress, no_progress, reported
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from encoder.text.readings import Unread
from encoder.text.tokens import Tokens

# What ranks: the similarity of a model's folder, the largest first, or the score of a reranker.
Score = Literal[
    "cosine", "dot product", "negative Euclidean distance", "negative Manhattan distance", "MaxSim", "score"
]
SCORES: Final[Mapping[Similarity, Score]] = {
    "cosine": "cosine",
    "dot": "dot product",
    "euclidean": "negative Euclidean distance",
    "manhattan": "negative Manhattan distance",
}
COMPARED: Final = 10  # first hits of two rankings that are compared
MOST_BYTES: Final = 4_000_000_000  # of the vectors of a collection
USUAL_LENGTH: Final = 64  # tokens of a text
EMBEDDED_TOGETHER: Final = 128  # rows; fewer leave less memory unused between them


def documents_of(collection: Collection) -> str:
    """The column that is searched: the second texts of pairs such as query and passage, else the texts."""
    return collection.text_b or collection.text


def check_documents(collection: Collection) -> None:
    """Raise DataError where a text that is searched is blank."""
    column = documents_of(collection)
    blank = np.flatnonzero(~is_visible(collection.table.column(column)).to_numpy())
    if len(blank):
        raise DataError(f"Row {blank[0] + 1:,} has no text in column {column!r}: leave it out of the table.")


class GrowingVectors:
    """The vectors of a collection's texts while they are computed.

    Attributes:
        count: how many rows have a vector.
        unread: what the model does not read of their texts.
    """

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self.count = 0
        self.unread = Unread()
        self._vectors: FloatArray | None = None
        self._of_tokens: list[FloatArray] = []

    @property
    def vectors(self) -> Vectors:
        """(n, D) vectors of the first rows, or those of their tokens."""
        if self._of_tokens:
            return TokenVectors.of(self._of_tokens)
        return np.zeros((0, 0), np.float32) if self._vectors is None else self._vectors[: self.count]

    def append(self, vectors: FloatArray) -> None:
        """Append the vectors of the next rows, (n, D), from `comparable`."""
        if self._vectors is None:
            if (nbytes := vectors[0].nbytes * len(self.collection)) > MOST_BYTES:
                raise DataError(
                    f"The vectors of {len(self.collection):,} texts take {nbytes / 1e9:.0f} GB: search fewer."
                )
            self._vectors = np.zeros((len(self.collection), vectors.shape[1]), np.float32)
        self._vectors[self.count : self.count + len(vectors)] = vectors
        self.count += len(vectors)

    def append_of_tokens(self, vectors: Sequence[FloatArray]) -> None:
        """Append the vectors of the tokens of the next rows, (T', D') each."""
        self._of_tokens += vectors
        self.count += len(vectors)


def comparable(model: Backend, vectors: FloatArray) -> FloatArray:
    """(N, D) vectors of a model as `similarities` takes them: of length 1 for the cosine."""
    return unit_vectors(vectors) if model.pooling.similarity == "cosine" else vectors


def embed_rows(model: Backend, into: GrowingVectors, *, progress: Progress = no_progress) -> Vectors:
    """The vectors of all texts of a collection, continuing after those that are there.

    Args:
        into: receives the vectors.
        progress: called with the rows done and in total.
    Returns:
        (N, D), each of length 1 for the cosine; or those of the tokens.
    Raises:
        UnsupportedModelError: the pooling of the model's folder is not supported.
        DataError: a searched text is blank.
    """
    if model.pooling.late is None:
        check_pooling(model.pooling.no_vector)
    check_documents(into.collection)
    collection, total, reader = into.collection, len(into.collection), model.for_role("document")
    column = documents_of(collection)
    while (done := into.count) < total:
        progress(done, total)
        texts = collection.column(column, range(done, min(done + (EMBEDDED_TOGETHER if done else FIRST_ROWS), total)))
        if model.pooling.late is not None:
            tokens = list(map(reader.tokenize, texts))
            for each in tokens:
                into.unread.note(each)
            into.append_of_tokens(token_vectors(reader, tokens, "document"))
            continue
        readings = list(reader.readings(texts))
        for reading in readings:
            into.unread.note(reading.tokens)
        into.append(comparable(model, np.stack([reading.vector for reading in readings if reading.vector is not None])))
        del readings
        return_freed_memory()
    progress(total, total)
    return into.vectors


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """N rows in the order of a search, the best first.

    Attributes:
        rows: (N,) indices of rows.
        scores: (N,) the similarity, or the reranker's score, of each of these rows.
    """

    rows: npt.NDArray[np.intp]
    scores: FloatArray

    @property
    def places(self) -> npt.NDArray[np.intp]:
        """(N,) the place of each row of the table, counted from 1."""
        places = np.empty_like(self.rows)
        places[self.rows] = np.arange(1, len(self.rows) + 1)
        return places

    def place_of(self, row: int) -> int:
        """The place of a row, counted from 1."""
        return int(np.flatnonzero(self.rows == row)[0]) + 1


def rank(scores: FloatArray) -> Ranking:
    """Rows by falling score; near-ties in the order of the table."""
    rows = np.array(largest_first(scores), np.intp)
    return Ranking(rows, scores[rows])


def hits_by_words(index: WordIndex, query: str) -> Ranking:
    """The rows that have a word of a query, by BM25."""
    found = rank(index.scores(query))
    count = np.count_nonzero(found.scores)
    return Ranking(found.rows[:count], found.scores[:count])


def most_moved(one: Ranking, other: Ranking) -> list[int]:
    """The rows among the first hits of either ranking, those whose places differ most before the others."""
    places, others = one.places, other.places
    rows = {*one.rows[:COMPARED].tolist(), *other.rows[:COMPARED].tolist()}
    return sorted(rows, key=lambda row: (-abs(int(places[row] - others[row])), int(places[row])))


def scores_of_queries(model: Backend, queries: Sequence[str], vectors: Vectors) -> FloatArray:
    """(Q, N) similarities of queries and texts.

    Args:
        vectors: of the N texts, from `embed_rows`.
    Raises:
        InputError: a query is blank.
    """
    tokens = [model.for_role("query").tokenize(query) for query in queries]
    return similarities_of(model, vectors_of_tokens(model, tokens, "query"), vectors)


def scores_of_query(model: Backend, query: str, vectors: Vectors) -> FloatArray:
    """(N,) similarities of a query and texts; arguments and errors as in `scores_of_queries`."""
    return scores_of_queries(model, [query], vectors)[0]


def tokens_of_hit(model: Backend, query: str, text: str) -> tuple[Tokens, Tokens]:
    """A query and a text as `search` reads them. Raises InputError."""
    return model.for_role("query").tokenize(query), model.for_role("document").tokenize(text)


def score_of(model: Backend) -> Score:
    """What the vectors of a model are ranked by."""
    return SCORES[model.pooling.similarity] if model.pooling.late is None else "MaxSim"


def bytes_of_row(model: Backend) -> int:
    """Bytes of the vectors of a text, of usual length where each token has one; 0 if they are not supported."""
    if model.pooling.late is not None:
        [vectors] = token_vectors(model, [model.tokenize("a")], "document")
        return USUAL_LENGTH * vectors[0].nbytes
    return 0 if model.pooling.no_vector else int(model.embed(["a"]).nbytes)


def exact_split_of_texts(model: Backend, query: str, text: str, level: Level) -> ExactSplit:
    """MaxSim of a query and a text, split over pairs of units. Errors as in `exact_split`."""
    return exact_split(model, *tokens_of_hit(model, query, text), level=level)


def how_vectors_are_made(model: Backend) -> str:
    """All but the weights that the vectors of `embed_rows` depend on."""
    pooling = model.pooling
    return "; ".join((pooling.mode, pooling.scale, pooling.prompts.get("document", ""), *pooling.notes))


def is_reranker(model: Backend) -> bool:
    """Whether the model's head gives a pair of texts a single score."""
    prediction = next(iter(model.readings([("a", "b")]))).prediction
    return prediction is not None and prediction.of == "classes" and prediction.labels == ("score",)


def rerank(model: Backend, collection: Collection, query: str, *, progress: Progress = no_progress) -> Found:
    """The score that a reranker gives to the query with each text of a collection.

    Raises:
        UnsupportedModelError: the model's head does not give a pair a single score.
    """
    texts = collection.column(documents_of(collection))
    scores: list[float] = []
    unread = Unread()
    while (done := len(scores)) < len(texts):
        progress(done, len(texts))
        for reading in model.readings([(query, text) for text in texts[done : done + READ_TOGETHER]]):
            if reading.prediction is None or reading.prediction.labels != ("score",):
                raise UnsupportedModelError(f"{model.name} has no head that gives a pair of texts one score.")
            scores.append(float(reading.prediction.score or 0))
            unread.note(reading.tokens, sentence=1)
    return Found(score="score", scores=np.array(scores, np.float32), vectors=None, unread=unread)


def rerank_queries(
    model: Backend, collection: Collection, queries: Sequence[str], *, progress: Progress = no_progress
) -> FloatArray:
    """(Q, N) scores that a reranker gives to each query with each text. Errors as `rerank`."""
    return np.stack([rerank(model, collection, query).scores for query in reported(queries, progress)])


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Found:
    """What a search gives every row.

    Attributes:
        score: what ranks.
        scores: (N,) by row.
        vectors: of the texts, from `embed_rows`; None if a reranker reads each with the query.
        unread: what the model does not read of the texts.
    """

    score: Score
    scores: FloatArray
    vectors: Vectors | None
    unread: Unread

    @property
    def ranking(self) -> Ranking:
        """The rows, the best first."""
        return rank(self.scores)


def search(model: Backend, collection: Collection, query: str, into: GrowingVectors | None = None) -> Found:
    """Score all texts of a collection for a query: by the similarity of the model's folder, or by a reranker's score.

    Args:
        into: the vectors of the texts, which are completed; None to make them for this query alone.
    Raises:
        InputError: the query is blank, or not one text.
        UnsupportedModelError: the pooling of the model's folder is not supported.
        DataError: a searched text is blank.
    """
    if not isinstance(query, str):
        raise InputError(f"A query is one text, and not a {type(query).__name__}.")
    into = into or GrowingVectors(collection)
    if is_reranker(model):
        found = rerank(model, collection, query)
        into.unread = found.unread
        return found
    vectors = embed_rows(model, into)
    scores = scores_of_query(model, query, vectors)
    return Found(score=score_of(model), scores=scores, vectors=vectors, unread=into.unread)


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
        return first_largest(self.cosines, 1)

    @property
    def score(self) -> float:
        """The sum over the query's units of their largest cosine."""
        return float(self.cosines.max(axis=1).sum())


def max_sim(query: Trace, text: Trace, *, level: Level) -> MaxSim:
    """The cosines of the last states of the units of two runs, without special tokens."""
    (states_a, a), (states_b, b) = (_last_states(trace, level) for trace in (query, text))
    return MaxSim(cosines=states_a @ states_b.T, a=a.labels, b=b.labels)


def max_sim_of_hit(model: Backend, query: str, text: str, level: Level) -> MaxSim:
    """The same of a query and a text, as `search` reads them; of ColBERT, of the tokens that it compares."""
    if model.pooling.late is not None:
        found = exact_split_of_texts(model, query, text, level)
        return MaxSim(cosines=found.products, a=found.labels_a, b=found.labels_b)
    return max_sim(model.for_role("query").trace(query), model.for_role("document").trace(text), level=level)


def max_sim_of_pair(trace: Trace, *, level: Level) -> MaxSim:
    """The same for a query and a text that one run reads together."""
    states, units = _last_states(trace, level)
    start = len(units) if units.sentence_b_start is None else units.sentence_b_start
    return MaxSim(cosines=states[:start] @ states[start:].T, a=units.labels[:start], b=units.labels[start:])


def _last_states(trace: Trace, level: Level) -> tuple[FloatArray, Units]:
    """(U, D) the last states of the units, of length 1."""
    units = units_of(trace.tokens, level=level, special="hide")
    return unit_vectors(unit_states(trace.hidden_states[-1], units)), units


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PairsOfRows:
    """How near the two texts of each row are, compared with texts of different rows.

    Attributes:
        cosines: (N,) of the two texts of each row.
        others: (N,) of each first text with the second text of a random other row.
        nearest: (N,) whether no other second text is nearer to the first text than its own; equal texts are one.
        unread: what the model does not read of the first texts, and of the second texts after them.
    """

    cosines: FloatArray
    others: FloatArray
    nearest: npt.NDArray[np.bool_]
    unread: Unread


def pairs_of_rows(model: Backend, collection: Collection, *, progress: Progress = no_progress) -> PairsOfRows:
    """The cosines of the two texts of every row, the first read as a query and the second as a document.

    Raises:
        DataError: the collection has no second texts, or fewer than two rows.
        UnsupportedModelError: the pooling of the model's folder is not supported.
    """
    if collection.text_b is None or len(collection) < 2:
        raise DataError("Two columns of texts and two rows are needed: choose the second column above.")
    check_pooling(model.pooling.no_vector)
    halves, unread = [], Unread()
    readers = model.for_role("query"), model.for_role("document")
    for number, (reader, column) in enumerate(zip(readers, (collection.text, collection.text_b), strict=True)):
        texts = collection.column(column)
        vectors: list[FloatArray] = []
        while (done := len(vectors)) < len(texts):
            progress(number * len(texts) + done, 2 * len(texts))
            readings = list(reader.readings(text or " " for text in texts[done : done + READ_TOGETHER]))
            for reading in readings:
                unread.note(reading.tokens)
            vectors += [reading.vector for reading in readings if reading.vector is not None]
        halves.append(np.stack(vectors))
    first, second = map(unit_vectors, halves)
    own = (first * second).sum(axis=1)
    shift = 1 + np.random.default_rng(0).integers(len(own) - 1, size=len(own))  # never the row itself
    others = (first * second[(np.arange(len(own)) + shift) % len(own)]).sum(axis=1)
    same = np.unique(collection.column(collection.text_b), return_inverse=True)[1]
    rivals = np.where(same[:, None] == same, -np.inf, first @ second.T)
    return PairsOfRows(cosines=own, others=others, nearest=own >= rivals.max(axis=1) - ROUNDING, unread=unread)


def places_of_relevant(
    rankings: Sequence[Ranking], wanted: Sequence[Sequence[int]]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """(Q,) the best place of a wanted row of each query, counted from 1, and that row."""
    rows = [min(of_query, key=ranking.place_of) for ranking, of_query in zip(rankings, wanted, strict=True)]
    places = [ranking.place_of(row) for ranking, row in zip(rankings, rows, strict=True)]
    return np.array(places, np.intp), np.array(rows, np.intp)


def found_among(rankings: Sequence[Ranking], wanted: Sequence[Sequence[int]], k: int) -> float:
    """Share of queries of which a wanted row is among the first k; (Q,) rankings and the wanted rows of each.

    Raises:
        ArgumentError: k is no whole number, or not positive.
    """
    if k < 1 or k % 1:
        raise ArgumentError(f"The first {k} hits were asked for; at least 1 is needed.")
    hits = [bool(set(ranking.rows[:k].tolist()) & set(rows)) for ranking, rows in zip(rankings, wanted, strict=True)]
    return float(np.mean(hits))
