"""A head's difference, in which a click pins words, and the chosen head's as lines: two head views."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from encoder.comparison.alignment import Alignment
from encoder.comparison.compare import Comparison
from encoder.measures.units import Units
from viz.caches import message_cache
from viz.caches.memo import key_of_run
from viz.caches.steps import result_of
from viz.components.head_view import head_view
from viz.components.wires.plot_clicks import Chart, PinnedIn, plot_clicks
from viz.components.wires.store import store
from viz.payloads.layer import more_attention_message
from viz.state.selection import Pins, Selection, texts_in
from viz.views.compare.answer import differences as answers
from viz.views.compare.answer.sides import Sides
from viz.views.compare.steps import difference_of_layer
from viz.widgets.answer import show_answer
from viz.widgets.canvas import view_data
from viz.widgets.room import SIDE_BY_SIDE_TOKENS

MOST_WORDS = 128  # of which a layer's two messages take 0.9 MB


def show_difference(found: Comparison, sides: Sides, selection: Selection, layer: int, head: int, *, view: str) -> None:
    """A head's heat map of the shared words, on a scale centred on zero.

    Args:
        view: begins the keys.
    """
    of_layer = result_of(difference_of_layer(found, sides, selection, layer), sides.a.model_name)  # (H, P, P)
    texts = _texts_of_columns(found.runs.alignment, sides)
    pinned = _pinned_among(texts, selection.shown_place.pins)
    answer = answers.one_head(found, sides, of_layer, selection, layer=layer, head=head, pinned=pinned)
    show_answer(answer, view=view)
    chart: Chart = {"axes": {"x": "key", "y": "query"}, "texts": texts}
    plot_clicks({f"{view}_attention-difference": chart}, key=f"{view}_clicks")


def _texts_of_columns(alignment: Alignment, sides: Sides) -> list[PinnedIn]:
    """For each compared text of the page, the first token of every shared word."""
    found: list[PinnedIn] = []
    for side, (units, place) in enumerate(zip((alignment.a, alignment.b), sides.places, strict=True)):
        tokens = [units.members[pair[side]][0] for pair in alignment.shared]
        if side == 0 or place != sides.places[0]:
            found.append({"text": texts_in(place)[0], "tokens": tokens})
    return found


def _pinned_among(texts: list[PinnedIn], pins: Pins) -> tuple[int | None, int | None]:
    """The columns of the pinned query and key; None where a token is pinned elsewhere, or is not a word's first."""
    tokens = next((one["tokens"] for one in texts if one["text"] == pins.run), ())
    query, key = (tokens.index(pin) if pin in tokens else None for pin in (pins.query, pins.key))
    return query, key


def show_lines(found: Comparison, sides: Sides, selection: Selection) -> None:
    """Where either run attends more in the chosen head, next to each other if the texts are short."""
    alignment, layer = found.runs.alignment, selection.layer
    if len(alignment.shared) > MOST_WORDS:
        st.caption(f"Lines are drawn for up to {MOST_WORDS} shared words; here are {len(alignment.shared)}.")
        return
    st.markdown("#### The chosen head as lines")
    of_layer = result_of(difference_of_layer(found, sides, selection), sides.a.model_name)  # (H, P, P)
    columns = st.columns(2, gap="small") if len(alignment.shared) <= SIDE_BY_SIDE_TOKENS else [st.container()] * 2
    for side, column in enumerate(columns):
        name = f"More in {sides.names[side]}"
        message = more_attention_message(
            of_layer if side else -of_layer,
            _shared_units(alignment, side if sides.places[0] != sides.places[1] else 0),
            run=message_cache.run_id(sides.a, f"{name} {layer} {selection.special} {key_of_run(sides.b)}"),
            layer=layer,
            name=name,
        )
        with column:
            store(message, key=f"store_compare_{side}")
            place = sides.places[side]
            data = view_data(selection, place=place)
            head_view(
                data, run=message.id, layers=sides.a.num_layers, place=f"compare {side}", key=f"compare_lines_{side}"
            )
    first, second = sides.in_markdown
    st.caption(
        f"A line runs from a query (left) to a key (right) that it looks at more in {first}, or more in {second}; Δ is "
        "by how much. In both pictures the strongest line stands for the largest Δ of any head in this layer. Heads "
        "are chosen above either picture. Words of one text alone have no lines."
        + (f" Heads have their numbers in {first}." if sides.matching == "likeness" else "")
    )


def _shared_units(alignment: Alignment, side: int) -> Units:
    """The shared units with their positions in the first run (0) or in the second (1)."""
    units = (alignment.a, alignment.b)[side]
    places = [pair[side] for pair in alignment.shared]
    start = units.sentence_b_start
    in_b = [index for index, place in enumerate(places) if start is not None and place >= start]
    return replace(
        units,
        labels=tuple(units.labels[place] for place in places),
        members=tuple(units.members[place] for place in places),
        special=tuple(units.special[place] for place in places),
        sentence_b_start=in_b[0] if in_b else None,
    )
