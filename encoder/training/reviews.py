"""Training data of the adapter: reviews as ids, useful phrases, and batches of similar length."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from encoder.models.labels import SENTIMENTS
from encoder.models.tensors import batches_within
from encoder.text.tokenizer import Tokenizer
from encoder.training.data import Review

CLASS_BORDERS = (0.4, 0.6)  # up to the first: negative; up to the second: neutral


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
    averaging: float = 0.995  # share of the old average kept per step
    epochs: int = 4
    decay_epochs: int = 4  # the last epochs, in which the learning rate decays to 0
    patience: int = 2
    sentences: int = 8_544  # per epoch: all of them
    phrases: int = 16_000  # per epoch
    shortest_phrase: int = 3  # in words
    neutral_share: float = 0.3  # of the neutral phrases
    tokens_per_batch: int = 512
    max_length: int = 64


@dataclass(frozen=True, slots=True)
class Examples:
    """Texts as ids, with a class (0 negative, 1 neutral, 2 positive) and a score from 0 to 1 each."""

    ids: list[list[int]]
    labels: NDArray[np.int64]
    scores: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.ids)

    def select(self, indices: Sequence[int]) -> Examples:
        """Some of the examples."""
        return Examples([self.ids[index] for index in indices], self.labels[indices], self.scores[indices])

    def __add__(self, other: Examples) -> Examples:
        return Examples(
            self.ids + other.ids,
            np.concatenate([self.labels, other.labels]),
            np.concatenate([self.scores, other.scores]),
        )


def encode(tokenizer: Tokenizer, reviews: Sequence[Review], *, max_length: int) -> Examples:
    """Encode reviews, truncated to `max_length` tokens."""
    texts = [review.text for review in reviews]
    ids = tokenizer.inner(texts, truncation=True, max_length=max_length, verbose=False)["input_ids"]
    return Examples(
        ids,
        np.array([review.sentiment for review in reviews], np.int64),
        np.array([review.score for review in reviews], np.float32),
    )


def soft_classes(scores: NDArray[np.float32], blur: float) -> Tensor:
    """(N,) scores to (N, 3) class probabilities, for scores with a normal error.

    A review with a score of 0.41 is labelled neutral, but is hardly less negative than one with 0.39.
    """
    borders = torch.tensor(CLASS_BORDERS)  # (2,)
    below = torch.special.ndtr((borders - torch.from_numpy(scores)[:, None]) / blur)  # (N, 2)
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


def draw(sentences: Examples, phrases: Examples, settings: Settings, *, epoch: int) -> Examples:
    """The examples of one epoch: sentences and phrases that were not seen before, as long as there are any."""
    return sentences.select(_epoch_indices(len(sentences), settings.sentences, settings.seed, epoch)) + phrases.select(
        _epoch_indices(len(phrases), settings.phrases, settings.seed, epoch)
    )


def _epoch_indices(total: int, count: int, seed: int, epoch: int) -> list[int]:
    """The indices of one epoch: the next `count` of all `total`, shuffled once."""
    order = random.Random(seed).sample(range(total), total)
    return [order[place % total] for place in range(epoch * count, (epoch + 1) * count)] if total else []


def batches_of(ids: Sequence[Sequence[int]], budget: int, rng: random.Random | None = None) -> list[list[int]]:
    """Batches of similar length, as indices, of at most `budget` tokens including padding; shuffled with an rng."""
    order = list(range(len(ids)))
    if rng:
        rng.shuffle(order)
    order.sort(key=lambda index: len(ids[index]))
    batches = batches_within(order, [len(row) for row in ids], budget)
    if rng:
        rng.shuffle(batches)
    return batches


def padded(ids: Sequence[Sequence[int]], *, device: torch.device | None = None) -> tuple[Tensor, Tensor]:
    """(B, T) ids, padded with zeros, and their mask; by default on the CPU."""
    length = max(map(len, ids))
    rows = torch.tensor([[*row, *[0] * (length - len(row))] for row in ids], device=device)
    mask = torch.tensor([[1] * len(row) + [0] * (length - len(row)) for row in ids], device=device)
    return rows, mask
