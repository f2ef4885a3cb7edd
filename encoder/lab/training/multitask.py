"""Train on three tasks at once: sentiment, its score, and parts of speech.

A text has a sentiment, tags for some of its words, or both. Each epoch sees all sentences and a new draw of phrases.
The average of the weights over the steps is validated, stored at intermediate steps and shipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from encoder.lab.training.examples import NO_LABEL, Batch, Example, batches_of, collate
from encoder.lab.training.loop import TrainingLoop, learning_rate_at, on_cpu
from encoder.lab.training.measuring import DevSets, measure
from encoder.models.device import device_of
from encoder.shipped.card import Figure
from encoder.shipped.multi_task import MultiTaskModel
from encoder.shipped.weights_file import quantise, trained_weights
from encoder.text.tokenizer import Tokenizer
from encoder.transformer.config import EncoderConfig

UNKNOWN_ID, SPECIAL_IDS = 100, (0, 101, 102)
# Progress at which weights are stored: mostly early, while the heads form, with enough points before the end of the
# first of five epochs.
KEPT_FRACTIONS = (
    *(0.0, 0.004, 0.008, 0.014, 0.02, 0.03, 0.04, 0.055, 0.075, 0.1),
    *(0.14, 0.2, 0.28, 0.38, 0.5, 0.62, 0.75, 0.88),
)
CONFIG = EncoderConfig(
    hidden_size=128,
    num_hidden_layers=4,
    num_attention_heads=4,
    intermediate_size=512,
    position_embedding="sinusoidal",
    hidden_dropout_prob=0.1,
    attention_probs_dropout_prob=0.0,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that determines the result."""

    config: EncoderConfig = CONFIG
    seed: int = 0
    epochs: int = 4
    patience: int = 3  # epochs without improvement
    batch_tokens: int = 2048
    learning_rate: float = 1.5e-3
    weight_decay: float = 0.05
    warm_up: float = 0.05  # share of the training
    averaging: float = 0.998  # share of the old average that a step retains
    piece_dropout: float = 0.12  # share of pieces replaced by [UNK]
    label_smoothing: float = 0.05
    score_weight: float = 5.0
    tag_weight: float = 1.0
    homograph_weight: float = 4.0  # relative weight of words whose context decides between noun and verb
    phrases: int = 40_000  # per epoch
    shortest_phrase: int = 2  # in words
    silver_tags: float = 0.7  # least probability for tags from the bundled model's probe on SST sentences; 0 = never
    hint_layer: int = 4  # hidden state of the bundled model that the last states must predict; 0 = none
    hint_weight: float = 2.0
    soft_labels: float = 0.7  # share of the fine-tuned model's predictions in the labels of SST


@dataclass(frozen=True, slots=True)
class Corpus:
    """Training data: each epoch uses all of `always` and a draw of `sometimes`."""

    always: list[Example]
    sometimes: list[Example] = field(default_factory=list)


def epoch_batches(corpus: Corpus, settings: Settings, epoch: int) -> list[list[Example]]:
    """The batches of one epoch, which depend on the seed and the epoch alone."""
    random = np.random.default_rng((settings.seed, epoch))
    drawn = random.permutation(len(corpus.sometimes))[: settings.phrases]
    examples = corpus.always + [corpus.sometimes[index] for index in drawn]
    return [[examples[index] for index in batch] for batch in batches_of(examples, settings.batch_tokens, random)]


# One step -----------------------------------------------------------------------------------------------------------


def drop_pieces(ids: Tensor, probability: float) -> Tensor:
    """Replace random pieces, except special ones, with [UNK], so that the model must use their context."""
    dropped = torch.rand(ids.shape) < probability
    for special in SPECIAL_IDS:
        dropped &= ids != special
    return ids.masked_fill(dropped, UNKNOWN_ID)


def loss_of(model: MultiTaskModel, hint: nn.Linear, batch: Batch, settings: Settings) -> Tensor:
    """Cross entropy of classes and tags, absolute error of the score, squared error of the hints; weighted sum.

    `hint` maps the last states to the teacher's width, (D) to (E), and is discarded after the training. The batch is
    indexed on the CPU, to avoid synchronising with a GPU.
    """
    device = device_of(model)
    ids = drop_pieces(batch.ids, settings.piece_dropout) if model.training else batch.ids
    ids = ids.to(device)
    hidden = model.encoder(ids, None, batch.mask.to(device)).last_hidden_state  # (B, T, D)
    total = hidden.new_zeros(())
    reviews = batch.sentiment.sum(1) > 0  # (B,)
    if bool(reviews.any()):
        state, target = hidden[reviews], batch.sentiment[reviews].to(device)
        logs = model.heads.classifier(state, ids[reviews]).log_probabilities  # (b, 3)
        total = total - (target * logs).sum(1).mean()
        score = model.heads.score(state, ids[reviews])  # (b,)
        total = total + settings.score_weight * F.smooth_l1_loss(score, batch.score[reviews].to(device), beta=0.05)
    tagged = batch.tags != NO_LABEL  # (B, T)
    if bool(tagged.any()):
        logits = model.heads.tag(hidden[tagged]).logits  # (n, 17)
        losses = F.cross_entropy(logits, batch.tags[tagged].to(device), reduction="none")  # (n,)
        weights = batch.tag_weights[tagged].to(device)  # (n,)
        total = total + settings.tag_weight * (losses * weights).sum() / weights.sum()
    if batch.states is not None:
        guess = hint(hidden[batch.has_state])  # (n, E)
        total = total + settings.hint_weight * F.mse_loss(guess, batch.states.to(device))
    return total


