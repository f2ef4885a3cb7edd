"""The page below its opening: one run, one view of it, and the choice of layer and head beside it."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from encoder import Backend, Trace
from encoder.errors import InputError, NotFiniteError
from encoder.generation import Generation
from viz import cache
from viz.page import sidebar
from viz.page.around_view import head_picker, introduce, tell_link_problems, view_picker
from viz.page.opening import tell_error
from viz.panels import PANELS, DecoderPanel, EncoderPanel
from viz.panels.common import all_heads, show_explanation
from viz.state import session
from viz.state.reducer import within_runs
from viz.state.selection import Run, Selection
from viz.worker import warm_up

MAP_AND_PICTURE = (2, 7)  # shares of the page's width


def draw() -> None:
    """Draw all of the page but its opening."""
    panel = PANELS[session.current().view]
    if isinstance(panel, DecoderPanel):
        _draw_decoder(panel)
    else:
        _draw_encoder(panel)
    session.finish()
    warm_up()


def _draw_decoder(panel: DecoderPanel) -> None:
    """The page of an encoder-decoder, which has a text of its own."""
    with st.sidebar:
        name, writer = sidebar.draw_for_writing()
    session.save()
    selection = session.current()
    generation: Generation | None = None
    with st.container():
        tell_link_problems()
        try:
            generation = cache.generation(name, selection.decoder.task, selection.decoder.source)
        except (InputError, NotFiniteError) as error:
            tell_error(error)
        else:
            num_tokens = len(generation.source.tokens) + len(generation.target.tokens)
            selection = _drop_what_is_not_there({"decoder": num_tokens}, num_steps=len(generation.written))
            panel.draw_texts(generation, selection)
    view_picker()
    left, right = st.columns(MAP_AND_PICTURE, gap="medium")
    if generation:
        with right:
            explanation = panel.draw(generation, selection)
            if explanation:
                show_explanation(explanation)
    with left:
        if generation:
            panel.draw_map(generation, selection)
        head_picker(writer.num_layers, writer.num_heads, selection)


def _draw_encoder(panel: EncoderPanel) -> None:
    """The page of an encoder and its one or two sentences."""
    with st.sidebar:
        backend = sidebar.draw()
    session.save()
    selection = session.current()
    traces: dict[str, Trace] = {}
    words = None
    with st.container():  # one place, however much there is to say: what follows is not drawn anew
        tell_link_problems()
        try:
            traces = _run(backend, selection)
        except (InputError, NotFiniteError) as error:
            tell_error(error)
        else:
            num_tokens = [len(trace.tokens) for trace in traces.values()]
            selection = _drop_what_is_not_there({"A": num_tokens[0], "B": num_tokens[-1]})
            words = panel.find_words(traces, selection) if panel.find_words else None
            introduce(list(traces.values()), selection, words=(words.a, words.b) if words else ())
    view_picker()
    left, right = st.columns(MAP_AND_PICTURE, gap="medium")
    if traces:
        with right:
            try:
                explanation = panel.draw(traces, selection, words)
            except NotFiniteError as error:  # of a run that this view alone needs, beside those of the page
                tell_error(error)
            else:
                if explanation:  # once, under the last of them
                    show_explanation(explanation)
    with left:  # drawn after the picture, which people wait for
        for place, trace in traces.items():
            if cache.units(trace, level=selection.level, special=selection.special):
                all_heads(trace, selection, place=place, large=False)
        head_picker(backend.num_layers, backend.num_heads, selection)


def _run(backend: Backend, selection: Selection) -> dict[str, Trace]:
    """A trace of the "pair", or of the sentences "A" and "B" alone."""
    try:
        traces = [cache.trace(backend.name, a, b) for a, b in selection.runs]
    except InputError:
        if len(selection.runs) > 1:  # alone, B is called A as well: as a pair, the error names the right one
            backend.tokenize(selection.texts.a, selection.texts.b)
        raise
    return dict(zip(["pair"] if len(traces) == 1 else ["A", "B"], traces, strict=True))


def _drop_what_is_not_there(num_tokens: Mapping[Run, int], num_steps: int | None = None) -> Selection:
    """Release pins, and the decoder's step, that the runs on the page have not, here and in the address."""
    selection = session.current()
    kept = within_runs(selection, num_tokens, num_steps)
    if kept != selection:
        session.adjust(kept)
        session.save()
    return kept
