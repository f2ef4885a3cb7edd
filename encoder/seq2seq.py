"""Encoder and decoder as one model that writes a text about a text, and its record of having done so.

Source: Vaswani et al. (2017), figure 1; section 3.4 for the one table of word embeddings that both halves and the
output projection share.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import torch
from torch import Tensor, nn

from encoder.attention import causal_mask
from encoder.config import EncoderConfig
from encoder.decoder import Decoder, DecoderOutput
from encoder.generation import Candidate, Generation
from encoder.model import Encoder, EncoderOutput
from encoder.task_tokenizer import TaskTokenizer
from encoder.tasks import Item, Task, item_of
from encoder.tensors import layer_attention, to_numpy
from encoder.tokens import Tokens
from encoder.trace import Trace

CANDIDATES = 5  # tokens of each step that a record keeps
CAUSAL_NOTE = "The decoder reads from left to right: a token attends to itself and to earlier tokens only."


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


class Seq2SeqBackend:
    """Our encoder-decoder with its tokenizer: text in, text and three attentions out."""

    def __init__(self, name: str, model: Seq2Seq, tokenizer: TaskTokenizer, *, notes: tuple[str, ...] = ()) -> None:
        self.name = name
        self.model = model.eval()
        self.tokenizer = tokenizer
        self.notes = notes
        self.num_layers = model.config.num_hidden_layers
        self.num_heads = model.config.num_attention_heads

    def tokenize(self, task: Task, text: str) -> Tokens:
        """A text as the encoder reads it.

        Raises:
            InputError: the text is empty or too long, or has words that are not in the vocabulary.
        """
        return self.tokenizer.source(task, text)

    def generate(self, task: Task, text: str) -> Generation:
        """Do a task on a text, and say what it should have come to where that is known.

        Raises:
            InputError: the text is empty or too long, or has words that are not in the vocabulary.
        """
        generation = self.run(self.tokenize(task, text))
        item = item_of(task, text)
        if item is None:
            return generation
        return replace(generation, expected=item.target, origins=self._origins(item, generation))

    def _origins(self, item: Item, generation: Generation) -> tuple[tuple[int, ...], ...]:
        """Where the tokens come from, if they are the right ones and each of them comes from one place of the item."""
        right = generation.written.ids == self.tokenizer.target_ids(item.target)
        if not right or len(item.origins) + 1 != len(generation.written):
            return ()
        # The item's text may have other blanks than the one that was typed; its tokens are the same.
        return (*item.aligned(self.tokenize(item.task, item.source)), ())

    @torch.inference_mode()
    def run(self, tokens: Tokens) -> Generation:
        """Write greedily until the end token, or until there are no positions left."""
        source_ids = torch.tensor([tokens.ids])  # (1, S)
        ids, encoded, decoded = self.model.write(source_ids)
        read = torch.tensor([[self.model.start_id, *ids[0, :-1].tolist()]])  # (1, T)
        mask = causal_mask(read.shape[1])
        encoder, decoder = self.model.encoder, self.model.decoder
        source = Trace(
            model_name=self.name,
            tokens=tokens,
            layers=tuple(layer_attention(attention, None) for attention in encoded.attentions),
            hidden_states=to_numpy(torch.cat(encoded.hidden_states)),  # (L + 1, S, D)
            embedding_parts={name: to_numpy(part[0]) for name, part in encoder.embeddings.parts(source_ids).items()},
            notes=self.notes,
        )
        target = Trace(
            model_name=self.name,
            tokens=self.tokenizer.written(read[0].tolist()),
            layers=tuple(layer_attention(attention, mask) for attention in decoded.attentions),
            hidden_states=to_numpy(torch.cat(decoded.hidden_states)),  # (L + 1, T, D)
            embedding_parts={name: to_numpy(part[0]) for name, part in decoder.embeddings.parts(read).items()},
            notes=(*self.notes, CAUSAL_NOTE),
        )
        return Generation(
            model_name=self.name,
            source=source,
            target=target,
            cross=tuple(layer_attention(attention, None) for attention in decoded.cross_attentions),
            written=self.tokenizer.written(ids[0].tolist()),
            candidates=candidates_of(decoded.logits[0], self.tokenizer.pieces.__getitem__),
            complete=bool(ids[0, -1] == self.model.end_id),
            notes=self.notes,
        )


def candidates_of(logits: Tensor, label: Callable[[int], str]) -> tuple[tuple[Candidate, ...], ...]:
    """(T, V) to the likeliest tokens of every step, as `label` writes their ids."""
    likeliest = logits.softmax(-1).topk(min(CANDIDATES, logits.shape[-1]))  # (T, 5) each
    return tuple(
        tuple(
            Candidate(label=label(index), probability=probability)
            for index, probability in zip(indices, probabilities, strict=True)
        )
        for indices, probabilities in zip(likeliest.indices.tolist(), likeliest.values.tolist(), strict=True)
    )
