"""The view Search: the texts of a table that are nearest to a query, and what the nearness rests on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final, Literal

import pandas as pd
import streamlit as st

from encoder.attribution.questions import Method, Question
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
from encoder.collection.search import Ranking, Score, documents_of, rank
from encoder.collection.table import Collection
from encoder.comparison.pair_differences import SplitCosine, pair_differences
from encoder.comparison.pair_removals import Pair, largest_pairs_first
from encoder.comparison.similarity_map import tokens_to_run
from encoder.errors import HeadlightError, InputError
from encoder.measures.units import Level, units_of
from encoder.text.readings import Unread
from viz.answers import search as answers
from viz.answers import similar_because
from viz.answers.answer import Answer
from viz.caches import explaining_cache, run_cache
from viz.caches.collections import cached_answer, cached_of_collection, collection_job, vectors_of
from viz.caches.run_cache import cached_job, cached_with_model
from viz.panels.answer import show_answer
from viz.panels.consent import offer_all_positions, offered_encoders, open_another
from viz.panels.first_answer import let_paint
from viz.panels.folds import Fold, show_folds
from viz.panels.jobs import follow
from viz.panels.room import is_at_stop
from viz.panels.rows import FEWER_ROWS, estimated_tokens, fingerprint, offer_texts
from viz.panels.tables import csv_button
from viz.state import session
from viz.state.selection import Selection, View, Why
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown, isolated, shorten
from viz.wording.models import title_of_model
from viz.wording.readings import unknown_words

SHOWN_HITS: Final = 100
MOST_AT_STOP: Final = 6  # hits at a stop of a tour
SHOWN_AT_ONCE: Final = 7
TABLE_HEIGHT: Final = 280  # pixels of as many rows
NONE: Final = "None"
NAMED_BY: Final[Mapping[str, Literal["model", "other_model"]]] = MappingProxyType(
    {"search": "model", "search_other": "other_model"}
)
OPENED_IN: Final[dict[View, str]] = {
    "similar because": "Similar because",
    "heat map": "Heat map",
    "compare": "Compare",
}
SCORE_IN: Final[dict[View, str]] = {"why": "Why this score?"}
SUGGESTED: Final = "search_suggested"
METHOD: Final[Method] = "integrated-gradients"  # as *Why this prediction?* begins with


@dataclass(frozen=True, slots=True)
class _Search:
    """A ranking of a collection's rows by a model."""

    ranking: Ranking
    score: Score


@dataclass(frozen=True, slots=True, kw_only=True)
class _Neighbour:
    """A ranking next to the page's own one.

    Attributes:
        names: of the own ranking and of this one: two models, or two queries.
        found: this one.
    """

    names: tuple[str, str]
    found: _Search


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reasons:
    """What a hit's place rests on by one model.

    Attributes:
        strongest: the unit of the query and the unit of the text that add most.
        split: what each pair of units adds to a cosine; None for a reranker.
    """

    answer: Answer
    strongest: Pair
    split: SplitCosine | None = None


def search(model_name: str, collection: Collection, selection: Selection) -> Explanation | None:
    """The query, its hits, and what one of them rests on."""
    table, at_stop = selection.table, is_at_stop(selection)
    if not at_stop:
        _choose_query(collection)
    if not table.query.strip():
        column = escape_markdown(documents_of(collection))
        st.caption(f"Type a query above: it ranks the {len(collection):,} texts of column “{column}”.")
    found = _ranked(model_name, collection, table.query, key="search")
    if found is None:
        if not at_stop:
            _show_folds(model_name, collection, selection)
        return None
    if unknown := unknown_words(run_cache.model(model_name).tokenize(table.query)):
        st.info(unknown)
    [best] = collection.column(documents_of(collection), [int(found.ranking.rows[0])])
    hits = answers.hits(found.ranking, best, title=title_of_model(selection.model), score=found.score)
    if at_stop:
        _show_at_stop(model_name, collection, selection, found, hits)
        return None
    show_answer(hits, view="search")
    by_model = _by_another_model(collection, selection)
    of_query = _of_another_query(model_name, collection, selection)
    hit = _show_hits(model_name, collection, found, [each for each in (by_model, of_query) if each], selection)
    by_vectors = by_model is not None and "score" not in (found.score, by_model.found.score)
    if by_model and not by_vectors:
        show_answer(answers.no_pair_differences(), view="search")
    _show_hit(model_name, collection, selection, found, hit, by_model if by_vectors else None)
    _show_folds(model_name, collection, selection)
    return answers.EXPLANATION


