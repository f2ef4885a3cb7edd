"""GlobEnc: shares of lengths in a whole layer."""

from __future__ import annotations

import torch

from encoder.attribution.layer_runs import LayerRun
from encoder.attribution.methods.lengths import lengths_with_residual, undivided
from encoder.attribution.methods.rollout import shares
from encoder.models.tensors import to_numpy
from encoder.runs.arrays import FloatArray


@torch.no_grad()
def globenc(run: LayerRun) -> FloatArray:
    """(T, T) shares of each token in a whole layer, in [0, 1]; rows sum to 1.

    The feed-forward network is left out; its residual connection and the second layer norm are included. The divisors
    of both norms are common to a row and cancel in its shares.

    Source: Modarressi et al. (2022), section 3 (N_ENC).
    """
    first, second = run.block.attention_norm, run.block.feed_forward_norm
    return shares(to_numpy(lengths_with_residual(run, lambda vectors: undivided(undivided(vectors, first), second))))
