"""The views of the page: a file or folder each, and one line in `PANELS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

import streamlit as st

from encoder import Trace
from encoder.generation import Generation
from viz.panels.anatomy.panel import anatomy
from viz.panels.bertviz import bertviz
from viz.panels.common import Explanation, fit_side_by_side
from viz.panels.data import data
from viz.panels.decoder import decoder, show_small_map, show_texts
from viz.panels.head_view import head_view
from viz.panels.heat_map import heat_map
from viz.panels.model_view import model_view
from viz.panels.neuron_view import neuron_view
from viz.panels.norms import norms
from viz.panels.predictions import predictions
from viz.panels.word_lens import word_lens
from viz.panels.word_lens.choice import WordPlaces, find_word_places
from viz.state.selection import Selection, View

Traces = Mapping[str, Trace]  # of the "pair", or of the sentences "A" and "B" alone
DrawTraces = Callable[[Traces, Selection, WordPlaces | None], Explanation | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """What the page knows of a view.

    Attributes:
        title: on its button.
        shows_one_head: whether it follows the choice of layer and head.
        filters_sentences: whether it follows the choice between attention within and across sentences.
    """

    title: str
    shows_one_head: bool = True
    filters_sentences: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderPanel(Panel):
    """A view of one or two sentences that an encoder reads.

    Attributes:
        draw: draws it, and says how to read it.
        find_words: the words that the view is about, which a click on the tokens chooses; None where there are none.
    """

    draw: DrawTraces
    find_words: Callable[[Traces, Selection], WordPlaces] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecoderPanel(Panel):
    """A view of a text that an encoder-decoder writes.

    Attributes:
        draw: draws it, and says how to read it.
        draw_texts: what was read and what was written.
        draw_map: all heads beside the view.
    """

    draw: Callable[[Generation, Selection], Explanation | None]
    draw_texts: Callable[[Generation, Selection], None]
    draw_map: Callable[[Generation, Selection], None]


class DrawTrace(Protocol):
    """Draws one trace; `place` tells two of them on one page apart."""

    def __call__(self, trace: Trace, selection: Selection, *, place: str) -> Explanation | None: ...


def each(draw: DrawTrace, *, side_by_side: bool = False) -> DrawTraces:
    """Draws traces one by one.

    Args:
        side_by_side: in columns, where the texts are short enough.
    """

    def draw_each(traces: Traces, selection: Selection, words: WordPlaces | None) -> Explanation | None:
        in_columns = side_by_side and fit_side_by_side(list(traces.values()))
        columns = st.columns(len(traces)) if in_columns else [st.container() for _ in traces]
        explanation = None
        for (place, trace), column in zip(traces.items(), columns, strict=True):
            with column:
                if len(traces) > 1:
                    st.markdown(f"#### Sentence {place}")
                explanation = draw(trace, selection, place=place) or explanation
        return explanation

    return draw_each


PANELS: Mapping[View, EncoderPanel | DecoderPanel] = MappingProxyType(
    {
        "heat map": EncoderPanel(title="Heat map", draw=each(heat_map, side_by_side=True), filters_sentences=True),
        "head view": EncoderPanel(title="Head view", draw=each(head_view, side_by_side=True), filters_sentences=True),
        "model view": EncoderPanel(title="Model view", draw=each(model_view)),
        "neuron view": EncoderPanel(title="Neuron view", draw=each(neuron_view), filters_sentences=True),
        "word lens": EncoderPanel(title="Word lens", draw=word_lens, find_words=find_word_places),
        "norms": EncoderPanel(title="Norms", draw=each(norms), shows_one_head=False),
        "predictions": EncoderPanel(
            title="Predictions", draw=each(predictions, side_by_side=True), shows_one_head=False
        ),
        "anatomy": EncoderPanel(title="Anatomy", draw=each(anatomy)),
        "decoder": DecoderPanel(title="Decoder", draw=decoder, draw_texts=show_texts, draw_map=show_small_map),
        "data": EncoderPanel(title="Data", draw=each(data), filters_sentences=True),
        "bertviz": EncoderPanel(title="BertViz", draw=each(bertviz)),
    }
)
