"""A model that measures shards, with one forward pass per batch."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import torch

from encoder.atlas import distribution, examples, likeness, mixture
from encoder.atlas.counting import add_habits, arcs_of, count_batch
from encoder.atlas.counts import Counts, counts_to_table
from encoder.atlas.distribution import DISTRIBUTION, WeightCounts
from encoder.atlas.habits import features_of
from encoder.atlas.layout import Encoded, lay_out
from encoder.atlas.names import HABITS
from encoder.atlas.packed import pack_linears
from encoder.atlas.reduction import LayerReader, Reduced, check_readable, reduce_batch
from encoder.atlas.search_tables import TEXTS, Looks, text_rows
from encoder.atlas.sentences import Sentence, Skipped
from encoder.atlas.shards import Half, Shard
from encoder.atlas.tables import table_of
from encoder.catalogue import load
from encoder.errors import InputError
from encoder.models.base import Backend

BATCH_TOKENS = 512  # with padding; larger batches are no faster and take more memory
ENOUGH_TOKENS = 256
BATCH_SENTENCES = 64


@dataclass(frozen=True, slots=True)
class ShardResult:
    """The result of a shard: tables by name, counts included, and the sentences that the model cannot read."""

    half: Half
    index: int
    sentences: int
    tables: dict[str, pa.Table]
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """How a worker measures: the model, the device, and the largest number of sentences per batch."""

    model: str
    device: str | None = None
    batch_sentences: int = BATCH_SENTENCES


class Measurer:
    """One model in one process. It runs on one thread, so that the bits of a shard do not depend on other work."""

    def __init__(self, setting: Setting) -> None:
        torch.set_num_threads(1)
        self.backend = load(setting.model, device=setting.device)
        pack_linears(self.backend.modules[0])
        self.setting = setting
        check_readable(self.backend)

    def measure(self, shard: Shard) -> ShardResult:
        """Count a shard, and take examples if it is among the first sentences."""
        texts, skipped = encode(self.backend, shard.sentences)
        layers, heads = self.backend.num_layers, self.backend.num_heads
        work = _Work(shard, Counts.none(layers, heads), Looks(texts, layers, heads), WeightCounts(layers, heads))
        habits = np.zeros((len(texts), layers, heads, len(HABITS)), dtype=np.float32)
        defined = np.zeros((len(texts), len(HABITS)), dtype=bool)
        chance = np.zeros((len(texts), len(HABITS)))
        for rows in batches_by_length(texts, self.setting.batch_sentences):
            reduced = work.measure_batch(self.backend, texts, rows)
            habits[rows] = reduced.habits.cpu().numpy()
            defined[rows] = reduced.features.defined.cpu().numpy()
            chance[rows] = reduced.features.chance.cpu().numpy()
            del reduced
            return_free_memory()
        add_habits(work.counts, habits, defined, chance)
        tables = work.tables()
        if shard.half == "measure" and shard.first < likeness.SENTENCES:
            some = texts[: likeness.SENTENCES - shard.first]
            tables["likeness"] = table_of(likeness.likeness_rows(self.backend, some), likeness.LIKENESS)
        return ShardResult(shard.half, shard.index, len(shard.sentences), tables, tuple(skipped))


@dataclass(slots=True)
class _Work:
    """The results of a shard's batches so far."""

    shard: Shard
    counts: Counts
    looks: Looks
    weights: WeightCounts
    learning: list[dict[str, Any]] = field(default_factory=list)
    examples: list[dict[str, Any]] = field(default_factory=list)

    @property
    def learns(self) -> bool:
        """Whether the mixture is learned from this shard."""
        return self.shard.half == "choose" and self.shard.first < mixture.SENTENCES

    @property
    def shows(self) -> bool:
        """Whether examples are taken from this shard."""
        return self.shard.chosen is not None and self.shard.first < examples.SENTENCES

    @property
    def is_searched(self) -> bool:
        """Whether searches read this shard."""
        return self.shard.half == "measure"

    @property
    def is_weighed(self) -> bool:
        """Whether the distribution of weights is taken from this shard."""
        return self.is_searched and self.shard.first < distribution.SENTENCES

    def measure_batch(self, backend: Backend, texts: Sequence[Encoded], rows: Sequence[int]) -> Reduced:
        """Run some of the shard's texts, and count them."""
        batch = [texts[row] for row in rows]
        layout = lay_out(backend, batch)
        features = features_of(layout)
        arcs = arcs_of(batch, layout)
        chosen = self.shard.chosen
        first = self.shard.first
        learned = [place for place, row in enumerate(rows) if self.learns and first + row < mixture.SENTENCES]
        passing = mixture.DependentRows(arcs.of(learned), layout) if learned else None
        scores = mixture.MixtureScores(chosen.mixture, layout) if chosen and chosen.mixture is not None else None
        places = examples.HabitPlaces(chosen, features) if chosen and self.shows else None
        weights = examples.ArcWeights(arcs) if self.shows else None
        readers: list[LayerReader] = [reader for reader in (passing, scores, places, weights) if reader is not None]
        if self.is_weighed:
            self.weights.begin(layout)
            readers.append(self.weights)
        reduced = reduce_batch(backend, layout, features, *readers)
        count_batch(self.counts, reduced, arcs)
        if self.is_searched:
            self.looks.add(rows, reduced)
        if passing is not None:
            self.learning += passing.rows()
        if scores is not None:
            scores.count(self.counts, arcs)
        if chosen and places is not None and weights is not None:
            self.examples += examples.habit_examples(batch, reduced, places)
            self.examples += examples.relation_examples(batch, reduced, weights, chosen)
        return reduced

    def tables(self) -> dict[str, pa.Table]:
        """The shard's tables by name, except the likeness of heads."""
        tables = {"counts": counts_to_table(self.counts)}
        if self.learns:
            tables["learning"] = table_of(self.learning, mixture.LEARNING)
        if self.shows:
            tables["examples"] = table_of(examples.keep_best(self.examples), examples.EXAMPLES)
        if self.is_searched:
            tables["sentences"] = table_of(text_rows(self.looks.texts), TEXTS)
            tables["looks"] = self.looks.table()
        if self.is_weighed:
            tables["distribution"] = table_of(self.weights.rows(), DISTRIBUTION)
        return tables


