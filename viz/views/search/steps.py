"""Search: the texts of a table in the order of a query, and what the place of one of them rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from encoder import Backend
from encoder.attribution.explaining import WordValues, explain
from encoder.attribution.questions import Method, Question
from encoder.attribution.target import Target, resolve_target
from encoder.collection import missed as missing
from encoder.collection import search as searching
from encoder.collection.hit_test import (
    PairTest,
    remove_pair,
    remove_pair_and_rerank,
    split_of_hit,
    strongest_words,
    tokens_of_test,
    words_of_query,
)
from encoder.collection.lexical import WordIndex
from encoder.collection.missed_case import FOUND, MOST_QUERIES
from encoder.collection.missed_causes import MOST_AHEAD
from encoder.collection.query_edits import DRAWS, MOST_RUNS
from encoder.collection.search import Ranking, Score, documents_of, hits_by_words, places_of_relevant, rank
from encoder.collection.table import Collection
from encoder.comparison.pair_differences import SplitCosine
from encoder.comparison.pair_removals import Pair, largest_pairs_first
from encoder.comparison.similarity_map import tokens_to_run
from encoder.errors import SelectionError
from encoder.measures.units import Level, units_of
from encoder.models.pooling import Pooling
from encoder.progress import Progress, no_progress
from encoder.runs.arrays import FloatArray
from encoder.text.readings import Unread
from encoder.text.tokens import Tokens
from viz.answers.answer import Answer
from viz.answers.room import PAGE, Room
from viz.recipes.step import LongStep, Recipe, Step
from viz.recipes.tables import estimated_tokens, vectors_of
from viz.state.selection import Selection, Why
from viz.views.search import answer as answers
from viz.views.search import missed as missed_answers
from viz.views.search.missed import QueryParts
from viz.views.similar_because import answer as similar_because
from viz.views.why.steps import PASSES_OF_GRADIENTS
from viz.wording.models import title_of_model

MOST_HITS: Final = 10
TEXTS_OF_CAUSES: Final = 8 * (MOST_AHEAD + 1)  # that the tests of causes read, at most
TOKENS_OF_QUERIES: Final = 16 * (MOST_QUERIES + MOST_RUNS + DRAWS)
BYTES_OF_WORD: Final = 32  # in an index of words
NO_QUERY: Final = "The stop searches for nothing: “find” is its query."
METHOD: Final[Method] = "integrated-gradients"  # as *Why this prediction?* begins with


@dataclass(frozen=True, slots=True)
class Search:
    """A ranking of a collection's rows by a model.

    Attributes:
        unread: what a reranker does not read of the texts.
    """

    ranking: Ranking
    score: Score
    unread: Unread | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasons:
    """What a hit's place rests on by one model.

    Attributes:
        strongest: the unit of the query and the unit of the text that add most.
        split: what each pair of units adds to a cosine; None for a reranker.
    """

    answer: Answer
    strongest: Pair
    split: SplitCosine | None = None


def search(collection: Collection, selection: Selection, room: Room) -> Recipe[None]:
    """The first hits; or what the chosen one's place rests on, and the test of that, or why it is not among the first.

    Raises HeadlightError.
    """
    table, documents = selection.table, documents_of(collection)
    if not table.query.strip():
        raise SelectionError(NO_QUERY)
    found = yield from ranked(collection, table.query)
    if found is None:
        return
    ranking, score = found.ranking, found.score
    hits = answers.first_hits(ranking, collection, score=score, most=room.rows or MOST_HITS)
    if table.hit is None or table.hit >= len(collection):
        [best] = collection.column(documents, [int(ranking.rows[0])])
        said = answers.hits(ranking, best, title=title_of_model(selection.model), score=score)
        yield Answer((*said.parts, hits))
        return
    if ranking.place_of(table.hit) > FOUND:
        explained = yield from causes_of(collection, found, table.query.strip(), table.hit)
        cost = explained and (yield from _cost_of_words(collection, explained, score, selection.level))
        if explained and cost:
            wanted, winner = collection.column(documents, [explained.row, explained.winner])
            said = missed_answers.why_missed(explained, wanted, winner, rows=len(collection), score=score)
            short = (*said.parts[:2], *cost.finding().parts, *cost.charts)
            yield Answer((*said.parts, *cost.parts) if room is PAGE else short)
        return
    texts = texts_of_hit(collection, selection, table.hit)
    reasons = yield from reasons_of(texts, selection, score)
    if reasons is None:
        return
    tested = yield from test_of_hit(collection, found, texts, table.hit, reasons.strongest, selection.level)
    if tested is not None:
        place = answers.place_of_hit(ranking, texts[1], table.hit, score=score)
        shown = [*reasons.answer.parts, hits] if room is PAGE else reasons.answer.charts
        yield Answer((*place.parts, *tested.parts, *shown))


def ranked(collection: Collection, query: str) -> Recipe[Search | None]:
    """The rows in the order of a query; None without one. Vectors are computed in any case. Raises InputError."""
    query = query.strip()
    if (yield from Step(searching.is_reranker)):
        if not query:
            return None
        scores = yield from LongStep(
            searching.rerank,
            (collection, query),
            tokens=estimated_tokens(collection),
            what=f"Scores of {len(collection):,} texts",
            key="scores",
            table=collection,
        )
        return None if scores is None else Search(scores.ranking, "score", scores.unread)
    vectors = yield from vectors_of(collection)
    if vectors is None or not query:
        return None
    similarities = yield from Step(searching.scores_of_query, (query, vectors), identity=(query,), table=collection)
    score = yield from Step(searching.score_of)
    return Search(rank(similarities), score)


def by_words(collection: Collection, found: Search, query: str) -> Recipe[None]:
    """The first hits by words alone, next to their places in a ranking."""
    index = yield from words_of_table(collection)
    if index is not None:
        yield answers.by_words(hits_by_words(index, query), found.ranking, collection)


def words_of_table(collection: Collection) -> LongStep[WordIndex]:
    """The words of the texts that are searched."""
    return LongStep(
        index_words,
        (collection,),
        tokens=0,
        what=f"Words of {len(collection):,} texts",
        key="words_of_table",
        table=collection,
        nbytes=BYTES_OF_WORD * estimated_tokens(collection),
    )


def index_words(backend: Backend, collection: Collection, *, progress: Progress = no_progress) -> WordIndex:
    """The words of the texts that are searched, which no model reads."""
    return WordIndex(collection.column(documents_of(collection)))


def texts_of_hit(collection: Collection, selection: Selection, hit: int) -> tuple[str, str]:
    """The query and the text of a hit."""
    [text] = collection.column(documents_of(collection), [hit])
    return selection.table.query.strip(), text


def reasons_of(texts: tuple[str, str], selection: Selection, score: Score) -> Recipe[Reasons | None]:
    """What the words of a query and a text add to their similarity or score. Raises HeadlightError."""
    return (yield from (_words_of_score if score == "score" else _pairs_of_hit)(texts, selection))


def _split_of_hit(texts: tuple[str, str], level: Level) -> Recipe[SplitCosine | None]:
    tokens = yield from Step(searching.tokens_of_hit, texts)
    sizes = [(len(each), len(units_of(each, level=level, special="hide"))) for each in tokens]
    pairs = yield from LongStep(
        split_of_hit, (*texts, level), tokens=tokens_to_run(*sizes), what="Pairs of words", key=f"pairs_{texts[1]}"
    )
    return None if pairs is None else (pairs, tokens)


def _pairs_of_hit(texts: tuple[str, str], selection: Selection) -> Recipe[Reasons | None]:
    level = selection.level
    pooling = yield from Step(pooling_of)
    split = yield from _split_of_hit(texts, level)
    if split is None:
        return None
    pairs, tokens = split
    return Reasons(
        answer=similar_because.strongest_pairs(pairs, tokens, level, similarity=pooling.similarity),
        strongest=largest_pairs_first(pairs.values)[0],
        split=split,
    )


def _values_of_score(texts: tuple[str, str], level: Level) -> Recipe[tuple[Target, WordValues | None]]:
    question = Question(kind="score", texts=texts)
    target = yield from Step(resolve_target, (question,))
    found = yield from LongStep(
        explain,
        (target, METHOD),
        identity=(question, METHOD),
        options={"level": level, "removal": "mask"},
        tokens=PASSES_OF_GRADIENTS * len(target.tokens),
        what="What each word adds",
        key=f"words_{texts[1]}",
    )
    return target, found


def _words_of_score(texts: tuple[str, str], selection: Selection) -> Recipe[Reasons | None]:
    target, found = yield from _values_of_score(texts, selection.level)
    if found is None:
        return None
    return Reasons(
        answer=answers.words_of_score(target, found, replace(selection, why=Why())),
        strongest=strongest_words(found, words_of_query(found, target.tokens, level=selection.level)),
    )


def test_of_hit(
    collection: Collection, found: Search, texts: tuple[str, str], hit: int, pair: Pair, level: Level
) -> Recipe[Answer | None]:
    """Whether a hit falls without its strongest pair. Raises HeadlightError."""
    query, text = texts
    tested: PairTest | None
    if found.score == "score":
        together = yield from Step(tokens_of_pair, texts)
        tested = yield from LongStep(
            remove_pair_and_rerank,
            (collection, query, hit, pair),
            options={"level": level},
            tokens=tokens_of_test(together, len(collection), level=level),
            what="The test of this hit",
            key="test",
            table=collection,
        )
    else:
        vectors = yield from vectors_of(collection)
        tested = yield from Step(
            remove_pair,
            (vectors, query, text, hit, pair),
            options={"level": level},
            identity=(query, text, hit, pair),
            table=collection,
        )
    return None if tested is None else answers.removed_pair(tested, rows=len(collection), score=found.score)


def why_missed(collection: Collection, found: Search, query: str, hit: int, level: Level) -> Recipe[None]:
    """Why a text is not among the first: its cause, and what the words of the query cost it."""
    explained = yield from causes_of(collection, found, query.strip(), hit)
    if explained is None:
        return
    wanted, winner = collection.column(documents_of(collection), [explained.row, explained.winner])
    yield missed_answers.why_missed(explained, wanted, winner, rows=len(collection), score=found.score)
    cost = None if explained.found else (yield from _cost_of_words(collection, explained, found.score, level))
    if cost:
        yield cost


def _cost_of_words(
    collection: Collection, explained: missing.Missed, score: Score, level: Level
) -> Recipe[Answer | None]:
    """What the words of the query add to the score of a text, less what they add to that of the first one."""
    wanted, winner = collection.column(documents_of(collection), [explained.row, explained.winner])
    parts = yield from _parts_of_query((explained.query, wanted), score, level)
    others = yield from _parts_of_query((explained.query, winner), score, level)
    return missed_answers.difference(parts, others) if parts and others else None


def causes_of(collection: Collection, found: Search, query: str, hit: int) -> Recipe[missing.Missed | None]:
    """The causes why a text is not among the first, tested."""
    vectors = None if found.score == "score" else (yield from vectors_of(collection))
    index = yield from words_of_table(collection)
    if index is None or (vectors is None and found.score != "score"):
        return None
    scores = np.empty_like(found.ranking.scores)
    scores[found.ranking.rows] = found.ranking.scores
    return (
        yield from LongStep(
            missing.missed,
            (collection, query, hit, scores, vectors, index),
            identity=(query, hit),
            tokens=_tokens_of_causes(collection),
            what="The causes and their tests",
            key="causes",
            table=collection,
        )
    )


def _parts_of_query(texts: tuple[str, str], score: Score, level: Level) -> Recipe[QueryParts | None]:
    """What the words of a query add to the score of a text."""
    if score != "score":
        split = yield from _split_of_hit(texts, level)
        return split and missed_answers.parts_of_split(split, level)
    target, found = yield from _values_of_score(texts, level)
    if found is None:
        return None
    start = words_of_query(found, target.tokens, level=level)
    of_text = float(found.values[start:].sum())
    return QueryParts(found.words[:start], found.values[:start], of_text, found.total, found.unit)


def _tokens_of_causes(collection: Collection) -> int:
    return TEXTS_OF_CAUSES * (estimated_tokens(collection) // len(collection) + 1) + TOKENS_OF_QUERIES


def late_interaction(texts: tuple[str, str], level: Level, score: Score) -> Recipe[None]:
    """The MaxSim map of the states that the cosine, or the reranker's score, is read from."""
    if score == "score":
        together = yield from Step(max_sim_of_pair, (*texts, level))
        yield answers.late_interaction(together, read_together=True)
        return
    found = yield from Step(searching.max_sim_of_hit, (*texts, level))
    pooling = yield from Step(pooling_of)
    yield answers.late_interaction(found, is_trained=pooling.late is not None)


