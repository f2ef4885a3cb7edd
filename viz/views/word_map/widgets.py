"""The view One word: every occurrence of a word in a table of texts, as points that move through the layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, get_args

import pandas as pd
import streamlit as st

from encoder.collection import word_map as mapping
from encoder.collection.names import WordForms
from encoder.collection.table import Collection
from encoder.collection.word_map import WordMap
from viz.figures.rendering import plot_config
from viz.state import session
from viz.state.selection import Selection, View
from viz.views.word_map import answer as answers
from viz.views.word_map import steps as recipes
from viz.widgets import select_box, suggestions
from viz.widgets.answer import show_answer
from viz.widgets.canvas import theme
from viz.widgets.recipe import show_or_explain
from viz.widgets.rows import fingerprint, offer_texts
from viz.widgets.tables import csv_button
from viz.wording.explanations import Explanation

MOST_ROWS: Final = 200  # of chosen points
TABLE_HEIGHT: Final = 260
FEW_ROWS: Final = 7
LASSOS: Final = ("select2d", "lasso2d")
LIST: Final = "word_map_list"  # the fragment of the texts of chosen points
CHOSEN: Final = "word_map_chosen"  # in the session: the map, and its points that were chosen last
FORMS: Final[Mapping[WordForms, str]] = {"form": "As typed", "inflections": "Any English inflection"}
OPENED_IN: Final[Mapping[View, str]] = {"word lens": "Word lens", "compare": "Compare"}


def word_map(model_name: str, collection: Collection, selection: Selection) -> Explanation | None:
    """The word, its occurrences as points, how well labels separate, and the texts of chosen points."""
    result = show_or_explain(
        recipes.mapped(collection, selection.table),
        model_name,
        view="word_map",
        widgets={"word": partial(_choose_word, collection, selection)},
        less="choose a rarer word",
    )
    if result is None:
        return None
    colour = answers.shown_colour(result, collection, selection.table.colour)
    state = answers.shown_state(result, colour, selection.table.map_state)
    session.note_shown(colour=colour, map_state=state)
    show_answer(answers.summary(result, colour, state), view="word_map")
    accuracies = answers.by_layer(result, colour, state)
    left, right = st.columns((11, 9), gap="medium") if accuracies else (st.container(), None)
    with left:
        st.fragment(_show_points)(result, collection, selection, colour, state)
    if accuracies and right:
        with right:
            show_answer(accuracies, view="word_map")
    st.fragment(_show_chosen, key=LIST)(result, collection, selection, colour, state)
    return answers.EXPLANATION


def _choose_word(
    collection: Collection, selection: Selection, suggested: Sequence[str], word: str, has_tags: bool
) -> None:
    """The choice of the word and of its colour."""
    fields = iter(st.columns((4, 4, 4, 4), gap="small", vertical_alignment="bottom"))
    with next(fields):
        st.text_input(
            "Word",
            placeholder=suggested[0] if suggested else "a word",
            max_chars=mapping.LONGEST_WORD,
            **session.bound("word", initial="value"),
        )
    with next(fields):
        if suggested:
            suggestions("Words of this table", suggested, shown=word, key="word_map_suggested", field="word")
    with next(fields):
        titles = answers.colour_titles(collection, has_tags=has_tags)
        wanted = selection.table.colour
        shown = wanted if wanted in titles else ""
        select_box(
            "Colour by",
            {"": "What separates"} | titles,
            shown=shown,
            key="word_map_colour",
            on_choice=lambda colour: session.change(colour=colour),
        )
    with next(fields):
        select_box(
            "Forms",
            {forms: FORMS.get(forms, f"Any {forms} inflection") for forms in get_args(WordForms)},
            shown=selection.table.forms,
            key="word_map_forms",
            on_choice=lambda forms: session.change(forms=forms),
        )


def _show_points(result: WordMap, collection: Collection, selection: Selection, colour: str, state: int) -> None:
    """The points. A choice of some reruns the list of their texts alone: thousands of points are not sent again."""
    chart = answers.scatter(result, collection, colour, state)
    config = plot_config(chart.name)
    hidden = [name for name in config["modeBarButtonsToRemove"] if name not in LASSOS]
    of_map = fingerprint(selection.model, selection.table.collection, *_searched(result), colour)
    key = f"word_map_{of_map}_{chart.name}"
    members = list(answers.grouped(result, collection, colour).values())

    def choose() -> None:
        chosen = [
            members[point["curve_number"]][point["point_index"]]
            for point in _picked_points(key)
            if point["curve_number"] < len(members) and point["point_index"] < len(members[point["curve_number"]])
        ]
        if chosen:  # the slider removes the area around them, and they stay chosen
            st.session_state[CHOSEN] = result, chosen
        st.rerun(LIST)

    st.plotly_chart(
        chart.figure(theme()),
        theme=None,
        key=key,
        config=config | {"modeBarButtonsToRemove": hidden, "displayModeBar": True},
        on_select=choose,
        selection_mode=("points", "lasso", "box"),
    )
    show_answer(answers.below_map(result, colour, state), view="word_map")


def _picked_points(key: str) -> Sequence[Mapping[str, int]]:
    """The points of a chart that the browser reports as selected."""
    points: Sequence[Mapping[str, int]] = st.session_state[key].selection.points
    return points


def _searched(result: WordMap) -> tuple[str, str]:
    return result.found.word, result.found.forms


def _show_chosen(result: WordMap, collection: Collection, selection: Selection, colour: str, state: int) -> None:
    """The texts of the points that were chosen last, and two of them in another view."""
    if session.current() != selection:
        st.rerun()
    of_map, chosen = st.session_state.get(CHOSEN, (None, []))
    if of_map is not result:
        return
    shown = chosen[:MOST_ROWS]
    more = f" The table has the first {MOST_ROWS:,}." if len(chosen) > MOST_ROWS else ""
    are = "is" if len(chosen) == 1 else "are"
    st.markdown(f"**{len(chosen):,} of {len(result):,} occurrences {are} chosen.**{more}")
    table = pd.DataFrame(answers.rows_of(result, collection, colour, shown, state))
    picked: Any = st.dataframe(
        table,
        hide_index=True,
        height="auto" if len(shown) < FEW_ROWS else TABLE_HEIGHT,
        key=f"word_map_rows_{fingerprint(result.found.word, *map(str, shown))}",
        on_select="rerun",
        selection_mode="multi-row",
    )
    csv_button(lambda: table, name="occurrences", key="word_map_rows_csv")
    rows = [shown[row] for row in picked.selection.rows if row < len(shown)]
    pair = answers.pair_of(result, collection, colour, rows or shown, state)
    st.caption(answers.pair_in_words(result, collection, pair))
    words = dict(zip(("at_a", "at_b"), result.words[pair].tolist(), strict=False))
    a, b = (*(answers.text_of(result, collection, index) for index in pair), "")[:2]
    offer_texts(a, b, OPENED_IN, row=result.places[pair[0]].row, key="word_map", **words)
