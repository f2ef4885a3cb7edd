"""The view Search: the texts of a table that are nearest to a query, and what the nearness rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal

import pandas as pd
import streamlit as st

from encoder.collection.missed_case import FOUND
from encoder.collection.search import documents_of
from encoder.collection.table import Collection
from encoder.comparison.pair_differences import pair_differences
from encoder.errors import HeadlightError
from encoder.text.readings import Unread
from viz.caches import run_cache
from viz.caches.collections import memo_of, vectors_of
from viz.state import session
from viz.state.selection import Selection, View
from viz.views.search import answer as answers
from viz.views.search import steps as recipes
from viz.views.search.steps import Search
from viz.widgets import suggestions
from viz.widgets.answer import show_answer
from viz.widgets.consent import offer_all_positions, offered_encoders, open_another
from viz.widgets.first_answer import let_paint
from viz.widgets.folds import Fold, show_folds
from viz.widgets.recipe import show_or_explain, show_recipe
from viz.widgets.rows import FEWER_ROWS, fingerprint, offer_texts
from viz.widgets.tables import csv_button
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown, isolated, shorten
from viz.wording.models import title_of_model
from viz.wording.readings import unknown_words

SHOWN_HITS: Final = 100
SHOWN_AT_ONCE: Final = 7
TABLE_HEIGHT: Final = 280  # pixels of as many rows
NONE: Final = "None"
NAMED_BY: Final[Mapping[str, Literal["model", "other_model"]]] = {"search": "model", "search_other": "other_model"}
OPENED_IN: Final[dict[View, str]] = {
    "similar because": "Similar because",
    "heat map": "Heat map",
    "compare": "Compare",
}
SCORE_IN: Final[dict[View, str]] = {"why": "Why this score?"}
EXPECTED: Final = "search_expected"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Neighbour:
    """A ranking next to the page's own one.

    Attributes:
        names: of the own ranking and of this one: two models, or two queries.
        found: this one.
    """

    names: tuple[str, str]
    found: Search


def search(model_name: str, collection: Collection, selection: Selection) -> Explanation | None:
    """The query, its hits, and what one of them rests on."""
    table = selection.table
    _choose_query(collection)
    if not table.query.strip():
        column = escape_markdown(documents_of(collection))
        st.caption(f"Type a query above: it ranks the {len(collection):,} texts of column “{column}”.")
    found = _ranked(model_name, collection, table.query, key="search")
    if found is None:
        _show_folds(model_name, collection, found, table.query)
        return None
    read = run_cache.model(model_name).tokenize(table.query)
    if unknown := unknown_words(read):
        st.info(unknown)
    if any(read.truncated):
        st.caption("The query is cut off, because it is longer than the model reads.")
    [best] = collection.column(documents_of(collection), [int(found.ranking.rows[0])])
    hits = answers.hits(found.ranking, best, title=title_of_model(selection.model), score=found.score)
    show_answer(hits, view="search")
    by_model = _by_another_model(collection, selection)
    of_query = _of_another_query(model_name, collection, selection)
    hit = _show_hits(model_name, collection, found, [each for each in (by_model, of_query) if each], selection)
    by_vectors = by_model is not None and "score" not in (found.score, by_model.found.score)
    if by_model and not by_vectors:
        show_answer(answers.no_pair_differences(), view="search")
    _choose_expected(collection, table.query)
    if found.ranking.place_of(hit) > FOUND:
        st.markdown("### Why not this one?")
        missed = recipes.why_missed(collection, found, table.query, hit, selection.level)
        show_or_explain(missed, model_name, view="search_missed", less=FEWER_ROWS)
    _show_hit(model_name, collection, selection, found, hit, by_model if by_vectors else None)
    _show_folds(model_name, collection, found, table.query)
    return answers.EXPLANATION


def _choose_query(collection: Collection) -> None:
    """The query, and what is next to it: another query, or another model."""
    queries = memo_of(collection).get(_first_texts, collection) if collection.text_b else []
    fields = iter(st.columns((7, 4, 4, 4) if queries else (7, 4, 4), gap="small", vertical_alignment="bottom"))
    with next(fields):
        st.text_input("Search for", placeholder="a query", **session.bound("find", initial="value"))
    if queries:
        with next(fields):
            shown = session.current().table.query
            suggestions("Queries of this table", queries, shown=shown, key="search_suggested", field="find")
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


def _ranked(model_name: str, collection: Collection, query: str, *, key: str) -> Search | None:
    """The rows in the order of a query; None while there is no query, or while the rows are read."""
    found = show_or_explain(recipes.ranked(collection, query), model_name, view=key, less=FEWER_ROWS)
    if found is not None:
        _say_unread(found.unread or vectors_of(model_name, collection).growing.unread, model_name, key=key)
    return found


def _say_unread(unread: Unread, model_name: str, *, key: str) -> None:
    """How many texts are cut off, and of how many the model knows no word."""
    for sentence in unread.sentences:
        st.caption(sentence)
    if any(unread.cut_off) and (field := NAMED_BY.get(key)):
        offer_all_positions(model_name, key=f"{key}_all", field=field)


def _choose_expected(collection: Collection, query: str) -> None:
    """A text that was expected: any row, by some of its words or its number, as the row that is explained."""
    key = f"{EXPECTED}_{fingerprint(query)}"  # empty for another query

    def choose() -> None:
        if (row := answers.row_with(collection, st.session_state[key])) is not None:
            session.change(hit=row)

    typed = st.text_input("Expected another text? Its words or row", key=key, on_change=choose)
    if typed.strip() and answers.row_with(collection, typed) is None:
        st.caption("No text of the table has these words one after the other.")


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
    model_name: str, collection: Collection, found: Search, others: Sequence[_Neighbour], selection: Selection
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
    # Another query makes another table: a click that was on its way means a row of the one before, and is dropped.
    key = f"search_hits_{fingerprint(table.collection, model_name, table.query)}"
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
    hit = rows[0] if table.hit is None else table.hit
    if hit < len(collection):
        return hit
    st.info(f"The table has no row {hit + 1:,}: the first text that was found is explained.")
    return rows[0]


def _show_hit(
    model_name: str, collection: Collection, selection: Selection, found: Search, hit: int, other: _Neighbour | None
) -> None:
    """What a hit's place rests on.

    Args:
        other: the ranking of another model, if both rank by vectors; None for none.
    """
    query, text = texts = recipes.texts_of_hit(collection, selection, hit)
    st.markdown(f"### Why place {found.ranking.place_of(hit):,}?")
    st.markdown(f"“{isolated(escape_markdown(shorten(text, 400)))}”")
    views = OPENED_IN | (SCORE_IN if found.score == "score" else {})
    offer_texts(query, text, views, row=hit, key="search", as_pair=SCORE_IN)
    reasons, theirs = recipes.reasons_of, None
    late = partial(recipes.late_interaction, texts, selection.level, found.score)
    try:
        left, right = st.columns(2, gap="medium")
        with left:
            st.markdown("### Words of the score" if found.score == "score" else "### Pairs of words")
            own = show_recipe(reasons(texts, selection, found.score), model_name, view="search")
            if own:
                show_answer(own.answer, view="search")
        with right:
            if other:
                st.markdown(f"### By {escape_markdown(other.names[1])}")
                second = selection.table.other_model
                theirs = show_recipe(reasons(texts, selection, found.score), second, view="search_other")
                if theirs:
                    show_answer(theirs.answer, view="search_other")
            else:
                show_recipe(late(), model_name, view="search")
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
                    show_recipe(late(), model, view=key)
        test = recipes.test_of_hit(collection, found, texts, hit, own.strongest, selection.level)
        tested = show_recipe(test, model_name, view="search", less=FEWER_ROWS)
    except HeadlightError as error:
        st.info(escape_markdown(str(error)))
        return
    if tested:
        show_answer(tested, view="search_test")


def _show_folds(model_name: str, collection: Collection, found: Search | None, query: str) -> None:
    show = partial(show_or_explain, model_name=model_name, less=FEWER_ROWS)
    folds = []
    if found:
        by_words = partial(show, recipes.by_words(collection, found, query), view="search_words")
        folds.append(Fold(name="words", title="What do words alone find?", show=by_words))
    if collection.text_b is None:
        show_folds(folds, view="search")
        return
    rows = partial(show, recipes.pairs_of_rows(collection), view="search_rows")
    folds.append(Fold(name="rows", title="How near are the two texts of each row?", show=rows))
    if memo_of(collection).get(answers.relevant_rows, collection):
        shares = partial(show, recipes.found_relevant(collection, model_name), view="found")
        folds.append(Fold(name="found", title="How often is a relevant text found?", show=shares))
        causes = partial(show, recipes.missed_relevant(collection), view="missed")
        folds.append(Fold(name="missed", title="Why is a relevant text not found?", show=causes))
    show_folds(folds, view="search")
