"""One layer of one run, linearised: nonlinear parts are held at their values in this run.

Attention weights, the standard deviations of both layer norms, and the slope activation(u) / u of each unit of the
feed-forward are taken from the run. With these fixed, a layer maps a sum of vectors to the sum of their images.

S counts sources: vectors that sum to a token's state, one from each input token.

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

TINY = 1e-6  # replaces inputs of exactly 0: the slope there is the limit of activation(u) / u


@dataclass(frozen=True, slots=True, eq=False)
class LayerRun:
    """One layer's computation on one text.

    Attributes:
        block: the layer's modules.
        weights: (H, T, T) attention weights; 0 in silenced heads.
        states: (T, D) input of the layer.
        values: (H, T, K).
        attention_sum: (T, D) attention output plus `states`, before the first layer norm.
        attended: (T, D) after the first layer norm.
        units: (T, F) inputs of the activation function.
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
        """(H, T, D) f(x) of each head: its value vector times its part of the output projection, without bias.

        Source: Kobayashi et al. (2020), equation 3.
        """
        heads, _, width = self.values.shape
        projection = self.block.output.weight.T.reshape(heads, width, -1)  # (H, K, D)
        return self.values @ projection  # (H, T, D)

    def attention_vectors(self, rows: slice) -> Tensor:
        """(R, T, D) summands of some queries' states before the first layer norm, with residual, without bias."""
        weights = self.weights[:, rows]  # (H, R, T)
        vectors = torch.einsum("hij,hjd->ijd", weights, self.transformed_values)  # (R, T, D)
        positions = torch.arange(len(self.states), device=vectors.device)[rows]  # (R,)
        vectors[torch.arange(len(positions), device=vectors.device), positions] += self.states[rows]
        return vectors

    def attended_vectors(self, rows: slice) -> Tensor:
        """(R, T, D) the same after the first layer norm, without its bias."""
        norm = self.block.attention_norm
        deviations = deviation(norm, self.attention_sum[rows])[:, None]  # (R, 1, 1)
        return normalised(self.attention_vectors(rows), norm, deviations)

    def carry(self, vectors: Tensor, bias: Tensor, value_bias: Tensor | None = None) -> Tensor:
        """Propagate vectors that sum to the layer's input to vectors that sum to its output.

        Args:
            vectors: (S, T, D).
            bias: (S, 1, 1) or (S, T, 1), each source's share of every bias of the layer; shares sum to 1.
            value_bias: (S, T, 1), shares of the value bias by token; None = as `bias`.
        Returns:
            (S, T, D).
        Source: Modarressi et al. (2023), section 3, with the activation as a line through zero.
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
        """(T, F) activation(u) / u of each unit."""
        return slopes(self.block.activation, self.units)


def layer_runs(backend: Backend, trace: Trace, layers: Sequence[int] | None = None) -> Iterator[LayerRun]:
    """The layers of a run, lazily: only one of them is in memory.

    Args:
        layers: the layers to yield, in this order; None = all.
    Raises:
        ShapeError: the trace is another model's.
        SelectionError: there is no such layer.
    """
    blocks = blocks_of(backend)
    if trace.model_name != backend.name or trace.num_layers != len(blocks):
        raise ShapeError(f"This is a trace of {trace.model_name!r}, but the model is {backend.name!r}.")
    for layer in range(len(blocks)) if layers is None else layers:
        if not 0 <= layer < len(blocks):
            raise SelectionError(f"Layer {layer} was asked for; {backend.name} has layers 0 to {len(blocks) - 1}.")
        yield _of_trace(blocks[layer], trace, layer, device_of(backend.modules[0]))


@torch.no_grad()
def runs_from(backend: Backend, batch: Batch, embeddings: Tensor) -> tuple[list[LayerRun], Tensor]:
    """All layers of a run with embedding outputs (T, D) substituted for those of a text, a batch of one.

    Returns:
        The layers, and the (T, D) output of the last one.
    """
    blocks = blocks_of(backend)
    recorder = Recorder(Point("weights"), Point("value"), keep=lambda tensor: tensor[0])
    substituted = {Point("embedding"): (lambda _, __: embeddings[None],)}
    hidden_states = backend.run_batch(batch, substituted, recorder.hooks).hidden_states
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
    """(..., F) activation(u) / u for inputs (..., F); the limit at 0."""
    units = torch.where(units == 0, torch.full_like(units, TINY), units)
    return activation(units) / units


def deviation(norm: nn.LayerNorm, total: Tensor) -> Tensor:
    """(..., D) inputs of a layer norm to the (..., 1) standard deviations that it divides them by."""
    return (total.var(-1, unbiased=False, keepdim=True) + norm.eps).sqrt()


def normalised(vectors: Tensor, norm: nn.LayerNorm, deviations: Tensor) -> Tensor:
    """A layer norm on (..., D) parts of its input, with given (..., 1) standard deviations and without bias.

    Source: Kobayashi et al. (2021), equation 10.
    """
    return (vectors - vectors.mean(-1, keepdim=True)) / deviations * norm.weight


def _linear(linear: nn.Linear, vectors: Tensor, bias: Tensor) -> Tensor:
    """A linear layer on parts (S, T, in) of its input; each part gets a share (S, 1 or T, 1) of the bias."""
    return vectors @ linear.weight.T + bias * linear.bias