def pairs_of_rows(collection: Collection) -> Recipe[None]:
    """How near the two texts of each row are."""
    found = yield from LongStep(
        searching.pairs_of_rows,
        (collection,),
        tokens=estimated_tokens(collection),
        what="Cosines of the two texts of each row",
        key="rows",
        table=collection,
    )
    if found is not None:
        yield answers.pairs_of_rows(found, collection)


def found_relevant(collection: Collection, model_name: str) -> Recipe[None]:
    """How often a text that the table calls relevant is found, by the model and by words alone."""
    wanted = answers.relevant_rows(collection)
    scores = yield from scores_of_relevant(collection, wanted)
    if scores is None:
        return
    index = yield from words_of_table(collection)
    of_words = [] if index is None else [hits_by_words(index, query) for query in wanted]
    name = title_of_model(model_name)
    yield answers.found_relevant(list(map(rank, scores)), of_words, wanted, collection, name=name)


def missed_relevant(collection: Collection) -> Recipe[None]:
    """Why no text that the table calls relevant is among the first, of all queries of which that is so, by cause."""
    wanted = answers.relevant_rows(collection)
    scores = yield from scores_of_relevant(collection, wanted)
    if scores is None:
        return
    vectors = None if (yield from Step(searching.is_reranker)) else (yield from vectors_of(collection))
    index = yield from words_of_table(collection)
    if index is None:
        return
    places, _ = places_of_relevant(list(map(rank, scores)), list(wanted.values()))
    count = int((places > FOUND).sum())
    found = yield from LongStep(
        missing.missed_queries,
        (collection, wanted, scores, vectors, index),
        identity=tuple(wanted),
        tokens=count * _tokens_of_causes(collection),
        what=f"Causes of {count:,} failures",
        key="missed",
        table=collection,
    )
    if found is not None:
        yield missed_answers.by_cause(found, collection, queries=len(wanted))


