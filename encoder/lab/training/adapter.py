"""Fine-tuning of the bundled BERT on the Stanford Sentiment Treebank, with a low-rank adapter and two heads.

The encoder's weights are frozen; `peft` adds two thin matrices to each of its linear layers (Hu et al. 2021). Each
epoch draws new sentences and phrases until all have been seen, in batches of similar length.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from encoder.errors import ModelError
from encoder.lab.training.data import Review
from encoder.lab.training.examples import Example, batches_of, collate
from encoder.lab.training.figures import sentiment_figures
from encoder.lab.training.loop import TrainingLoop
from encoder.models.device import device_of
from encoder.models.labels import SENTIMENTS
from encoder.models.tensors import batches_within
from encoder.shipped.weights_file import trained_weights

CLASS_BORDERS = (0.4, 0.6)  # up to the first: negative; up to the second: neutral
# All linear layers of BERT's encoder, without the unused pooler.
LINEAR_LAYERS = r".*encoder\.layer\.\d+\..*\.(query|key|value|dense)"
PREDICTED_TOKENS = 2048  # per batch of predictions, padding included
PEFT_NAME = re.compile(r"encoder\.base_model\.model\.(.+)\.(lora_[AB])\.default\.weight")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How the adapter is trained; the defaults are those of the shipped one."""

    seed: int = 0
    rank: int = 16
    scale: float = 2.0
    encoder_dropout: float = 0.1
    head_dropout: float = 0.1
    pooling: str = "mean"
    learning_rate: float = 5e-4
    head_learning_rate: float = 2e-3
    warmup_steps: int = 40
    weight_decay: float = 0.01
    score_weight: float = 10.0
    blur: float = 0.08  # standard error of the scores: means of three annotators
    averaging: float = 0.995  # share of the old average that a step retains
    epochs: int = 4
    decay_epochs: int = 4  # the last epochs, in which the learning rate decays to 0
    patience: int = 2  # epochs without improvement
    sentences: int = 8_544  # per epoch: all of them
    phrases: int = 16_000  # per epoch
    shortest_phrase: int = 3  # in words
    neutral_share: float = 0.3  # of the neutral phrases
    tokens_per_batch: int = 512
    max_length: int = 64


class SentimentModel(nn.Module):
    """An encoder with an adapter, and one linear layer on its pooled last state: C classes and the score."""

    def __init__(self, encoder: Any, settings: Settings) -> None:
        super().__init__()
        try:
            from peft import LoraConfig, get_peft_model  # needed for training only
        except ImportError as error:
            raise ModelError(
                "Adapters are trained with peft: pip install -r encoder/lab/training/requirements.txt"
            ) from error
        config = LoraConfig(
            r=settings.rank,
            lora_alpha=round(settings.scale * settings.rank),
            target_modules=LINEAR_LAYERS,
        )
        for module in encoder.modules():
            if isinstance(module, nn.Dropout):
                module.p = settings.encoder_dropout
        self.pooling = settings.pooling
        self.encoder = get_peft_model(encoder, config)
        self.dropout = nn.Dropout(settings.head_dropout)
        self.head = nn.Linear(encoder.config.hidden_size, len(SENTIMENTS) + 1)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """(B, T) and (B, T) to (B, C + 1)."""
        states = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state  # (B, T, D)
        if self.pooling == "cls":
            pooled = states[:, 0]  # (B, D)
        else:
            mask = attention_mask.unsqueeze(-1)  # (B, T, 1)
            pooled = (states * mask).sum(1) / mask.sum(1)  # (B, D)
        return self.head(self.dropout(pooled))


def loss_of(outputs: Tensor, labels: Tensor, scores: Tensor, score_weight: float) -> Tensor:
    """Cross-entropy of the classes, given as (N,) indices or (N, C) probabilities, and the score's squared error."""
    error = F.mse_loss(outputs[:, -1].sigmoid(), scores)
    return F.cross_entropy(outputs[:, :-1], labels) + score_weight * error


@torch.inference_mode()
def predict(model: SentimentModel, examples: Sequence[Example]) -> Tensor:
    """(N, C + 1) outputs for all texts, on the CPU."""
    model.eval()
    outputs = torch.zeros(len(examples), len(SENTIMENTS) + 1)
    device = device_of(model)
    for indices in batches_of(examples, PREDICTED_TOKENS):
        batch = collate([examples[index] for index in indices])
        outputs[indices] = model(batch.ids.to(device), batch.mask.to(device)).cpu()
    return outputs


def soft_classes(scores: Tensor, blur: float) -> Tensor:
    """(N,) scores to (N, 3) class probabilities, for scores with a normal error.

    A review with a score of 0.41 is labelled neutral, but is hardly less negative than one with 0.39.
    """
    borders = torch.tensor(CLASS_BORDERS)  # (2,)
    below = torch.special.ndtr((borders - scores[:, None]) / blur)  # (N, 2)
    return torch.stack([below[:, 0], below[:, 1] - below[:, 0], 1 - below[:, 1]], dim=1)


