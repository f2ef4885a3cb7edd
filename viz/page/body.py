"""The page below its opening: one run, one view of it, and the choice of layer and head beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from encoder import Backend, Trace
from encoder.errors import InputError, NotFiniteError
from encoder.measures.units import units_of
from viz import cache, panels
from viz.page import sidebar
from viz.page.around_view import head_picker, introduce, view_picker
from viz.page.opening import tell_error
from viz.panels.common import all_heads, beside, tell
from viz.panels.decoder import decoder, small_map, texts
from viz.panels.word_lens import word_lens
from viz.panels.word_lens.choice import find
from viz.state import session
from viz.state.selection import Selection
from viz.worker import warm_up

MAP_AND_PICTURE = (2, 7)  # shares of the page's width
SIDE_BY_SIDE = ("heat map", "head view", "predictions")


def _run(backend: Backend, selection: Selection) -> dict[str, Trace]:
    """A trace of the "pair", or of the sentences "A" and "B" alone."""
    try:
        traces = [cache.trace(backend.name, a, b) for a, b in selection.texts]
    except InputError:
        if len(selection.texts) > 1:  # alone, B is called A as well: as a pair, the error names the right one
            backend.tokenize(selection.a, selection.b)
        raise
    return dict(zip(["pair"] if len(traces) == 1 else ["A", "B"], traces, strict=True))


def draw() -> None:
    """Draw all of the page but its opening."""
    if st.session_state["view"] == "decoder":
        _draw_decoder()
    else:
        _draw_encoder()
    warm_up()


def _draw_decoder() -> None:
    """The page of an encoder-decoder, which has a text of its own."""
    with st.sidebar:
        name = sidebar.draw_for_writing()
    writer = cache.writer(name)
    sidebar.selection_for(writer.num_layers, writer.num_heads)
    session.save(session.current())
    selection = replace(session.current(), writer=name)
    generation = None
    with st.container():
        try:
            generation = cache.generation(name, selection.task, selection.source)
            texts(generation, selection)
        except (InputError, NotFiniteError) as error:
            tell_error(error)
    view_picker()
    left, right = st.columns(MAP_AND_PICTURE, gap="medium")
    if generation:
        with right:
            decoder(generation, selection)
    with left:
        if generation:
            small_map(selection)
        head_picker(writer.num_layers, writer.num_heads, selection)


def _draw_encoder() -> None:
    """The page of an encoder and its one or two sentences."""
    with st.sidebar:
        backend = sidebar.draw()
    selection = sidebar.selection_for(backend.num_layers, backend.num_heads)
    session.save(selection)
    traces: dict[str, Trace] = {}
    found = None  # where the lens finds its word
    with st.container():  # one place, however much there is to say: what follows is not drawn anew
        try:
            traces = _run(backend, selection)
            found = find(traces, selection) if selection.view == "word lens" else None
            introduce(list(traces.values()), selection, words=(found.a, found.b) if found else ())
        except (InputError, NotFiniteError) as error:
            tell_error(error)
    view_picker()
    left, right = st.columns(MAP_AND_PICTURE, gap="medium")
    if traces:
        with right:
            try:
                if found:
                    word_lens(traces, selection, found)
                else:
                    _draw_view(traces, selection)
            except NotFiniteError as error:  # of a run that this view alone needs, beside those of the page
                tell_error(error)
    with left:  # drawn after the picture, which people wait for
        for place, trace in traces.items():
            if units_of(trace.tokens, special=selection.special):
                all_heads(trace, selection, place=place, large=False)
        head_picker(backend.num_layers, backend.num_heads, selection)


def _draw_view(traces: Mapping[str, Trace], selection: Selection) -> None:
    """The view that is open, of every trace."""
    in_columns = selection.view in SIDE_BY_SIDE and beside(list(traces.values()))
    columns = st.columns(len(traces)) if in_columns else [st.container() for _ in traces]
    reading = None
    for (place, trace), column in zip(traces.items(), columns, strict=True):
        with column:
            if len(traces) > 1:
                st.markdown(f"#### Sentence {place}")
            reading = panels.PANELS[selection.view](trace, selection, place=place) or reading
    if reading:  # once, under the last of them
        tell(reading)
