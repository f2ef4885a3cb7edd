"""Tables of texts: the rate of predictions, the memory of vectors, and people at one server beside some with tables."""

from __future__ import annotations

import asyncio
import multiprocessing
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles
from typing import cast

import pyarrow as pa
import torch
from torch import Tensor
from transformers import AutoTokenizer

import encoder
from bench.context import BUNDLED, Context
from bench.load import PEOPLE, Load, choose_view, in_a_thread, show_every_view, visitors_of, work
from bench.measure import Row, alternate, compare
from bench.models import load_bert
from bench.server import MB, Server, memory_in
from bench.texts import Texts, random_texts
from bench.visitor import Visitor, pressed, typed
from encoder.collection.driving_words import row_words
from encoder.collection.results import GrowingResults, read_rows, results_of_all
from encoder.collection.search import GrowingVectors, embed_rows
from encoder.collection.table import Collection
from encoder.models.checkpoint import load_bert_folder
from encoder.models.memory import return_freed_memory
from encoder.models.scratch import ScratchBackend, untrained
from encoder.runs.arrays import FloatArray
from encoder.shipped.bundled import bundled_folder
from encoder.text.tokenizer import Tokenizer
from encoder.transformer.encoder import Encoder

PART = "Tables of texts of 20 tokens (10 to 30), bundled model"
ROWS, BATCH, TOKENS = 1_000, 32, 20
SAME_RATE, WORDS, MEMORY, LATE = "≥ 1.0", "≤ 5", "≤ 1.5", "≤ 1000"
KEPT = 100_000  # rows whose vectors are kept
WITH_TABLES = 10  # people


def rows(context: Context) -> Iterator[Row]:
    """Predictions against `transformers`, vectors that are kept, and people beside those who open tables."""
    yield _predictions(context)
    yield _words(context)
    yield _vectors()
    with context.app() as server:
        yield from in_a_thread(_beside_tables(server, context.texts))


def _predictions(context: Context) -> Row:
    """What the page runs, over the same weights and tokenizer in `transformers`, in CPU seconds."""
    texts, model = random_texts(ROWS), encoder.load("bundled")
    collection = Collection.of("texts", pa.table({"text": texts}), text="text")

    def ours() -> object:
        return read_rows(model, collection, GrowingResults(collection=collection, model_name=BUNDLED))

    variants = {"ours": ours, "other": _in_batches(context.models[BUNDLED], texts)}
    times = alternate({name: _cpu_seconds(run) for name, run in variants.items()}, context.rounds)
    what = f"predictions of {ROWS:,} rows, CPU time; `transformers` in batches of {BATCH}, sorted by length"
    row = compare(times, "ours", "other", part=PART, what=what, tokens=TOKENS, target=SAME_RATE)
    return replace(row, judged_by="inverse")


def _words(context: Context) -> Row:
    """What each word of every row adds, against the predictions of these rows, in CPU seconds."""
    collection, model = _collection(random_texts(ROWS)), encoder.load("bundled-sentiment")
    results = results_of_all(model, collection)
    variants = {
        "ours": lambda: row_words(model, collection, results),
        "other": lambda: results_of_all(model, collection),
    }
    times = alternate({name: _cpu_seconds(run) for name, run in variants.items()}, context.rounds)
    what = f"words of {ROWS:,} rows, one backward pass each, CPU time; the forward pass of predictions"
    return compare(times, "ours", "other", part=PART, what=what, tokens=TOKENS, target=WORDS)


def _cpu_seconds(run: Callable[[], object]) -> Callable[[], float]:
    """A variant that measures the CPU seconds of the process."""

    def variant() -> float:
        start = time.process_time()
        run()
        return time.process_time() - start

    return variant


def _in_batches(folder: Path, texts: list[str]) -> Callable[[], list[Tensor]]:
    """Texts tokenised together, run sorted by length, and read by a linear head with three classes."""
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


