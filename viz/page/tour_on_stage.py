"""A tour in presentation mode: going to its stops by keys, their words, and the cells that they point at."""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz.page import stills
from viz.page.settings import Size
from viz.page.tours.navigation import go_to, is_answered, shown_stop, shown_tour
from viz.state import session
from viz.state.fields import with_values
from viz.state.messages import Scope
from viz.state.reducer import within_model
from viz.state.selection import DEFAULT, Selection
from viz.tours.pointing import Texts, placed_points
from viz.tours.texts import unwrapped
from viz.tours.tour import Stop
from viz.tours.visiting import number_in, selection_at
from viz.widgets.consent import AGREED
from viz.wording.labels import escape_markdown


def tour_payload(selection: Selection) -> dict[str, Any] | None:
    """The open tour for the browser: every stop as plain text, the current one, and the next one's picture."""
    tour = shown_tour(selection)
    if tour is None:
        return None
    from viz.html.markdown import plain_text_of_markdown  # imports latex2mathml

    def plain(text: str) -> str:
        return plain_text_of_markdown(unwrapped(text))

    number = number_in(tour, selection.stop)
    return {
        "title": tour.title,
        "at": number,
        "answered": is_answered(selection),
        "stops": [
            {"title": stop.title} | {name: plain(getattr(stop, name)) for name in ("question", "answer", "notes")}
            for stop in tour.stops
        ],
        "next_picture": _picture_of(tour.stops[number], selection) if number < len(tour.stops) else "",
    }


def _picture_of(stop: Stop, selection: Selection) -> str:
    agreed: set[str] = st.session_state.get(AGREED, set())
    return stills.address_of(stop, selection_at(stop, selection), agreed)


def go(number: int, *, answered: bool, scope: Scope, after: int) -> None:
    """Show a stop, and its answer if it is `answered`.

    Args:
        scope, after: the last change in the browser before the user went to the stop.
    """
    session.overrule(scope, after)
    go_to(number, answered=answered)


def draw_words(selection: Selection) -> DeltaGenerator | None:
    """The stop's question and, once it is answered, the answer, the words and the claims, below the view.

    Returns the place of the claims, None without a tour.
    """
    stop = shown_stop(selection)
    if stop is None:
        return None
    title = escape_markdown(stop.title)
    heading = f"**{title}{'' if title.endswith(('.', '?', '!')) else '.'}**"
    answered = is_answered(selection)
    answer = " ".join(filter(None, (stop.answer, stop.words)))
    with st.container(key="stage_words"):
        if stop.question:
            with st.container(key="stage_asked" if answered else "stage_asks"):
                st.markdown(f"{heading} {stop.question}")
        if answered:
            st.markdown(answer if stop.question else f"{heading} {answer}")
        return st.container(key="stage_claims")


def stop_of_view(selection: Selection) -> Stop | None:
    """The current stop of the open tour; None without one, and if the page shows another view."""
    stop = shown_stop(selection)
    return stop if stop and selection_at(stop, selection).view == selection.view else None


def points_of(selection: Selection, texts: Texts, size: Size) -> list[dict[str, Any]]:
    """The cells that the stop points at in the views of some texts, until the user selects something else."""
    stop = shown_stop(selection)
    if stop is None or not is_answered(selection) or not _shows_its_state(selection, stop, size):
        return []
    return placed_points(stop.points, texts)


def _shows_its_state(selection: Selection, stop: Stop, size: Size) -> bool:
    """Whether the page shows the stop's selection, in any view."""
    target = within_model(selection_at(stop, selection), size.num_layers, size.num_heads)
    same_view = {"view": DEFAULT.view}
    return with_values(target, same_view) == with_values(selection, same_view)
