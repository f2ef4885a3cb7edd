"""A model that measures shards, with one forward pass per batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from encoder.atlas.build import distribution, examples, together
from encoder.atlas.build.corpus import Sentence, Skipped
from encoder.atlas.build.counts import Counts, add_habits, arcs_of, count_batch, counts_to_table
from encoder.atlas.build.distribution import DISTRIBUTION, WeightCounts
from encoder.atlas.build.habits import features_of
from encoder.atlas.build.layout import Encoded, lay_out
from encoder.atlas.build.reduction import LayerReader, Reduced, check_readable, reduce_batch
from encoder.atlas.build.search_tables import Looks, text_rows
from encoder.atlas.build.shards import Half, Shard
from encoder.atlas.names import HABITS
from encoder.atlas.tables import EXAMPLES, TEXTS, table_of
from encoder.catalogue import load
from encoder.errors import InputError
from encoder.models.base import Backend
from encoder.models.memory import return_freed_memory

BATCH_TOKENS = 512  # with padding; larger batches are no faster and take more memory
ENOUGH_TOKENS = 256
BATCH_SENTENCES = 64

# torch uses MKL, which does not use AVX-512 on non-Intel processors. One core of an EPYC of 2024 reaches 110 GFLOP/s
# with MKL and 200 to 260 with oneDNN, for 64 to 4,096 tokens of the bundled model.
ROWS = 64  # pad to multiples: oneDNN compiles and caches 0.6 MB of code per distinct number of rows
FEW_ROWS = 128  # up to here, pad to multiples of ROWS / 2: 128 rows instead of 68 would take twice as long
FEWEST_ROWS = 32  # below, oneDNN is not faster


@dataclass(frozen=True, slots=True)
class ShardResult:
    """The result of a shard."""

    half: Half
    index: int
    sentences: int
    tables: dict[str, pa.Table]  # by name
    skipped: tuple[Skipped, ...]  # sentences that the model cannot read


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """How a worker measures."""

    model: str
    device: str | None = None
    batch_sentences: int = BATCH_SENTENCES  # at most


class Measurer:
    """One model in one process, on one thread, so that the bits of a shard do not depend on other work."""

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
            return_freed_memory()  # batches of many sizes fragment glibc's heap to 1.5 times the memory
        add_habits(work.counts, habits, defined, chance)
        return ShardResult(shard.half, shard.index, len(shard.sentences), work.tables(), tuple(skipped))


@dataclass(slots=True)
class _Work:
    """The results of a shard's batches so far."""

    shard: Shard
    counts: Counts
    looks: Looks
    weights: WeightCounts
    examples: list[dict[str, Any]] = field(default_factory=list)

    @property
    def feeds_examples(self) -> bool:
        """Whether examples are taken from this shard."""
        return self.shard.chosen is not None and self.shard.first < examples.SENTENCES

    @property
    def keeps_looks(self) -> bool:
        """Whether what its words look at is kept: for searches, or to count words that go together."""
        return self.shard.half == "measure" or self.shard.first < together.SENTENCES

    @property
    def feeds_distribution(self) -> bool:
        """Whether the distribution of weights is taken from this shard."""
        return self.shard.half == "measure" and self.shard.first < distribution.SENTENCES

    def measure_batch(self, backend: Backend, texts: Sequence[Encoded], rows: Sequence[int]) -> Reduced:
        """Run some of the shard's texts, and count them."""
        batch = [texts[row] for row in rows]
        layout = lay_out(backend, batch)
        features = features_of(layout)
        arcs = arcs_of(batch, layout)
        chosen = self.shard.chosen
        places = examples.HabitPlaces(chosen, features) if chosen and self.feeds_examples else None
        weights = examples.ArcWeights(arcs) if self.feeds_examples else None
        readers: list[LayerReader] = [reader for reader in (places, weights) if reader is not None]
        if self.feeds_distribution:
            self.weights.begin(layout)
            readers.append(self.weights)
        reduced = reduce_batch(backend, layout, features, *readers)
        count_batch(self.counts, reduced, arcs)
        if self.keeps_looks:
            self.looks.add(rows, reduced)
        if chosen and places is not None and weights is not None:
            self.examples += examples.habit_examples(batch, reduced, places)
            self.examples += examples.relation_examples(batch, reduced, weights, chosen)
        return reduced

    def tables(self) -> dict[str, pa.Table]:
        """The shard's tables by name."""
        tables = {"counts": counts_to_table(self.counts)}
        if self.feeds_examples:
            tables["examples"] = table_of(examples.keep_best(self.examples), EXAMPLES)
        if self.keeps_looks:
            tables["sentences"] = table_of(text_rows(self.looks.texts), TEXTS)
            tables["looks"] = self.looks.table()
        if self.feeds_distribution:
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
    """Indices of at most `most` texts of similar length, or of equal length if there are enough of them."""
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


def pack_linears(model: nn.Module) -> bool:
    """Make a model's linear layers use oneDNN, if they are float32 on a CPU with AVX-512; returns whether any are.

    Outputs stay the same up to rounding, and have no gradients. The weights must not change or move afterwards, because
    small products use the originals and large ones copies in oneDNN's layout.
    """
    if not (torch.backends.mkldnn.is_available() and torch.backends.cpu.get_cpu_capability() == "AVX512"):
        return False
    found = False
    for module in model.modules():
        if type(module) is nn.Linear and (module.weight.device.type, module.weight.dtype) == ("cpu", torch.float32):
            found = True
            weight, bias = module.weight.detach(), None if module.bias is None else module.bias.detach()
            packed: Tensor = torch.ops.mkldnn._reorder_linear_weight(weight)
            module.forward = partial(_multiply, weight, packed, bias)  # type: ignore[method-assign]
    return found


def _multiply(weight: Tensor, packed: Tensor, bias: Tensor | None, x: Tensor) -> Tensor:
    """(..., D) to (..., F)."""
    rows = x.reshape(-1, x.shape[-1])  # (M, D)
    if len(rows) < FEWEST_ROWS:
        return F.linear(x, weight, bias)
    product: Tensor = torch.ops.mkldnn._linear_pointwise(_padded(rows), packed, bias, "none", [], "")
    return product[: len(rows)].view(*x.shape[:-1], -1)  # (..., F)


def _padded(rows: Tensor) -> Tensor:
    """(M, D) padded with zero rows to a multiple of `ROWS`, or of half of it."""
    missing = -len(rows) % (ROWS // 2 if len(rows) <= FEW_ROWS else ROWS)
    return torch.cat((rows, rows.new_zeros(missing, rows.shape[1]))) if missing else rows
