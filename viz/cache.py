"""All caching: models, runs and what views are sent, shared by all sessions.

Everything kept here is immutable or never changed: traces are read-only arrays. What is asked for by a run is keyed on
what the run follows from. Whatever takes a model or numbers to work out is worked out in `viz.worker`'s thread; only
loading a model is not, because a download may take minutes.

This is one module, however long, so that what is kept and how much memory it takes is read in one place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st

import encoder
from encoder import Backend, Trace
from encoder.catalogue import load_writer
from encoder.experiments.anatomy.masks import Masked, masked
from encoder.experiments.anatomy.names import Mask, WhatIf
from encoder.experiments.anatomy.our_models import ours
from encoder.experiments.anatomy.parameter_counts import ParameterCounts, count_preset
from encoder.experiments.anatomy.record import Record, record
from encoder.experiments.anatomy.what_if import Changed, changed
from encoder.experiments.patching import Patching, patch_word
from encoder.experiments.senses.evaluate import states_of_rows
from encoder.experiments.senses.rows import shipped_senses
from encoder.experiments.senses.sentence_search import SentenceSearch, shipped_sentences, typed_sentences
from encoder.generation import Generation, Kind
from encoder.measures.combined_attention import (
    CombinedAttention,
    combined_attention,
    combined_head,
    combined_units,
    head_thumbnails,
)
from encoder.measures.head_profiles import head_profiles, max_pooled, stack_layers
from encoder.measures.similarity import ReferenceBand, reference_band
from encoder.measures.unit_attention import MEAN, shown_attention
from encoder.measures.units import Level, Special, Units, units_of
from encoder.models.pretrained_seq2seq import PretrainedSeq2Seq
from encoder.shipped.probes import Probes, has_probes, load_probes
from encoder.shipped.task_model import Seq2SeqBackend
from encoder.shipped.tasks import Task
from encoder.text.occurrences import positions_of_word
from encoder.trace import FloatArray
from viz.components.bertviz import head_view_html, model_view_html
from viz.payloads.head import head_message as pack_head
from viz.payloads.layer import layer_message as pack_layer
from viz.payloads.message import Message
from viz.payloads.model_map import THUMBNAIL
from viz.payloads.model_map import map_message as pack_map
from viz.payloads.model_map import model_message as pack_model
from viz.state.selection import OWN, BertViz, Kinds
from viz.sweep import Sweep
from viz.theme import THEMES, ThemeName
from viz.worker import in_worker

MODELS = 3
TRACES = 8  # one of 512 tokens through BERT-base takes 82 MB, all of them 660 MB
DOCUMENTS = 32
SWEEPS = 32
MESSAGES = 24  # one layer of 512 tokens and 12 heads takes 6.3 MB, all of them 150 MB
RECORDS = 4  # one of 512 tokens through BERT-base takes 80 MB, its attention with a mask 50 MB
UNITS = 32
HEAD_MESSAGES = 48  # one head of 512 tokens and width 64 takes 0.26 MB, with a bias 1.3 MB


def _key_of_trace(run: Trace) -> tuple[object, ...]:
    """What a run of an encoder, or of one half of an encoder-decoder, follows from."""
    return run.model_name, run.tokens.sentences, run.tokens.ids, run.silenced_heads


def _key_of_generation(run: Generation) -> tuple[object, ...]:
    """What a run of an encoder-decoder follows from: its tokens tell the task as well."""
    return _key_of_trace(run.source), _key_of_trace(run.target)


BY_RUN: dict[str | type[Any], Callable[[Any], Any]] = {Trace: _key_of_trace, Generation: _key_of_generation}


@st.cache_resource(max_entries=MODELS, show_spinner="Loading the model …")
def model(name: str) -> Backend:
    """A model, loaded once. Raises ModelError, which is not kept."""
    return encoder.load(name)


@st.cache_resource(max_entries=TRACES, show_spinner=False)
def trace(model_name: str, a: str, b: str | None) -> Trace:
    """One run of a model. Raises InputError, which is not kept."""
    backend = model(model_name)
    return in_worker(lambda: backend.trace(a, b))


@st.cache_resource(max_entries=UNITS, show_spinner=False, hash_funcs=BY_RUN)
def units(run: Trace, *, level: Level, special: Special) -> Units:
    """Words or wordpieces of a run."""
    return units_of(run.tokens, level=level, special=special)


@st.cache_resource(max_entries=MESSAGES, show_spinner=False, hash_funcs=BY_RUN)
def layer_message(run: Trace, *, layer: int, level: Level, special: Special) -> tuple[Message, FloatArray]:
    """A layer's attention for the views, and (H, U), what each unit gives to tokens that are not shown."""
    shown = units(run, level=level, special=special)

    def work() -> tuple[Message, FloatArray]:
        attention, removed = shown_attention(run.weights(layer), shown, special)  # (H, U, U), (H, U)
        return pack_layer(attention, shown), removed

    return in_worker(work)


