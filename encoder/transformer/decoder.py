"""The decoder, from scratch: what reads an encoder's output and writes a text of its own, one token after the other.

It is built from the encoder's boxes. New are two things: its self-attention is masked, so that a token sees none of
those after it, and between self-attention and feed-forward stands a second attention whose queries come from the
decoder while its keys and values come from the encoder's output. Axis letters: B batch, L layers, H heads, T tokens
of the decoder, S tokens of the encoder (the source), D model width, K head width, V vocabulary.

Source: Vaswani et al. (2017), figure 1, right, and section 3.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from encoder.transformer.attention import Attention, KeyValue, MultiHeadAttention, causal_mask, padding_mask
from encoder.transformer.config import EncoderConfig
from encoder.transformer.encoder import Embeddings, FeedForward, init_weights


class Past(NamedTuple):
    """What a layer would compute again for every further token, always to the same numbers."""

    own: KeyValue  # of the P tokens that the decoder has read, (B, H, P, K) each
    source: KeyValue  # of the encoder's output, (B, H, S, K) each


class DecoderLayer(nn.Module):
    """Masked self-attention, attention to the encoder's output, feed-forward; each with a residual and a layer norm."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.pre_norm = config.norm == "pre"
        self.attention = MultiHeadAttention(config)
        self.attention_dropout = nn.Dropout(config.hidden_dropout_prob)
        self.attention_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.cross_attention = MultiHeadAttention(config)
        self.cross_attention_dropout = nn.Dropout(config.hidden_dropout_prob)
        self.cross_attention_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.feed_forward = FeedForward(config)
        self.feed_forward_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def forward(
        self,
        x: Tensor,
        source: Tensor,
        mask: Tensor,
        source_mask: Tensor | None = None,
        *,
        past: Past | None = None,
        fused: bool = False,
    ) -> tuple[Tensor, Attention, Attention]:
        """One layer for T tokens, with P tokens before them in `past`.

        Args:
            x: (B, T, D).
            source: (B, S, D), the encoder's output.
            mask: causal, broadcastable to (B, H, T, P + T).
            source_mask: (B, 1, 1, S), from `padding_mask`.
            past: keys and values that are there already; None = no token came before.
        Returns:
            (B, T, D) states, and the intermediates of both attentions. Their keys and values are the next call's
            `past`: the first one's are those of all P + T tokens.
        """
        attention_input = self.attention_norm(x) if self.pre_norm else x  # (B, T, D)
        key_value = self.attention.key_value(attention_input)  # (B, H, T, K) each
        if past is not None:
            key_value = past.own.followed_by(key_value)  # (B, H, P + T, K) each
        attended, attention = self.attention(attention_input, mask, key_value=key_value, fused=fused)
        x = x + self.attention_dropout(attended)  # (B, T, D)
        if not self.pre_norm:
            x = self.attention_norm(x)  # (B, T, D)

        cross_input = self.cross_attention_norm(x) if self.pre_norm else x  # (B, T, D)
        key_value = self.cross_attention.key_value(source) if past is None else past.source  # (B, H, S, K) each
        attended, cross = self.cross_attention(cross_input, source_mask, key_value=key_value, fused=fused)
        x = x + self.cross_attention_dropout(attended)  # (B, T, D)
        if not self.pre_norm:
            x = self.cross_attention_norm(x)  # (B, T, D)

        if self.pre_norm:
            return x + self.feed_forward(self.feed_forward_norm(x)), attention, cross  # (B, T, D)
        return self.feed_forward_norm(x + self.feed_forward(x)), attention, cross  # (B, T, D)


