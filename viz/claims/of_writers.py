"""The measures of claims about what an encoder-decoder writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from encoder.errors import SelectionError
from encoder.measures.combined_attention import attention_to_copied_tokens
from encoder.measures.head_profiles import head_profiles, mean_entropy_bits
from encoder.runs.arrays import FloatArray
from encoder.runs.generation import AttentionKind, Generation
from encoder.text.pieces import SPACE
from viz.claims.of_encoders import SHARE_NAMES
from viz.claims.over_heads import existing, number_over_heads
from viz.tours.places import find_word
from viz.tours.tour import Measure

RUN = "decoder"


def weight(measure: Measure, generation: Generation) -> float:
    """Attention of one word to another; queries are tokens that the decoder has just read."""
    kind = _kind(measure)
    query = find_word(measure.words[0], {RUN: generation.query_tokens(kind)})
    key = find_word(measure.words[1], {RUN: generation.key_tokens(kind)})

    def of_layer(layer: int) -> FloatArray:
        weights = generation.weights(kind, layer)  # (H, queries, keys)
        return weights[:, list(query.positions)][:, :, list(key.positions)].sum(axis=-1).mean(axis=-1)

    return number_over_heads(measure, len(generation.layers(kind)), of_layer)


def entropy(measure: Measure, generation: Generation) -> float:
    """Mean entropy of a head's rows, in bits."""
    kind = _kind(measure)
    return number_over_heads(
        measure, len(generation.layers(kind)), lambda layer: mean_entropy_bits(generation.weights(kind, layer))
    )


def share(measure: Measure, generation: Generation) -> float:
    """The share of a head's attention that goes to a kind of position."""
    kind, to = _kind(measure), measure.option("to") or ""
    if to == "copied":
        if kind != "cross" or not any(generation.origins):
            raise SelectionError("Which tokens are copied is not known here.")
    elif kind == "cross":
        raise SelectionError(f"Attention to another text has no share to={to}.")

    def of_layer(layer: int) -> FloatArray:
        weights = generation.weights(kind, layer)
        if to == "copied":
            return attention_to_copied_tokens(weights, generation.origins)
        shares: FloatArray = getattr(head_profiles(weights, generation.query_tokens(kind).special), SHARE_NAMES[to])
        return shares

    return number_over_heads(measure, len(generation.layers(kind)), of_layer)


def writes(measure: Measure, generation: Generation) -> float:
    """The probability that the decoder gives to a token at a step."""
    step = existing(int(measure.option("step") or 0), len(generation.candidates), "step")
    for candidate in generation.candidates[step]:
        if measure.label in (candidate.label, candidate.label.lstrip(SPACE)):
            return candidate.probability
    raise SelectionError(f"“{measure.label}” is not among the likeliest tokens of step {step}.")


def _kind(measure: Measure) -> AttentionKind:
    return cast(AttentionKind, measure.option("kind") or "cross")


OF_WRITERS: Mapping[str, Callable[[Measure, Generation], float]] = {
    "weight": weight,
    "entropy": entropy,
    "share": share,
    "writes": writes,
}
