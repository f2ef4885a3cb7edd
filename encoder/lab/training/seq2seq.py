"""Train the small encoder-decoder: `python -m encoder.training.train seq2seq`.

Items are drawn on demand, so that hardly any is seen twice; held-out items are never drawn. The weights that ship are
the average over the steps after the last epoch: no epoch is chosen by the held-out items. An earlier draw of held-out
items decided how often sorting is drawn and how long the training takes; the figures are of another draw.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from encoder.arguments import positive
from encoder.lab.training.loop import TrainingLoop, learning_rate_at, on_cpu
from encoder.lab.training.output import Card, save_tensors, write_card
from encoder.lab.training.task_measuring import MAX_ALIGNMENT_ITEMS, measure
from encoder.models.device import device_of
from encoder.models.tensors import padded
from encoder.shipped.names import SEQ2SEQ
from encoder.shipped.seq2seq import load_seq2seq
from encoder.shipped.task_tokenizer import TaskTokenizer, vocabulary
from encoder.shipped.tasks import FIRST_DAY, FORMS, HELD_OUT, LAST_DAY, LEXICON, MAX_WORDS, Item, Task, draw_item
from encoder.transformer.config import EncoderConfig
from encoder.transformer.seq2seq import Seq2Seq

CONFIG = EncoderConfig(
    vocab_size=len(vocabulary()),
    hidden_size=128,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=512,
    max_position_embeddings=16,
    type_vocab_size=1,
    hidden_dropout_prob=0.0,  # every item is new, so there is no overfitting
    attention_probs_dropout_prob=0.0,
    norm="pre",
)
IGNORED_TARGET = -100  # target of padding


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that determines the result."""

    config: EncoderConfig = CONFIG
    seed: int = 0
    epochs: int = 20
    batches: int = 250  # per epoch
    batch_items: int = 64
    turns: tuple[Task, ...] = ("sort", "reverse", "sort", "date", "sort")  # sorting takes longest to learn
    learning_rate: float = 1.5e-3
    weight_decay: float = 0.01
    warm_up: float = 0.05  # share of the training
    averaging: float = 0.995  # share of the old average that a step retains
    held_out: int = 2000  # items per task for evaluation


class Batch(NamedTuple):
    """Items as tensors, padded at the end."""

    source: Tensor  # (B, S)
    attention_mask: Tensor  # (B, S)
    read: Tensor  # (B, T), the start token and the target without its end
    write: Tensor  # (B, T), the target with its end, padded with IGNORED_TARGET


def collate(items: Sequence[Item], tokenizer: TaskTokenizer, *, device: torch.device | None = None) -> Batch:
    """Items as one batch, by default on the CPU."""
    sources = [tokenizer.source(item.task, item.source) for item in items]
    source = padded(sources, pad_id=tokenizer.pad_id, device=device)
    targets = [tokenizer.target_ids(item.target) for item in items]
    length = max(map(len, targets))
    read = [[tokenizer.start_id, *ids[:-1], *[tokenizer.pad_id] * (length - len(ids))] for ids in targets]
    write = [[*ids, *[IGNORED_TARGET] * (length - len(ids))] for ids in targets]
    return Batch(
        source.input_ids, source.attention_mask, torch.tensor(read, device=device), torch.tensor(write, device=device)
    )


def epoch_batches(settings: Settings, epoch: int) -> Iterator[list[Item]]:
    """An epoch's items, cycling through the tasks; they depend on the seed and the epoch alone."""
    random = np.random.default_rng((settings.seed, epoch))
    for _ in range(settings.batches):
        yield [
            draw_item(settings.turns[index % len(settings.turns)], random, held_out=False)
            for index in range(settings.batch_items)
        ]


def loss_of(model: Seq2Seq, batch: Batch) -> Tensor:
    """Mean cross entropy of the next tokens."""
    logits = model(batch.source, batch.read, batch.attention_mask)  # (B, T, V)
    return F.cross_entropy(logits.flatten(0, 1), batch.write.flatten(), ignore_index=IGNORED_TARGET)


