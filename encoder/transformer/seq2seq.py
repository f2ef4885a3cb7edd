"""Encoder and decoder as one model that writes a text about a text.

Source: Vaswani et al. (2017), figure 1; section 3.4 for the one table of word embeddings that both halves and the
output projection share.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from encoder.transformer.config import EncoderConfig
from encoder.transformer.decoder import Decoder, DecoderOutput
from encoder.transformer.encoder import Encoder, EncoderOutput


class Written(NamedTuple):
    """What greedy decoding came to, and both halves' intermediates on the way."""

    ids: Tensor  # (B, T): what every step wrote; behind a text's end, padding
    encoder: EncoderOutput
    decoder: DecoderOutput  # of all T steps


class Seq2Seq(nn.Module):
    """An encoder and a decoder of the same sizes, with one table of word embeddings.

    Args:
        start_id, end_id: what the decoder reads first, and what it writes last.
    """

    def __init__(self, config: EncoderConfig, *, start_id: int, end_id: int) -> None:
        super().__init__()
        self.config = config
        self.start_id, self.end_id = start_id, end_id
        self.encoder = Encoder(config)
        self.decoder = Decoder(config)
        self.decoder.embeddings.word = self.encoder.embeddings.word

    def forward(self, source_ids: Tensor, target_ids: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        """Scores of every next token of texts that are known, all at once, as in training.

        Args:
            source_ids: (B, S).
            target_ids: (B, T), the start token first.
            attention_mask: (B, S), 1 = real token; None = all real.
        Returns:
            (B, T, V) logits of the token that follows each.
        """
        source = self.encoder(source_ids, None, attention_mask, fused=True).last_hidden_state  # (B, S, D)
        logits: Tensor = self.decoder(target_ids, source, attention_mask, fused=True).logits  # (B, T, V)
        return logits

    @torch.inference_mode()
    def write(
        self, source_ids: Tensor, attention_mask: Tensor | None = None, *, max_length: int | None = None
    ) -> Written:
        """Write greedily, a token at a time: of every step, the likeliest token.

        Args:
            source_ids: (B, S).
            attention_mask: (B, S), 1 = real token; None = all real.
            max_length: how many tokens a text may have; None = as many as there are positions.
        """
        limit = min(max_length or self.config.max_position_embeddings, self.config.max_position_embeddings)
        encoded = self.encoder(source_ids, None, attention_mask, fused=True)
        source = encoded.last_hidden_state  # (B, S, D)
        ids = source_ids.new_full((len(source_ids), 1), self.start_id)  # (B, 1)
        output: DecoderOutput = self.decoder(ids, source, attention_mask, fused=True)
        ids = output.logits.argmax(-1)  # (B, 1)
        while ids.shape[1] < limit and not bool((ended := (ids == self.end_id).any(1, keepdim=True)).all()):
            step = self.decoder(ids[:, -1:], source, attention_mask, past=output, fused=True)
            output = output.followed_by(step)
            token = step.logits.argmax(-1).masked_fill(ended, self.config.pad_token_id)  # (B, 1)
            ids = torch.cat((ids, token), dim=1)  # (B, t)
        return Written(ids, encoded, output)
