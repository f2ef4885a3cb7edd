"""Opening and running a model, each in a process of its own: seconds, and the memory of the process.

The other figure is of `transformers` with SDPA and all hidden states, for the same weights and tokens.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import Any

import torch
from transformers import AutoModel

import encoder
from bench.context import BERT_SHAPE, BUNDLED, Context
from bench.measure import Row
from bench.models import save_random_modernbert
from bench.server import memory_in
from encoder.text.tokenizer import Tokenizer

PART = "Opening a model and running it, against `transformers` with SDPA, which gives no attentions"
MODERN_SHAPE = "ModernBERT-base’s shape"
SIZES = {BUNDLED: (512,), BERT_SHAPE: (512,), MODERN_SHAPE: (512, 2_048, 8_192)}
WARM_UP = 16  # tokens of the run that comes first
LONG = 2_048  # tokens from which on one run is enough


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds of opening and MB of the opened model; seconds and MB of a run at each size.

    Attributes:
        passport_seconds: of all checks of the opened model; 0 with `transformers`.
        first_seconds: of opening and a run of a short text, after which `memory` is taken: until then weights may be in
            the file alone.
        peak: what a run adds to the opened model.
    """

    open_seconds: float
    passport_seconds: float
    first_seconds: float
    memory: float
    run_seconds: tuple[float, ...]
    peak: tuple[float, ...]


def rows(context: Context) -> Iterator[Row]:
    """The bundled model, BERT-base's and ModernBERT-base's shapes with random weights."""
    modern = save_random_modernbert(context.folder / "modernbert-base-shape")
    for name, folder in (context.models | {MODERN_SHAPE: modern}).items():
        link = "bundled" if name == BUNDLED else str(folder)
        yield from _rows_of(name, link, folder, context)


def _rows_of(name: str, link: str, folder: Path, context: Context) -> Iterator[Row]:
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        given = link, folder, context.texts.words, SIZES[name], context.rounds
        ours, other = (pool.apply(_measure, (*given, is_ours)) for is_ours in (True, False))
    yield _row(f"opening, {name}", ours.open_seconds, other.open_seconds, "s")
    yield _row(
        f"all checks of the opened model, against its opening, {name}", ours.passport_seconds, ours.open_seconds, "s"
    )
    yield _row(f"opening and a run of {WARM_UP} tokens, {name}", ours.first_seconds, other.first_seconds, "s")
    yield _row(f"memory of the opened model, {name}", ours.memory, other.memory, "MB")
    for index, size in enumerate(SIZES[name]):
        yield _row(f"a run, {name}", ours.run_seconds[index], other.run_seconds[index], "s", size)
        yield _row(f"peak memory of a run besides the model, {name}", ours.peak[index], other.peak[index], "MB", size)


def _row(what: str, ours: float, other: float, unit: str, tokens: int | None = None) -> Row:
    return Row(part=PART, what=what, ours=ours, other=other, unit=unit, tokens=tokens)


@torch.inference_mode()
def _measure(
    link: str, folder: Path, words: Sequence[str], sizes: Sequence[int], rounds: int, is_ours: bool
) -> Measured:
    """What opening and running take in this process, with us or with `transformers`."""
    before, start = _memory("VmRSS"), time.perf_counter()
    model: Any = encoder.load(link) if is_ours else _load_theirs(folder)
    opened = time.perf_counter() - start

    def seconds_of_run(size: int) -> float:
        tokens = Tokenizer.from_folder(folder, max_length=size, folder_length=size)(
            " ".join(islice(cycle(words), size))
        )
        given = {"input_ids": torch.tensor([tokens.ids]), "attention_mask": torch.tensor([tokens.attention_mask])}
        started = time.perf_counter()
        result = model.run(tokens) if is_ours else model(**given, output_hidden_states=True)
        seconds = time.perf_counter() - started
        del result
        return seconds

    first = opened + seconds_of_run(WARM_UP)
    after, seconds, peaks = _memory("VmRSS"), [], []
    for size in sizes:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak is counted from now on
        seconds.append(median(seconds_of_run(size) for _ in range(1 if size >= LONG else rounds)))
        peaks.append(_memory("VmHWM") - after)
    started = time.perf_counter()
    _ = model.passport if is_ours else None
    checked = time.perf_counter() - started if is_ours else 0.0
    return Measured(opened, checked, first, after - before, tuple(seconds), tuple(peaks))


def _load_theirs(folder: Path) -> Any:
    return AutoModel.from_pretrained(folder, attn_implementation="sdpa", local_files_only=True).eval()


def _memory(name: str) -> float:
    """MB of this process."""
    return memory_in(Path("/proc/self/status").read_text(encoding="ascii"), name)