class DecoderOutput(NamedTuple):
    """What one pass through the decoder leaves behind; the next token's pass starts from it."""

    logits: Tensor  # (B, T, V): of the token that follows each
    hidden_states: tuple[Tensor, ...]  # L + 1 of (B, T, D): the embeddings, then after every layer
    attentions: tuple[Attention, ...]  # L, masked self-attention: queries of T tokens, keys of all P + T so far
    cross_attentions: tuple[Attention, ...]  # L, queries of T tokens, keys of S source tokens

    @property
    def last_hidden_state(self) -> Tensor:
        """(B, T, D)."""
        return self.hidden_states[-1]

    @property
    def length(self) -> int:
        """P + T, how many tokens have been read up to here."""
        return self.attentions[0].key.shape[2]

    def of_layer(self, index: int) -> Past:
        """What a layer needs of these tokens, to read on."""
        own, cross = self.attentions[index], self.cross_attentions[index]
        return Past(KeyValue(own.key, own.value), KeyValue(cross.key, cross.value))

    def followed_by(self, later: DecoderOutput) -> DecoderOutput:
        """Two passes, the second one with the first as its `past`, as the one pass that they amount to.

        Scores and weights are left out, since every pass formed them for its own tokens only.
        """
        return DecoderOutput(
            torch.cat((self.logits, later.logits), dim=1),
            tuple(torch.cat(both, dim=1) for both in zip(self.hidden_states, later.hidden_states, strict=True)),
            tuple(_joined(*both) for both in zip(self.attentions, later.attentions, strict=True)),
            tuple(_joined(*both) for both in zip(self.cross_attentions, later.cross_attentions, strict=True)),
        )


def _joined(first: Attention, later: Attention) -> Attention:
    """The queries of both; the later one's keys and values, which hold the first one's."""
    query = torch.cat((first.query, later.query), dim=2)  # (B, H, P + T, K)
    context = torch.cat((first.context, later.context), dim=2)  # (B, H, P + T, K)
    return Attention(query, later.key, later.value, None, None, context)


class Decoder(nn.Module):
    """Embeddings, a stack of decoder layers, and an output projection that is tied to the word embeddings.

    Tied means that the score of a word is the dot product of the last state with the word's own embedding, plus a
    bias (Press & Wolf 2017). A pre-norm stack ends with one more layer norm, as the encoder's does.
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.config = config
        self.embeddings = Embeddings(config)
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(config.num_hidden_layers))
        self.final_norm = (
            nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps) if config.norm == "pre" else nn.Identity()
        )
        self.output_bias = nn.Parameter(torch.zeros(config.vocab_size))
        self.apply(partial(init_weights, std=config.initializer_range))

    def forward(
        self,
        input_ids: Tensor,
        source: Tensor,
        source_attention_mask: Tensor | None = None,
        *,
        past: DecoderOutput | None = None,
        fused: bool = False,
    ) -> DecoderOutput:
        """Read T tokens, all at once while training, or those that follow the ones in `past`.

        Args:
            input_ids: (B, T) vocabulary ids, without those that `past` has read.
            source: (B, S, D), the encoder's output.
            source_attention_mask: (B, S), 1 = real token; None = all real.
            past: what the tokens before left behind, on the same source. Its keys and values are used again, so that
                a token costs one row of every attention, and `source` is not projected twice.
            fused: use torch's fused attention kernel; scores and weights are then None.
        """
        start = 0 if past is None else past.length
        mask = causal_mask(start + input_ids.shape[1], device=input_ids.device)[:, :, start:]  # (1, 1, T, P + T)
        source_mask = None if source_attention_mask is None else padding_mask(source_attention_mask)  # (B, 1, 1, S)
        x = self.embeddings(input_ids, start=start)  # (B, T, D)
        hidden_states, attentions, cross_attentions = [x], [], []
        for index, layer in enumerate(self.layers):
            of_layer = None if past is None else past.of_layer(index)
            x, attention, cross = layer(x, source, mask, source_mask, past=of_layer, fused=fused)  # (B, T, D)
            hidden_states.append(x)
            attentions.append(attention)
            cross_attentions.append(cross)
        hidden_states[-1] = self.final_norm(x)  # (B, T, D)
        word_table = self.embeddings.word.get_parameter("weight")  # (V, D)
        logits = F.linear(hidden_states[-1], word_table, self.output_bias)  # (B, T, V)
        return DecoderOutput(logits, tuple(hidden_states), tuple(attentions), tuple(cross_attentions))