# The training -------------------------------------------------------------------------------------------------------


class Training(TrainingLoop[Batch]):
    """A model for all three tasks in training, by default on the CPU."""

    SAVED = (*TrainingLoop.SAVED, "kept")
    model: MultiTaskModel

    def __init__(self, settings: Settings, table: Tensor, *, device: torch.device | None = None) -> None:
        torch.manual_seed(settings.seed)
        model = MultiTaskModel(settings.config, table)
        _start_from_principal_directions(model, table)
        # The teacher's states are as wide as its word vectors.
        self.hint = nn.Linear(settings.config.hidden_size, table.shape[1]).to(device)
        model.to(device)
        parameters = [*trained_weights(model).values(), *self.hint.parameters()]
        matrices = [value for value in parameters if value.dim() > 1]
        vectors = [value for value in parameters if value.dim() <= 1]
        optimizer = torch.optim.AdamW(
            [{"params": matrices, "weight_decay": settings.weight_decay}, {"params": vectors, "weight_decay": 0.0}],
            lr=settings.learning_rate,
            betas=(0.9, 0.98),
            eps=1e-6,
        )
        super().__init__(settings, model, optimizer)
        self.kept: dict[int, dict[str, Tensor]] = {}  # by step, quantised

    def run_epoch(self, corpus: Corpus, dev_sets: DevSets, tokenizer: Tokenizer) -> None:
        """One epoch and its validation."""
        batches = epoch_batches(corpus, self.settings, self.epoch)
        losses = self.train_epoch(self._collated(batches), total=len(batches))
        with self.using(self.average):
            figures = measure(self.model, tokenizer, dev_sets)
        values = {figure.name: figure.value for figure in figures}
        self.note_validation(validation(figures), {"loss": float(np.mean(losses))} | values)

    def _collated(self, batches: Sequence[Sequence[Example]]) -> Iterator[Batch]:
        """The batches as tensors. Stores the average at every point of `KEPT_FRACTIONS` that they pass."""
        for index, examples in enumerate(batches):
            progress, share = self._progress(index, len(batches)), 1 / (len(batches) * self.settings.epochs)
            if any(progress <= point < progress + share for point in KEPT_FRACTIONS):
                self.kept[self.step] = on_cpu(quantise(self.average))
            yield collate(examples)

    def _progress(self, index: int, batches: int) -> float:
        """From 0 to 1 over the whole training."""
        return (self.epoch + index / batches) / self.settings.epochs

    def batch_loss(self, batch: Batch) -> Tensor:
        return loss_of(self.model, self.hint, batch, self.settings)

    def learning_rates(self, index: int, batches: int) -> Sequence[float]:
        settings, progress = self.settings, self._progress(index, batches)
        rate = learning_rate_at(progress, warm_up=settings.warm_up, learning_rate=settings.learning_rate)
        return [rate] * len(self.optimizer.param_groups)

    def weights(self) -> dict[str, Mapping[str, Tensor]]:
        return super().weights() | {"hint": dict(self.hint.named_parameters())}


@torch.no_grad()
def _start_from_principal_directions(model: MultiTaskModel, table: Tensor) -> None:
    """Initialise the projection with the principal directions of the word vectors."""
    projection = trained_weights(model)["encoder.embeddings.word.projection.weight"]  # (D, E)
    _, directions = torch.linalg.eigh(table.T @ table / len(table))  # (E, E), smallest first
    kept = directions.flip(1)[:, : len(projection)]  # (E, min(D, E))
    rotation = torch.linalg.qr(torch.randn(kept.shape[1], kept.shape[1])).Q
    projection[: kept.shape[1]] = (kept @ rotation).T


def validation(figures: Sequence[Figure]) -> float:
    """The number that selects the best epoch; it excludes the noun-verb challenge."""
    chosen = {"sst2_accuracy": 1.0, "three_class_accuracy": 1.0, "score_mae": -1.0, "tag_accuracy": 1.0}
    return sum(chosen[figure.name] * figure.value for figure in figures if figure.name in chosen)