def _vectors() -> Row:
    """Resident memory that the vectors of all rows take, and their own bytes."""
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        grown, nbytes = pool.apply(_measure_vectors, (KEPT,))
    return Row(
        part=PART,
        what=f"memory at most while the vectors of {KEPT:,} rows are computed, table included; the vectors alone",
        ours=grown,
        other=nbytes,
        tokens=TOKENS,
        unit="MB",
        target=MEMORY,
        note="one narrow layer of the same width",
    )


def _measure_vectors(count: int) -> tuple[float, float]:
    """MB by which the peak of this process grows, table included, and MB of the vectors."""
    model = _one_layer()
    embed_rows(model, GrowingVectors(_collection(random_texts(ROWS))))  # loads what loads lazily
    return_freed_memory()  # of the model's loading, into which the vectors would grow
    before = _memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak is counted from now on
    vectors = embed_rows(model, GrowingVectors(_collection(random_texts(count))))
    return _memory("VmHWM") - before, cast(FloatArray, vectors).nbytes / MB


def _one_layer() -> ScratchBackend:
    """A model with vectors as wide as the bundled model's, and little else to compute."""
    config = replace(load_bert_folder(bundled_folder()).config, num_hidden_layers=1, intermediate_size=8)
    return untrained("one layer", Encoder(config), Tokenizer.from_file(bundled_folder()))


def _collection(texts: list[str]) -> Collection:
    return Collection.of("texts", pa.table({"text": texts}), text="text")


def _memory(name: str) -> float:
    """MB of this process."""
    return memory_in(Path("/proc/self/status").read_text(encoding="ascii"), name)


async def _beside_tables(server: Server, texts: Texts) -> list[Row]:
    """The same people at one server, twice: the second time some of them open a table each and read its rows."""
    alone, beside, tables = Load(), Load(), Load()
    async with visitors_of(server, PEOPLE) as people:
        await show_every_view(people[0], texts)
        with_tables, others = people[:WITH_TABLES], people[WITH_TABLES:]
        await _all_work(others, texts, alone)
        async with asyncio.TaskGroup() as tasks:
            for seed, visitor in enumerate(with_tables):
                tasks.create_task(_open_tables(visitor, seed, tables))
            tasks.create_task(_all_work(others, texts, beside))
    late = [1e3 * quantiles(load.seconds, n=20)[-1] for load in (beside, alone)]
    middle = [1e3 * median(load.seconds) for load in (beside, alone)]
    errors = [*alone.errors, *beside.errors, *tables.errors]
    what = f"{PEOPLE - WITH_TABLES} people beside {WITH_TABLES} who read {ROWS:,} rows each"
    note = f"does not: {errors[0]}" if errors else ""
    n = len(beside.seconds)
    return [
        _row(f"{what}: 95 of 100 answers within; without the tables", *late, n=n, target=LATE, note=note),
        _row(f"{what}: median; without the tables", *middle, n=n),
        _row(
            "opening a table of pasted texts, to the end of the page’s run",
            1e3 * median(tables.seconds),
            None,
            n=len(tables.seconds),
        ),
    ]


async def _all_work(people: list[Visitor], texts: Texts, load: Load) -> None:
    async with asyncio.TaskGroup() as tasks:
        for seed, visitor in enumerate(people):
            tasks.create_task(work(visitor, texts, random.Random(seed), load))


async def _open_tables(visitor: Visitor, seed: int, load: Load) -> None:
    """Open a table of pasted texts, whose rows are read while the page is open."""
    await visitor.act(choose_view("texts"))
    await visitor.act(typed("own_table_pasted", "\n".join(random_texts(ROWS, seed))))
    await load.ask(visitor, pressed("open_pasted"))
    await load.ask(visitor, pressed("confirm_table"))


def _row(what: str, ours: float, other: float | None, *, n: int = 1, target: str = "", note: str = "") -> Row:
    return Row(part=PART, what=what, ours=ours, other=other, n=n, target=target, judged_by="ours", note=note)
