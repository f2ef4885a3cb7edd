"""The three attentions of an encoder-decoder in one square matrix, for views of a pair.

Rows and columns are the units of the source, followed by those of the written text. The upper left block is the
encoder's attention, the lower right block the decoder's, the lower left block the cross-attention. The upper right
block is empty, because the encoder does not see the written text. A row of the lower half belongs to two attentions and
sums to 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeVar

import numpy as np

from encoder.errors import ShapeError
from encoder.measures.head_profiles import head_profiles, max_pooled, mean_entropy_bits
from encoder.measures.unit_attention import Sentences, shown_attention
from encoder.measures.units import Special, Units
from encoder.runs.arrays import FloatArray
from encoder.runs.generation import KINDS, AttentionKind, Generation

Half = TypeVar("Half", Units, slice)
# The block of each kind, named as for the sentences of a pair.
SENTENCES_OF_KIND: Mapping[AttentionKind, Sentences] = {"encoder": "A→A", "decoder": "B→B", "cross": "B→A"}


@dataclass(frozen=True, slots=True, eq=False)
class CombinedAttention:
    """One layer's attentions between units, U = US + UT in all.

    Attributes:
        attention: (H, U, U), zero in the empty block.
        removed: by kind, (H, US or UT) attention of each query to hidden tokens; kinds without such a layer are
            missing.
    """

    attention: FloatArray
    removed: Mapping[AttentionKind, FloatArray]


def combined_units(source: Units, target: Units) -> Units:
    """The units of the source followed by those of the written text, which is "sentence B"."""
    members = tuple(tuple(position + source.length for position in unit) for unit in target.members)
    return Units(
        labels=source.labels + target.labels,
        members=source.members + members,
        special=source.special + target.special,
        sentence_b_start=len(source),
        length=source.length + target.length,
    )


def combined_attention(
    generation: Generation, layer: int, source: Units, target: Units, *, special: Special
) -> CombinedAttention:
    """The attentions of a layer of the encoder and of the same layer of the decoder.

    Args:
        source, target: units of the source, and of the decoder's own input.
        special: "renormalise" rescales the rows of each attention to sum to 1.
    Raises:
        ShapeError: neither half has such a layer, or the units do not match the tokens.
    """
    kinds = [kind for kind in KINDS if 0 <= layer < len(generation.layers(kind))]
    if not kinds:
        raise ShapeError(f"Layer {layer} was asked for; there are layers 0 to {generation.num_layers - 1}.")
    size = len(source) + len(target)
    attention = np.zeros((generation.num_heads, size, size), dtype=np.float32)
    removed: dict[AttentionKind, FloatArray] = {}
    for kind in kinds:
        queries, keys = _queries_and_keys(kind, source, target)
        shown, removed[kind] = shown_attention(generation.weights(kind, layer), queries, special, keys=keys)
        rows, columns = _queries_and_keys(kind, slice(len(source)), slice(len(source), None))
        attention[: len(shown), rows, columns] = shown
    return CombinedAttention(attention, MappingProxyType(removed))


@dataclass(frozen=True, slots=True, eq=False)
class CombinedHead:
    """The arrays that give the weights of one head, over the S tokens of the source and the T of the target.

    Attributes:
        query, key: (S + T, K), zero for tokens without one in this attention.
        bias: (S + T, S + T), added to the scores; -inf outside this attention.
    """

    query: FloatArray
    key: FloatArray
    scaling: float
    bias: FloatArray


def combined_head(generation: Generation, kind: AttentionKind, layer: int, head: int) -> CombinedHead:
    """One head of one attention, with zeros for the tokens of the other half."""
    attention = generation.attention(kind, layer)
    query, key = attention.captured("query")[head], attention.captured("key")[head]  # (queries, K), (keys, K)
    start = len(generation.source.tokens)
    size = start + len(generation.target.tokens)
    rows, columns = _queries_and_keys(kind, slice(start), slice(start, None))
    queries, keys = (np.zeros((size, query.shape[1]), dtype=np.float32) for _ in range(2))
    queries[rows], keys[columns] = query, key
    bias = np.full((size, size), -np.inf, dtype=np.float32)
    head_bias = (
        0 if attention.bias is None else np.broadcast_to(attention.bias, (attention.num_heads, *attention.shape))[head]
    )
    bias[rows, columns] = head_bias
    return CombinedHead(queries, keys, attention.scaling, bias)


def head_thumbnails(
    generation: Generation,
    source: Units,
    target: Units,
    *,
    kind: AttentionKind | Literal["all"],
    special: Special,
    size: int,
) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Thumbnails and measures of all heads.

    Args:
        kind: which attention; "all" = the three in one square.
        size: the largest number of cells per side.
    Returns:
        (L, H, R, C) weights and, by name, (L, H) entropies in bits or shares of attention; H is that of the kind, or of
        the half with more heads. If one half has fewer layers, its entropy is NaN in the others.
    """
    if kind == "all":
        pictures = [
            max_pooled(combined_attention(generation, layer, source, target, special=special).attention, size)
            for layer in range(generation.num_layers)
        ]
        entropies = {f"{name}, entropy in bits": _entropies_of_kind(generation, name) for name in KINDS}
        return np.stack(pictures), entropies
    queries, keys = _queries_and_keys(kind, source, target)
    pictures, measures = list[FloatArray](), list[dict[str, FloatArray]]()
    for layer in range(len(generation.layers(kind))):
        weights = generation.weights(kind, layer)  # (H, T, S)
        pictures.append(max_pooled(shown_attention(weights, queries, special, keys=keys)[0], size))
        measures.append(_measures_of_kind(generation, kind, weights))
    found = {name: np.stack([of_layer[name] for of_layer in measures]) for name in measures[0]}
    if kind == "cross" and any(generation.origins):
        found["on the tokens that are copied"] = attention_to_copied_tokens_by_head(generation)
    return np.stack(pictures), found


