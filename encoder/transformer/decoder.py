"""The decoder from scratch: it reads an encoder's output and writes a text token by token.

It is built from the encoder's modules, with two differences: its self-attention is causal, so that a token does not see
later ones, and between self-attention and feed-forward there is a cross-attention, with queries from the decoder and
keys and values from the encoder's output. Axis letters: B batch, L layers, H heads, T tokens of the decoder, S tokens
of the encoder (the source), D model width, K head width, V vocabulary.

Source: Vaswani et al. (2017), figure 1, right, and section 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from encoder.transformer.attention import KeyValue, MultiHeadAttention, causal_mask, padding_mask
from encoder.transformer.config import EncoderConfig
from encoder.transformer.encoder import Embeddings, FeedForward, final_norm, init_weights, layer_norm


@dataclass(slots=True)
class LayerCache:
    """Keys and values that a layer would otherwise recompute for every further token.

    Attributes:
        own: of the P tokens read so far; None before the first.
        source: of the encoder's output; None before the first pass.
    """

    own: KeyValue | None = None  # (B, H, P, K) each
    source: KeyValue | None = None  # (B, H, S, K) each


class Cache:
    """A cache per layer, for one batch of texts on one source; each pass of the decoder adds its tokens."""

    def __init__(self, num_layers: int) -> None:
        self.layers = tuple(LayerCache() for _ in range(num_layers))

    @property
    def length(self) -> int:
        """P, the number of tokens read so far."""
        own = self.layers[0].own
        return 0 if own is None else own.key.shape[2]


class DecoderLayer(nn.Module):
    """Causal self-attention, cross-attention, feed-forward; norms as in `EncoderLayer`."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.pre_norm = config.norm == "pre"
        self.attention = MultiHeadAttention(config)
        self.attention_norm = layer_norm(config)
        self.cross_attention = MultiHeadAttention(config)
        self.cross_attention_norm = layer_norm(config)
        self.feed_forward = FeedForward(config)
        self.feed_forward_norm = layer_norm(config)

    def forward(
        self,
        x: Float[Tensor, "B T D"],
        source: Float[Tensor, "B S D"],
        mask: Tensor,
        source_mask: Tensor | None = None,
        *,
        cache: LayerCache | None = None,
    ) -> Float[Tensor, "B T D"]:
        """One layer for T tokens, with P tokens before them in the cache.

        Args:
            x: (B, T, D).
            source: (B, S, D), the encoder's output.
            mask: causal, broadcastable to (B, H, T, P + T).
            source_mask: (B, 1, 1, S), from `padding_mask`.
            cache: keys and values of earlier tokens; those of these tokens are added. None = no earlier tokens.
        """
        cache = cache or LayerCache()
        if self.pre_norm:
            x = x + self.attend_to_own_tokens(self.attention_norm(x), mask, cache)  # (B, T, D)
            x = x + self.attend_to_source(self.cross_attention_norm(x), source, source_mask, cache)  # (B, T, D)
            return x + self.feed_forward(self.feed_forward_norm(x))  # (B, T, D)
        x = self.attention_norm(x + self.attend_to_own_tokens(x, mask, cache))  # (B, T, D)
        x = self.cross_attention_norm(x + self.attend_to_source(x, source, source_mask, cache))  # (B, T, D)
        return self.feed_forward_norm(x + self.feed_forward(x))  # (B, T, D)

    def attend_to_own_tokens(self, x: Float[Tensor, "B T D"], mask: Tensor, cache: LayerCache) -> Tensor:
        """Causal self-attention over P + T tokens; their keys and values are cached."""
        own = self.attention.key_value(x)  # (B, H, T, K) each
        cache.own = own if cache.own is None else cache.own.followed_by(own)  # (B, H, P + T, K) each
        return self.attention(x, mask, key_value=cache.own)  # (B, T, D)

    def attend_to_source(
        self, x: Float[Tensor, "B T D"], source: Float[Tensor, "B S D"], mask: Tensor | None, cache: LayerCache
    ) -> Tensor:
        """Cross-attention; the source's keys and values are computed in the first pass."""
        if cache.source is None:
            cache.source = self.cross_attention.key_value(source)  # (B, H, S, K) each
        return self.cross_attention(x, mask, key_value=cache.source)  # (B, T, D)


class DecoderOutput(NamedTuple):
    """The result of one pass through the decoder."""

    logits: Float[Tensor, "B T V"]  # of the next token
    hidden_states: tuple[Float[Tensor, "B T D"], ...]  # L + 1: the embeddings, then after every layer

    @property
    def last_hidden_state(self) -> Float[Tensor, "B T D"]:
        """(B, T, D)."""
        return self.hidden_states[-1]


class Decoder(nn.Module):
    """Embeddings, a stack of decoder layers, and an output projection that is tied to the word embeddings.

    Tied means that a word's logit is the dot product of the last state with the word's embedding, plus a bias (Press &
    Wolf 2017). A pre-norm stack ends with a layer norm, as in the encoder.
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.config = config
        self.embeddings = Embeddings(config)
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(config.num_hidden_layers))
        self.final_norm = final_norm(config)
        self.output_bias = nn.Parameter(torch.zeros(config.vocab_size))
        self.apply(partial(init_weights, std=config.initializer_range))

    def forward(
        self,
        input_ids: Int[Tensor, "B T"],
        source: Float[Tensor, "B S D"],
        source_attention_mask: Int[Tensor, "B S"] | None = None,
        *,
        cache: Cache | None = None,
    ) -> DecoderOutput:
        """Read T tokens: a whole text in training, or those after the cached ones.

        Args:
            input_ids: (B, T) vocabulary ids, without the cached ones.
            source: (B, S, D), the encoder's output.
            source_attention_mask: (B, S), 1 = real token; None = all real.
            cache: filled by earlier passes on the same source; this pass adds its tokens. With a cache, a new token
                costs one row per attention, and `source` is projected only once.
        Raises:
            ShapeError: there are more tokens than positions.
        """
        cache = cache or Cache(len(self.layers))
        start = cache.length
        mask = causal_mask(start + input_ids.shape[1], device=input_ids.device)[:, :, start:]  # (1, 1, T, P + T)
        source_mask = None if source_attention_mask is None else padding_mask(source_attention_mask)  # (B, 1, 1, S)
        x = self.embeddings(input_ids, start=start)  # (B, T, D)
        hidden_states = [x]
        for layer, layer_cache in zip(self.layers, cache.layers, strict=True):
            x = layer(x, source, mask, source_mask, cache=layer_cache)  # (B, T, D)
            hidden_states.append(x)
        hidden_states[-1] = self.final_norm(x)  # (B, T, D)
        word_table = self.embeddings.word.get_parameter("weight")  # (V, D)
        logits = F.linear(hidden_states[-1], word_table, self.output_bias)  # (B, T, V)
        return DecoderOutput(logits, tuple(hidden_states))
