"""All caching: models, traces and BertViz documents, keyed on plain values and shared by all sessions.

Everything kept here is immutable or never changed: traces are read-only arrays.
"""

from __future__ import annotations

import numpy as np
import streamlit as st

import encoder
from encoder import Backend, Trace
from encoder.anatomy.masks import Mask, Masked, masked
from encoder.anatomy.record import Record, record
from encoder.anatomy.sizes import Sizes, preset_sizes
from encoder.anatomy.walk import ours
from encoder.anatomy.what_if import Changed, WhatIf, changed
from encoder.measures.attention import MEAN, shown_attention
from encoder.measures.heads import head_profiles, max_pooled, of_all_layers
from encoder.measures.units import Level, Special, units_of
from encoder.trace import FloatArray
from viz.components.bertviz import head_view_html, model_view_html
from viz.components.head_map import THUMBNAIL
from viz.components.head_map import model_message as pack_model
from viz.components.neuron_view import head_message as pack_head
from viz.components.store import Message
from viz.components.store import layer_message as pack_layer
from viz.theme import THEMES, ThemeName

MODELS = 3
TRACES = 8  # one of 512 tokens through BERT-base takes 82 MB, all of them 660 MB
DOCUMENTS = 32
MESSAGES = 24  # one layer of 512 tokens and 12 heads takes 6.3 MB, all of them 150 MB
RECORDS = 4  # one of 512 tokens through BERT-base takes 80 MB, its attention with a mask 50 MB
HEAD_MESSAGES = 48  # one head of 512 tokens and width 64 takes 0.26 MB, with a bias 1.3 MB


@st.cache_resource(max_entries=MODELS, show_spinner="Loading the model …")
def model(name: str) -> Backend:
    """A model, loaded once. Raises ModelError, which is not kept."""
    return encoder.load(name)


@st.cache_resource(max_entries=TRACES, show_spinner=False)
def trace(model_name: str, a: str, b: str | None) -> Trace:
    """One run of a model. Raises InputError, which is not kept."""
    return model(model_name).trace(a, b)


@st.cache_resource(max_entries=MESSAGES, show_spinner=False)
def layer_message(
    model_name: str, texts: tuple[str, str | None], *, layer: int, level: Level, special: Special
) -> tuple[Message, FloatArray]:
    """A layer's attention for the views, and (H, U), what each unit gives to tokens that are not shown."""
    run = trace(model_name, *texts)
    units = units_of(run.tokens, level=level, special=special)
    attention, removed = shown_attention(run.weights(layer), units, special)  # (H, U, U), (H, U)
    return pack_layer(attention, units), removed


@st.cache_resource(max_entries=TRACES, show_spinner=False)
def model_message(
    model_name: str, texts: tuple[str, str | None], *, level: Level, special: Special
) -> tuple[Message, FloatArray]:
    """All heads of a model for the map, and (L, H, U), what each unit gives to tokens that are not shown.

    It goes a layer at a time: the weights of all layers together would not fit.
    """
    run = trace(model_name, *texts)
    units = units_of(run.tokens, level=level, special=special)
    pictures, profiles, removed = [], [], []
    for layer in range(run.num_layers):
        weights = run.weights(layer)  # (H, T, T)
        profiles.append(head_profiles(weights, run.tokens))
        attention, mass = shown_attention(weights, units, special)  # (H, U, U), (H, U)
        pictures.append(max_pooled(attention, THUMBNAIL))
        removed.append(mass)
    separators = [label for label, frame in zip(run.tokens.labels[1:], run.tokens.special[1:], strict=True) if frame]
    message = pack_model(np.stack(pictures), of_all_layers(profiles), separators[-1] if separators else None)
    return message, np.stack(removed)


@st.cache_resource(max_entries=HEAD_MESSAGES, show_spinner=False)
def head_message(model_name: str, texts: tuple[str, str | None], *, layer: int, head: int) -> Message:
    """One head's queries and keys for the neuron view. Raises NotCapturedError, which is not kept."""
    run = trace(model_name, *texts)
    queries, keys = run.queries(layer), run.keys(layer)  # (H, T, K)
    attention = run.layers[layer]
    length = len(run.tokens)
    bias = attention.bias if attention.bias is None else np.broadcast_to(attention.bias, (len(queries), length, length))
    return pack_head(
        queries[head],
        keys[head],
        units_of(run.tokens),
        layer=layer,
        head=head,
        scaling=attention.scaling,
        bias=None if bias is None else bias[head],
    )


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


@st.cache_resource(max_entries=RECORDS, show_spinner=False)
def anatomy(model_name: str, texts: tuple[str, str | None], *, layer: int) -> Record:
    """One layer of our own encoder with all its tensors. Raises InputError, which is not kept."""
    backend = ours(model(model_name))
    return record(backend.encoder, backend.tokenize(*texts), layer=layer)


@st.cache_resource(max_entries=RECORDS, show_spinner=False)
def masked_attention(model_name: str, texts: tuple[str, str | None], *, layer: int, mask: Mask) -> Masked:
    """One layer's attention with a mask and without."""
    backend = ours(model(model_name))
    return masked(backend.encoder, backend.tokenize(*texts), layer=layer, mask=mask)


@st.cache_resource(max_entries=2 * RECORDS, show_spinner=False)
def what_if(model_name: str, texts: tuple[str, str | None], *, layer: int, what_ifs: tuple[WhatIf, ...]) -> Changed:
    """One layer's attention in a pass with something changed."""
    backend = ours(model(model_name))
    return changed(backend.encoder, backend.tokenize(*texts), layer=layer, what_ifs=what_ifs)


@st.cache_resource(show_spinner=False)
def sizes_of_preset(name: str) -> Sizes:
    """Parameters of one of our presets."""
    return preset_sizes(name)
