"""The small encoder-decoder that was trained here: `seq2seq.safetensors`, in float16, with its vocabulary inside."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from torch import Tensor

from encoder.errors import CheckpointError
from encoder.shipped.card import Figure, figure_of, read_card
from encoder.shipped.multi_task import read_config
from encoder.shipped.names import SEQ2SEQ, WEIGHTS
from encoder.shipped.task_model import Seq2SeqBackend
from encoder.shipped.task_tokenizer import SPECIALS, TaskTokenizer
from encoder.shipped.tasks import Task
from encoder.shipped.weights_file import read_weights
from encoder.transformer.restoring import restore_weights
from encoder.transformer.seq2seq import Seq2Seq


def stored(model: Seq2Seq) -> dict[str, Tensor]:
    """Everything learned, by name; the table that both halves share is there once."""
    return {name: value for name, value in model.named_parameters() if value.requires_grad}


def restore(model: Seq2Seq, tensors: Mapping[str, Tensor], where: str) -> None:
    """Copy stored values back, strictly.

    Raises:
        CheckpointError: one is missing, left over or of another shape than the configuration asks for.
    """
    restore_weights(stored(model), tensors, where=where)


def exact_match(task: Task) -> Figure:
    """How often the trained encoder-decoder does a task to the letter, as its card says.

    Raises:
        CheckpointError: there is no card, or it does not say.
    """
    return figure_of(read_card(WEIGHTS / f"{SEQ2SEQ}.json"), f"{task}_exact_match")


def lens_exact_match(task: Task, num_layers: int, weights: Path = WEIGHTS) -> tuple[Figure, ...]:
    """How often it does a task to the letter with its decoder reading each of L + 1 states of the encoder.

    `python -m encoder.evaluation.decoder_lens` measured it.

    Raises:
        CheckpointError: there are no figures, or not as many.
    """
    card = read_card(weights / f"{SEQ2SEQ}-decoder-lens.json")
    return tuple(figure_of(card, lens_figure_name(task, state)) for state in range(num_layers + 1))


def lens_figure_name(task: Task, state: int) -> str:
    """What the figure of `lens_exact_match` is called for a state: 0 for the embeddings, l + 1 after layer l."""
    return f"{task}_exact_match_from_state_{state}"


def load_seq2seq(weights: Path = WEIGHTS) -> Seq2SeqBackend:
    """The trained encoder-decoder.

    Raises:
        CheckpointError: its file is missing, corrupt or does not fit its configuration.
    """
    path = weights / f"{SEQ2SEQ}.safetensors"
    tensors, metadata = read_weights(path)
    config = read_config(path, metadata)
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
    restore(model, tensors, str(path))
    return Seq2SeqBackend(SEQ2SEQ, model, tokenizer)
