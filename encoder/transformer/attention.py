"""Attention, from scratch: one function and one module, to be read top to bottom.

Axis letters: B batch, H heads, T tokens, D model width, K head width (D / H). Masks follow one convention
throughout: boolean, True = this key may be attended, broadcastable to (B, H, T, T). Where keys and values come from
other tokens than the queries, as in a decoder that reads an encoder's output, the last of these is S, the source's.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from encoder.errors import ShapeError
from encoder.transformer.config import EncoderConfig


class KeyValue(NamedTuple):
    """What can be attended to: the keys that queries are held against, and the values that they gather."""

    key: Tensor  # (B, H, T, K)
    value: Tensor  # (B, H, T, K)

    def followed_by(self, later: KeyValue) -> KeyValue:
        """The keys and values of these tokens, and of later ones behind them."""
        return KeyValue(torch.cat((self.key, later.key), dim=2), torch.cat((self.value, later.value), dim=2))


class Attention(NamedTuple):
    """Every intermediate of one attention step.

    With `fused=True` the kernel never forms `scores` and `weights`, and they are None.
    """

    query: Tensor  # (B, H, T, K)
    key: Tensor  # (B, H, T, K)
    value: Tensor  # (B, H, T, K)
    scores: Tensor | None  # (B, H, T, T), scaled and masked
    weights: Tensor | None  # (B, H, T, T), rows sum to 1
    context: Tensor  # (B, H, T, K)


def padding_mask(attention_mask: Tensor) -> Tensor:
    """Which keys are real tokens, for every head and every query.

    Args:
        attention_mask: (B, T), 1 = real token, 0 = padding.
    Returns:
        (B, 1, 1, T) boolean, True = may be attended. The two axes of size one broadcast over heads and
        queries: a plain (B, T) or (T, T) mask would silently line up with the wrong axes.
    """
    return attention_mask.bool()[:, None, None, :]  # (B, 1, 1, T)


def causal_mask(length: int, *, device: torch.device | None = None) -> Tensor:
    """Which keys lie at or before each query: (1, 1, T, T) boolean, True = may be attended."""
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()[None, None]  # (1, 1, T, T)


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    *,
    dropout: float = 0.0,
    training: bool = False,
    fused: bool = False,
) -> Attention:
    """softmax(Q Kᵀ / √K) V, with the scores and weights beside the result.

    Args:
        query, key, value: (B, H, T, K).
        mask: boolean, broadcastable to (B, H, T, T); True = may be attended. None = every key.
        dropout: probability with which a weight is zeroed while training.
        fused: use torch's fused kernel, which is faster and forms neither scores nor weights.
    Returns:
        Attention. A query that may attend to nothing gets weights and a context of zero.
    Raises:
        ShapeError: queries and keys differ in width, or the mask does not broadcast to (B, H, T, T).
    Source: Vaswani et al. (2017), equation 1.
    """
    if query.shape[-1] != key.shape[-1]:
        raise ShapeError(f"Queries are {query.shape[-1]} wide and keys {key.shape[-1]}: they must agree.")
    _check_mask(mask, query, key)
    if fused:
        context = F.scaled_dot_product_attention(
            query, key, value, attn_mask=mask, dropout_p=dropout if training else 0.0
        )  # (B, H, T, K)
        return Attention(query, key, value, None, None, context)

    scores = query @ key.transpose(-1, -2)  # (B, H, T, T)
    scores = scores / math.sqrt(query.shape[-1])  # keeps the variance of a dot product at 1, whatever K is
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)  # (B, H, T, T)
    weights = scores.softmax(dim=-1)  # over the keys: every query row sums to 1
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)  # exact zeros, and a row without any key stays zero
    context = F.dropout(weights, dropout, training) @ value  # (B, H, T, K)
    return Attention(query, key, value, scores, weights, context)


def _check_mask(mask: Tensor | None, query: Tensor, key: Tensor) -> None:
    if mask is None:
        return
    wanted = (*query.shape[:-1], key.shape[-2])  # (B, H, T, T)
    if mask.dtype != torch.bool:
        raise ShapeError(f"The mask is {mask.dtype}; a boolean one is needed (True = may be attended).")
    if mask.dim() != len(wanted) or any(have not in (1, want) for have, want in zip(mask.shape, wanted, strict=True)):
        raise ShapeError(
            f"A mask of shape {tuple(mask.shape)} does not broadcast over batch and heads to {wanted}: "
            "make it with padding_mask or causal_mask."
        )


class MultiHeadAttention(nn.Module):
    """H heads side by side, each with its own query, key and value projection of width K = D / H.

    The projections of all heads are stored fused, as one (D, D) matrix each, because one large product is
    faster than H small ones; rows h*K to (h+1)*K belong to head h, and `head_projection` shows them alone.

    Source: Vaswani et al. (2017), section 3.2.2.
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.num_heads = config.num_attention_heads
        self.head_width = config.head_width
        self.dropout = config.attention_probs_dropout_prob
        self.query = nn.Linear(config.hidden_size, config.hidden_size)
        self.key = nn.Linear(config.hidden_size, config.hidden_size)
        self.value = nn.Linear(config.hidden_size, config.hidden_size)
        self.output = nn.Linear(config.hidden_size, config.hidden_size)

    def head_projection(self, name: str, head: int) -> tuple[Tensor, Tensor]:
        """Weight (K, D) and bias (K,) of one head's "query", "key" or "value" projection."""
        rows = slice(head * self.head_width, (head + 1) * self.head_width)
        projection: nn.Linear = getattr(self, name)
        return projection.weight[rows], projection.bias[rows]

    def split_heads(self, x: Tensor) -> Tensor:
        """(B, T, D) to (B, H, T, K)."""
        batch, tokens, _ = x.shape
        return x.view(batch, tokens, self.num_heads, self.head_width).transpose(1, 2)  # (B, H, T, K)

    def merge_heads(self, x: Tensor) -> Tensor:
        """(B, H, T, K) to (B, T, D): the heads' contexts one after the other."""
        return x.transpose(1, 2).flatten(start_dim=2)  # (B, T, D)

    def key_value(self, hidden_states: Tensor) -> KeyValue:
        """Keys and values of (B, T, D) states."""
        return KeyValue(
            self.split_heads(self.key(hidden_states)),  # (B, H, T, K)
            self.split_heads(self.value(hidden_states)),  # (B, H, T, K)
        )

    def forward(
        self,
        hidden_states: Tensor,
        mask: Tensor | None = None,
        *,
        key_value: KeyValue | None = None,
        silenced: Tensor | None = None,
        fused: bool = False,
    ) -> tuple[Tensor, Attention]:
        """Let every token gather from the tokens it attends to.

        Args:
            hidden_states: (B, T, D).
            mask: as in `scaled_dot_product_attention`.
            key_value: what is attended to; None = the keys and values of `hidden_states` themselves.
            silenced: (B or 1, H) boolean, True = this head's context is replaced by zero before the output projection.
        Returns:
            (B, T, D) attention output, and the intermediates of all heads (as computed, before silencing).
        """
        query = self.split_heads(self.query(hidden_states))  # (B, H, T, K)
        key, value = self.key_value(hidden_states) if key_value is None else key_value  # (B, H, T, K) each
        attention = scaled_dot_product_attention(
            query,
            key,
            value,
            mask,
            dropout=self.dropout,
            training=self.training,
            fused=fused,
        )
        context = attention.context  # (B, H, T, K)
        if silenced is not None:
            context = context.masked_fill(silenced[:, :, None, None], 0.0)  # (B, H, T, K)
        return self.output(self.merge_heads(context)), attention  # (B, T, D)