def encode(backend: Backend, sentences: Sequence[Sentence]) -> tuple[list[Encoded], list[Skipped]]:
    """Tokenise sentences; those that the model cannot read as a whole are skipped."""
    texts: list[Encoded] = []
    skipped: list[Skipped] = []
    for sentence in sentences:
        a, b = sentence.words[: sentence.b_start], sentence.words[sentence.b_start or len(sentence.words) :]
        try:
            tokens = backend.tokenize(a, b or None)
        except InputError:
            skipped.append(Skipped(sentence.where, "the tokenizer keeps none of it"))
            continue
        if any(tokens.truncated):
            skipped.append(Skipped(sentence.where, f"longer than the {tokens.max_length} tokens that the model reads"))
        else:
            texts.append(Encoded(sentence, tokens))
    return texts, skipped


def batches_by_length(texts: Sequence[Encoded], most: int) -> Iterator[list[int]]:
    """Indices of texts of similar length, or of equal length if there are enough of them.

    Args:
        most: texts per batch; a batch also has at most BATCH_TOKENS tokens.
    """
    batch: list[int] = []
    lengths = [len(text.tokens) for text in texts]
    for index in sorted(range(len(texts)), key=lengths.__getitem__):
        length = lengths[index]
        if batch:
            is_full = len(batch) == most or length * (len(batch) + 1) > BATCH_TOKENS
            shorter = lengths[batch[-1]]
            if is_full or (length > shorter and shorter * len(batch) >= ENOUGH_TOKENS):
                yield batch
                batch = []
        batch.append(index)
    if batch:
        yield batch


def return_free_memory() -> None:
    """Return free memory to the system; glibc would keep it.

    Batches of many sizes fragment the heap: without this, a shard takes 1.5 times the memory.
    """
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
