"""The test of a hit: does its place fall when the pair of words that it rests on is deleted, next to random pairs?

One word of the pair is deleted from the query, the other from the text; all other texts are then ranked for the query
that remains. A word that is a whole text is masked instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from encoder.attribution.explaining import WordValues, explain
from encoder.attribution.questions import Question
from encoder.attribution.removals import without
from encoder.attribution.target import resolve_target
from encoder.collection.reruns import logits_of
from encoder.collection.row_filters import check_row
from encoder.collection.search import (
    GrowingVectors,
    documents_of,
    exact_split_of_texts,
    search,
    tokens_of_hit,
)
from encoder.collection.table import Collection
from encoder.comparison.exact_splits import ExactSplit, Vectors, similarities_of, vectors_of_tokens
from encoder.comparison.pair_removals import Pair, largest_pairs_first
from encoder.comparison.similarity_map import SimilarityMap, similarity_map
from encoder.errors import ArgumentError
from encoder.measures.inference import p_of_shuffles
from encoder.measures.units import Level, Units, units_of
from encoder.models.base import READ_TOGETHER, Backend
from encoder.progress import Progress, no_progress
from encoder.runs.arrays import FloatArray
from encoder.text.occurrences import Positions
from encoder.text.tokens import Tokens

RANDOM_PAIRS: Final = 20  # to which the removed pair is compared, at most


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PairTest:
    """The place of a hit before and after a pair of words is deleted, and after random pairs are.

    Attributes:
        a, b: the units of the query and of the hit.
        pairs: R + 1 pairs of a unit of the query and a unit of the hit: the tested one, then the random ones.
        places: (R + 2,) of the hit among all rows, counted from 1: with nothing deleted, then without each pair.
        scores: (R + 2,) the similarity of the query and the hit, or the reranker's score; as `places`.
    """

    a: tuple[str, ...]
    b: tuple[str, ...]
    pairs: tuple[Pair, ...]
    places: npt.NDArray[np.intp]
    scores: FloatArray

    @property
    def columns(self) -> dict[str, Any]:
        """Columns of R + 2 rows, for `pandas.DataFrame`: the deleted words, "" for none, the place and the score."""
        return {
            "from_query": ["", *(self.a[one] for one, _ in self.pairs)],
            "from_text": ["", *(self.b[other] for _, other in self.pairs)],
            "place": self.places,
            "score": self.scores,
        }

    @property
    def falls_further(self) -> int:
        """The number of random pairs after whose removal the score is higher than after this pair's."""
        return int((self.scores[2:] > self.scores[1]).sum())

    @property
    def p(self) -> float:
        """How often the score falls as far without a pair at random."""
        others = len(self.pairs) - 1
        return float(p_of_shuffles(others - self.falls_further, others))


def remove_strongest_pair(
    model: Backend,
    collection: Collection,
    query: str,
    row: int | None = None,
    *,
    level: Level = "words",
    into: GrowingVectors | None = None,
) -> PairTest:
    """Search, and test a hit without the pair that its similarity, or its reranker's score, rests on most.

    Args:
        row: of the hit; None for the first one.
        into: as for `search`.
    Raises:
        ArgumentError: the query or the text has no word.
        SelectionError: there is no such row.
        InputError: the query is blank.
        UnsupportedModelError: the model has no mask token, or its pooling is not supported.
    """
    if row is not None:
        check_row(row, len(collection))
    found = search(model, collection, query, into)
    hit = int(found.ranking.rows[0]) if row is None else row
    [text] = collection.column(documents_of(collection), [hit])
    if found.vectors is None:
        target = resolve_target(model, Question(kind="score", texts=(query, text)))
        values = explain(model, target, level=level)
        words = strongest_words(values, words_of_query(values, target.tokens, level=level))
        return remove_pair_and_rerank(model, collection, query, hit, words, level=level)
    pairs = split_of_hit(model, query, text, level)
    pair = largest_pairs_first(pairs.values)[0]
    return remove_pair(model, found.vectors, query, text, hit, pair, level=level)


def split_of_hit(
    model: Backend, query: str, text: str, level: Level, *, progress: Progress = no_progress
) -> SimilarityMap | ExactSplit:
    """What each pair of words adds to the similarity of a query and a text. Raises HeadlightError."""
    tokens, of_query, of_text = tokens_of_hit(model, query, text), model.for_role("query"), model.for_role("document")
    if model.pooling.splits_exactly:
        return exact_split_of_texts(model, query, text, level)
    return similarity_map(of_query, *tokens, level=level, progress=progress, reader_of_b=of_text)


def remove_pair(
    model: Backend, vectors: Vectors, query: str, text: str, row: int, pair: Pair, *, level: Level
) -> PairTest:
    """The test of a hit that the similarity of vectors ranks.

    Args:
        vectors: of all rows, from `embed_rows`.
        row: of the hit, whose text is `text`.
        pair: a unit of the query and a unit of the text.
    Raises:
        ArgumentError: the query or the text has no word.
    """
    a, b = tokens_of_hit(model, query, text)
    units_a, units_b = (units_of(tokens, level=level, special="hide") for tokens in (a, b))
    pairs = (pair, *_random_pairs(len(units_a), len(units_b), tested=pair))
    without_one = [a, *(_remaining(model, a, units_a.members, one) for one, _ in pairs)]
    without_other = [b, *(_remaining(model, b, units_b.members, other) for _, other in pairs)]
    queries, texts = vectors_of_tokens(model, without_one, "query"), vectors_of_tokens(model, without_other, "document")
    own = np.diagonal(similarities_of(model, queries, texts))  # (P + 1,)
    rest = np.delete(similarities_of(model, queries, vectors), row, axis=1)  # (P + 1, N - 1)
    places = 1 + (rest > own[:, None]).sum(axis=1)
    return PairTest(a=units_a.labels, b=units_b.labels, pairs=pairs, places=places, scores=own)


