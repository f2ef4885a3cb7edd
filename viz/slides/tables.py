"""Views of a table of texts on a slide: their sentences, charts and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from encoder.collection.search import documents_of, is_reranker, remove_pair
from encoder.comparison.pair_removals import largest_pairs_first
from encoder.comparison.similarity_map import similarity_map, tokens_to_run
from encoder.errors import SelectionError
from encoder.measures.units import Level, units_of
from viz.answers import search as searches
from viz.answers import similar_because
from viz.answers import swaps as shifts
from viz.answers.answer import Answer
from viz.answers.collection.at_stop import of_rows
from viz.claims.of_tables import TableSubject
from viz.slides.static_slide import StaticSlide, check_tokens
from viz.state.selection import Selection, View
from viz.wording.models import title_of_model

MOST_HITS: Final = 10


def of_table(selection: Selection, subject: TableSubject) -> StaticSlide:
    """What the view shows of the table. Raises HeadlightError."""
    if selection.view not in ANSWERS:
        raise SelectionError("This view of a table is in the app.")
    return StaticSlide(answers=(("", ANSWERS[selection.view](selection, subject)),))


def _texts(selection: Selection, subject: TableSubject) -> Answer:
    table = selection.table
    return of_rows(subject.collection, subject.results, rows=table.rows, order=table.order)


def _swaps(selection: Selection, subject: TableSubject) -> Answer:
    return shifts.shifts(subject.swaps, selection.table.measure, subject.swap_label[1])


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
    units = [units_of(run.tokens, level=level, special="hide").labels for run in runs]
    check_tokens(tokens_to_run(*((len(run.tokens), len(names)) for run, names in zip(runs, units, strict=True))))
    pairs = similarity_map(backend, runs[0].tokens, runs[1].tokens, level=level)
    pair = largest_pairs_first(pairs.values)[0]
    tested = remove_pair(backend, subject.vectors, query, text, hit, pair, level=level)
    words = units[0][pair[0]], units[1][pair[1]]
    return Answer(
        (
            *searches.place_of_hit(subject.ranking, text, hit).parts,
            *searches.removed_pair(tested, words, rows=len(subject.collection)).parts,
            *similar_because.strongest_pairs(pairs, (runs[0].tokens, runs[1].tokens), level).parts,
        )
    )


ANSWERS: Final[Mapping[View, Callable[[Selection, TableSubject], Answer]]] = MappingProxyType(
    {"texts": _texts, "search": _search, "swaps": _swaps}
)
