"""Our encoder-decoder as a model on offer: text in, a text and its record out."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Self

import torch

from encoder.models.candidates import CAUSAL_NOTE, candidates_of
from encoder.models.device import device_of
from encoder.models.hooks import hooked
from encoder.models.own_points import expose_points
from encoder.models.tensors import AttentionRecorder, to_numpy
from encoder.models.threads import multiplied_weights, threads_for, weight_bytes
from encoder.runs.generation import Generation
from encoder.runs.trace import Trace
from encoder.shipped.task_tokenizer import TaskTokenizer
from encoder.shipped.tasks import Item, Task, parse_item
from encoder.text.tokens import Tokens
from encoder.transformer.seq2seq import Seq2Seq


class Seq2SeqBackend:
    """Our encoder-decoder with its tokenizer: text in, text and three attentions out."""

    def __init__(self, name: str, model: Seq2Seq, tokenizer: TaskTokenizer) -> None:
        self.name = name
        self.model = model.eval()
        expose_points(self.model.encoder)
        expose_points(self.model.decoder)
        self.tokenizer = tokenizer
        self.num_layers = model.config.num_hidden_layers
        self.num_heads = model.config.num_attention_heads
        self._weights = multiplied_weights(model)

    @property
    def nbytes(self) -> int:
        """Bytes of the weights."""
        return weight_bytes(self.model)

    def to(self, device: torch.device) -> Self:
        """Run on a device from now on. Returns the model itself."""
        self.model.to(device)
        return self

    def tokenize(self, task: Task, text: str) -> Tokens:
        """A text as the encoder reads it.

        Raises:
            InputError: the text is empty or too long, or has words that are not in the vocabulary.
        """
        return self.tokenizer.source(task, text)

    def threads(self, num_tokens: int) -> AbstractContextManager[None]:
        """For reading a source of so many tokens, and writing from it a token at a time."""
        return threads_for(num_tokens * self._weights)

    def generate(self, task: Task, text: str) -> Generation:
        """Do a task on a text, and say what it should have come to where that is known.

        Raises:
            InputError: the text is empty or too long, or has words that are not in the vocabulary.
        """
        generation = self.run(self.tokenize(task, text))
        item = parse_item(task, text)
        if item is None:
            return generation
        return replace(generation, expected=item.target, origins=self._origins(item, generation))

    def _origins(self, item: Item, generation: Generation) -> tuple[tuple[int, ...], ...]:
        """Where the tokens come from, if they are the right ones and each of them comes from one place of the item."""
        right = generation.written.ids == self.tokenizer.target_ids(item.target)
        if not right or len(item.origins) + 1 != len(generation.written):
            return ()
        # The item's text may have other blanks than the one that was typed; its tokens are the same.
        return (*item.source_positions(self.tokenize(item.task, item.source)), ())

    @torch.inference_mode()
    def run(self, tokens: Tokens) -> Generation:
        """Write greedily until the end token, or until there are no positions left; then read it once for the record.

        What each step computed from cached keys and values, one pass over all steps computes again, with its points.
        """
        with self.threads(len(tokens)):
            return self._run(tokens)

    def _run(self, tokens: Tokens) -> Generation:
        device = device_of(self.model)
        source_ids = torch.tensor([tokens.ids], device=device)  # (1, S)
        ids, logits = self.model.write(source_ids)
        read = torch.tensor([[self.model.start_id, *ids[0, :-1].tolist()]], device=device)  # (1, T)
        encoder, decoder = self.model.encoder, self.model.decoder
        of_encoder, of_decoder = AttentionRecorder(), AttentionRecorder()
        with hooked(encoder, of_encoder.hooks):
            encoded = encoder(source_ids)
        with hooked(decoder, of_decoder.hooks):
            decoded = decoder(read, encoded.last_hidden_state)
        source = Trace(
            model_name=self.name,
            tokens=tokens,
            layers=of_encoder.layers,
            hidden_states=to_numpy(torch.cat(encoded.hidden_states)),  # (L + 1, S, D)
            embedding_parts={name: to_numpy(part[0]) for name, part in encoder.embeddings.parts(source_ids).items()},
        )
        target = Trace(
            model_name=self.name,
            tokens=self.tokenizer.written(read[0].tolist()),
            layers=of_decoder.layers[0::2],  # in every layer, self-attention runs first
            hidden_states=to_numpy(torch.cat(decoded.hidden_states)),  # (L + 1, T, D)
            embedding_parts={name: to_numpy(part[0]) for name, part in decoder.embeddings.parts(read).items()},
            notes=(CAUSAL_NOTE,),
        )
        return Generation(
            model_name=self.name,
            source=source,
            target=target,
            cross=of_decoder.layers[1::2],
            written=self.tokenizer.written(ids[0].tolist()),
            candidates=candidates_of(logits[0], self.tokenizer.pieces.__getitem__),
            complete=bool(ids[0, -1] == self.model.end_id),
        )
