"""Encoder-decoders of `transformers` (T5, BART, Marian, ...): text in, text and three attentions out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self

import torch
from torch import Tensor
from transformers import PreTrainedModel

from encoder.errors import UnsupportedModelError
from encoder.models.device import device_of
from encoder.models.hooks import hooked
from encoder.models.tensors import CAUSAL_NOTE, AttentionRecorder, candidates_of, to_numpy
from encoder.models.threads import multiplied_weights, threads_for, weight_bytes
from encoder.runs.generation import Generation
from encoder.runs.trace import Trace
from encoder.text.pieces import labels_in_text, read_pieces
from encoder.text.tokenizer import Tokenizer, first_line
from encoder.text.tokens import Span, Tokens

MAX_WRITTEN = 64
GREEDY_NOTE = (
    "Written greedily: the likeliest token of every step, without beams and without what the model's own settings "
    "force or forbid."
)
INCOMPLETE = "\ufffd"  # stands for the first bytes of a character


class PretrainedSeq2Seq:
    """An encoder-decoder of `transformers`, traced through its attention interface."""

    def __init__(self, name: str, model: PreTrainedModel, tokenizer: Tokenizer, *, notes: tuple[str, ...] = ()) -> None:
        """Probe a model; `notes` go with every run."""
        self.name, self.notes = name, notes
        self.model = model.eval()
        self.tokenizer = tokenizer
        settings = model.generation_config
        self.start_id: int = settings.decoder_start_token_id
        ends = settings.eos_token_id
        self.end_ids: frozenset[int] = frozenset(ends if isinstance(ends, list) else [ends])
        self._weights = multiplied_weights(model)
        probed = self._probe()
        self.num_layers, self.num_heads = probed.num_layers, probed.num_heads

    @property
    def nbytes(self) -> int:
        """Bytes of the weights."""
        return weight_bytes(self.model)

    def to(self, device: torch.device) -> Self:
        """Move to a device. Returns the model itself."""
        self.model.to(device)
        return self

    def tokenize(self, text: str) -> Tokens:
        """A text as the encoder reads it.

        Raises:
            InputError: the text is empty or not valid Unicode.
        """
        return self.tokenizer(text)

    def generate(self, text: str, *, max_length: int = MAX_WRITTEN) -> Generation:
        """Generate at most `max_length` tokens from a text.

        Raises:
            InputError: the text is empty or not valid Unicode.
        """
        return self.run(self.tokenize(text), max_length=max_length)

    @torch.inference_mode()
    def run(self, tokens: Tokens, *, max_length: int = MAX_WRITTEN) -> Generation:
        """Decode greedily with cached keys and values, then record one pass over the whole output."""
        with threads_for(len(tokens) * self._weights):
            return self._run(tokens, max_length)

    def _run(self, tokens: Tokens, max_length: int) -> Generation:
        device = device_of(self.model)
        attention_mask = torch.tensor([tokens.attention_mask], device=device)  # (1, S)
        of_encoder, of_decoder = AttentionRecorder(), AttentionRecorder()
        with hooked(self.model, of_encoder.hooks):
            encoded = self.model.get_encoder()(
                input_ids=torch.tensor([tokens.ids], device=device),
                attention_mask=attention_mask,
                output_hidden_states=True,
                return_dict=True,
            )
        written = self._write(encoded, attention_mask, min(max_length, self.tokenizer.max_length))
        read = [self.start_id, *written[:-1]]
        with hooked(self.model, of_decoder.hooks):
            output = self.model(
                encoder_outputs=encoded,
                attention_mask=attention_mask,
                decoder_input_ids=torch.tensor([read], device=device),
                output_hidden_states=True,
                use_cache=False,
                return_dict=True,
            )
        source = Trace(
            model_name=self.name,
            tokens=tokens,
            layers=of_encoder.layers,
            hidden_states=to_numpy(torch.cat(encoded.hidden_states)),  # (L + 1, S, D)
        )
        target = Trace(
            model_name=self.name,
            tokens=self._written_tokens(read),
            layers=of_decoder.layers[0::2],  # self-attention runs first in each layer
            hidden_states=to_numpy(torch.cat(output.decoder_hidden_states)),  # (L + 1, T, D)
            notes=(CAUSAL_NOTE,),
        )
        return Generation(
            model_name=self.name,
            source=source,
            target=target,
            cross=of_decoder.layers[1::2],
            written=self._written_tokens(written),
            candidates=candidates_of(output.logits[0], lambda token_id: self.tokenizer.labels_of([token_id])[0]),
            complete=written[-1] in self.end_ids,
            notes=(GREEDY_NOTE, *self.notes),
        )

    def _write(self, encoded: Any, attention_mask: Tensor, max_length: int) -> list[int]:
        ids, cache = [self.start_id], None
        while len(ids) <= max_length and (len(ids) == 1 or ids[-1] not in self.end_ids):
            output = self.model(
                encoder_outputs=encoded,
                attention_mask=attention_mask,
                decoder_input_ids=torch.tensor([ids[-1:]], device=attention_mask.device),
                past_key_values=cache,
                use_cache=True,
                return_dict=True,
            )
            cache = output.past_key_values
            ids.append(int(output.logits[0, -1].argmax()))
        return ids[1:]

    def _probe(self) -> Generation:
        """A test run, so that a model that cannot be shown is refused early."""
        kind = f"{self.name} ({type(self.model).__name__})"
        if self.start_id is None or None in self.end_ids:
            raise UnsupportedModelError(f"{kind} does not say which token its decoder starts or ends with.")
        try:
            generation = self.run(self.tokenize("a"), max_length=2)
        except Exception as error:  # an unknown architecture may raise anything
            raise UnsupportedModelError(f"{kind} cannot be run on a text: {first_line(error)}") from error
        if not generation.source.layers or len(generation.cross) != len(generation.target.layers):
            raise UnsupportedModelError(f"{kind} has its own attention code: its attention cannot be captured.")
        return generation

    def _written_tokens(self, ids: Sequence[int]) -> Tokens:
        """Ids as tokens, with the words of their text; without spans, because nobody typed it."""
        inner = self.tokenizer.inner
        pieces = [str(piece) for piece in inner.convert_ids_to_tokens(list(ids))]
        kinds = [self.tokenizer.kind_of(token_id) for token_id in ids]
        special = [kind == "frame" or token_id == self.start_id for kind, token_id in zip(kinds, ids, strict=True)]
        places = [place for place, frame in enumerate(special) if not frame]
        some, of_kind = [pieces[place] for place in places], [kinds[place] for place in places]
        text = inner.convert_tokens_to_string(some)
        read = read_pieces(text, some, list(self._offsets(some)), of_kind, is_cut=False)
        labels, word_ids = list(pieces), list[int | None]([None] * len(pieces))
        shown = some if self.tokenizer.is_wordpiece else labels_in_text(text, some, read, of_kind)
        for place, label, owner in zip(places, shown, read.owners, strict=True):
            labels[place], word_ids[place] = label, owner
        count = len(pieces)
        return Tokens(
            pieces=tuple(pieces),
            labels=tuple(labels),
            ids=tuple(ids),
            token_type_ids=(0,) * count,
            attention_mask=(1,) * count,
            special=tuple(special),
            spans=(None,) * count,
            word_ids=tuple(word_ids),
            sentence_ids=tuple(None if frame else 0 for frame in special),
            words=tuple(read.words),
            sentences=(str(inner.decode(list(ids), skip_special_tokens=True)),),
            sentence_b_start=None,
            truncated=(0,),
            max_length=self.tokenizer.max_length,
            typed_special=(),
            unsegmented=tuple(dict.fromkeys(read.unsegmented)),
        )

    def _offsets(self, pieces: Sequence[str]) -> Iterator[Span]:
        """The characters that each piece adds to the text; pieces of one character have the same."""
        start = 0
        for count in range(1, len(pieces) + 1):
            text = self.tokenizer.inner.convert_tokens_to_string([*pieces[:count]])
            whole = max(start, len(text.rstrip(INCOMPLETE)))
            yield start, whole + text.endswith(INCOMPLETE)
            start = whole
