"""Arrays of runs for the views, a few layers at a time: attention between units, queries and keys, all heads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from encoder.measures.combined_attention import CombinedAttention, combined_attention, combined_head
from encoder.measures.head_profiles import HeadProfiles, head_profiles, max_pooled, stack_layers
from encoder.measures.unit_attention import attention_in_layer, attention_to_sink
from encoder.measures.units import Special, Units
from encoder.runs.arrays import FloatArray
from encoder.runs.generation import AttentionKind, Generation
from encoder.runs.layer_attention import LayerExcerpt
from encoder.runs.trace import Trace
from viz.payloads.layer import EVERYTHING_SHOWN, Excerpt
from viz.payloads.model_map import THUMBNAIL, usual_measures

LONG: Final = 256  # tokens, from which on two threads share the layers
THREADS: Final = 2


@dataclass(frozen=True, slots=True, eq=False)
class LayersAttention:
    """The attention of N layers between U units.

    Attributes:
        attention: (N, H, U, U) weights, query by key.
        removed: (N, H, Q) attention of each query to hidden tokens, by the names of tensors; "sink" is that to the
            sink of a head.
    """

    attention: FloatArray
    removed: Mapping[str, FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class LayersNeurons:
    """The inputs of the weights of N layers.

    Attributes:
        queries, keys: (N, H, T, K).
        scaling: (N,).
        bias: (N, H, T, T), or None if nothing is added to the scores.
        excerpt: of a longer text, if the T tokens are not all of it.
        removed: as of `LayersAttention`; "within" is the share of a query's attention that a sink leaves to tokens.
    """

    queries: FloatArray
    keys: FloatArray
    scaling: Sequence[float]
    bias: FloatArray | None
    excerpt: Excerpt | None = None
    removed: Mapping[str, FloatArray] = field(default_factory=lambda: EVERYTHING_SHOWN)


@dataclass(frozen=True, slots=True, eq=False)
class Heads:
    """All heads of a model.

    Attributes:
        pictures: (L, H, S, S) weights, pooled to at most `THUMBNAIL` cells along a side.
        measures: (L, H) each, by name.
        removed: (L, H, U) attention of each unit to hidden tokens.
    """

    pictures: FloatArray
    measures: Mapping[str, FloatArray]
    removed: FloatArray


def attention_of_trace(run: Trace, units: Units, special: Special, layers: Sequence[int]) -> LayersAttention:
    """Some layers of an encoder's run."""
    pictures = [attention_in_layer(run, layer, units, special) for layer in layers]  # (H, U, U), (H, U)
    removed = {} if special == "show" else {"removed": np.stack([mass for _, mass in pictures])}
    return LayersAttention(np.stack([weights for weights, _ in pictures]), removed | _sinks(run, units, layers))


def _sinks(run: Trace, units: Units, layers: Sequence[int]) -> dict[str, FloatArray]:
    """(N, H, U) what each unit gives to the sinks of some layers, by the name of the tensor; nothing without sinks."""
    if all(layer.sink is None for layer in run.layers):
        return {}
    return {"sink": np.stack([attention_to_sink(run, layer, units) for layer in layers])}


def numbers_of(run: Trace, units: Units) -> Sequence[int] | None:
    """(U,) the displayed numbers of an excerpt's units: positions in the text. None for another run's indices."""
    return None if run.whole is None else [run.tokens.first + members[0] for members in units.members]


def attention_of_generation(
    run: Generation, source: Units, target: Units, special: Special, layers: Sequence[int]
) -> LayersAttention:
    """Some layers' attentions of an encoder-decoder, all three in one square.

    The tensors of the attention to hidden tokens are named "removed_" and the attention's kind.
    """
    squares = [combined_attention(run, layer, source, target, special=special) for layer in layers]
    removed = {} if special == "show" else _removed_by_kind(squares, run.num_heads)
    return LayersAttention(np.stack([square.attention for square in squares]), removed)


def _removed_by_kind(squares: Sequence[CombinedAttention], heads: int) -> Mapping[str, FloatArray]:
    """(N, H, Q) of every kind of attention, 0 in layers without it."""
    kinds = {kind: mass.shape[-1] for square in squares for kind, mass in square.removed.items()}
    nothing = {kind: np.zeros((heads, queries), np.float32) for kind, queries in kinds.items()}
    return {
        f"removed_{kind}": np.stack([square.removed.get(kind, none) for square in squares])
        for kind, none in nothing.items()
    }


