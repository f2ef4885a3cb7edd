"""One layer of one run as a linear map: what is not linear in it is held at the value that it had in this run.

Attention weights, the standard deviations of both layer norms, and the slope activation(u) / u of every unit of the
feed-forward are taken from the run. With them fixed, a layer maps a sum of vectors to the sum of their images.

Axis letters as everywhere, and S sources: vectors that sum to a token's state, one from each token of the input.

Source: Kobayashi et al. (2021), equations 6 to 11; Modarressi et al. (2023), section 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from encoder.errors import SelectionError, ShapeError
from encoder.models.base import Backend
from encoder.models.device import device_of
from encoder.models.hooks import Point, Recorder
from encoder.models.layer_module_names import Block, blocks_of
from encoder.models.tensors import Batch
from encoder.runs.trace import Trace

TINY = 1e-6  # stands for a unit's input of exactly 0, where the slope is the limit of activation(u) / u


@dataclass(frozen=True, slots=True, eq=False)
class LayerRun:
    """What one layer did to one text.

    Attributes:
        block: the layer's parts.
        weights: (H, T, T) attention weights; 0 in heads that were silenced.
        states: (T, D) what went in.
        values: (H, T, K).
        attention_sum: (T, D) attention output plus `states`, before the first layer norm.
        attended: (T, D) after the first layer norm.
        units: (T, F) inputs of the activation.
        feed_forward_sum: (T, D) feed-forward output plus `attended`, before the second layer norm.
    """

    block: Block
    weights: Tensor
    states: Tensor
    values: Tensor
    attention_sum: Tensor
    attended: Tensor
    units: Tensor
    feed_forward_sum: Tensor

    @property
    def transformed_values(self) -> Tensor:
        """(H, T, D) f(x) of every head: its value vector times its part of the output projection, without bias.

        Source: Kobayashi et al. (2020), equation 3.
        """
        heads, _, width = self.values.shape
        projection = self.block.output.weight.T.reshape(heads, width, -1)  # (H, K, D)
        return self.values @ projection  # (H, T, D)

    def attention_vectors(self, rows: slice) -> Tensor:
        """(R, T, D): what some queries' sums before the first layer norm consist of, residual included, bias not."""
        weights = self.weights[:, rows]  # (H, R, T)
        vectors = torch.einsum("hij,hjd->ijd", weights, self.transformed_values)  # (R, T, D)
        positions = torch.arange(len(self.states), device=vectors.device)[rows]  # (R,)
        vectors[torch.arange(len(positions), device=vectors.device), positions] += self.states[rows]
        return vectors

    def attended_vectors(self, rows: slice) -> Tensor:
        """(R, T, D): the same after the first layer norm, whose bias is left out."""
        norm = self.block.attention_norm
        deviations = deviation(norm, self.attention_sum[rows])[:, None]  # (R, 1, 1)
        return normalised(self.attention_vectors(rows), norm, deviations)

    def carry(self, vectors: Tensor, bias: Tensor, value_bias: Tensor | None = None) -> Tensor:
        """Vectors that sum to the states going in, to vectors that sum to the states coming out.

        Args:
            vectors: (S, T, D).
            bias: (S, 1, 1) or (S, T, 1), the share of every bias of the layer that a source takes, everywhere or by
                token; they sum to 1.
            value_bias: (S, T, 1), the same for the bias of the values, by token; None = as the others.
        Returns:
            (S, T, D).
        Source: Modarressi et al. (2023), section 3, with a slope through zero for the activation.
        """
        block = self.block
        sources, tokens, _ = vectors.shape
        value_bias = bias if value_bias is None else value_bias
        values = _linear(block.value, vectors, value_bias).reshape(
            sources, tokens, len(self.weights), -1
        )  # (S, T, H, K)
        context = torch.einsum("hij,sjhk->sihk", self.weights, values).flatten(2)  # (S, T, D)
        attended = vectors + _linear(block.output, context, bias)  # (S, T, D)
        attended = normalised(attended, block.attention_norm, deviation(block.attention_norm, self.attention_sum))
        attended = attended + bias * block.attention_norm.bias
        units = _linear(block.up, attended, bias) * self.slopes  # (S, T, F)
        total = attended + _linear(block.down, units, bias)  # (S, T, D)
        total = normalised(total, block.feed_forward_norm, deviation(block.feed_forward_norm, self.feed_forward_sum))
        return total + bias * block.feed_forward_norm.bias

    @property
    def slopes(self) -> Tensor:
        """(T, F) activation(u) / u of every unit."""
        return slopes(self.block.activation, self.units)