def _measures_of_kind(generation: Generation, kind: AttentionKind, weights: FloatArray) -> dict[str, FloatArray]:
    """(H,) each, by name, of the weights (H, T, S) of one kind in one layer."""
    measures = {"entropy in bits": mean_entropy_bits(weights)}
    if kind == "cross":
        return measures
    profiles = head_profiles(weights, generation.query_tokens(kind).special)
    measures |= {"to itself": profiles.to_itself, "to the previous token": profiles.to_previous}
    return measures | ({"to the next token": profiles.to_next} if kind == "encoder" else {})


def _queries_and_keys(kind: AttentionKind, source: Half, target: Half) -> tuple[Half, Half]:
    """Which half of one kind of attention the queries come from, and which the keys."""
    return (source if kind == "encoder" else target), (target if kind == "decoder" else source)


def _entropies_of_kind(generation: Generation, kind: AttentionKind) -> FloatArray:
    entropies = np.full((generation.num_layers, generation.num_heads), np.nan, dtype=np.float32)
    for layer in range(len(generation.layers(kind))):
        layer_entropies = mean_entropy_bits(generation.weights(kind, layer))  # (H,)
        entropies[layer, : len(layer_entropies)] = layer_entropies
    return entropies


def attention_to_copied_tokens(weights: FloatArray, origins: Sequence[Sequence[int]]) -> FloatArray:
    """The share of the decoder's attention on the tokens that it is copying from, where these are known.

    Args:
        weights: (..., T, S) cross-attention.
        origins: T, the source positions of each written token; steps without any are left out.
    Returns:
        (...) mean over steps, in [0, 1].
    Raises:
        ShapeError: the number of steps differs, or no step has an origin.
    """
    steps = _steps_with_origins(origins)
    if weights.shape[-2] != len(origins):
        raise ShapeError(f"Weights are {weights.shape}; origins of {len(origins)} steps were given.")
    shares = np.stack([weights[..., step, list(origins[step])].sum(axis=-1) for step in steps])  # (N, ...)
    return shares.mean(axis=0)


def attention_to_copied_tokens_by_head(generation: Generation) -> FloatArray:
    """(L, H) the mean share of each head."""
    layers = range(len(generation.cross))
    return np.stack(
        [attention_to_copied_tokens(generation.weights("cross", layer), generation.origins) for layer in layers]
    )


def uniform_attention_to_copied_tokens(origins: Sequence[Sequence[int]], source_tokens: int) -> float:
    """The share of a head with uniform attention over the S source tokens."""
    return float(np.mean([len(origins[step]) / source_tokens for step in _steps_with_origins(origins)]))


def _steps_with_origins(origins: Sequence[Sequence[int]]) -> list[int]:
    steps = [step for step, positions in enumerate(origins) if positions]
    if not steps:
        raise ShapeError("No step has a known origin.")
    return steps