@st.cache_resource(max_entries=TRACES, show_spinner=False, hash_funcs=BY_RUN)
def model_message(run: Trace, *, level: Level, special: Special) -> tuple[Message, FloatArray]:
    """All heads of a model for the map, and (L, H, U), what each unit gives to tokens that are not shown.

    It goes a layer at a time: the weights of all layers together would not fit.
    """
    shown = units(run, level=level, special=special)
    return in_worker(lambda: _model_message(run, shown, special))


def _model_message(run: Trace, shown: Units, special: Special) -> tuple[Message, FloatArray]:
    pictures, profiles, removed = [], [], []
    for layer in range(run.num_layers):
        weights = run.weights(layer)  # (H, T, T)
        profiles.append(head_profiles(weights, run.tokens))
        attention, mass = shown_attention(weights, shown, special)  # (H, U, U), (H, U)
        pictures.append(max_pooled(attention, THUMBNAIL))
        removed.append(mass)
    separators = [label for label, frame in zip(run.tokens.labels[1:], run.tokens.special[1:], strict=True) if frame]
    message = pack_model(np.stack(pictures), stack_layers(profiles), separators[-1] if separators else None)
    return message, np.stack(removed)


@st.cache_resource(max_entries=HEAD_MESSAGES, show_spinner=False, hash_funcs=BY_RUN)
def head_message(run: Trace, *, layer: int, head: int) -> Message:
    """One head's queries and keys for the neuron view. Raises NotCapturedError, which is not kept."""
    shown = units(run, level="wordpieces", special="show")
    return in_worker(lambda: _head_message(run, shown, layer, head))


def _head_message(run: Trace, shown: Units, layer: int, head: int) -> Message:
    queries, keys = run.queries(layer), run.keys(layer)  # (H, T, K)
    attention = run.layers[layer]
    length = len(run.tokens)
    bias = attention.bias if attention.bias is None else np.broadcast_to(attention.bias, (len(queries), length, length))
    return pack_head(
        queries[head],
        keys[head],
        shown,
        layer=layer,
        head=head,
        scaling=attention.scaling,
        bias=None if bias is None else bias[head],
    )


@st.cache_resource(max_entries=MODELS, show_spinner="Loading the model …")
def writer(name: str) -> Seq2SeqBackend | PretrainedSeq2Seq:
    """An encoder-decoder, loaded once. Raises ModelError, which is not kept."""
    return load_writer(name)


@st.cache_resource(max_entries=TRACES, show_spinner="Writing, a token at a time …")
def generation(writer_name: str, task: Task, text: str) -> Generation:
    """What an encoder-decoder writes about a text. Raises InputError, which is not kept."""
    model = writer(writer_name)
    return in_worker(lambda: model.generate(task, text) if isinstance(model, Seq2SeqBackend) else model.generate(text))


@st.cache_resource(max_entries=MESSAGES, show_spinner=False, hash_funcs=BY_RUN)
def combined_message(
    run: Generation, *, layer: int, level: Level, special: Special
) -> tuple[Message, CombinedAttention]:
    """A layer's attentions of an encoder-decoder for the views, all three in one square."""
    source, target = units_of_both(run, level=level, special=special)
    numbers = (*range(len(source)), *range(len(target)))

    def work() -> tuple[Message, CombinedAttention]:
        combined = combined_attention(run, layer, source, target, special=special)
        return pack_layer(
            combined.attention, combined_units(source, target), letters=("S", "T"), numbers=numbers
        ), combined

    return in_worker(work)


@st.cache_resource(max_entries=HEAD_MESSAGES, show_spinner=False, hash_funcs=BY_RUN)
def combined_head_message(run: Generation, *, kind: Kind, layer: int, head: int) -> Message:
    """One head of an encoder-decoder for the neuron view. Raises NotCapturedError, which is not kept."""
    both = units_of_both(run, level="wordpieces", special="show")

    def work() -> Message:
        one, units = combined_head(run, kind, layer, head), combined_units(*both)
        return pack_head(one.query, one.key, units, layer=layer, head=head, scaling=one.scaling, bias=one.bias)

    return in_worker(work)


@st.cache_resource(max_entries=TRACES, show_spinner=False, hash_funcs=BY_RUN)
def combined_map(run: Generation, *, kind: Kinds, level: Level, special: Special) -> Message:
    """All heads of an encoder-decoder for the map: one of its attentions, or all three in one square."""
    both = units_of_both(run, level=level, special=special)
    return in_worker(lambda: pack_map(*head_thumbnails(run, *both, kind=kind, special=special, size=THUMBNAIL)))


def units_of_both(run: Generation, *, level: Level, special: Special) -> tuple[Units, Units]:
    """Words or wordpieces of the source, and of what the decoder read of its own."""
    return units(run.source, level=level, special=special), units(run.target, level=level, special=special)