def _show_at_stop(model_name: str, collection: Collection, selection: Selection, found: _Search, hits: Answer) -> None:
    """The first hits or, at a stop that names a hit, what its place rests on, and the test of that."""
    hit = selection.table.hit
    if hit is None or hit >= len(collection):
        table = answers.first_hits(found.ranking, collection, score=found.score, most=MOST_AT_STOP)
        show_answer(Answer((*hits.parts, table)), view="search_stop", speaks=True)
        return
    texts = _texts_of(collection, selection, hit)
    try:
        reasons = _reasons_of(found.score)(model_name, texts, selection, key="search")
        tested = _tested(model_name, collection, selection, found, hit, reasons) if reasons else None
    except HeadlightError as error:
        st.info(escape_markdown(str(error)))
        return
    if reasons and tested:
        place = answers.place_of_hit(found.ranking, texts[1], hit, score=found.score)
        show_answer(Answer((*place.parts, *tested.parts, *reasons.answer.charts)), view="search_stop", speaks=True)


def _choose_query(collection: Collection) -> None:
    """The query, and what is next to it: another query, or another model."""
    queries = cached_answer(_first_texts, collection, collection) if collection.text_b else []
    fields = iter(st.columns((7, 4, 4, 4) if queries else (7, 4, 4), gap="small", vertical_alignment="bottom"))
    with next(fields):
        st.text_input("Search for", placeholder="a query", **session.bound("find", initial="value"))
    if queries:
        with next(fields):
            _suggest(queries)
    with next(fields):
        st.text_input(
            "Next to another query",
            placeholder="its negation, for example",
            **session.bound("find_too", initial="value"),
        )
    with next(fields):
        names = ["", *offered_encoders(*filter(None, [session.current().table.other_model]))]
        st.selectbox(
            "Next to another model",
            names,
            format_func=lambda name: title_of_model(name) if name else NONE,
            **session.bound("other_model", options=names),
        )


def _first_texts(collection: Collection) -> list[str]:
    """The first texts of pairs, each once."""
    return list(dict.fromkeys(collection.column(collection.text)))


def _suggest(queries: list[str]) -> None:
    """The first texts of pairs as queries."""

    def choose() -> None:
        if chosen := st.session_state[SUGGESTED]:
            session.change(find=chosen)

    shown = session.current().table.query
    session.set_value(SUGGESTED, shown if shown in queries else None)
    st.selectbox("Queries of this table", queries, key=SUGGESTED, on_change=choose, placeholder="Choose one")


def _ranked(model_name: str, collection: Collection, query: str, *, key: str) -> _Search | None:
    """The rows in the order of a query; None while there is no query, or while the rows are read."""
    tokens = estimated_tokens(collection)
    if cached_of_collection(searching.is_reranker, model_name, collection):
        if not query.strip():
            return None
        reranked = follow(
            collection_job(searching.rerank, model_name, collection, query.strip()),
            model_name,
            tokens=tokens,
            what=f"Scores of {len(collection):,} texts",
            less=FEWER_ROWS,
            key=f"{key}_scores",
        )
        if reranked is None:
            return None
        _say_unread(reranked.unread, model_name, key=key)
        return _Search(reranked.ranking, "score")
    reading = vectors_of(model_name, collection)
    vectors = follow(
        reading.job,
        model_name,
        tokens=tokens,
        what=f"Vectors of {len(collection):,} texts",
        less=FEWER_ROWS,
        key=f"{key}_vectors",
    )
    if vectors is None or not query.strip():
        return None
    try:
        scores = cached_of_collection(searching.scores_of_query, model_name, collection, query.strip(), vectors)
    except InputError as error:
        st.info(escape_markdown(str(error)))
        return None
    _say_unread(reading.growing.unread, model_name, key=key)
    return _Search(rank(scores), searching.score_of(run_cache.model(model_name)))