def remove_pair_and_rerank(
    model: Backend,
    collection: Collection,
    query: str,
    row: int,
    pair: Pair,
    *,
    level: Level,
    progress: Progress = no_progress,
) -> PairTest:
    """The test of a hit that a reranker's score ranks: all texts are read again with every query that remains.

    Args:
        progress: called with the pairs of texts read and in total.
        row: of the hit.
        pair: a unit of the query and a unit of the hit, as the reranker reads them together.
    Raises:
        ArgumentError: the query or the text has no word.
    """
    texts = collection.column(documents_of(collection))
    tokens = model.tokenize(query, texts[row])
    units_a, units_b = _units_of_pair(tokens, level=level)
    pairs = (pair, *_random_pairs(len(units_a), len(units_b), tested=pair))
    # The positions of the query's words come first: they stay when a word of the text is deleted.
    remaining = [_remaining(model, _remaining(model, tokens, units_b, other), units_a, one) for one, other in pairs]
    own = logits_of(model, [tokens, *remaining])[:, 0]  # (P + 1,)
    queries: list[int | None] = [None, *(one for one, _ in pairs)]  # by the unit that is deleted
    rest: dict[int | None, FloatArray] = {}  # (N - 1,) each
    others = [text for number, text in enumerate(texts) if number != row]
    total = len(set(queries)) * len(others)
    for number, unit in enumerate(dict.fromkeys(queries)):
        scores = [np.zeros(0, np.float32)]
        for start in range(0, len(others), READ_TOGETHER):
            progress(number * len(others) + start, total)
            some = [model.tokenize(query, text) for text in others[start : start + READ_TOGETHER]]
            if unit is not None:
                some = [_without_unit_of_query(model, each, unit, level=level) for each in some]
            scores.append(logits_of(model, some)[:, 0])
        rest[unit] = np.concatenate(scores)
    progress(total, total)
    places = [1 + int((rest[unit] > score).sum()) for unit, score in zip(queries, own, strict=True)]
    a, b = _words_of_pair(tokens, level=level)
    return PairTest(a=a, b=b, pairs=pairs, places=np.array(places), scores=model.scores_of(own))


def tokens_of_test(tokens: Tokens, rows: int, *, level: Level) -> int:
    """About how many tokens `remove_pair_and_rerank` runs, if all texts are as long as the hit.

    Args:
        tokens: of the query and the hit together.
        rows: of the collection.
    """
    queries = 1 + min(1 + RANDOM_PAIRS, len(_units_of_pair(tokens, level=level)[0]))
    return queries * rows * len(tokens)


def _units_of_pair(tokens: Tokens, *, level: Level) -> tuple[tuple[Positions, ...], tuple[Positions, ...]]:
    """The positions of the units of a query, and of those of a text, that are read together."""
    units = units_of(tokens, level=level, special="hide")
    start = _start_of_text(units)
    return units.members[:start], units.members[start:]


def _words_of_pair(tokens: Tokens, *, level: Level) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The labels of `_units_of_pair`."""
    units = units_of(tokens, level=level, special="hide")
    start = _start_of_text(units)
    return units.labels[:start], units.labels[start:]


def words_of_query(found: WordValues, tokens: Tokens, *, level: Level) -> int:
    """How many of the units that add to a score are the query's, which come first.

    Raises:
        ArgumentError: the query or the text has no word.
    """
    start = len(_units_of_pair(tokens, level=level)[0])
    if not 0 < start < len(found.values):
        raise ArgumentError("The query or the text has no word that could be removed.")
    return start


def strongest_words(found: WordValues, start: int) -> Pair:
    """The unit of the query and the unit of the text that add most to a score; `start` is from `words_of_query`."""
    return int(found.values[:start].argmax()), int(found.values[start:].argmax())


def _start_of_text(units: Units) -> int:
    return len(units) if units.sentence_b_start is None else units.sentence_b_start


def _random_pairs(units_a: int, units_b: int, *, tested: Pair) -> list[Pair]:
    """Different pairs other than the tested one, all of them if there are few."""
    others = [each for each in product(range(units_a), range(units_b)) if each != tested]
    return [others[at] for at in np.random.default_rng(0).permutation(len(others))[:RANDOM_PAIRS]]


def _remaining(model: Backend, tokens: Tokens, units: Sequence[Positions], unit: int) -> Tokens:
    return without(tokens, units[unit], "mask" if len(units) == 1 else "delete", backend=model)


def _without_unit_of_query(model: Backend, tokens: Tokens, unit: int, *, level: Level) -> Tokens:
    """The query and another text without a unit of the query, which may have been cut off next to a long text."""
    units, _ = _units_of_pair(tokens, level=level)
    return _remaining(model, tokens, units, unit) if unit < len(units) else tokens
