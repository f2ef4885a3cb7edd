"""Messages of a run for views in the browser: layers, the map of all heads, queries and keys, BertViz's pages.

These functions do not cache: callers use `viz.caches.memo.cached`.
"""

from __future__ import annotations

import hashlib

import numpy as np

from encoder import Trace
from encoder.measures.combined_attention import combined_units, head_thumbnails
from encoder.measures.unit_attention import MEAN, attention_in_layer
from encoder.measures.units import Level, Special, Units
from encoder.runs.arrays import FloatArray
from encoder.runs.generation import AttentionKind, Generation
from viz.caches.memo import VALUES, key_of_run
from viz.caches.run_cache import units, units_of_both
from viz.components.bertviz import head_view_html, model_view_html
from viz.payloads.layer import layers_message as pack_layers
from viz.payloads.layer import neurons_message as pack_neurons
from viz.payloads.message import Message
from viz.payloads.model_map import THUMBNAIL
from viz.payloads.model_map import map_message as pack_map
from viz.payloads.runs import (
    LayersNeurons,
    attention_of_generation,
    attention_of_trace,
    heads_of_trace,
    neurons_of_generation,
    neurons_of_trace,
    numbers_of,
)
from viz.state.selection import BertViz, Kinds
from viz.theme import THEMES, ThemeName


def run_id(run: Trace | Generation, what: str) -> str:
    """The id of a run's layers in the browser: equal for the same run, shown in the same way.

    Args:
        what: the contents of the layers.
    """
    return VALUES.get(_run_id, run, what)


def _run_id(run: Trace | Generation, what: str) -> str:
    halves = (run.source, run.target) if isinstance(run, Generation) else (run,)
    digest = hashlib.blake2b(f"{key_of_run(run)} {what}".encode(), digest_size=12)
    for half in halves:
        digest.update(np.ascontiguousarray(half.hidden_states[-1]).data)
    return digest.hexdigest()


def attention_id(run: Trace | Generation, *, level: Level, special: Special) -> str:
    """The id of a run's layers as `layers_message` and `combined_message` send them."""
    return run_id(run, f"attention {level} {special}")


def neurons_id(run: Trace | Generation, *, special: Special, kind: AttentionKind | None = None) -> str:
    """The id of a run's layers as `neurons_message` and `combined_neurons_message` send them."""
    return run_id(run, f"neurons {special} {kind}")


def layers_message(run: Trace, *, layers: tuple[int, ...], level: Level, special: Special) -> Message:
    """The attention of some layers for the views, and the attention of each unit to hidden tokens."""
    shown = units(run, level=level, special=special)
    identity = attention_id(run, level=level, special=special)
    found = attention_of_trace(run, shown, special, layers)
    numbers = numbers_of(run, shown)
    return pack_layers(found.attention, shown, run=identity, layers=layers, numbers=numbers, removed=found.removed)


def model_message(run: Trace, *, level: Level, special: Special) -> tuple[Message, FloatArray]:
    """All heads of a model for the map, and (L, H, U), the attention of each unit to hidden tokens."""
    shown = units(run, level=level, special=special)
    heads = heads_of_trace(run, shown, special)
    return pack_map(heads.pictures, heads.measures), heads.removed


def neurons_message(run: Trace, *, layers: tuple[int, ...], special: Special) -> Message:
    """Queries and keys of some layers for the neuron view. Raises NotCapturedError."""
    pieces = units(run, level="wordpieces", special="show")
    shown = units(run, level="wordpieces", special=special)
    identity = neurons_id(run, special=special)
    return _pack_neurons(neurons_of_trace(run, shown, special, layers), pieces, layers, identity)


def _pack_neurons(found: LayersNeurons, pieces: Units, layers: tuple[int, ...], identity: str) -> Message:
    return pack_neurons(
        found.queries,
        found.keys,
        pieces,
        run=identity,
        layers=layers,
        scaling=found.scaling,
        bias=found.bias,
        excerpt=found.excerpt,
        removed=found.removed,
    )


def combined_message(run: Generation, *, layers: tuple[int, ...], level: Level, special: Special) -> Message:
    """Some layers' attentions of an encoder-decoder for the views, all three in one square.

    The tensors of the attention to hidden tokens are named "removed_" and the attention's kind.
    """
    source, target = units_of_both(run, level=level, special=special)
    numbers = (*range(len(source)), *range(len(target)))
    both = combined_units(source, target)
    identity = attention_id(run, level=level, special=special)
    found = attention_of_generation(run, source, target, special, layers)
    return pack_layers(
        found.attention,
        both,
        run=identity,
        layers=layers,
        letters=("S", "T"),
        numbers=numbers,
        removed=found.removed,
    )


def combined_neurons_message(
    run: Generation, *, kind: AttentionKind, layers: tuple[int, ...], special: Special
) -> Message:
    """Some layers of an encoder-decoder for the neuron view. Raises NotCapturedError."""
    both = combined_units(*units_of_both(run, level="wordpieces", special="show"))
    identity = neurons_id(run, special=special, kind=kind)
    return _pack_neurons(neurons_of_generation(run, kind, layers), both, layers, identity)


def combined_map(run: Generation, *, kind: Kinds, level: Level, special: Special) -> Message:
    """All heads of an encoder-decoder for the map: one of its attentions, or all three in one square."""
    both = units_of_both(run, level=level, special=special)
    return pack_map(*head_thumbnails(run, *both, kind=kind, special=special, size=THUMBNAIL))


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
    """BertViz's view of N layers of a run, and (N, H, U), the attention of each unit to hidden tokens.

    The same arguments give the same document, which the browser does not reload.
    """
    shown = units(run, level=level, special=special)
    draw = head_view_html if view == "head view" else model_view_html
    attention = [attention_in_layer(run, index, shown, special) for index in layers]
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