def useful_phrases(phrases: Sequence[Review], sentences: Sequence[Review], settings: Settings) -> list[Review]:
    """Phrases for training: without whole sentences and very short ones, and with a share of the neutral ones."""
    rng = random.Random(settings.seed)
    whole = {sentence.treebank_text for sentence in sentences}
    return [
        phrase
        for phrase in phrases
        if len(phrase.treebank_text.split()) >= settings.shortest_phrase
        and phrase.treebank_text not in whole
        and (SENTIMENTS[phrase.sentiment] != "neutral" or rng.random() < settings.neutral_share)
    ]


def draw(
    sentences: Sequence[Example], phrases: Sequence[Example], settings: Settings, *, epoch: int
) -> list[list[Example]]:
    """The batches of an epoch: the next sentences and phrases of those shuffled once, of similar length per batch."""
    examples = []
    for given, count in ((sentences, settings.sentences), (phrases, settings.phrases)):
        order = random.Random(settings.seed).sample(range(len(given)), len(given))
        places = range(epoch * count, (epoch + 1) * count) if given else ()
        examples += [given[order[place % len(given)]] for place in places]
    shuffling = random.Random(f"{settings.seed} {epoch}")
    shuffling.shuffle(examples)
    examples.sort(key=lambda example: len(example.ids))
    lengths = [len(example.ids) for example in examples]
    batches = batches_within(range(len(examples)), lengths, settings.tokens_per_batch)
    shuffling.shuffle(batches)
    return [[examples[index] for index in batch] for batch in batches]


def _learning_rate_share(step: int, progress: float, settings: Settings) -> float:
    """The learning rate's schedule as a share: linear warm-up, constant, linear decay to 0 at the end.

    Args:
        step: counted from 0, over all epochs.
        progress: in epochs.
    """
    return min(1.0, (step + 1) / settings.warmup_steps, (settings.epochs - progress) / settings.decay_epochs)


class Training(TrainingLoop[list[Example]]):
    """An adapter in training, by default on the CPU."""

    model: SentimentModel

    def __init__(self, settings: Settings, encoder: nn.Module, *, device: torch.device | None = None) -> None:
        torch.manual_seed(settings.seed)
        model = SentimentModel(encoder, settings).to(device)
        adapter = [value for name, value in trained_weights(model).items() if not name.startswith("head.")]
        groups = [
            {"params": adapter, "peak": settings.learning_rate},
            {"params": [*model.head.parameters()], "peak": settings.head_learning_rate},  # trained from zero
        ]
        optimizer = torch.optim.AdamW(groups, lr=settings.learning_rate, weight_decay=settings.weight_decay)
        super().__init__(settings, model, optimizer)

    def run_epoch(self, sentences: Sequence[Example], phrases: Sequence[Example], dev: Sequence[Example]) -> None:
        """One epoch and its validation."""
        batches = draw(sentences, phrases, self.settings, epoch=self.epoch)
        losses = self.train_epoch(batches, total=len(batches))
        with self.using(self.average):
            outputs = predict(self.model, dev)
        true = collate(dev)
        labels, scores = true.sentiment.argmax(1).numpy(), true.score.numpy()
        figures = sentiment_figures(outputs[:, :-1].numpy(), outputs[:, -1].sigmoid().numpy(), labels, scores)
        two, three = figures["sst2"]["accuracy"] or 0.0, figures["three_class"]["accuracy"]
        loss = float(np.average(losses, weights=[len(batch) for batch in batches]))
        values = {"loss": loss, "sst2": two, "three_class": three, "mae": figures["score"]["mae"]}
        self.note_validation(two + three, values)

    def batch_loss(self, batch: list[Example]) -> Tensor:
        device, texts = device_of(self.model), collate(batch)
        classes = soft_classes(texts.score, self.settings.blur).to(device)  # (B, C)
        outputs = self.model(texts.ids.to(device), texts.mask.to(device))
        return loss_of(outputs, classes, texts.score.to(device), self.settings.score_weight)

    def learning_rates(self, index: int, batches: int) -> Sequence[float]:
        step = index if self.epoch == 0 else self.settings.warmup_steps
        share = _learning_rate_share(step, self.epoch + index / batches, self.settings)
        return [group["peak"] * share for group in self.optimizer.param_groups]

    def retained_share(self) -> float:
        """The same for all steps: the adapter starts from the published model, not from random weights."""
        return self.settings.averaging


def shipped_tensors(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The adapter's factors, named after their layers, and the head, in float16."""
    tensors = {}
    for name, value in weights.items():
        match = PEFT_NAME.fullmatch(name)
        tensors[f"{match[1]}.{match[2]}" if match else name] = value.half()
    return tensors


def metadata_of(settings: Settings, layers: int) -> dict[str, str]:
    """The metadata needed to read the shipped tensors."""
    return {"scale": str(settings.scale), "states": json.dumps([[layers, settings.pooling]])}
