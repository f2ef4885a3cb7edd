"""A tour that is given before an audience: its stops by the press of a key, their words, and what they point at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from encoder.errors import SelectionError
from encoder.runs.generation import Generation
from encoder.text.tokens import Tokens
from viz.labels import escape_markdown
from viz.page.sidebar import Size
from viz.page.tours.shown import go_to, is_answered, shown_stop, shown_tour
from viz.state import session
from viz.state.fields import with_values
from viz.state.messages import Scope
from viz.state.reducer import within_model
from viz.state.selection import DEFAULT, Kinds, Selection
from viz.tours.places import find_word
from viz.tours.tour import Point, Stop
from viz.tours.visiting import number_in, selection_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """Where the words of a point are looked for, by the runs of the page.

    Attributes:
        queries, keys: the tokens that look, and those that are looked at.
        query_start, key_start: the positions that their first tokens have in the picture.
    """

    queries: Mapping[str, Tokens]
    keys: Mapping[str, Tokens]
    query_start: int = 0
    key_start: int = 0


def texts_of_writer(generation: Generation, kinds: Kinds) -> Texts:
    """The texts of an encoder-decoder in one of its attentions; where all three are shown, in the one between them."""
    kind = "cross" if kinds == "all" else kinds
    start = len(generation.source.tokens)
    return Texts(
        queries={"decoder": generation.query_tokens(kind)},
        keys={"decoder": generation.key_tokens(kind)},
        query_start=0 if kind == "encoder" else start,
        key_start=start if kind == "decoder" else 0,
    )


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


def draw_words(selection: Selection) -> DeltaGenerator | None:
    """The stop's question, or its words, under the picture. Returns the place of its claims, None without a tour."""
    stop = shown_stop(selection)
    if stop is None:
        return None
    with st.container(key="stage_words"), st.container(key="stage_says" if is_answered(selection) else "stage_asks"):
        said = (stop.answer, stop.words) if is_answered(selection) else (stop.question,)
        title = escape_markdown(stop.title)
        st.markdown(" ".join([f"**{title}{'' if title.endswith(('.', '?', '!')) else '.'}**", *filter(None, said)]))
    return st.container(key="stage_claims")


def points_of(selection: Selection, texts: Texts, size: Size) -> list[dict[str, Any]]:
    """What the stop points at in the pictures of some texts, until something else is chosen than the stop says.

    Returns:
        {"kind": "head", "layer", "head"}; {"kind": "token", "run", "token": positions}; or, of a cell or a line,
        {"kind": "cell", "run", "query": positions, "key": positions}. What the text does not have is left out.
    """
    stop = shown_stop(selection)
    if stop is None or not is_answered(selection) or not _shows_its_state(selection, stop, size):
        return []
    return [placed for point in stop.points if (placed := _placed(point, texts))]


def _placed(point: Point, texts: Texts) -> dict[str, Any] | None:
    if point.kind == "head":
        return {"kind": "head", "layer": point.layer, "head": point.head}
    try:
        query = find_word(point.words[0], texts.queries)
        key = find_word(point.words[-1], texts.queries if point.kind == "token" else texts.keys)
    except SelectionError:  # the text is another one than the tour was written for
        return None
    if query.run != key.run:  # two sentences that are encoded apart do not see each other
        return None
    looking = [texts.query_start + position for position in query.positions]
    if point.kind == "token":
        return {"kind": "token", "run": query.run, "token": looking}
    return {"kind": "cell", "run": query.run, "query": looking, "key": [texts.key_start + at for at in key.positions]}


def _shows_its_state(selection: Selection, stop: Stop, size: Size) -> bool:
    """Whether the page shows what the stop says, in whichever view."""
    target = within_model(selection_at(stop, selection), size.num_layers, size.num_heads)
    same_view = {"view": DEFAULT.view}
    return with_values(target, same_view) == with_values(selection, same_view)
