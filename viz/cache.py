"""All caching: models, traces and BertViz documents, keyed on plain values and shared by all sessions.

Everything kept here is immutable or never changed: traces are read-only arrays.
"""

from __future__ import annotations

import numpy as np
import streamlit as st

import encoder
from encoder import Backend, Trace
from encoder.measures.attention import MEAN, shown_attention
from encoder.measures.units import Level, Special, units_of
from viz.components.bertviz import head_view_html, model_view_html
from viz.theme import THEMES, ThemeName

MODELS = 3
TRACES = 16  # one of 512 tokens through BERT-base takes about 80 MB
DOCUMENTS = 32


@st.cache_resource(max_entries=MODELS, show_spinner="Loading the model …")
def model(name: str) -> Backend:
    """A model, loaded once. Raises ModelError, which is not kept."""
    return encoder.load(name)


@st.cache_resource(max_entries=TRACES, show_spinner=False)
def trace(model_name: str, a: str, b: str | None) -> Trace:
    """One run of a model. Raises InputError, which is not kept."""
    return model(model_name).trace(a, b)


@st.cache_data(max_entries=DOCUMENTS, show_spinner=False)
def bertviz_document(
    view: str,
    model_name: str,
    texts: tuple[str, str | None],
    *,
    layers: tuple[int, ...],
    layer: int,
    head: int,
    level: Level,
    special: Special,
    theme: ThemeName,
) -> str:
    """BertViz's "head view" or "model view" of a trace. The same arguments give the same frame, which stays put."""
    run = trace(model_name, *texts)
    units = units_of(run.tokens, level=level, special=special)
    weights = np.stack([shown_attention(run.weights(index), units, special)[0] for index in layers])  # (N, H, U, U)
    draw = head_view_html if view == "head view" else model_view_html
    return draw(
        weights,
        units.labels,
        sentence_b_start=units.sentence_b_start,
        layer=layer,
        heads=None if head == MEAN else (head,),
        include_layers=layers,
        theme=THEMES[theme],
    )