def neurons_of_trace(run: Trace, shown: Units, special: Special, layers: Sequence[int]) -> LayersNeurons:
    """Queries and keys of some layers of an encoder's run.

    Raises:
        NotCapturedError: the model returned its weights only.
    """
    attentions = [run.layers[layer] for layer in layers]
    biases = [attention.added_to_scores() for attention in attentions]
    excerpt, removed = None, _sinks(run, shown, layers)
    if run.whole is not None or removed:
        within = np.stack([attention.weights().sum(axis=-1) for attention in attentions])  # (N, H, T)
        excerpt = Excerpt(run.tokens.first, len(run.whole.tokens), within) if run.whole is not None else None
        removed |= {} if excerpt else {"within": within}
    if special != "show":
        mass = [attention_in_layer(run, layer, shown, special)[1] for layer in layers]  # (H, U) each
        removed["removed"] = np.stack(mass)
    return LayersNeurons(
        queries=np.stack([run.queries(layer) for layer in layers]),
        keys=np.stack([run.keys(layer) for layer in layers]),
        scaling=[attention.scaling for attention in attentions],
        bias=_stacked(biases, run.num_heads, len(run.tokens)),
        excerpt=excerpt,
        removed=removed,
    )


def _stacked(biases: Sequence[FloatArray | None], heads: int, tokens: int) -> FloatArray | None:
    """(N, H, T, T) of N layers, 0 in those without a bias; None if no layer has one."""
    if all(bias is None for bias in biases):
        return None
    nothing = np.zeros((heads, tokens, tokens), np.float32)
    return np.stack([nothing if bias is None else bias for bias in biases])


def neurons_of_generation(run: Generation, kind: AttentionKind, layers: Sequence[int]) -> LayersNeurons:
    """Queries and keys of some layers of one attention of an encoder-decoder, over source and target tokens.

    Raises:
        NotCapturedError: the model returned its weights only.
    """
    found = [[combined_head(run, kind, layer, head) for head in range(run.num_heads)] for layer in layers]
    queries, keys, bias = (
        np.stack([np.stack([getattr(head, name) for head in heads]) for heads in found])
        for name in ("query", "key", "bias")
    )
    return LayersNeurons(queries=queries, keys=keys, scaling=[heads[0].scaling for heads in found], bias=bias)


def heads_of_trace(run: Trace, shown: Units, special: Special, layers: Sequence[int] | None = None) -> Heads:
    """All heads of an encoder's run, or of some layers.

    It processes a layer at a time, or one in each of two threads, to limit memory.
    """

    def of_layer(layer: int) -> tuple[FloatArray, HeadProfiles, FloatArray]:
        attention, mass = attention_in_layer(run, layer, shown, special)  # (H, U, U), (H, U)
        return max_pooled(attention, THUMBNAIL), _profiles(run, layer), mass

    with ThreadPoolExecutor(THREADS) as pool:
        each = pool.map if len(run.tokens) >= LONG else map
        pictures, profiles, removed = zip(
            *each(of_layer, range(run.num_layers) if layers is None else layers), strict=True
        )
    measures = usual_measures(stack_layers(profiles), separator_among(run.tokens.labels, run.tokens.special))
    return Heads(np.stack(pictures), measures, np.stack(removed))


def _profiles(run: Trace, layer: int) -> HeadProfiles:
    """Of the heads of a layer; of an excerpt, on its rows over all tokens of the text."""
    excerpt = run.layers[layer]
    if run.whole is None or not isinstance(excerpt, LayerExcerpt):
        return head_profiles(run.weights(layer), run.tokens.special)
    special, first = run.whole.tokens.special, run.tokens.first
    return stack_layers([head_profiles(rows, special, first=first) for rows in excerpt.weights_over_text()])


def separator_among(labels: Sequence[str], special: Sequence[bool]) -> str | None:
    """The last special token after a text's first token, such as "[SEP]"; None without one."""
    separators = [label for label, is_special in zip(labels[1:], special[1:], strict=True) if is_special]
    return separators[-1] if separators else None
