"""The small encoder-decoder trained here, stored in `seq2seq.safetensors` in float16, with its vocabulary."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Self

import torch

from encoder.errors import CheckpointError
from encoder.models.device import device_of
from encoder.models.hooks import hooked
from encoder.models.own_points import expose_points
from encoder.models.tensors import CAUSAL_NOTE, AttentionRecorder, candidates_of, to_numpy
from encoder.models.threads import multiplied_weights, threads_for, weight_bytes
from encoder.runs.generation import Generation
from encoder.runs.trace import Trace
from encoder.shipped.card import Figure, figure_of, read_card
from encoder.shipped.names import SEQ2SEQ, WEIGHTS
from encoder.shipped.task_tokenizer import SPECIALS, TaskTokenizer
from encoder.shipped.tasks import Item, Task, parse_item
from encoder.shipped.weights_file import config_of, read_weights, trained_weights
from encoder.text.tokens import Tokens
from encoder.transformer.restoring import restore_weights
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
        """Move to a device. Returns the model itself."""
        self.model.to(device)
        return self

    def tokenize(self, task: Task, text: str) -> Tokens:
        """A text as the encoder reads it.

        Raises:
            InputError: the text is empty or too long, or has unknown words.
        """
        return self.tokenizer.source(task, text)

    def threads(self, num_tokens: int) -> AbstractContextManager[None]:
        """The context for reading a source of `num_tokens` tokens, and writing token by token."""
        return threads_for(num_tokens * self._weights)

    def generate(self, task: Task, text: str) -> Generation:
        """Run a task on a text; the record includes the right output, if known.

        Raises:
            InputError: the text is empty or too long, or has unknown words.
        """
        generation = self.run(self.tokenize(task, text))
        item = parse_item(task, text)
        if item is None:
            return generation
        return replace(generation, expected=item.target, origins=self._origins(item, generation))

    def _origins(self, item: Item, generation: Generation) -> tuple[tuple[int, ...], ...]:
        """The origins of the tokens, if the output is right and each token corresponds to one piece of the target."""
        right = generation.written.ids == self.tokenizer.target_ids(item.target)
        if not right or len(item.origins) + 1 != len(generation.written):
            return ()
        # The item's text may differ from the typed one in blanks, but has the same tokens.
        return (*item.source_positions(self.tokenize(item.task, item.source)), ())

    @torch.inference_mode()
    def run(self, tokens: Tokens) -> Generation:
        """Decode greedily until the end token or the last position, then record one pass over the whole output."""
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
            layers=of_decoder.layers[0::2],  # self-attention runs first in each layer
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


def exact_match(task: Task) -> Figure:
    """The exact-match accuracy of a task, from the model card.

    Raises:
        CheckpointError: there is no card, or no such figure.
    """
    return figure_of(read_card(WEIGHTS / f"{SEQ2SEQ}.json"), f"{task}_exact_match")


def lens_exact_match(task: Task, num_layers: int, weights: Path = WEIGHTS) -> tuple[Figure, ...]:
    """The exact-match accuracy of a task with the decoder reading each of the encoder's L + 1 states.

    `python -m encoder.evaluation.decoder_lens` measured it.

    Raises:
        CheckpointError: figures are missing.
    """
    card = read_card(weights / f"{SEQ2SEQ}-decoder-lens.json")
    return tuple(figure_of(card, lens_figure_name(task, state)) for state in range(num_layers + 1))


def lens_figure_name(task: Task, state: int) -> str:
    """The name of a figure of `lens_exact_match`; state 0 is the embeddings, l + 1 the output of layer l."""
    return f"{task}_exact_match_from_state_{state}"


def load_seq2seq(weights: Path = WEIGHTS) -> Seq2SeqBackend:
    """The trained encoder-decoder.

    Raises:
        CheckpointError: its file is missing or corrupt, or does not match its configuration.
    """
    path = weights / f"{SEQ2SEQ}.safetensors"
    tensors, metadata = read_weights(path)
    config = config_of(path, metadata)
    try:
        pieces = [str(piece) for piece in json.loads(metadata["vocabulary"])]
    except (KeyError, ValueError, TypeError) as error:
        raise CheckpointError(f"{path} has no vocabulary: {error!r}") from error
    if len(pieces) != config.vocab_size or not {*SPECIALS} <= {*pieces}:
        raise CheckpointError(
            f"{path} has a vocabulary of {len(pieces)} pieces; {config.vocab_size} are needed, {', '.join(SPECIALS)} "
            "among them."
        )
    tokenizer = TaskTokenizer(pieces, max_length=config.max_position_embeddings)
    model = Seq2Seq(config, start_id=tokenizer.start_id, end_id=tokenizer.end_id)
    restore_weights(trained_weights(model), tensors, where=str(path))
    return Seq2SeqBackend(SEQ2SEQ, model, tokenizer)
