"""Maps of attribution methods for the views: between units, and as shares of the largest value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from encoder.attribution.methods.facts import Quantity
from encoder.measures.head_profiles import head_profiles, max_pooled, stack_layers
from encoder.measures.unit_attention import attention_between, shown_attention
from encoder.measures.units import Special, Units
from encoder.runs.arrays import FloatArray
from viz.payloads.model_map import THUMBNAIL, usual_measures
from viz.payloads.runs import Heads, LayersAttention, separator_among
from viz.wording.quantities import SYMBOLS, describe


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ShownMaps:
    """A method's maps of all layers between U units.

    Attributes:
        quantity: of the maps.
        tokens: (P, T, T) for each layer, or (P, T, T + 1) with the biases' column: the maps between tokens.
        planes: (P, U, U) for each layer; the last plane is that of the whole layer.
        removed: (P, U) for each layer, the share of hidden tokens in each row.
        biases: (1, U) for each layer, the norm of the contribution of the model's biases; None if there is none.
        largest: the value of the last colour: 1 for shares, else the largest value of all layers.
    """

    quantity: Quantity
    tokens: Sequence[FloatArray]
    planes: Sequence[FloatArray]
    removed: Sequence[FloatArray]
    biases: Sequence[FloatArray] | None
    largest: float

    def described(self, num_heads: int) -> dict[str, Any]:
        """The description of the maps for the views, from `viz.wording.quantities.describe`."""
        return describe(self.quantity, largest=self.largest, num_heads=num_heads)


def shown_maps(maps: Sequence[FloatArray], units: Units, special: Special, *, quantity: Quantity) -> ShownMaps:
    """Maps between tokens as maps between the units of a view.

    Values are summed over the key pieces of a unit, and averaged over its query pieces. Only shares can be scaled to
    sum to 1 again: "renormalise" leaves norms unchanged.

    Args:
        maps: (P, T, T) for each layer, or (P, T, T + 1) with the biases' norms in the last column.
    """
    is_share = quantity.facts.scale == "share"
    between = [layer[..., : units.length] for layer in maps]
    if is_share:
        shown = [shown_attention(layer, units, special) for layer in between]
        planes, removed = [planes for planes, _ in shown], [mass for _, mass in shown]
    else:
        planes = [attention_between(layer, units) for layer in between]
        removed = [_hidden_share(layer, shown, units) for layer, shown in zip(between, planes, strict=True)]
    largest = 1.0 if is_share else max((float(layer.max(initial=0)) for layer in planes), default=0) or 1.0
    has_biases = maps[0].shape[-1] > units.length
    biases = [_of_queries(layer[..., units.length], units)[-1:] for layer in maps] if has_biases else None
    return ShownMaps(quantity=quantity, tokens=maps, planes=planes, removed=removed, biases=biases, largest=largest)


def _hidden_share(every: FloatArray, shown: FloatArray, units: Units) -> FloatArray:
    """(P, U) share of hidden tokens in each unit's row of norms."""
    total = _of_queries(every.sum(-1), units)  # (P, U)
    left = np.divide(shown.sum(-1), total, out=np.ones_like(total), where=total > 0)
    return np.maximum(1 - left, 0)


def _of_queries(values: FloatArray, units: Units) -> FloatArray:
    """(P, T) values of tokens, averaged over the pieces of each unit: (P, U)."""
    return np.stack([values[:, list(members)].mean(-1) for members in units.members], axis=-1)


def attributions_of_layers(maps: ShownMaps, special: Special, layers: Sequence[int]) -> LayersAttention:
    """Some layers of a method for `viz.payloads.layer.layers_message`, as shares of the largest value."""
    scaled = np.stack([maps.planes[layer] for layer in layers]) / np.float32(maps.largest)
    extras: dict[str, FloatArray] = {}
    if special != "show":
        extras["removed"] = np.stack([maps.removed[layer] for layer in layers])
    if maps.biases is not None:
        extras["biases"] = np.stack([maps.biases[layer] for layer in layers])
    return LayersAttention(np.minimum(scaled, 1), extras)  # a quotient or a sum of shares may exceed 1 by rounding


def heads_of_attributions(maps: ShownMaps, labels: Sequence[str], special: Sequence[bool]) -> Heads:
    """All planes of a method for the map; `labels` and `special` are of the T tokens."""
    pictures = [max_pooled(np.minimum(planes / np.float32(maps.largest), 1), THUMBNAIL) for planes in maps.planes]
    measures: Mapping[str, FloatArray]
    if maps.quantity.facts.scale == "share":
        profiles = [head_profiles(layer, special) for layer in maps.tokens]
        measures = usual_measures(stack_layers(profiles), separator_among(labels, special))
    else:
        symbol = SYMBOLS[maps.quantity.method]
        lengths = [layer[..., : len(labels)] for layer in maps.tokens]
        measures = {
            f"largest {symbol}": np.stack([layer.max((-2, -1)) for layer in lengths]),
            f"mean {symbol}": np.stack([layer.mean((-2, -1)) for layer in lengths]),
        }
    return Heads(np.stack(pictures), measures, np.stack(maps.removed))