def layer_runs(backend: Backend, trace: Trace, layers: Sequence[int] | None = None) -> Iterator[LayerRun]:
    """Layers of a run, one after the other; only one of them is in memory.

    Args:
        backend: the model that made the trace.
        layers: which layers, in this order; None = all.
    Raises:
        UnsupportedModelError: the model cannot be taken apart.
        ShapeError: the trace is another model's.
        SelectionError: there is no such layer.
    """
    blocks = blocks_of(backend)
    if trace.model_name != backend.name or trace.num_layers != len(blocks):
        raise ShapeError(f"This is a trace of {trace.model_name!r}, and {backend.name!r} is to take it apart.")
    for layer in range(len(blocks)) if layers is None else layers:
        if not 0 <= layer < len(blocks):
            raise SelectionError(f"Layer {layer} was asked for; {backend.name} has layers 0 to {len(blocks) - 1}.")
        yield _of_trace(blocks[layer], trace, layer, device_of(backend.modules[0]))


@torch.no_grad()
def runs_from(backend: Backend, batch: Batch, embeddings: Tensor) -> tuple[list[LayerRun], Tensor]:
    """Every layer of a run in which embedding outputs (T, D) are put in place of those of a text, a batch of one.

    Returns:
        The layers, and the (T, D) states that leave the last of them.
    Raises:
        UnsupportedModelError: the model cannot be taken apart.
    """
    blocks = blocks_of(backend)
    recorder = Recorder(Point("weights"), Point("value"), keep=lambda tensor: tensor[0])
    put_in_place = {Point("embedding"): (lambda _, __: embeddings[None],)}
    hidden_states = backend.run_batch(batch, put_in_place, recorder.hooks).hidden_states
    states = [embeddings.detach(), *(of_batch[0] for of_batch in hidden_states[1:])]  # (T, D) each
    seen = recorder.seen
    runs = [
        _layer_run(block, seen[Point("weights", layer)], states[layer], seen[Point("value", layer)])
        for layer, block in enumerate(blocks)
    ]
    return runs, states[-1]


def _of_trace(block: Block, trace: Trace, layer: int, device: torch.device) -> LayerRun:
    weights = torch.tensor(trace.weights(layer), device=device)  # (H, T, T)
    for silenced_layer, head in trace.silenced_heads:
        if silenced_layer == layer:
            weights[head] = 0
    states = torch.tensor(trace.hidden_states[layer], device=device)  # (T, D)
    return _layer_run(block, weights, states, torch.tensor(trace.values(layer), device=device))


@torch.no_grad()
def _layer_run(block: Block, weights: Tensor, states: Tensor, values: Tensor) -> LayerRun:
    context = (weights @ values).transpose(0, 1).flatten(1)  # (T, D)
    attention_sum = states + block.output(context)  # (T, D)
    attended = block.attention_norm(attention_sum)  # (T, D)
    units = block.up(attended)  # (T, F)
    feed_forward_sum = attended + block.down(block.activation(units))  # (T, D)
    return LayerRun(block, weights, states, values, attention_sum, attended, units, feed_forward_sum)


def slopes(activation: Callable[[Tensor], Tensor], units: Tensor) -> Tensor:
    """(..., F) activation(u) / u of inputs (..., F); at 0 the limit of it."""
    units = torch.where(units == 0, torch.full_like(units, TINY), units)
    return activation(units) / units


def deviation(norm: nn.LayerNorm, total: Tensor) -> Tensor:
    """(..., D) sums that a layer norm was given, to the (..., 1) numbers that it divided them by."""
    return (total.var(-1, unbiased=False, keepdim=True) + norm.eps).sqrt()


def normalised(vectors: Tensor, norm: nn.LayerNorm, deviations: Tensor) -> Tensor:
    """What a layer norm makes of (..., D) parts of its input, when it divides by (..., 1) given numbers; without bias.

    Source: Kobayashi et al. (2021), equation 10.
    """
    return (vectors - vectors.mean(-1, keepdim=True)) / deviations * norm.weight


def _linear(linear: nn.Linear, vectors: Tensor, bias: Tensor) -> Tensor:
    """A linear layer on parts (S, T, in) of its input, of whose bias every part gets a share (S, 1 or T, 1)."""
    return vectors @ linear.weight.T + bias * linear.bias