def scores_of_relevant(collection: Collection, wanted: Mapping[str, Sequence[int]]) -> Recipe[FloatArray | None]:
    """(Q, N) similarities, or a reranker's scores, of the queries that have a relevant text and all texts."""
    queries = tuple(wanted)
    if (yield from Step(searching.is_reranker)):
        return (
            yield from LongStep(
                searching.rerank_queries,
                (collection, queries),
                identity=(queries,),
                tokens=len(queries) * estimated_tokens(collection),
                what=f"Scores of {len(queries):,} queries with {len(collection):,} texts",
                key="relevant",
                table=collection,
                nbytes=4 * len(queries) * len(collection),
            )
        )
    vectors = yield from vectors_of(collection)
    if vectors is None:
        return None
    return (yield from Step(searching.scores_of_queries, (queries, vectors), identity=(queries,), table=collection))


def pooling_of(backend: Backend) -> Pooling:
    """How a model makes a text's vector."""
    return backend.pooling


def tokens_of_pair(backend: Backend, query: str, text: str) -> Tokens:
    """A query and a text that are read together."""
    return backend.tokenize(query, text)


def max_sim_of_pair(backend: Backend, query: str, text: str, level: Level) -> searching.MaxSim:
    """The cosines of the words of a query and a text that are read together."""
    return searching.max_sim_of_pair(backend.trace(query, text), level=level)
