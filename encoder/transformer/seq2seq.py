"""Encoder and decoder as one model: text in, text out.

Source: Vaswani et al. (2017), figure 1; section 3.4 for the word embeddings shared by both halves and the
output projection.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from encoder.transformer.config import EncoderConfig
from encoder.transformer.decoder import Cache, Decoder
from encoder.transformer.encoder import Encoder


class Written(NamedTuple):
    """The output of greedy decoding."""

    ids: Int[Tensor, "B T"]  # the token of each step; padding after the end
    logits: Float[Tensor, "B T V"]  # of each step's token


class Seq2Seq(nn.Module):
    """An encoder and a decoder of the same sizes, with one table of word embeddings.

    Args:
        start_id, end_id: the decoder's first input, and its last output.
    """

    def __init__(self, config: EncoderConfig, *, start_id: int, end_id: int) -> None:
        super().__init__()
        self.config = config
        self.start_id, self.end_id = start_id, end_id
        self.encoder = Encoder(config)
        self.decoder = Decoder(config)
        self.decoder.embeddings.word = self.encoder.embeddings.word

    def forward(
        self,
        source_ids: Int[Tensor, "B S"],
        target_ids: Int[Tensor, "B T"],
        attention_mask: Int[Tensor, "B S"] | None = None,
    ) -> Float[Tensor, "B T V"]:
        """Logits of the next tokens of known target texts, all at once, as in training.

        Args:
            source_ids: (B, S).
            target_ids: (B, T), the start token first.
            attention_mask: (B, S), 1 = real token; None = all real.
        Returns:
            (B, T, V) logits of the next tokens.
        """
        source = self.encoder(source_ids, None, attention_mask).last_hidden_state  # (B, S, D)
        return self.decoder(target_ids, source, attention_mask).logits  # (B, T, V)

    @torch.inference_mode()
    def write(self, source_ids: Int[Tensor, "B S"], attention_mask: Int[Tensor, "B S"] | None = None) -> Written:
        """Decode greedily: at each step, the likeliest token, until all texts have ended or the positions run out.

        Args:
            source_ids: (B, S).
            attention_mask: (B, S), 1 = real token; None = all real.
        """
        source = self.encoder(source_ids, None, attention_mask).last_hidden_state  # (B, S, D)
        return self.write_from(source, attention_mask)

    @torch.inference_mode()
    def write_from(self, source: Float[Tensor, "B S D"], attention_mask: Int[Tensor, "B S"] | None = None) -> Written:
        """Decode greedily from given encoder states, (B, S, D), which every layer's cross-attention reads."""
        cache = Cache(self.config.num_hidden_layers)
        token = torch.full((len(source), 1), self.start_id, device=source.device)  # (B, 1)
        ids, logits = list[Tensor](), list[Tensor]()
        ended = torch.zeros_like(token, dtype=torch.bool)  # (B, 1)
        while len(ids) < self.config.max_position_embeddings and not bool(ended.all()):
            logits.append(self.decoder(token, source, attention_mask, cache=cache).logits)  # (B, 1, V)
            token = logits[-1].argmax(-1).masked_fill(ended, self.config.pad_token_id)  # (B, 1)
            ids.append(token)
            ended = ended | (token == self.end_id)  # (B, 1)
        return Written(torch.cat(ids, dim=1), torch.cat(logits, dim=1))
