"""A tour that is given before an audience: its stops by the press of a key, their words, and what they point at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from encoder.errors import SelectionError
from encoder.text.tokens import Tokens
from viz.labels import escape_markdown
from viz.page.sidebar import Size
from viz.page.tours.shown import go_to, is_answered, number_in, shown_stop, shown_tour
from viz.state import session
from viz.state.fields import with_values
from viz.state.messages import Scope
from viz.state.reducer import within_model
from viz.state.selection import DEFAULT, Selection
from viz.tours.places import Place, find_word
from viz.tours.tour import Point, Stop
from viz.tours.visiting import selection_at


def told(selection: Selection) -> dict[str, Any] | None:
    """What the browser is told of the open tour: every stop, and where the page is."""
    tour = shown_tour(selection)
    if tour is None:
        return None
    return {
        "title": tour.title,
        "at": number_in(tour, selection.stop),
        "answered": is_answered(selection),
        "stops": [
            {"title": stop.title, "question": stop.question, "answer": stop.answer, "notes": stop.notes}
            for stop in tour.stops
        ],
    }


def go(number: int, *, answered: bool, scope: Scope, after: int) -> None:
    """Show a stop, and its answer where it is `answered`.

    Args:
        scope, after: the number of the last change in the browser, which the stop comes after.
    """
    session.overrule(scope, after)
    go_to(number, answered=answered)


def draw_words(selection: Selection) -> None:
    """The stop's question, or its words, under the picture."""
    stop = shown_stop(selection)
    if stop is None:
        return
    with st.container(key="stage_words"), st.container(key="stage_says" if is_answered(selection) else "stage_asks"):
        said = (stop.answer, stop.words) if is_answered(selection) else (stop.question,)
        title = escape_markdown(stop.title)
        st.markdown(" ".join([f"**{title}{'' if title.endswith(('.', '?', '!')) else '.'}**", *filter(None, said)]))


def points_of(selection: Selection, runs: Mapping[str, Tokens], size: Size) -> list[dict[str, Any]]:
    """What the stop points at in the pictures of some runs, until something else is chosen than the stop says.

    Returns:
        {"kind": "head", "layer", "head"}; {"kind": "token", "run", "token": positions}; or, of a cell or a line,
        {"kind": "cell", "run", "query": positions, "key": positions}. What the text does not have is left out.
    """
    stop = shown_stop(selection)
    if stop is None or not _shows_its_state(selection, stop, size) or (selection.stage and not is_answered(selection)):
        return []
    return [placed for point in stop.points if (placed := _placed(point, runs))]


def _placed(point: Point, runs: Mapping[str, Tokens]) -> dict[str, Any] | None:
    if point.kind == "head":
        return {"kind": "head", "layer": point.layer, "head": point.head}
    try:
        places = [find_word(word, runs) for word in point.words]
    except SelectionError:  # the text is another one than the tour was written for
        return None
    return _token(places[0]) if point.kind == "token" else _cell(*places)


def _token(place: Place) -> dict[str, Any]:
    return {"kind": "token", "run": place.run, "token": list(place.positions)}


def _cell(query: Place, key: Place) -> dict[str, Any] | None:
    if query.run != key.run:  # two sentences that are encoded apart do not see each other
        return None
    return {"kind": "cell", "run": query.run, "query": list(query.positions), "key": list(key.positions)}


def _shows_its_state(selection: Selection, stop: Stop, size: Size) -> bool:
    """Whether the page shows what the stop says, in whichever view."""
    target = within_model(selection_at(stop, selection), size.num_layers, size.num_heads)
    same_view = {"view": DEFAULT.view}
    return with_values(target, same_view) == with_values(selection, same_view)
