"""The same encoder as chapter 3 of "Natural Language Processing with Transformers" builds it: a module for every head.

Every head has its own three projections, its own scores and its own weights; their contexts are concatenated. The
layer norms stand where BERT has them (the chapter shows both places), so that BERT's weights give BERT's numbers.

Source: Tunstall et al. (2022), chapter 3.
"""

from __future__ import annotations

import math
from typing import cast

import torch
from torch import Tensor, nn

from encoder.transformer.attention import MultiHeadAttention
from encoder.transformer.encoder import Embeddings, Encoder, EncoderLayer


class Head(nn.Module):
    """One head: (B, T, D) to (B, T, K)."""

    def __init__(self, attention: MultiHeadAttention, head: int) -> None:
        super().__init__()
        self.query, self.key, self.value = (
            _linear(*attention.head_projection(name, head)) for name in ("query", "key", "value")
        )

    def forward(self, hidden_states: Tensor) -> Tensor:
        query, key, value = self.query(hidden_states), self.key(hidden_states), self.value(hidden_states)
        scores = torch.bmm(query, key.transpose(1, 2)) / math.sqrt(query.size(-1))  # (B, T, T)
        return torch.bmm(scores.softmax(dim=-1), value)  # (B, T, K)


class Layer(nn.Module):
    """Heads one after the other, concatenated and projected; then the feed-forward part."""

    def __init__(self, layer: EncoderLayer) -> None:
        super().__init__()
        self.heads = nn.ModuleList(Head(layer.attention, head) for head in range(layer.attention.num_heads))
        self.output = layer.attention.output
        self.attention_norm = layer.attention_norm
        self.feed_forward = layer.feed_forward
        self.feed_forward_norm = layer.feed_forward_norm

    def forward(self, x: Tensor) -> Tensor:
        context = torch.cat([head(x) for head in self.heads], dim=-1)  # (B, T, D)
        x = self.attention_norm(x + self.output(context))
        return self.feed_forward_norm(x + self.feed_forward(x))  # (B, T, D)


class TextbookEncoder(nn.Module):
    """The textbook's network with the weights of one of ours, which must be post-norm as BERT is."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.embeddings: Embeddings = encoder.embeddings
        self.layers = nn.ModuleList(Layer(cast(EncoderLayer, layer)) for layer in encoder.layers)

    def forward(self, input_ids: Tensor) -> Tensor:
        """(B, T) to (B, T, D)."""
        x = self.embeddings(input_ids)
        for layer in self.layers:
            x = layer(x)
        return x


def _linear(weight: Tensor, bias: Tensor) -> nn.Linear:
    linear = nn.Linear(weight.shape[1], weight.shape[0])
    with torch.no_grad():
        linear.weight.copy_(weight)
        linear.bias.copy_(bias)
    return linear
