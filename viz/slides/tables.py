"""Views of a table of texts on a slide: their sentences, charts and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from encoder.collection.driving_words import TESTED_WORDS
from encoder.collection.search import documents_of, is_reranker, remove_pair
from encoder.comparison.pair_removals import largest_pairs_first
from encoder.comparison.similarity_map import similarity_map, tokens_to_run
from encoder.measures.units import Level, units_of
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
    score = "score" if is_reranker(subject.backend) else "cosine"
    found = searches.hits(ranking, texts, title=title_of_model(selection.model), score=score)
    table = searches.first_hits(ranking, collection, score=score, most=MOST_HITS)
    if hit is None or hit >= len(texts) or score == "score":
        return Answer((*found.parts, table))
    return Answer((*_hit(subject, texts[hit], hit, selection.level).parts, table))


def _hit(subject: TableSubject, text: str, hit: int, level: Level) -> Answer:
    backend, query = subject.backend, subject.table.query.strip()
    runs = [backend.trace(each) for each in (query, text)]
    tokens = runs[0].tokens, runs[1].tokens
    units = [units_of(each, level=level, special="hide").labels for each in tokens]
    check_tokens(tokens_to_run(*((len(each), len(names)) for each, names in zip(tokens, units, strict=True))))
    pairs = similarity_map(backend, *tokens, level=level)
    tested = remove_pair(backend, subject.vectors, query, text, hit, largest_pairs_first(pairs.values)[0], level=level)
    place = searches.place_of_hit(subject.ranking, text, hit)
    removed = searches.removed_pair(tested, tokens, level=level, rows=len(subject.collection))
    return Answer((*place.parts, *removed.parts, *similar_because.strongest_pairs(pairs, tokens, level).parts))


def _driving_words(selection: Selection, subject: TableSubject) -> Answer:
    """The words that drive the rows, what happens without them, and the rows of the chosen word."""
    results, found, table = subject.results, subject.driving, selection.table
    rows, driven = driving.chosen_rows(table, subject.collection, results)
    name = subject.backend.name
    said = driving.words(found, subject.collection, results, rows=rows, driven=driven, model_name=name)
    removals = subject.removals(found.words[:TESTED_WORDS])
    tested = driving.removals_in_words(removals, results, model_name=name)
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
