"""Words for the quantities of heat map, head view and model view, on the page and in its messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from encoder.attribution.methods.facts import MethodName, Quantity, Reach
from encoder.measures.unit_attention import MEAN
from encoder.measures.units import Special

TITLES: Final[Mapping[MethodName, str]] = {
    "weights": "Weights",
    "norms": "Value-weighted norms",
    "residual": "With residual and layer norm",
    "rollout": "Rollout",
    "globenc": "GlobEnc",
    "alti": "ALTI",
    "decompx": "DecompX",
}
SHOWS: Final[Mapping[str, str]] = {
    "heat map": "row takes from column",
    "data": "row takes from column",
    "head view": "left takes from right",
    "model view": "all layers",
}
REACHES: Final[Mapping[Reach, str]] = {"layer": "Within this layer", "input": "From the input"}
SYMBOLS: Final[Mapping[MethodName, str]] = {
    "weights": "attention weight",
    "norms": "‖α f(x)‖",
    "residual": "‖LN(Σ α f(x) + x)‖",
    "rollout": "rollout share",
    "globenc": "GlobEnc share",
    "alti": "ALTI share",
    "decompx": "‖x̃‖",
}
MEANINGS: Final[Mapping[MethodName, str]] = {
    "weights": "How much each word takes from every other word.",
    "norms": "The length of the vector that a word takes from another one: the weight times the transformed value.",
    "residual": "The same for the whole attention block, with the word's own vector and the layer norm.",
    "rollout": "Attention followed back to the input: the weights of all heads, with half for the word itself, "
    "multiplied from layer to layer.",
    "globenc": "Like rollout, with lengths of vectors in place of weights, through residual connections and layer "
    "norms.",
    "alti": "Like rollout, with how much nearer each word's vector brings the attention block to its output.",
    "decompx": "The length of the vector that each word contributes through every part of the model, feed-forward "
    "blocks included.",
}


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
        return "Each row adds up to 1."
    return "These are lengths, not shares: rows do not add up to 1."


def scale_sentence(quantity: Quantity, largest: float) -> str:
    """The range of the colours, as a sentence.

    Args:
        largest: of all layers of this text, heads included.
    """
    if quantity.facts.scale == "share":
        return "Colours run from 0 to 1."
    return f"Colours run from 0 to {largest:.3g}, the largest number in any layer of this text."


def words_sentence(quantity: Quantity) -> str:
    """How the numbers of a word are computed from its pieces."""
    if quantity.facts.scale == "share":
        return "For a word in several pieces, we add what its pieces receive and average what they give."
    return (
        "For a word in several pieces, we add the lengths that its pieces receive and average those that they give. "
        "The sum of lengths is at least the length of the sum."
    )


def removed_sentence(quantity: Quantity, share: str, special: Special) -> str:
    """The share of hidden tokens in the shown rows; `shared/removed.mjs` has the same text.

    Args:
        share: as in "20 % of {} (between 10 % and 30 %)".
    """
    if quantity.facts.scale == "norm":
        return (
            f"{share.format('the lengths in a row')} is theirs. Lengths are not shares, so the rows stay as they are."
        )
    rest = "scaled to add up to 1 again" if special == "renormalise" else "left as they are and add up to the rest"
    what = "the attention of the tokens shown" if quantity.method == "weights" else "the shares of the tokens shown"
    return f"They receive {share.format(what)}. The rows are {rest}."
