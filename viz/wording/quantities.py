"""Words for the quantities of heat map, head view and model view, on the page and in its messages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from encoder.attribution.method_facts import MethodName, Quantity, Reach
from encoder.measures.unit_attention import MEAN
from encoder.measures.units import Special

TITLES: Final[Mapping[MethodName, str]] = MappingProxyType(
    {
        "weights": "Weights",
        "norms": "Value-weighted norms",
        "residual": "With residual and LN",
        "rollout": "Rollout",
        "globenc": "GlobEnc",
        "alti": "ALTI",
        "decompx": "DecompX",
    }
)
SHOWS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "heat map": "row takes from column",
        "data": "row takes from column",
        "head view": "left takes from right",
        "model view": "all layers",
    }
)
REACHES: Final[Mapping[Reach, str]] = MappingProxyType({"layer": "Within this layer", "input": "From the input"})
SYMBOLS: Final[Mapping[MethodName, str]] = MappingProxyType(
    {
        "weights": "attention weight",
        "norms": "‖α f(x)‖",
        "residual": "‖LN(Σ α f(x) + x)‖",
        "rollout": "rollout share",
        "globenc": "GlobEnc share",
        "alti": "ALTI share",
        "decompx": "‖x̃‖",
    }
)
MEANINGS: Final[Mapping[MethodName, str]] = MappingProxyType(
    {
        "weights": "How much of each key's value vector a query takes.",
        "norms": "The length of the vector that a query takes from each key: weight times transformed value.",
        "residual": "The length of the vector that a query takes from each token, when its own state is added and the "
        "sum is normalised.",
        "rollout": "Weights of all heads, half of them for the token itself, multiplied from layer to layer.",
        "globenc": "Norms through attention, residual connections and layer norms, multiplied from layer to layer.",
        "alti": "How much nearer to its result each token's vector brings the attention block, in the 1-norm.",
        "decompx": "The length of the vector from each token that every part of the model carries on, feed-forward "
        "included.",
    }
)


def describe(quantity: Quantity, *, largest: float, num_heads: int) -> dict[str, Any]:
    """A method's description for the views in the browser; `shared/quantity.mjs` reads it.

    Args:
        largest: value of the last colour.
        num_heads: of the model, even if the method has none.
    """
    return {
        "name": TITLES[quantity.method],
        "symbol": SYMBOLS[quantity.method],
        "unit": quantity.facts.scale,
        "from_input": quantity.is_from_input,
        "largest": largest,
        "heads": num_heads if quantity.facts.has_heads else 0,
        "model_heads": num_heads,
    }


def picture_name(quantity: Quantity, layer: int, head: int) -> str:
    """The name of a picture, as in "GlobEnc, input to L3" or "Norms, L3 H7"; as in `quantity.mjs`."""
    name = TITLES[quantity.method]
    if quantity.is_from_input:
        return f"{name}, input to L{layer}"
    if not quantity.facts.has_heads:
        return f"{name}, L{layer}"
    return f"{name}, L{layer}, heads together" if head == MEAN else f"{name}, L{layer} H{head}"


def unit_sentence(quantity: Quantity) -> str:
    """The unit of the numbers, as a sentence."""
    if quantity.facts.scale == "share":
        return "Shares: each row sums to 1."
    return "Lengths in units of hidden states, not shares: no row sums to 1."


def scale_sentence(quantity: Quantity, largest: float) -> str:
    """The range of the colours, as a sentence.

    Args:
        largest: of all layers of this text, heads included.
    """
    if quantity.facts.scale == "share":
        return "Colours run from 0 to 1."
    return f"Colours run from 0 to {largest:.3g}, the largest in any layer of this text."


def words_sentence(quantity: Quantity) -> str:
    """How the numbers of a word are computed from its pieces."""
    if quantity.facts.scale == "share":
        return "A word's share is the sum over its pieces as keys, and the mean over its pieces as queries."
    return (
        "A word's length is the sum over its pieces as keys, and the mean over its pieces as queries. A sum of "
        "lengths is no less than the length of the sum."
    )


def removed_sentence(quantity: Quantity, share: str, special: Special) -> str:
    """The share of hidden tokens in the shown rows; `shared/removed.mjs` has the same text.

    Args:
        share: as in "20% of {} (between 10% and 30%)".
    """
    if quantity.facts.scale == "norm":
        return (
            f"{share.format('the lengths in a row')} is theirs. Lengths are no shares: the rows are left as they are."
        )
    rest = "scaled to sum to 1 again" if special == "renormalise" else "left as they are and sum to the rest"
    what = "the attention of the tokens shown" if quantity.method == "weights" else "the shares of the tokens shown"
    return f"They receive {share.format(what)}. The rows are {rest}."
