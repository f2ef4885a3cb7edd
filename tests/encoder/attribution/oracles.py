"""The numbers of `encoder.attribution`, slowly: in loops over tokens, heads and sources, in double precision."""

import numpy as np
import torch
from numpy.typing import NDArray

from encoder.attribution.score_terms import Origin
from encoder.models.layer_module_names import Block, EmbeddingBlock
from encoder.runs.trace import Trace

Array = NDArray[np.float64]


def array(tensor: torch.Tensor) -> Array:
    return tensor.detach().double().numpy()


def attention_parts(block: Block, trace: Trace, layer: int) -> tuple[Array, Array]:
    """(H, T, T, D) what each head moves from key to query; (T, T, D) their sum, with the residual connection."""
    weights, states = trace.weights(layer).astype(float), trace.hidden_states[layer].astype(float)
    heads, tokens, width = len(weights), *states.shape
    size = width // heads
    moved = np.zeros((heads, tokens, tokens, width))
    for head in range(heads):
        rows = slice(head * size, (head + 1) * size)
        for query in range(tokens):
            for key in range(tokens):
                value = array(block.value.weight)[rows] @ states[key] + array(block.value.bias)[rows]
                moved[head, query, key] = weights[head, query, key] * (array(block.output.weight)[:, rows] @ value)
    total = moved.sum(0)
    for token in range(tokens):
        total[token, token] += states[token]
    return moved, total


def normed(parts: Array, norm: torch.nn.LayerNorm, total: Array) -> Array:
    """(T, T, D) parts of sums (T, D) after a layer norm, without its bias."""
    result = np.zeros_like(parts)
    for token in range(len(parts)):
        deviation = np.sqrt(total[token].var() + norm.eps)
        for source in range(parts.shape[1]):
            part = parts[token, source]
            result[token, source] = (part - part.mean()) / deviation * array(norm.weight)
    return result


def after_attention(block: Block, trace: Trace, layer: int) -> tuple[Array, Array]:
    """(T, T, D) parts of what leaves the first layer norm, and (T, D) what leaves it."""
    _, parts = attention_parts(block, trace, layer)
    total = parts.sum(1) + array(block.output.bias)  # (T, D)
    parts = normed(parts, block.attention_norm, total)
    with torch.no_grad():
        return parts, array(block.attention_norm(torch.tensor(total).float()))


def feed_forward_sum(block: Block, attended: Array) -> tuple[Array, Array]:
    """(T, F) inputs of the activation, and (T, D) sums before the second layer norm."""
    units = attended @ array(block.up.weight).T + array(block.up.bias)
    active = array(block.activation(torch.tensor(units)))
    return units, attended + active @ array(block.down.weight).T + array(block.down.bias)


def row_shares(contributions: Array) -> Array:
    return contributions / contributions.sum(-1, keepdims=True)


def globenc(block: Block, trace: Trace, layer: int) -> Array:
    parts, attended = after_attention(block, trace, layer)
    _, total = feed_forward_sum(block, attended)
    return row_shares(np.linalg.norm(normed(parts, block.feed_forward_norm, total), axis=-1))


def alti(block: Block, trace: Trace, layer: int) -> Array:
    parts, attended = after_attention(block, trace, layer)
    tokens = len(attended)
    contributions = np.zeros((tokens, tokens))
    for query in range(tokens):
        for key in range(tokens):
            left = np.abs(attended[query] - parts[query, key]).sum()
            contributions[query, key] = max(0.0, np.abs(attended[query]).sum() - left)
    return row_shares(contributions)


def decompx(blocks: tuple[Block, ...], trace: Trace) -> Array:
    """(T, T + 1, D) vectors of the last layer, by token and source."""
    tokens, width = trace.hidden_states[0].shape
    vectors = np.zeros((tokens, tokens + 1, width))
    for token in range(tokens):
        vectors[token, token] = trace.hidden_states[0][token]
    for layer, block in enumerate(blocks):
        vectors = _decompx_layer(block, trace.weights(layer).astype(float), vectors, first=layer == 0)
    return vectors


def _decompx_layer(block: Block, weights: Array, vectors: Array, *, first: bool) -> Array:
    tokens, sources, width = vectors.shape
    size = width // len(weights)
    summed = vectors.copy()
    for head, head_weights in enumerate(weights):
        rows = slice(head * size, (head + 1) * size)
        down = array(block.output.weight)[:, rows]
        for query in range(tokens):
            for key in range(tokens):
                for source in range(sources):
                    value = array(block.value.weight)[rows] @ vectors[key, source]
                    if source == (key if first else sources - 1):
                        value = value + array(block.value.bias)[rows]
                    summed[query, source] += head_weights[query, key] * (down @ value)
    summed[:, -1] += array(block.output.bias)
    attended = normed(summed, block.attention_norm, summed.sum(1))
    attended[:, -1] += array(block.attention_norm.bias)
    units, total = feed_forward_sum(block, attended.sum(1))
    slopes = array(block.activation(torch.tensor(units))) / units
    result = np.zeros_like(vectors)
    for token in range(tokens):
        for source in range(sources):
            inner = array(block.up.weight) @ attended[token, source]
            inner = inner + array(block.up.bias) * (source == sources - 1)
            outer = array(block.down.weight) @ (inner * slopes[token])
            outer = outer + array(block.down.bias) * (source == sources - 1)
            result[token, source] = attended[token, source] + outer
    result = normed(result, block.feed_forward_norm, total)
    result[:, -1] += array(block.feed_forward_norm.bias)
    return result


def state_parts(embedding: EmbeddingBlock, blocks: tuple[Block, ...], trace: Trace, token: int) -> dict[Origin, Array]:
    """(D,) each, what a token's last state consists of, by where it was written."""
    summed = {Origin(name): part[token].astype(float) for name, part in trace.embedding_parts.items()}
    parts = _normed_parts(summed, embedding.norm, Origin("biases"))
    if embedding.projection is not None:
        parts = {origin: array(embedding.projection.weight) @ part for origin, part in parts.items()}
        parts[Origin("biases")] += array(embedding.projection.bias)
    for layer, block in enumerate(blocks):
        moved, _ = attention_parts(block, trace, layer)
        biases = Origin("biases", layer)
        parts[biases] = array(block.output.bias)
        parts |= {Origin("head", layer, head): of_head[token].sum(0) for head, of_head in enumerate(moved)}
        parts = _normed_parts(parts, block.attention_norm, biases)
        _, total = feed_forward_sum(block, sum(parts.values())[None])
        parts[Origin("feed-forward", layer)] = total[0] - sum(parts.values()) - array(block.down.bias)
        parts[biases] += array(block.down.bias)
        parts = _normed_parts(parts, block.feed_forward_norm, biases)
    return parts


def _normed_parts(parts: dict[Origin, Array], norm: torch.nn.LayerNorm, biases: Origin) -> dict[Origin, Array]:
    """Parts (D,) of a sum after a layer norm, whose bias goes to the biases."""
    deviation = np.sqrt(sum(parts.values()).var() + norm.eps)
    after = {origin: (part - part.mean()) / deviation * array(norm.weight) for origin, part in parts.items()}
    after[biases] = after.get(biases, 0) + array(norm.bias)
    return after
