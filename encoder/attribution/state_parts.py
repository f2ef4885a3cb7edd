"""What a token's state consists of: every vector that was written into it on its way, through norms held fixed.

Word, position and token-type embeddings, the output of every earlier head at this token, the output of every earlier
feed-forward block, and the biases of each layer. Each is carried from where it was written to the state in question
along the residual connections alone: a layer norm divides it by the deviation that it divided the whole sum by in this
run. The vectors then sum to the state.

What a head writes was gathered from other tokens. Here it counts as the head's, wherever it came from.

Source: Elhage et al. (2021), "A mathematical framework for transformer circuits", for the residual stream as a sum;
Kobayashi et al. (2021), equation 10, for the layer norm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from encoder.attribution.layer_runs import LayerRun, deviation, layer_runs, normalised
from encoder.errors import SelectionError
from encoder.models.base import Backend
from encoder.models.layer_module_names import embedding_block_of
from encoder.models.tensors import to_numpy
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace

EmbeddingPart = Literal["word", "position", "token type"]
OriginKind = Literal["word", "position", "token type", "head", "feed-forward", "biases", "projection bias"]


class Origin(NamedTuple):
    """Where a vector comes from.

    `layer` is None for the embeddings and their biases. A "projection bias" is that of the queries or keys themselves,
    which no state has; only a score does.
    """

    kind: OriginKind
    layer: int | None = None
    head: int | None = None

    @property
    def removable(self) -> bool:
        """Whether it belongs to this text: biases are the same in every run."""
        return self.kind not in ("biases", "projection bias")


@dataclass(frozen=True, slots=True, eq=False)
class StateParts:
    """The states of P tokens as sums of S vectors.

    Attributes:
        origins: S, the embeddings first, then layer by layer.
        vectors: (S, P, D); summed over S they are the states.
    """

    origins: tuple[Origin, ...]
    vectors: FloatArray


def state_parts(backend: Backend, trace: Trace, state_index: int, positions: Sequence[int]) -> StateParts:
    """Take some tokens' states apart.

    Args:
        backend: the model that made the trace.
        state_index: which of the L + 1 hidden states; 0 is the embedding output.
        positions: P tokens.
    Raises:
        SelectionError: there is no such state or token.
        UnsupportedModelError: the model cannot be taken apart.
    """
    if not 0 <= state_index <= trace.num_layers:
        raise SelectionError(f"State {state_index} was to be taken apart; there are 0 to {trace.num_layers}.")
    check_positions(trace, positions)
    rows = list(positions)
    origins, vectors = _embedding_parts(backend, trace, rows)
    for layer, run in enumerate(layer_runs(backend, trace, range(state_index))):
        vectors = _through_layer(run, vectors, rows)
        written = [Origin("head", layer, head) for head in range(trace.num_heads)]
        origins += [*written, Origin("feed-forward", layer), Origin("biases", layer)]
    return StateParts(tuple(origins), to_numpy(vectors))


def check_positions(trace: Trace, positions: Sequence[int]) -> None:
    """Raise SelectionError where a text has no such token."""
    if not all(0 <= position < len(trace.tokens) for position in positions):
        raise SelectionError(
            f"The tokens {tuple(positions)} were asked for; this text has 0 to {len(trace.tokens) - 1}."
        )


@torch.no_grad()
def _embedding_parts(backend: Backend, trace: Trace, rows: list[int]) -> tuple[list[Origin], Tensor]:
    """(S, P, D) what the embedding output consists of: its parts, and the biases behind them."""
    norm, projection = embedding_block_of(backend)
    origins = [Origin(name) for name in embedding_names(trace)]
    parts = torch.stack([torch.tensor(trace.embedding_parts[origin.kind][rows]) for origin in origins])  # (S, P, E)
    parts = parts.to(norm.weight.device)
    vectors = normalised(parts, norm, deviation(norm, parts.sum(0)))
    vectors = torch.cat((vectors, norm.bias.expand_as(vectors[:1])))  # (S, P, E)
    if projection is not None:
        vectors = vectors @ projection.weight.T  # (S, P, D)
        vectors[-1] += projection.bias
    return [*origins, Origin("biases")], vectors


def embedding_names(trace: Trace) -> tuple[EmbeddingPart, ...]:
    """Which embeddings are summed in the model that made a trace."""
    names: tuple[EmbeddingPart, ...] = ("word", "position", "token type")
    return tuple(name for name in names if name in trace.embedding_parts)


@torch.no_grad()
def _through_layer(run: LayerRun, vectors: Tensor, rows: list[int]) -> Tensor:
    """Parts (S, P, D) of the states going into a layer, to those coming out: H heads, feed-forward and biases more."""
    block = run.block
    biases = block.output.bias.expand_as(vectors[:1])  # (1, P, D)
    vectors = torch.cat((vectors, head_outputs(run, rows), biases))
    vectors = normalised(vectors, block.attention_norm, deviation(block.attention_norm, run.attention_sum[rows]))
    vectors[-1] += block.attention_norm.bias
    of_feed_forward = run.feed_forward_sum[rows] - run.attended[rows] - block.down.bias  # (P, D)
    vectors[-1] += block.down.bias
    vectors = torch.cat((vectors[:-1], of_feed_forward[None], vectors[-1:]))
    vectors = normalised(
        vectors, block.feed_forward_norm, deviation(block.feed_forward_norm, run.feed_forward_sum[rows])
    )
    vectors[-1] += block.feed_forward_norm.bias
    return vectors


def head_outputs(run: LayerRun, rows: list[int]) -> Tensor:
    """(H, P, D) what each head adds to some tokens: its context times its part of the output projection."""
    context = run.weights[:, rows] @ run.values  # (H, P, K)
    projection = run.block.output.weight.T.reshape(len(context), context.shape[-1], -1)  # (H, K, D)
    return context @ projection
