"""A search that missed a text, and what tests of its causes read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from encoder.collection.lexical import WordIndex
from encoder.collection.search import Ranking, documents_of, rank, scores_of_queries
from encoder.collection.table import Collection
from encoder.comparison.exact_splits import Vectors, similarities_of, vectors_of_tokens
from encoder.models.base import Backend
from encoder.runs.arrays import FloatArray

FOUND: Final = 5  # places that count as found
MOST_QUERIES: Final = 200  # that tell which rows are near to everything


class Others(NamedTuple):
    """Queries that tell which rows are near to everything, and their (Q, N) scores."""

    queries: tuple[str, ...]
    scores: FloatArray


def other_queries(model: Backend, collection: Collection, vectors: Vectors | None) -> Others:
    """The first texts of pairs, else the texts, which do not score themselves; none unless a text has one vector."""
    draw = np.random.default_rng(0)
    if not isinstance(vectors, np.ndarray):
        return Others((), np.zeros((0, len(collection)), np.float32))
    texts = collection.column(collection.text)
    if collection.text_b is None:
        rows = np.sort(draw.permutation(len(vectors))[:MOST_QUERIES])
        scores = similarities_of(model, vectors[rows], vectors)
        scores[np.arange(len(rows)), rows] = scores.min()
        return Others(tuple(texts[row] for row in rows), scores)
    queries = list(dict.fromkeys(texts))
    drawn = tuple(queries[index] for index in np.sort(draw.permutation(len(queries))[:MOST_QUERIES]))
    return Others(drawn, scores_of_queries(model, drawn, vectors))


@dataclass(slots=True)
class MissedCase:
    """A query, the text that was expected, and all that the tests read."""

    model: Backend
    collection: Collection
    query: str
    row: int
    vectors: Vectors | None
    scores: FloatArray  # (N,)
    index: WordIndex
    others: Others
    ranking: Ranking = field(init=False)
    texts: Sequence[str] = field(init=False)

    def __post_init__(self) -> None:
        self.ranking = rank(self.scores)
        self.texts = self.collection.column(documents_of(self.collection))

    @property
    def text(self) -> str:
        return self.texts[self.row]

    @property
    def place(self) -> int:
        return self.ranking.place_of(self.row)

    @property
    def winner(self) -> int:
        """The first row; the second if the first is the text, unless it is the only one."""
        return int(self.ranking.rows[:2][-1 if self.place == 1 else 0])

    @property
    def ahead(self) -> list[int]:
        """The rows before the text, the best first."""
        return [int(row) for row in self.ranking.rows[: self.place - 1]]

    @property
    def unit(self) -> float:
        """The standard deviation of the scores of all rows: what counts as a small change."""
        return float(self.scores.std()) or 1.0

    def read(self, queries: Sequence[str], texts: Sequence[str]) -> FloatArray:
        """(Q, N) scores of other queries or texts."""
        if self.vectors is None:
            pairs = [(query, text) for query in queries for text in texts]
            scores = [reading.prediction.score for reading in self.model.readings(pairs) if reading.prediction]
            return np.array(scores, np.float32).reshape(len(queries), len(texts))
        return similarities_of(self.model, self.vectors_of(queries, "query"), self.vectors_of(texts, "document"))

    def vectors_of(self, texts: Sequence[str], role: Literal["query", "document"]) -> Vectors:
        reader = self.model.for_role(role)
        return vectors_of_tokens(self.model, [reader.tokenize(text) for text in texts], role)

    def place_with(self, rows: Sequence[int], scores: Sequence[float]) -> int:
        """The place of the text if rows, itself among them, had other scores."""
        changed = self.scores.copy()
        changed[rows] = scores
        return rank(changed).place_of(self.row)

    def place_among(self, kept: npt.NDArray[np.bool_]) -> int:
        """The place of the text among the rows that are kept, (N,)."""
        return int(kept[self.ahead].sum()) + 1

    def gap(self, query: str) -> float:
        """The score of the text less that of the winner."""
        first, second = self.read([query], [self.text, self.texts[self.winner]])[0].tolist()
        return float(first - second)
