"""Fine-tuning of the bundled BERT on the Stanford Sentiment Treebank, with a low-rank adapter and two heads.

The encoder's weights are frozen; `peft` adds two thin matrices to each of its linear layers (Hu et al. 2021). Each
epoch sees new sentences and phrases, while there are any, in batches of texts of similar length.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from encoder.errors import ModelError
from encoder.models.device import device_of
from encoder.models.labels import SENTIMENTS
from encoder.training.figures import sentiment_figures
from encoder.training.loop import TrainingLoop, on_cpu
from encoder.training.reviews import Examples, Settings, batches_of, draw, padded, soft_classes

# All linear layers of BERT's encoder, without the unused pooler.
LINEAR_LAYERS = r".*encoder\.layer\.\d+\..*\.(query|key|value|dense)"
PREDICTED_TOKENS = 2048  # per batch of predictions, padding included
PEFT_NAME = re.compile(r"encoder\.base_model\.model\.(.+)\.(lora_[AB])\.default\.weight")


class SentimentModel(nn.Module):
    """An encoder with an adapter, and one linear layer on its pooled last state: C classes and the score."""

    def __init__(self, encoder: Any, settings: Settings) -> None:
        super().__init__()
        try:
            from peft import LoraConfig, get_peft_model  # needed for training only
        except ImportError as error:
            raise ModelError(
                "Adapters are trained with peft: pip install -r encoder/training/requirements.txt"
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

    def trained(self) -> dict[str, nn.Parameter]:
        """The trained parameters: the adapter's factors and the head."""
        return {name: value for name, value in self.named_parameters() if value.requires_grad}


def loss_of(outputs: Tensor, labels: Tensor, scores: Tensor, score_weight: float) -> Tensor:
    """Cross-entropy of the classes, given as (N,) indices or (N, C) probabilities, and the score's squared error."""
    error = F.mse_loss(outputs[:, -1].sigmoid(), scores)
    return F.cross_entropy(outputs[:, :-1], labels) + score_weight * error


@torch.inference_mode()
def predict(model: SentimentModel, examples: Examples) -> Tensor:
    """(N, C + 1) outputs for all texts, on the CPU."""
    model.eval()
    outputs = torch.zeros(len(examples), len(SENTIMENTS) + 1)
    for batch in batches_of(examples.ids, PREDICTED_TOKENS):
        rows, mask = padded([examples.ids[index] for index in batch], device=device_of(model))
        outputs[batch] = model(rows, mask).cpu()
    return outputs


def learning_rate_share(step: int, progress: float, settings: Settings) -> float:
    """The learning rate's schedule as a share: linear warm-up, constant, linear decay to 0 at the end.

    Until the decay, the share does not depend on the number of epochs, so that a running training can be extended.

    Args:
        step: counted from 0, over all epochs.
        progress: in epochs.
    """
    return min(1.0, (step + 1) / settings.warmup_steps, (settings.epochs - progress) / settings.decay_epochs)


def optimizer_of(model: SentimentModel, settings: Settings) -> torch.optim.Optimizer:
    """AdamW, with a higher learning rate for the head, which is trained from scratch."""
    adapter = [value for name, value in model.trained().items() if not name.startswith("head.")]
    groups = [
        {"params": adapter, "peak": settings.learning_rate},
        {"params": list(model.head.parameters()), "peak": settings.head_learning_rate},
    ]
    return torch.optim.AdamW(groups, lr=settings.learning_rate, weight_decay=settings.weight_decay)


