"""Predictions of many texts, against `transformers` in batches; and the memory that their results take."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import torch
from torch import Tensor
from transformers import AutoTokenizer

import encoder
from bench.context import BUNDLED, Context
from bench.measure import Row, alternate, compare
from bench.models import load_bert
from encoder.collection.results import GrowingResults, read_rows
from encoder.collection.table import Collection

PART = "A table of 1,000 texts of 20 tokens (10 to 30), read on the bundled model (CPU seconds)"
TEXTS, BATCH = 1_000, 32
TARGET = "≤ 1.0"
WORDS = "the a film good bad dull bright story actor time flies like an arrow and but never quite ends before its music"


def rows(context: Context) -> Iterator[Row]:
    """The time of what the page runs, over that of the same weights and tokenizer in batches of 32 by length."""
    texts = random_texts(TEXTS)
    model = encoder.load("bundled")
    collection = Collection.of("texts", pa.table({"text": texts}), text="text")

    def ours() -> object:
        growing = GrowingResults(collection=collection, model_name="bundled")
        return read_rows(model, collection, growing, lambda *_: None)

    times = alternate(
        {"ours": cpu_seconds(ours), "other": cpu_seconds(_in_batches(context.models[BUNDLED], texts))},
        context.rounds,
    )
    yield compare(times, "ours", "other", part=PART, what="time over `transformers`", tokens=20, target=TARGET)


def random_texts(count: int) -> list[str]:
    """Texts of 8 to 28 words that are one token each."""
    rng = random.Random(0)
    return [" ".join(rng.choices(WORDS.split(), k=rng.randint(8, 28))) for _ in range(count)]


def cpu_seconds(work: Callable[[], object]) -> Callable[[], float]:
    """A variant that measures the CPU seconds of the process."""

    def variant() -> float:
        start = time.process_time()
        work()
        return time.process_time() - start

    return variant


def _in_batches(folder: Path, texts: list[str]) -> Callable[[], list[Tensor]]:
    """The same with `transformers`: tokenised together, sorted by length, and a linear head with three classes."""
    tokenizer, model = AutoTokenizer.from_pretrained(folder), load_bert(folder, "sdpa")
    head = torch.nn.Linear(model.config.hidden_size, 3)

    @torch.inference_mode()
    def run() -> list[Tensor]:
        ids = tokenizer(texts)["input_ids"]
        order = sorted(range(len(ids)), key=lambda row: len(ids[row]))
        found: dict[int, Tensor] = {}
        for first in range(0, len(order), BATCH):
            some = order[first : first + BATCH]
            batch = tokenizer.pad({"input_ids": [ids[row] for row in some]}, return_tensors="pt")
            shares = head(model(**batch).last_hidden_state[:, 0]).softmax(-1)  # (B, 3)
            found |= zip(some, shares, strict=True)
        return [found[row] for row in range(len(texts))]

    return run
