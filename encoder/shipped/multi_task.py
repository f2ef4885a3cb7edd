"""The small encoder trained here, at the end and at earlier steps of its training.

Its word vectors are the bundled model's, centred and frozen, with a trained projection to the encoder's width. So
unseen pieces have useful vectors, too, and the model is small enough to ship many training steps. All other weights are
trained from random numbers.

`scratch.safetensors` holds the trained weights in float16. `scratch-steps.safetensors` holds the steps before, each
matrix in 8-bit integers with one float16 scale per row.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from torch import Tensor, nn

from encoder.errors import CheckpointError, UnknownModelError
from encoder.models.labels import TAGS
from encoder.models.scratch import ScratchBackend, SentimentHeads
from encoder.shipped.card import accuracy_sentence, read_card
from encoder.shipped.names import SCRATCH, WEIGHTS, step_name, steps
from encoder.shipped.weights_file import config_of, dequantised, read_weights, trained_weights
from encoder.text.tokenizer import Tokenizer
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

    def bounded(self, score: Tensor) -> Tensor:
        """(B,), 0 = most negative, 1 = most positive."""
        return score.sigmoid()

    def tag(self, hidden_state: Tensor) -> Classification:
        """(B, T, D) to 17 tag scores per token; a word has those of its first piece."""
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


@lru_cache(maxsize=1)
def word_table(folder: Path) -> Tensor:
    """(V, E) word vectors of a BERT folder, centred and scaled to a standard deviation of 1."""
    table = read_weights(folder / "model.safetensors", prefix="embeddings.word_embeddings.")[0]["weight"]
    table = table - table.mean(0)
    return table / table.std()


def load_scratch(bundled: Path, *, step: int | None = None, weights: Path = WEIGHTS) -> ScratchBackend:
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
    config = config_of(path, metadata)
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
    restore_weights(trained_weights(model), tensors, where=str(path))
    model.heads.trained = step != 0
    tokenizer = Tokenizer.from_file(bundled, max_length=config.max_position_embeddings)
    name = SCRATCH if step is None else step_name(step)
    return ScratchBackend(name, model.encoder, tokenizer, heads=model.heads)


def read_step(path: Path, step: int) -> dict[str, Tensor]:
    """The weights at one step of the training, dequantised from 8 bits."""
    return dequantised(read_weights(path, prefix=f"{step}/")[0])


def _note(folder: Path, step: int, last: int) -> str:
    """A note with the card's figures at that step, shown with predictions."""
    path = folder / f"{SCRATCH}.json"
    where = "Trained here"
    if step < last:
        where += f", as it was at step {step:,} of {last:,}" if step else ", as it was before its first step"
    try:
        row = next(row for row in read_card(path)["extra"]["curve"] if row["step"] == step)
        return f"{where}. {accuracy_sentence(row)}"
    except (KeyError, TypeError, StopIteration) as error:
        raise CheckpointError(f"The model card {path} cannot be read: {error!r}") from error
