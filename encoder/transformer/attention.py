"""Attention from scratch: one function and the modules around it, to be read top to bottom.

Axis letters: B batch, H heads, T query tokens, D model width, K head width (D / H), S key tokens. In self-attention S
is T; in cross-attention, S counts the tokens of the encoder's output.

Masks are boolean, True = this key may be attended, and broadcast to (B, H, T, S).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from encoder.errors import ShapeError
from encoder.transformer.config import EncoderConfig


class Attention(NamedTuple):
    """The result of one attention step. The fused kernel computes no scores and weights: both are then None."""

    scores: Float[Tensor, "B H T S"] | None  # scaled and masked, before softmax
    weights: Float[Tensor, "B H T S"] | None  # after softmax; rows sum to 1
    context: Float[Tensor, "B H T K"]  # weights @ value


def scaled_dot_product_attention(
    query: Float[Tensor, "B H T K"],
    key: Float[Tensor, "B H S _"],
    value: Float[Tensor, "B H S _"],
    mask: Tensor | None = None,
    *,
    dropout: Callable[[Tensor], Tensor] | None = None,
) -> Attention:
    """softmax(Q Kᵀ / √dₖ) V, returned with the scores and weights.

    Args:
        query: (B, H, T, K).
        key, value: (B, H, S, K).
        mask: boolean, broadcastable to (B, H, T, S); True = may be attended. None = every key.
        dropout: applied to the weights before they multiply the values; None = none.
    Returns:
        The attention, with the weights before dropout. A query without any allowed key gets zero weights and context.
    Raises:
        ShapeError: queries and keys differ in width, or the mask does not broadcast to (B, H, T, S).
    Source: Vaswani et al. (2017), equation 1.
    """
    check_shapes(query, key, mask)
    scores = query @ key.transpose(-1, -2)  # (B, H, T, S)
    scores = scores / math.sqrt(query.shape[-1])  # keeps the variance of a dot product at 1, whatever K is
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)  # (B, H, T, S)
    weights = scores.softmax(dim=-1)  # over the keys: every query row sums to 1
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)  # exact zeros, also in rows without any allowed key
    dropped = weights if dropout is None else dropout(weights)  # (B, H, T, S)
    context = dropped @ value  # (B, H, T, K)
    return Attention(scores, weights, context)


def padding_mask(attention_mask: Int[Tensor, "B S"]) -> Bool[Tensor, "B 1 1 S"]:
    """Which keys are real tokens, for every head and every query.

    Args:
        attention_mask: (B, S), 1 = real token, 0 = padding.
    Returns:
        (B, 1, 1, S) boolean, True = may be attended. The axes of size one broadcast over heads and queries; a plain
        (B, S) or (T, S) mask would silently broadcast over the wrong axes.
    """
    return attention_mask.bool()[:, None, None, :]  # (B, 1, 1, S)


def causal_mask(length: int, *, device: torch.device | None = None) -> Bool[Tensor, "1 1 T T"]:
    """Which keys are at or before each query: (1, 1, T, T) boolean, True = may be attended."""
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()[None, None]  # (1, 1, T, T)


def check_shapes(query: Tensor, key: Tensor, mask: Tensor | None) -> None:
    """Raise ShapeError if queries and keys differ in width, or a mask does not broadcast to (B, H, T, S)."""
    if query.shape[-1] != key.shape[-1]:
        raise ShapeError(f"Queries are {query.shape[-1]} wide and keys {key.shape[-1]}: they must agree.")
    if mask is None:
        return
    wanted = (*query.shape[:-1], key.shape[2])  # (B, H, T, S)
    if mask.dtype != torch.bool:
        raise ShapeError(f"The mask is {mask.dtype}; a boolean one is needed (True = may be attended).")
    if mask.dim() != len(wanted) or any(have not in (1, want) for have, want in zip(mask.shape, wanted, strict=True)):
        raise ShapeError(
            f"A mask of shape {tuple(mask.shape)} does not broadcast over batch and heads to {wanted}: "
            "make it with padding_mask or causal_mask."
        )


class ScaledDotProductAttention(nn.Module):
    """The function above as a module, with dropout.

    torch's fused kernel computes the same context faster, without scores and weights; `fused=False` returns them.
    """

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        query: Float[Tensor, "B H T K"],
        key: Float[Tensor, "B H S _"],
        value: Float[Tensor, "B H S _"],
        mask: Tensor | None = None,
        *,
        fused: bool = True,
    ) -> Attention:
        """Arguments, result and errors as in `scaled_dot_product_attention`."""
        if not fused:
            return scaled_dot_product_attention(query, key, value, mask, dropout=self.dropout)
        check_shapes(query, key, mask)
        dropout = self.dropout.p if self.training else 0.0
        context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=dropout)  # (B, H, T, K)
        return Attention(None, None, context)


class KeyValue(NamedTuple):
    """The keys that queries are compared with, and the values that are averaged."""

    key: Float[Tensor, "B H S K"]
    value: Float[Tensor, "B H S K"]

    def followed_by(self, later: KeyValue) -> KeyValue:
        """The keys and values of these tokens, followed by those of `later` ones."""
        return KeyValue(torch.cat((self.key, later.key), dim=2), torch.cat((self.value, later.value), dim=2))


class MultiHeadAttention(nn.Module):
    """H heads side by side, each with its own query, key and value projection of width K = D / H.

    The projections of all heads are stored as one (D, D) matrix each, because one large product is faster than H small
    ones. Rows h*K to (h+1)*K belong to head h; `head_projection` returns them.

    Source: Vaswani et al. (2017), section 3.2.2.
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.num_heads = config.num_attention_heads
        self.head_width = config.head_width
        self.query = nn.Linear(config.hidden_size, config.hidden_size)
        self.key = nn.Linear(config.hidden_size, config.hidden_size)
        self.value = nn.Linear(config.hidden_size, config.hidden_size)
        self.attend = ScaledDotProductAttention(config.attention_probs_dropout_prob)
        self.output = nn.Linear(config.hidden_size, config.hidden_size)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(
        self, x: Float[Tensor, "B T D"], mask: Tensor | None = None, *, key_value: KeyValue | None = None
    ) -> Float[Tensor, "B T D"]:
        """Let each token gather from the tokens that it attends to.

        Args:
            x: (B, T, D) states.
            mask: as in `scaled_dot_product_attention`.
            key_value: the keys and values to attend to; None = those of `x`.
        Returns:
            (B, T, D) attention output.
        """
        query = self.split_heads(self.query(x))  # (B, H, T, K)
        key, value = self.key_value(x) if key_value is None else key_value  # (B, H, S, K) each
        context = self.attend(query, key, value, mask).context  # (B, H, T, K)
        return self.dropout(self.output(self.merge_heads(context)))  # (B, T, D)

    def key_value(self, x: Float[Tensor, "B S D"]) -> KeyValue:
        """Keys and values of (B, S, D) states."""
        return KeyValue(
            self.split_heads(self.key(x)),  # (B, H, S, K)
            self.split_heads(self.value(x)),  # (B, H, S, K)
        )

    def split_heads(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B H T K"]:
        """(B, T, D) to (B, H, T, K)."""
        batch, tokens, _ = x.shape
        return x.view(batch, tokens, self.num_heads, self.head_width).transpose(1, 2)  # (B, H, T, K)

    def merge_heads(self, x: Float[Tensor, "B H T K"]) -> Float[Tensor, "B T D"]:
        """(B, H, T, K) to (B, T, D): the heads' contexts concatenated."""
        return x.transpose(1, 2).flatten(start_dim=2)  # (B, T, D)

    def head_projection(self, name: str, head: int) -> tuple[Float[Tensor, "K D"], Float[Tensor, " K"]]:
        """Weight (K, D) and bias (K,) of one head's "query", "key" or "value" projection."""
        rows = slice(head * self.head_width, (head + 1) * self.head_width)
        projection = {"query": self.query, "key": self.key, "value": self.value}[name]
        return projection.weight[rows], projection.bias[rows]
