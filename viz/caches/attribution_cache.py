"""What methods of attribution draw in place of weights, and the messages that show it."""

from __future__ import annotations

import streamlit as st

from encoder import Trace
from encoder.attribution.methods import planes
from encoder.attribution.names import Quantity
from encoder.errors import ArgumentError
from encoder.measures.units import Level, Special
from encoder.runs.arrays import FloatArray
from viz.caches import message_cache, run_cache
from viz.caches.keys import BY_RUN, key_of_message, size_of_message
from viz.caches.recent import keep_recent
from viz.computing.worker import in_worker
from viz.payloads.attributions import ShownMaps, attributions_of_layers, heads_of_attributions, shown_maps
from viz.payloads.layer import layers_message as pack_layers
from viz.payloads.message import Message
from viz.payloads.model_map import map_message as pack_map
from viz.wording.quantities import TITLES

MAPS, MAP_BYTES = 64, 200_000_000  # the norms of 512 tokens through BERT-base take 163 MB
MESSAGES, MESSAGE_BYTES = 128, 100_000_000
DECOMPX_TOKENS = 256  # carries a vector for every two tokens: as much work as a forward pass for each token


keep_messages = keep_recent(key_of=key_of_message, size_of=size_of_message, entries=MESSAGES, num_bytes=MESSAGE_BYTES)


def _size_of_maps(maps: tuple[FloatArray, ...]) -> int:
    return sum(layer.nbytes for layer in maps)


@keep_recent(key_of=key_of_message, size_of=_size_of_maps, entries=MAPS, num_bytes=MAP_BYTES)
def maps(run: Trace, *, quantity: Quantity) -> tuple[FloatArray, ...]:
    """(P, T, T) of every layer between tokens, as `encoder.attribution.methods.planes` gives them.

    Raises UnsupportedModelError where the model cannot be taken apart, and ArgumentError where the text is too long;
    neither is kept.
    """
    count = len(run.tokens)
    if quantity.method == "decompx" and count > DECOMPX_TOKENS:
        raise ArgumentError(
            f"{TITLES['decompx']} carries a vector for every two tokens through the whole model, which takes about as "
            f"long as {count + 1} runs of this text of {count} tokens. It is drawn up to {DECOMPX_TOKENS} tokens: "
            "shorten the text, or choose another method."
        )
    backend = run_cache.model(run.model_name)
    return in_worker(lambda: tuple(planes(backend, run, quantity)))


def shown(run: Trace, *, quantity: Quantity, level: Level, special: Special) -> ShownMaps:
    """The same between the units of a picture. Raises what `maps` does."""
    units = run_cache.units(run, level=level, special=special)
    return shown_maps(maps(run, quantity=quantity), units, special, quantity=quantity)


def layers_id(run: Trace, *, quantity: Quantity, level: Level, special: Special) -> str:
    """The id of a run's layers as `layers_message` sends them."""
    return message_cache.run_id(run, f"{quantity.method} {quantity.is_from_input} {level} {special}")


@keep_messages
def layers_message(
    run: Trace, *, layers: tuple[int, ...], quantity: Quantity, level: Level, special: Special
) -> Message:
    """Some layers for the views. Raises what `maps` does."""
    found = shown(run, quantity=quantity, level=level, special=special)
    some = attributions_of_layers(found, special, layers)
    return pack_layers(
        some.attention,
        run_cache.units(run, level=level, special=special),
        run=layers_id(run, quantity=quantity, level=level, special=special),
        layers=layers,
        removed=some.removed,
        quantity=found.described(run.num_heads),
    )


@st.cache_resource(max_entries=message_cache.MAPS, show_spinner=False, hash_funcs=BY_RUN)
def model_message(run: Trace, *, quantity: Quantity, level: Level, special: Special) -> tuple[Message, FloatArray]:
    """All planes for the map, and (L, P, U), what each unit has of hidden tokens. Raises what `maps` does."""
    found = shown(run, quantity=quantity, level=level, special=special)
    heads = heads_of_attributions(found, run.tokens.labels, run.tokens.special)
    return pack_map(heads.pictures, heads.measures, quantity=found.described(run.num_heads)), heads.removed