@st.cache_resource(max_entries=MODELS, show_spinner="Measuring how similar words usually are in this model …")
def band(model_name: str) -> ReferenceBand:
    """How similar two occurrences of a word usually are in a model, from the sentences that ship."""
    backend = model(model_name)
    rows = shipped_senses()

    def work() -> ReferenceBand:
        kept, states = states_of_rows(backend, rows)  # (N, L + 1, D)
        return reference_band(states, [rows[at].word for at in kept], [rows[at].sense for at in kept])

    return in_worker(work)


@st.cache_resource(max_entries=TRACES, show_spinner=False)
def further(model_name: str, name: str, typed: str, word: str) -> tuple[SentenceSearch, FloatArray]:
    """Sentences beside the page's two, and (N, L + 1, D), the states of the word in them.

    Args:
        name: the shipped word whose sentences they are, or "own" for those of `typed`.
        typed, word: sentences of one's own, and what to look for in them; "" for shipped ones.
    """
    backend = model(model_name)

    def work() -> tuple[SentenceSearch, FloatArray]:
        sentences = typed_sentences(backend, typed, word) if name == OWN else shipped_sentences(backend, name)
        words = [(each.tokens, each.positions) for each in sentences.occurrences]
        return sentences, backend.states_of_words(words)

    return in_worker(work)


@st.cache_resource(max_entries=TRACES, show_spinner=False)
def patching(model_name: str, a: tuple[str, int], b: tuple[str, int]) -> Patching:
    """A word's state carried from one text into another. Raises SelectionError, which is not kept.

    Args:
        a, b: each text, and which of its words.
    """
    backend = model(model_name)
    words = [(tokens := backend.tokenize(text), positions_of_word(tokens, word)) for text, word in (a, b)]
    return in_worker(lambda: patch_word(backend, *words, probes=probes(model_name)))


def probes(model_name: str) -> Probes | None:
    """The probes of a model, None where none were trained."""
    return load_probes(model_name) if has_probes(model_name) else None


@st.cache_resource(max_entries=TRACES, show_spinner=False)
def silenced_trace(model_name: str, text: str, heads: tuple[tuple[int, int], ...]) -> Trace:
    """One run with heads silenced."""
    backend = model(model_name)
    return in_worker(lambda: backend.trace(text, silenced_heads=heads))


@st.cache_resource(max_entries=SWEEPS, show_spinner=False)
def sweep(model_name: str, text: str, word: int) -> Sweep:
    """The sweep over all heads for one word of a text, not begun; whoever wants it starts it."""
    return Sweep(text, word, probes=probes(model_name))


@st.cache_resource(max_entries=DOCUMENTS, show_spinner=False, hash_funcs=BY_RUN)
def bertviz_document(
    run: Trace,
    *,
    view: BertViz,
    layers: tuple[int, ...],
    layer: int,
    head: int,
    level: Level,
    special: Special,
    theme: ThemeName,
) -> tuple[str, FloatArray]:
    """BertViz's view of N layers of a run, and (N, H, U), what each unit gives to tokens that are not shown.

    The same arguments give the same frame, which stays put.
    """
    shown = units(run, level=level, special=special)
    draw = head_view_html if view == "head view" else model_view_html

    def work() -> tuple[str, FloatArray]:
        attention = [shown_attention(run.weights(index), shown, special) for index in layers]
        html = draw(
            np.stack([weights for weights, _ in attention]),  # (N, H, U, U)
            shown.labels,
            sentence_b_start=shown.sentence_b_start,
            layer=layer,
            heads=None if head == MEAN else (head,),
            include_layers=layers,
            theme=THEMES[theme],
        )
        return html, np.stack([removed for _, removed in attention])

    return in_worker(work)


@st.cache_resource(max_entries=RECORDS, show_spinner=False)
def anatomy(model_name: str, texts: tuple[str, str | None], *, layer: int) -> Record:
    """One layer of our own encoder with all its tensors. Raises InputError, which is not kept."""
    backend = ours(model(model_name))
    return in_worker(lambda: record(backend.encoder, backend.tokenize(*texts), layer=layer))


@st.cache_resource(max_entries=RECORDS, show_spinner=False)
def masked_attention(model_name: str, texts: tuple[str, str | None], *, layer: int, mask: Mask) -> Masked:
    """One layer's attention with a mask and without."""
    backend = ours(model(model_name))
    return in_worker(lambda: masked(backend.encoder, backend.tokenize(*texts), layer=layer, mask=mask))


@st.cache_resource(max_entries=2 * RECORDS, show_spinner=False)
def what_if(model_name: str, texts: tuple[str, str | None], *, layer: int, what_ifs: tuple[WhatIf, ...]) -> Changed:
    """One layer's attention in a pass with something changed."""
    backend = ours(model(model_name))
    return in_worker(lambda: changed(backend.encoder, backend.tokenize(*texts), layer=layer, what_ifs=what_ifs))


@st.cache_resource(show_spinner=False)
def parameters_of_preset(name: str) -> ParameterCounts:
    """Parameters of one of our presets."""
    return in_worker(lambda: count_preset(name))
