"""The lengths of the vectors that heads move between tokens, without and with the residual connection."""

from __future__ import annotations

import torch

from encoder.attribution.layer_runs import LayerRun, deviation
from encoder.attribution.methods.lengths import lengths_with_residual, summed_lengths, undivided
from encoder.models.tensors import to_numpy
from encoder.runs.arrays import FloatArray


@torch.no_grad()
def value_weighted_norms(run: LayerRun) -> FloatArray:
    """(H, T, T) norm of what each head moves from each key to each query: ‖α f(x)‖, in units of hidden states.

    Source: Kobayashi et al. (2020), equation 4.
    """
    return to_numpy(run.weights * run.transformed_values.norm(dim=-1)[:, None])


@torch.no_grad()
def summed_norms(run: LayerRun) -> FloatArray:
    """(T, T) norm of what all heads together move from each key to each query: ‖Σₕ αₕ fₕ(x)‖.

    Source: Kobayashi et al. (2020), section 3.
    """
    return to_numpy(summed_lengths(run.weights, run.transformed_values))


@torch.no_grad()
def residual_norms(run: LayerRun) -> FloatArray:
    """(T, T) the same with the residual connection, and after the first layer norm.

    Source: Kobayashi et al. (2021), equation 11 (AttnResLn-N).
    """
    norm = run.block.attention_norm
    lengths = lengths_with_residual(run, lambda vectors: undivided(vectors, norm))
    return to_numpy(lengths / deviation(norm, run.attention_sum))