class Training(TrainingLoop[list[Item]]):
    """An encoder-decoder in training, by default on the CPU."""

    model: Seq2Seq

    def __init__(self, settings: Settings, *, device: torch.device | None = None) -> None:
        torch.manual_seed(settings.seed)
        self.tokenizer = TaskTokenizer(vocabulary(), max_length=settings.config.max_position_embeddings)
        model = Seq2Seq(settings.config, start_id=self.tokenizer.start_id, end_id=self.tokenizer.end_id).to(device)
        optimizer = torch.optim.AdamW(
            model.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay, betas=(0.9, 0.98)
        )
        super().__init__(settings, model, optimizer)

    def is_over(self) -> bool:
        """Whether all epochs are done: no epoch is chosen."""
        return self.epoch >= self.settings.epochs

    def run_epoch(self) -> None:
        """One epoch of items drawn on demand."""
        losses = self.train_epoch(epoch_batches(self.settings, self.epoch), total=self.settings.batches)
        self.history.append({"epoch": self.epoch, "step": self.step, "loss": float(np.mean(losses))})

    def batch_loss(self, batch: list[Item]) -> Tensor:
        return loss_of(self.model, collate(batch, self.tokenizer, device=device_of(self.model)))

    def learning_rates(self, index: int, batches: int) -> Sequence[float]:
        settings = self.settings
        progress = (self.epoch + index / batches) / settings.epochs
        return [learning_rate_at(progress, warm_up=settings.warm_up, learning_rate=settings.learning_rate)]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `python -m encoder.training.train seq2seq`."""
    defaults = Settings()
    parser.add_argument("--epochs", type=positive, default=defaults.epochs)
    parser.add_argument("--batches", type=positive, default=defaults.batches, help="batches per epoch")
    parser.add_argument("--held-out", type=positive, default=defaults.held_out, help="items per task for evaluation")
    parser.add_argument("--resume", action="store_true", help="resume the training that was interrupted in --out")


def run(args: argparse.Namespace) -> None:
    """Train, and write weights and model card to `args.out`."""
    settings = Settings(config=CONFIG, seed=args.seed, epochs=args.epochs, batches=args.batches, held_out=args.held_out)
    training = Training(settings, device=args.device)
    state = args.out / f"{SEQ2SEQ}-training.pt"
    if args.resume:
        training.resume(state)
    training.run(training.run_epoch, state=state)
    ship(training, args.out)
    state.unlink()


def ship(training: Training, out: Path) -> None:
    """Write the averaged weights and the model card, evaluated in their shipped precision."""
    settings = training.settings
    metadata = {"config": json.dumps(asdict(settings.config)), "vocabulary": json.dumps(training.tokenizer.pieces)}
    halves = {name: tensor.half() for name, tensor in on_cpu(training.average).items()}
    save_tensors(out / f"{SEQ2SEQ}.safetensors", halves, metadata)
    backend = load_seq2seq(out).to(device_of(training.model))
    figures, heads = measure(backend, count=settings.held_out, aligned=min(settings.held_out, MAX_ALIGNMENT_ITEMS))
    write_card(
        out,
        SEQ2SEQ,
        Card(
            name=SEQ2SEQ,
            what=(
                "Our own encoder and decoder (encoder/transformer/), trained from zero on three tasks "
                "at once, which the first token of the source names: reversing words, sorting words by the alphabet, "
                "and turning a written date into an ISO date. In these tasks the source of every written token is "
                "known, so attention can be compared with it."
            ),
            command=(
                f"python -m encoder.training.train seq2seq --seed {settings.seed} --epochs {settings.epochs} "
                f"--batches {settings.batches} --held-out {settings.held_out}"
            ),
            data=(
                f"Drawn by encoder/shipped/tasks.py: 1 to {MAX_WORDS} of {len(LEXICON)} words, and days from "
                f"{FIRST_DAY} to {LAST_DAY} in {len(FORMS)} written forms.",
                f"One in {HELD_OUT} is held out and never drawn for training: a collection of words in any order and "
                "for either task, a date in any form.",
            ),
            settings=asdict(settings) | {"step": training.step},
            figures=tuple(figures),
            limits=(
                f"It knows {len(LEXICON)} words besides the months and weekdays, and no others.",
                f"It read {MAX_WORDS} words at most, and dates in {len(FORMS)} forms: about others its answer is a "
                "guess.",
                "The best head of a task was chosen on the items that its share is measured on.",
                "Where a head looks is not why a token was written: the encoder may have moved what it knows of a word "
                "to another place.",
            ),
            extra=heads | {"history": training.history},
            measured_on=(
                "On held-out items, drawn anew when the settings stood: an earlier draw decided how often sorting is "
                "drawn and how long the training takes."
            ),
        ),
    )