def _say_unread(unread: Unread, model_name: str, *, key: str) -> None:
    """How many texts are cut off, and of how many the model knows no word."""
    for sentence in unread.sentences:
        st.caption(sentence)
    if any(unread.cut_off) and (field := NAMED_BY.get(key)):
        offer_all_positions(model_name, key=f"{key}_all", field=field)


def _by_another_model(collection: Collection, selection: Selection) -> _Neighbour | None:
    """The ranking of the chosen other model; None without one, or while it is loaded or computed."""
    table = selection.table
    if not table.other_model or not open_another(table.other_model, prefix="search_"):
        return None
    found = _ranked(table.other_model, collection, table.query, key="search_other")
    names = title_of_model(selection.model), title_of_model(table.other_model)
    return _Neighbour(names=names, found=found) if found else None


def _of_another_query(model_name: str, collection: Collection, selection: Selection) -> _Neighbour | None:
    """The ranking of the query next to the first one; None without one, or while it is computed."""
    queries = selection.table.query.strip(), selection.table.second_query.strip()
    found = _ranked(model_name, collection, queries[1], key="search_second") if queries[1] else None
    first, second = (f"“{shorten(query, 40)}”" for query in queries)
    return _Neighbour(names=(first, second), found=found) if found else None


def _show_hits(
    model_name: str, collection: Collection, found: _Search, others: Sequence[_Neighbour], selection: Selection
) -> int:
    """The first hits as a table, and how far other rankings agree. Returns the row that is explained."""
    for other in others:
        agreement = answers.two_rankings(found.ranking, other.found.ranking, names=other.names)
        show_answer(agreement, view="search")
    rows = found.ranking.rows[:SHOWN_HITS].tolist()
    score = collection.unused_name(found.score)

    def frame() -> pd.DataFrame:
        columns: dict[str, Any] = {score: answers.scores_in_words(found.ranking.scores[:SHOWN_HITS])}
        columns |= {f"place: {other.names[1]}": other.found.ranking.places[rows] for other in others}
        columns[documents_of(collection)] = collection.column(documents_of(collection), rows)
        others_of_row = [name for name in collection.columns if name != documents_of(collection)]
        columns |= {name: collection.column(name, rows) for name in others_of_row}
        return pd.DataFrame(columns, index=range(1, len(rows) + 1))

    table = selection.table
    # Another query keeps the table, which the browser then need not build again.
    key = f"search_hits_{fingerprint(table.collection, model_name)}"
    chosen: Any = {"selection": {"rows": [rows.index(table.hit)] if table.hit in rows else []}}
    if key in st.session_state and st.session_state[key]["selection"]["rows"] != chosen["selection"]["rows"]:
        st.session_state[key] = chosen

    def choose() -> None:
        clicked = st.session_state[key]["selection"]["rows"]
        session.change(hit=rows[clicked[0]] if clicked else None)

    st.dataframe(
        frame(),
        key=key,
        height=TABLE_HEIGHT if len(rows) > SHOWN_AT_ONCE else "content",
        column_config={score: st.column_config.TextColumn(width="small")},
        on_select=choose,
        selection_mode="single-row",
        selection_default=chosen,
    )
    let_paint((model_name, table.collection, table.query), key="search_hits")
    csv_button(frame, name="hits", key="search_hits_csv", index=True)
    for other in others:
        moved = answers.moved(found.ranking, other.found.ranking, collection, names=other.names)
        show_answer(moved, view=f"search_{fingerprint(*other.names, table.query, str(table.hit))}")
    hit = table.hit
    return hit if hit is not None and hit < len(collection) else rows[0]


