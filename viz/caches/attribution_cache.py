"""The maps of attribution methods, shown instead of weights, and their messages."""

from __future__ import annotations

from encoder import Trace
from encoder.attribution.methods.facts import Quantity
from encoder.measures.units import Level, Special
from encoder.runs.arrays import FloatArray
from viz.caches import message_cache, run_cache
from viz.caches.steps import result_of
from viz.payloads.attributions import ShownMaps, attributions_of_layers, heads_of_attributions, shown_maps
from viz.payloads.layer import layers_message as pack_layers
from viz.payloads.message import Message
from viz.payloads.model_map import map_message as pack_map
from viz.recipes.attributions import maps_of


def maps(run: Trace, *, quantity: Quantity) -> tuple[FloatArray, ...]:
    """The maps of every layer between tokens. Raises what `maps_of` and its step do."""
    return result_of(maps_of(run, quantity), run.model_name)


def shown(run: Trace, *, quantity: Quantity, level: Level, special: Special) -> ShownMaps:
    """The maps between the units of a view. Raises what `maps` does."""
    units = run_cache.units(run, level=level, special=special)
    return shown_maps(maps(run, quantity=quantity), units, special, quantity=quantity)


def layers_id(run: Trace, *, quantity: Quantity, level: Level, special: Special) -> str:
    """The id of a run's layers as `layers_message` sends them."""
    return message_cache.run_id(run, f"{quantity.method} {quantity.is_from_input} {level} {special}")


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


def model_message(run: Trace, *, quantity: Quantity, level: Level, special: Special) -> tuple[Message, FloatArray]:
    """All planes for the map, and (L, P, U), the share of hidden tokens. Raises what `maps` does."""
    found = shown(run, quantity=quantity, level=level, special=special)
    heads = heads_of_attributions(found, run.tokens.labels, run.tokens.special)
    return pack_map(heads.pictures, heads.measures, quantity=found.described(run.num_heads)), heads.removed
