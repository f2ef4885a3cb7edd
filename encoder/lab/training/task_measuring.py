"""Evaluate the encoder-decoder: exact match on held-out items, and agreement of attention with the alignment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from tqdm import tqdm

from encoder.models.device import device_of
from encoder.models.tensors import Batch, padded
from encoder.shipped.card import Figure
from encoder.shipped.seq2seq import Seq2SeqBackend
from encoder.shipped.task_tokenizer import TaskTokenizer
from encoder.shipped.tasks import TASKS, Item, Task, draw_item
from encoder.transformer.seq2seq import Seq2Seq

BATCH_ITEMS = 256
MAX_ALIGNMENT_ITEMS = 500  # items per task for the alignment
TITLES: dict[Task, str] = {"reverse": "Reversing words", "sort": "Sorting words", "date": "Dates into ISO dates"}
HELD_OUT_SEED = 2**31 - 2  # of the evaluated draw; an earlier draw decided the training's settings


def held_out_items(task: Task, count: int) -> list[Item]:
    """Distinct items that training never sees, independent of the training's seed."""
    random = np.random.default_rng((HELD_OUT_SEED, TASKS.index(task)))
    items: dict[str, Item] = {}
    while len(items) < count:
        item = draw_item(task, random, held_out=True)
        items.setdefault(item.source, item)
    return list(items.values())


@dataclass(frozen=True, slots=True)
class AlignmentHits:
    """How many written tokens have one of their source tokens as the most attended token."""

    tokens: int  # written tokens with a known source
    heads: NDArray[np.int64]  # (L, H) hits of each cross-attention head
    mean: int  # hits of the mean over all heads and layers
    chance: float  # the hit rate of random positions, special tokens included

    @property
    def best(self) -> tuple[int, int]:
        """The layer and head with most hits."""
        layer, head = np.unravel_index(int(self.heads.argmax()), self.heads.shape)
        return int(layer), int(head)


@torch.inference_mode()
def exact_matches(model: Seq2Seq, tokenizer: TaskTokenizer, items: Sequence[Item]) -> NDArray[np.bool_]:
    """(N,) whether each item's target was written exactly, with its end."""
    right = list[bool]()
    for batch, source in source_batches(model, tokenizer, items):
        right += are_right(model.write(source.input_ids, source.attention_mask).ids, tokenizer, batch)
    return np.array(right)


def source_batches(
    model: Seq2Seq, tokenizer: TaskTokenizer, items: Sequence[Item]
) -> Iterator[tuple[Sequence[Item], Batch]]:
    """Items in batches, with their sources as tensors on the model's device."""
    for start in range(0, len(items), BATCH_ITEMS):
        batch = items[start : start + BATCH_ITEMS]
        sources = [tokenizer.source(item.task, item.source) for item in batch]
        yield batch, padded(sources, pad_id=tokenizer.pad_id, device=device_of(model))


def are_right(ids: Tensor, tokenizer: TaskTokenizer, items: Sequence[Item]) -> list[bool]:
    """Whether each row of (B, T) written ids equals its item's target, with its end."""
    targets = [tokenizer.target_ids(item.target) for item in items]
    return [tuple(row[: len(target)]) == target for row, target in zip(ids.tolist(), targets, strict=True)]


def alignment_hits(backend: Seq2SeqBackend, items: Iterable[Item]) -> AlignmentHits:
    """Count how often the most attended source token is one that the written token comes from.

    Only correct outputs count, because the source of a wrong token is unknown.
    """
    tokens, mean, chance = 0, 0, 0.0
    config = backend.model.config
    heads = np.zeros((config.num_hidden_layers, config.num_attention_heads), dtype=np.int64)  # (L, H)
    for item in items:
        generation = backend.generate(item.task, item.source)
        if generation.written.ids != backend.tokenizer.target_ids(item.target):
            continue
        weights = np.stack([generation.weights("cross", layer) for layer in range(len(generation.cross))])
        most, most_on_average = weights.argmax(-1), weights.mean((0, 1)).argmax(-1)  # (L, H, T), (T,)
        for step, places in enumerate(item.source_positions(generation.source.tokens)):
            if not places:
                continue
            tokens += 1
            heads += np.isin(most[:, :, step], places)
            mean += int(most_on_average[step] in places)
            chance += len(places) / len(generation.source.tokens)
    return AlignmentHits(tokens, heads, mean, chance / max(tokens, 1))


def measure(backend: Seq2SeqBackend, *, count: int, aligned: int) -> tuple[list[Figure], dict[str, Any]]:
    """Exact match on `count` held-out items of each task, and alignment on the first `aligned`; hit rates by head."""
    figures, heads = [], {}
    for task in tqdm(TASKS, desc="held-out items", disable=None):
        items = held_out_items(task, count)
        right = exact_matches(backend.model, backend.tokenizer, items)
        where = (
            "held-out dates, never seen in any form" if task == "date" else "held-out words, never seen in any order"
        )
        unchanged = float(np.mean([item.source == item.target for item in items]))
        figures.append(
            Figure(
                name=f"{task}_exact_match",
                title=f"{TITLES[task]}, exact match",
                test_set=where,
                value=float(right.mean()),
                n=len(items),
                baseline=unchanged,
                baseline_name="the source as it is",
            )
        )
        hits = alignment_hits(backend, items[:aligned])
        heads[task] = (hits.heads / max(hits.tokens, 1)).round(4).tolist()
        layer, head = hits.best
        for name, share in (
            (f"best head, L{layer} H{head}", hits.heads[layer, head]),
            ("mean of all heads", hits.mean),
        ):
            figures.append(
                Figure(
                    name=f"{task}_alignment_{name.split()[0]}",
                    title=f"{TITLES[task]}, most attended source token is the aligned one, {name}",
                    test_set=f"tokens of the first {aligned} of these",
                    value=float(share / max(hits.tokens, 1)),
                    n=hits.tokens,
                    baseline=hits.chance,
                    baseline_name="a token at random",
                )
            )
    return figures, {"alignment_by_head": heads}
