"""The small encoder trained here, at the end and at earlier steps of its training.

Its word vectors are the bundled model's, centred and frozen, with a trained projection to the encoder's width. So
unseen pieces have useful vectors, too, and the model is small enough to ship many training steps. All other weights are
trained from random numbers.

`scratch.safetensors` holds the trained weights in float16. `scratch-steps.safetensors` holds the steps before, each
matrix in 8-bit integers with one float16 scale per row.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from encoder.errors import CheckpointError, ConfigError, InputError, UnknownModelError
from encoder.models.device import device_of
from encoder.models.labels import TAGS
from encoder.models.scratch import ScratchBackend, SentimentHeads
from encoder.models.tensors import to_numpy
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from encoder.shipped.names import SCRATCH, WEIGHTS, step_name, steps
from encoder.shipped.weights_file import read_weights
from encoder.text.tokenizer import Tokenizer
from encoder.text.tokens import Tokens
from encoder.transformer.config import EncoderConfig
from encoder.transformer.encoder import Classification, Encoder, TokenClassifier
from encoder.transformer.restoring import restore_weights


class ProjectedEmbedding(nn.Module):
    """Frozen word vectors of another model, with a trained projection."""

    table: Tensor

    def __init__(self, table: Tensor, width: int) -> None:
        super().__init__()
        self.register_buffer("table", table, persistent=False)  # (V, E)
        self.projection = nn.Linear(table.shape[1], width, bias=False)

    def forward(self, input_ids: Tensor) -> Tensor:
        """(B, T) to (B, T, D)."""
        return self.projection(self.table[input_ids])


class MultiTaskHeads(SentimentHeads):
    """Three classes and a score from 0 to 1 on `[CLS]`, and a part of speech on each token."""

    score_range = (0.0, 1.0)

    def __init__(self, config: EncoderConfig, *, note: str = "") -> None:
        super().__init__(config, trained=True, note=note)
        self.tagger = TokenClassifier(config, len(TAGS))

    def score(self, hidden_state: Tensor, input_ids: Tensor) -> Tensor:
        """(B, T, D) and (B, T) to (B,), 0 = most negative, 1 = most positive."""
        return super().score(hidden_state, input_ids).sigmoid()  # (B,)

    def tag(self, hidden_state: Tensor) -> Classification:
        """(B, T, D) to 17 tag scores per token; a word uses those of its first piece."""
        return self.tagger(hidden_state)


class MultiTaskModel(nn.Module):
    """The encoder and its heads."""

    def __init__(self, config: EncoderConfig, table: Tensor, *, note: str = "") -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config)
        self.encoder.embeddings.word = ProjectedEmbedding(table, config.hidden_size)
        self.heads = MultiTaskHeads(config, note=note)
        for linear in (self.heads.classifier.output, self.heads.regressor.output, self.heads.tagger.output):
            nn.init.normal_(linear.weight, std=config.initializer_range)
            nn.init.zeros_(linear.bias)

    def stored(self) -> dict[str, Tensor]:
        """All trained parameters by name; the word table and fixed positions are not stored."""
        return {name: value for name, value in self.named_parameters() if value.requires_grad}

    def restore(self, tensors: Mapping[str, Tensor], where: str) -> None:
        """Load stored parameters, strictly.

        Raises:
            CheckpointError: a parameter is missing, left over or of the wrong shape.
        """
        restore_weights(self.stored(), tensors, where=where)


class TrainedBackend(ScratchBackend):
    """The trained encoder as a `Backend`; it also tags the part of speech of each word."""

    heads: MultiTaskHeads

    @torch.inference_mode()
    def tag_words(self, trace: Trace) -> FloatArray:
        """Probabilities of the 17 `TAGS` for each word of one of this model's traces, from the last layer.

        Returns:
            (W, 17); rows of truncated words are NaN.
        Raises:
            InputError: the trace is another model's.
        """
        if trace.model_name != self.name:
            raise InputError(f"This is a trace of {trace.model_name!r}, but the tags are read by {self.name!r}.")
        state = torch.tensor(trace.hidden_states[-1], device=device_of(self.heads))[None]  # (1, T, D)
        probabilities = to_numpy(self.heads.tag(state).probabilities[0])
        tags = np.full((len(trace.tokens.words), len(TAGS)), np.nan, dtype=np.float32)  # (W, 17)
        for word, token in first_pieces(trace.tokens):
            tags[word] = probabilities[token]
        return tags


def first_pieces(tokens: Tokens) -> list[tuple[int, int]]:
    """(word, token) for the first piece of each word that was not truncated."""
    first: dict[int, int] = {}
    for token, word in enumerate(tokens.word_ids):
        if word is not None:
            first.setdefault(word, token)
    return sorted(first.items())


@lru_cache(maxsize=1)
def word_table(folder: Path) -> Tensor:
    """(V, E) word vectors of a BERT folder, centred and scaled to a standard deviation of 1."""
    table = read_weights(folder / "model.safetensors", prefix="embeddings.word_embeddings.")[0]["weight"]
    table = table - table.mean(0)
    return table / table.std()


def load_scratch(bundled: Path, *, step: int | None = None, weights: Path = WEIGHTS) -> TrainedBackend:
    """The trained encoder, at the end or at an earlier step of its training.

    Args:
        bundled: folder of the bundled model, for its tokenizer and its word vectors.
        step: one of `steps()`; None = the end.
        weights: folder of the shipped weights and their model card.
    Raises:
        UnknownModelError: there is no such step.
        CheckpointError: a file is missing or corrupt, or does not match its configuration.
    """
    path = weights / f"{SCRATCH}.safetensors"
    tensors, metadata = read_weights(path)
    config = read_config(path, metadata)
    last = int(metadata["step"])
    if step is not None and step != last:
        available = steps(weights)
        if step not in available:
            raise UnknownModelError(
                f"Step {step} of the training does not ship; there are {', '.join(map(str, available))}."
            )
        path = weights / f"{SCRATCH}-steps.safetensors"
        tensors = read_step(path, step)
    model = MultiTaskModel(config, word_table(bundled), note=_note(weights, last if step is None else step, last))
    model.restore(tensors, str(path))
    model.heads.trained = step != 0
    tokenizer = Tokenizer.from_file(bundled, max_length=config.max_position_embeddings)
    name = SCRATCH if step is None else step_name(step)
    return TrainedBackend(name, model.encoder, tokenizer, heads=model.heads)


def read_config(path: Path, metadata: Mapping[str, str]) -> EncoderConfig:
    """The configuration in the metadata of the weights.

    Raises:
        CheckpointError: it is missing or inconsistent.
    """
    try:
        return EncoderConfig(**json.loads(metadata["config"]))
    except (KeyError, ValueError, TypeError, ConfigError) as error:
        raise CheckpointError(f"{path} does not describe an encoder: {error}") from error


def read_step(path: Path, step: int) -> dict[str, Tensor]:
    """The weights at one step of the training, dequantised from 8 bits."""
    tensors, _ = read_weights(path, prefix=f"{step}/")
    return {
        name: value.float() * tensors[f"{name}/scale"].float() if f"{name}/scale" in tensors else value.float()
        for name, value in tensors.items()
        if not name.endswith("/scale")
    }


def quantise(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Matrices as int8 with a float16 scale per row, vectors as float16; `read_step` undoes it."""
    packed: dict[str, Tensor] = {}
    for name, value in tensors.items():
        if value.dim() < 2:
            packed[name] = value.half()
            continue
        # Rounded up to a positive float16, to avoid overflow and division by zero.
        scale = (value.abs().amax(1, keepdim=True) / 127 * 1.001).clamp(min=1e-6).half()
        packed[name] = (value / scale.float()).round().clamp(-127, 127).to(torch.int8)
        packed[f"{name}/scale"] = scale
    return packed


def _note(folder: Path, step: int, last: int) -> str:
    """A note with the card's figures at that step, shown with predictions."""
    path = folder / f"{SCRATCH}.json"
    try:
        curve: Iterable[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["extra"]["curve"]
        row = next(row for row in curve if row["step"] == step)
        two, three, score = row["sst2_accuracy"], row["three_class_accuracy"], row["score_mae"]
        where = "Trained here"
        if step < last:
            where += f", as it was at step {step:,} of {last:,}" if step else ", as it was before its first step"
        return (
            f"{where}. Measured on SST dev: {two['value']:.1%} right on negative or positive (n = {two['n']:,}), "
            f"{three['value']:.1%} on three classes (n = {three['n']:,}); "
            f"the score is off by {score['value']:.3f} on average."
        )
    except (OSError, ValueError, KeyError, TypeError, StopIteration) as error:
        raise CheckpointError(f"The model card {path} cannot be read: {error!r}") from error