def _show_hit(
    model_name: str, collection: Collection, selection: Selection, found: _Search, hit: int, other: _Neighbour | None
) -> None:
    """What a hit's place rests on.

    Args:
        other: the ranking of another model, if both rank by vectors; None for none.
    """
    query, text = texts = _texts_of(collection, selection, hit)
    st.markdown(f"### Why place {found.ranking.place_of(hit):,}?")
    st.markdown(isolated(escape_markdown(shorten(text, 400))))
    views = OPENED_IN | (SCORE_IN if found.score == "score" else {})
    offer_texts(query, text, views, row=hit, key="search", as_pair=SCORE_IN)
    reasons_of, theirs = _reasons_of(found.score), None
    try:
        left, right = st.columns(2, gap="medium")
        with left:
            st.markdown("### Words of the score" if found.score == "score" else "### Similar because: pairs of words")
            own = reasons_of(model_name, texts, selection, key="search")
            if own:
                show_answer(own.answer, view="search")
        with right:
            if other:
                st.markdown(f"### By {escape_markdown(other.names[1])}")
                theirs = reasons_of(selection.table.other_model, texts, selection, key="search_other")
                if theirs:
                    show_answer(theirs.answer, view="search_other")
            else:
                show_answer(_late_interaction(model_name, texts, selection.level, score=found.score), view="search")
        if not own:
            return
        if other and theirs and own.split and theirs.split:
            compared = pair_differences(own.split, theirs.split)
            places = found.ranking.place_of(hit), other.found.ranking.place_of(hit)
            named = answers.pair_differences(compared, names=other.names, places=places)
            show_answer(named, view="search_differences")
        if other:
            models = {"search": model_name, "search_other": selection.table.other_model}
            for (key, model), column in zip(models.items(), st.columns(2, gap="medium"), strict=True):
                with column:
                    show_answer(_late_interaction(model, texts, selection.level, score=found.score), view=key)
        tested = _tested(model_name, collection, selection, found, hit, own)
    except HeadlightError as error:
        st.info(escape_markdown(str(error)))
        return
    if tested:
        show_answer(tested, view="search_test")


def _texts_of(collection: Collection, selection: Selection, hit: int) -> tuple[str, str]:
    """The query and the text of a hit."""
    [text] = collection.column(documents_of(collection), [hit])
    return selection.table.query.strip(), text


def _pairs_of_hit(model_name: str, texts: tuple[str, str], selection: Selection, *, key: str) -> _Reasons | None:
    """What each pair of words adds to the similarity of a query and a text; None while it is computed."""
    level = selection.level
    query, text = cached_with_model(searching.tokens_of_hit, model_name, *texts)
    similarity = run_cache.model(model_name).pooling.similarity
    sizes = [(len(each), len(units_of(each, level=level, special="hide"))) for each in (query, text)]
    pairs = follow(
        cached_job(split_of_hit, model_name, *texts, level),
        model_name,
        tokens=tokens_to_run(*sizes),
        what="Pairs of words",
        key=f"{key}_pairs",
    )
    if pairs is None:
        return None
    return _Reasons(
        answer=similar_because.strongest_pairs(pairs, (query, text), level, similarity=similarity),
        strongest=largest_pairs_first(pairs.values)[0],
        split=(pairs, (query, text)),
    )


