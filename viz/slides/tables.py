"""Views of a table of texts on a slide: their sentences, charts and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from encoder.attribution.explaining import explain
from encoder.attribution.questions import Question
from encoder.attribution.target import resolve_target
from encoder.collection.driving_words import TESTED_WORDS
from encoder.collection.hit_test import (
    remove_pair,
    remove_pair_and_rerank,
    split_of_hit,
    strongest_words,
    tokens_of_test,
    words_of_query,
)
from encoder.collection.results import no_progress
from encoder.collection.search import Score, documents_of, is_reranker, score_of, tokens_of_hit
from encoder.comparison.pair_removals import largest_pairs_first
from encoder.comparison.similarity_map import tokens_to_run
from encoder.measures.units import units_of
from viz.answers import driving_words as driving
from viz.answers import search as searches
from viz.answers import similar_because
from viz.answers import swaps as shifts
from viz.answers import word_map as maps
from viz.answers.answer import Answer, Table
from viz.answers.collection.at_stop import of_rows
from viz.claims.of_tables import TableSubject
from viz.slides.static_slide import StaticSlide, check_tokens
from viz.state.selection import Selection, View
from viz.wording.models import title_of_model

MOST_HITS: Final = 10


def of_table(selection: Selection, subject: TableSubject) -> StaticSlide:
    """What the view shows of the table. Raises HeadlightError."""
    return StaticSlide(answers=(("", ANSWERS[selection.view](selection, subject)),))


def _texts(selection: Selection, subject: TableSubject) -> Answer:
    table = selection.table
    return of_rows(subject.collection, subject.results, rows=table.rows, order=table.order)


def _swaps(selection: Selection, subject: TableSubject) -> Answer:
    return shifts.shifts(subject.swaps, subject.swap_label[1])


def _search(selection: Selection, subject: TableSubject) -> Answer:
    """The first hits, and what the chosen one's nearness rests on."""
    collection, ranking, hit = subject.collection, subject.ranking, selection.table.hit
    texts = collection.column(documents_of(collection))
    score: Score = "score" if is_reranker(subject.backend) else score_of(subject.backend)
    found = searches.hits(ranking, texts[int(ranking.rows[0])], title=title_of_model(selection.model), score=score)
    table = searches.first_hits(ranking, collection, score=score, most=MOST_HITS)
    if hit is None or hit >= len(texts):
        return Answer((*found.parts, table))
    place = searches.place_of_hit(ranking, texts[hit], hit, score=score)
    reasons = (_score_of_hit if score == "score" else _pairs_of_hit)(subject, texts[hit], hit, selection)
    return Answer((*place.parts, *reasons.parts, table))


def _pairs_of_hit(subject: TableSubject, text: str, hit: int, selection: Selection) -> Answer:
    backend, query, level = subject.backend, subject.table.query.strip(), selection.level
    tokens = tokens_of_hit(backend, query, text)
    units = [units_of(each, level=level, special="hide").labels for each in tokens]
    check_tokens(tokens_to_run(*((len(each), len(names)) for each, names in zip(tokens, units, strict=True))))
    pairs = split_of_hit(backend, no_progress, query, text, level)
    strongest = largest_pairs_first(pairs.values)[0]
    tested = remove_pair(backend, subject.vectors, query, text, hit, strongest, level=level)
    similarity = backend.pooling.similarity
    removed = searches.removed_pair(tested, rows=len(subject.collection), score=score_of(backend))
    reasons = similar_because.strongest_pairs(pairs, tokens, level, similarity=similarity)
    return Answer((*removed.parts, *reasons.parts))


def _score_of_hit(subject: TableSubject, text: str, hit: int, selection: Selection) -> Answer:
    backend, query, level = subject.backend, subject.table.query.strip(), selection.level
    target = resolve_target(backend, Question(kind="score", texts=(query, text)))
    check_tokens(tokens_of_test(target.tokens, len(subject.collection), level=level))
    found = explain(backend, target, level=level)
    strongest = strongest_words(found, words_of_query(found, target.tokens, level=level))
    tested = remove_pair_and_rerank(backend, no_progress, subject.collection, query, hit, strongest, level=level)
    removed = searches.removed_pair(tested, rows=len(subject.collection), score="score")
    return Answer((*removed.parts, *searches.words_of_score(target, found, selection).parts))


def _driving_words(selection: Selection, subject: TableSubject) -> Answer:
    """The words that drive the rows, what happens without them, and the rows of the chosen word."""
    results, found, table = subject.results, subject.driving, selection.table
    rows, driven = driving.chosen_rows(table, subject.collection, results)
    name = subject.backend.name
    said = driving.words(found, subject.collection, results, rows=rows, driven=driven, model_name=name)
    removals = subject.removals(found.words[:TESTED_WORDS])
    tested = driving.removals_in_words(removals, results, driven=driven, model_name=name)
    tables = driving.words_and_rows(found, removals, table.driving_word, subject.collection, results)
    return Answer((*said.parts, *tested.parts, *tables.parts))


def _word_map(selection: Selection, subject: TableSubject) -> Answer:
    """The maps of several layers, and how well labels separate after each, as a table."""
    found, collection, table = subject.word_map(), subject.collection, selection.table
    colour = maps.shown_colour(found, collection, table.colour)
    state = maps.shown_state(found, colour, table.map_state)
    by_layer = maps.by_layer(found, colour, state)
    shown = maps.at_stop(found, collection, colour, state)
    accuracies = [part for part in by_layer.parts if isinstance(part, Table)] if by_layer else []
    return Answer((*shown.parts, *accuracies))


ANSWERS: Final[Mapping[View, Callable[[Selection, TableSubject], Answer]]] = MappingProxyType(
    {"texts": _texts, "driving words": _driving_words, "search": _search, "swaps": _swaps, "word map": _word_map}
)