class Training(TrainingLoop[Examples]):
    """An adapter in training, by default on the CPU."""

    SAVED_ATTRIBUTES = ("epoch", "best", "history")
    model: SentimentModel

    def __init__(self, settings: Settings, encoder: nn.Module, *, device: torch.device | None = None) -> None:
        torch.manual_seed(settings.seed)
        self.settings = settings
        self.model = SentimentModel(encoder, settings).to(device)
        self.optimizer = optimizer_of(self.model, settings)
        self.mean = {name: value.detach().clone() for name, value in self.model.trained().items()}
        self.epoch = 0
        self.best: dict[str, Any] = {"value": -1.0, "epoch": 0, "tensors": {}}
        self.history: list[dict[str, float]] = []

    def run_epoch(self, sentences: Examples, phrases: Examples, dev: Examples, *, quiet: bool = False) -> None:
        """One epoch and its validation; stores the weights that did best."""
        settings = self.settings
        examples = draw(sentences, phrases, settings, epoch=self.epoch)
        shuffling = random.Random(f"{settings.seed} {self.epoch}")
        batches = [examples.select(rows) for rows in batches_of(examples.ids, settings.tokens_per_batch, shuffling)]
        losses = self.train_epoch(batches, total=len(batches), quiet=quiet)
        loss = float(np.average(losses, weights=[len(batch) for batch in batches]))
        with self._averaged():
            outputs, tensors = predict(self.model, dev), shipped_tensors(self.model)
        figures = sentiment_figures(outputs[:, :-1].numpy(), outputs[:, -1].sigmoid().numpy(), dev.labels, dev.scores)
        two, three = figures["sst2"]["accuracy"] or 0.0, figures["three_class"]["accuracy"]
        self.history.append(
            {"epoch": self.epoch, "loss": loss, "sst2": two, "three_class": three, "mae": figures["score"]["mae"]}
        )
        if two + three > self.best["value"]:
            self.best = {"value": two + three, "epoch": self.epoch, "tensors": tensors}

    def batch_loss(self, batch: Examples) -> Tensor:
        device = device_of(self.model)
        rows, mask = padded(batch.ids, device=device)
        classes = soft_classes(batch.scores, self.settings.blur).to(device)  # (B, C)
        scores = torch.from_numpy(batch.scores).to(device)
        return loss_of(self.model(rows, mask), classes, scores, self.settings.score_weight)

    def learning_rates(self, index: int, batches: int) -> Sequence[float]:
        step = index if self.epoch == 0 else self.settings.warmup_steps
        share = learning_rate_share(step, self.epoch + index / batches, self.settings)
        return [group["peak"] * share for group in self.optimizer.param_groups]

    @torch.no_grad()
    def after_step(self) -> None:
        for name, value in self.model.trained().items():
            self.mean[name].lerp_(value, 1 - self.settings.averaging)

    @contextmanager
    def _averaged(self) -> Iterator[None]:
        """The model with its averaged weights, which are more accurate than the last ones."""
        trained = self.model.trained()
        last = {name: value.detach().clone() for name, value in trained.items()}
        _copy(self.mean, trained)
        yield
        _copy(last, trained)

    def is_over(self) -> bool:
        """Whether all epochs are done, or the last ones brought no improvement."""
        return self.epoch >= self.settings.epochs or self.epoch - self.best["epoch"] >= self.settings.patience

    def weights(self) -> dict[str, dict[str, Any]]:
        return {"model": {name: value.detach() for name, value in self.model.trained().items()}, "mean": self.mean}

    def restore(self, weights: Mapping[str, Any], where: str) -> None:
        _copy(weights["model"], self.model.trained())
        _copy(weights["mean"], self.mean)


@torch.no_grad()
def _copy(values: Mapping[str, Tensor], into: Mapping[str, Tensor]) -> None:
    for name, value in into.items():
        value.copy_(values[name])


def shipped_tensors(model: SentimentModel) -> dict[str, Tensor]:
    """The adapter's factors, named after their layers, and the head; in float16 on the CPU."""
    tensors = {}
    for name, value in on_cpu(model.trained()).items():
        match = PEFT_NAME.fullmatch(name)
        tensors[f"{match[1]}.{match[2]}" if match else name] = value.half()
    return tensors


def metadata_of(settings: Settings, layers: int) -> dict[str, str]:
    """The metadata needed to read the shipped tensors."""
    return {"scale": str(settings.scale), "states": json.dumps([[layers, settings.pooling]])}