def _words_of_score(model_name: str, texts: tuple[str, str], selection: Selection, *, key: str) -> _Reasons | None:
    """What each word of a query and a text adds to a reranker's score; None while it is computed."""
    question = Question(kind="score", texts=texts)
    target = explaining_cache.target(run_cache.model(model_name), question)
    found = follow(
        cached_job(explaining_cache.explained, model_name, question, METHOD, selection.level, "mask"),
        model_name,
        tokens=explaining_cache.PASSES_OF_GRADIENTS * len(target.tokens),
        what="What each word adds",
        key=f"{key}_words",
    )
    if found is None:
        return None
    return _Reasons(
        answer=answers.words_of_score(target, found, replace(selection, why=Why())),
        strongest=strongest_words(found, words_of_query(found, target.tokens, level=selection.level)),
    )


def _late_interaction(model_name: str, texts: tuple[str, str], level: Level, *, score: str) -> Answer:
    """The MaxSim map of the states that the cosine, or the reranker's score, is read from."""
    if score == "score":
        together = run_cache.trace(model_name, *texts)
        return answers.late_interaction(searching.max_sim_of_pair(together, level=level), read_together=True)
    found = cached_with_model(searching.max_sim_of_hit, model_name, *texts, level)
    return answers.late_interaction(found, is_trained=run_cache.model(model_name).pooling.late is not None)


def _tested(
    model_name: str, collection: Collection, selection: Selection, found: _Search, hit: int, reasons: _Reasons
) -> Answer | None:
    """Whether a hit falls without its strongest pair; None while it is computed. Raises HeadlightError."""
    (query, text), pair, level = _texts_of(collection, selection, hit), reasons.strongest, selection.level
    tested: PairTest | None
    if found.score == "score":
        together = run_cache.trace(model_name, query, text).tokens
        tested = follow(
            collection_job(remove_pair_and_rerank, model_name, collection, query, hit, pair, level=level),
            model_name,
            tokens=tokens_of_test(together, len(collection), level=level),
            what="The test of this hit",
            less=FEWER_ROWS,
            key="search_test",
        )
    else:
        vectors = vectors_of(model_name, collection).growing.vectors
        tested = cached_of_collection(remove_pair, model_name, collection, vectors, query, text, hit, pair, level=level)
    if tested is None:
        return None
    return answers.removed_pair(tested, rows=len(collection), score=found.score)


def _reasons_of(score: Score) -> Callable[..., _Reasons | None]:
    return _words_of_score if score == "score" else _pairs_of_hit


def _show_folds(model_name: str, collection: Collection, selection: Selection) -> None:
    folds = []
    if collection.text_b is not None:
        wanted = cached_answer(answers.relevant_rows, collection, collection)
        folds.append(
            Fold(
                name="rows",
                title="How near are the two texts of each row?",
                show=lambda: _show_pairs_of_rows(model_name, collection),
            )
        )
        # A reranker would read every text again for each query of the table.
        if wanted and not cached_of_collection(searching.is_reranker, model_name, collection):
            folds.append(
                Fold(
                    name="found",
                    title="How often is a relevant text found?",
                    show=lambda: _show_found(model_name, collection, wanted),
                )
            )
    show_folds(folds, view="search")


def _show_pairs_of_rows(model_name: str, collection: Collection) -> None:
    found = follow(
        collection_job(searching.pairs_of_rows, model_name, collection),
        model_name,
        tokens=estimated_tokens(collection),
        what="Cosines of the two texts of each row",
        less=FEWER_ROWS,
        key="search_rows",
    )
    if found is not None:
        show_answer(answers.pairs_of_rows(found, collection), view="search_rows")


def _show_found(model_name: str, collection: Collection, wanted: Mapping[str, list[int]]) -> None:
    vectors = vectors_of(model_name, collection).job.result
    if vectors is None:
        st.caption("The vectors of the texts are needed first.")
        return
    scores = cached_of_collection(searching.scores_of_queries, model_name, collection, tuple(wanted), vectors)
    rankings = list(map(rank, scores))
    show_answer(answers.found_relevant(rankings, wanted, collection, name=title_of_model(model_name)), view="found")
