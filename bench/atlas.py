"""The atlas: sentences measured, over traces of one sentence at a time and over bare forward passes in batches."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import torch

from bench.context import Context
from bench.measure import Row, alternate
from bench.models import load_bert
from bench.server import memory_in
from bench.texts import SHARED_TEXT
from encoder.atlas.build.corpus import MOST_WORDS, Sentence, read_corpus
from encoder.atlas.build.measuring import Measurer, Setting, batches_by_length, encode
from encoder.atlas.build.shards import SHARD, Shard
from encoder.catalogue import load
from encoder.models.base import Backend
from encoder.models.tensors import padded
from encoder.shipped.bundled import bundled_folder

PART = "The atlas, one thread, bundled model"
SENTENCES = 512
TRACES, BARE, MEMORY = "≥ 10", "≥ 0.9", "≤ 0.2"
Work = Callable[[Measurer, tuple[Sentence, ...]], None]
EWT = SHARED_TEXT.with_name("ewt_train.jsonl.gz")


def sentences_of(folder: Path, text: str, count: int) -> tuple[Sentence, ...]:
    """Sentences of EWT where it is there, else of the long text."""
    path = EWT
    if not path.exists():
        path = folder / "text.txt"
        path.write_text(text.replace(". ", ".\n"), encoding="utf-8")
    read = (sentence for sentence in read_corpus(path, most_words=MOST_WORDS) if isinstance(sentence, Sentence))
    return tuple(islice(read, count))


def rows(context: Context) -> Iterator[Row]:
    """Speed, and the peak of memory over that of the model alone."""
    sentences = sentences_of(context.folder, " ".join(context.texts.words), SHARD)
    threads = torch.get_num_threads()
    measurer = Measurer(Setting(model="bundled", device="cpu"))
    try:
        yield from _speed(measurer, sentences[:SENTENCES], context.rounds)
    finally:
        torch.set_num_threads(threads)
    peaks = {name: _peak(work, sentences) for name, work in MEMORY_VARIANTS.items()}
    yield Row(
        part=PART,
        what="peak memory, over batches in eager mode whose attentions are kept",
        ours=peaks["atlas"],
        other=peaks["eager"],
        unit="MB",
        target=MEMORY,
        note=f"{len(sentences)} sentences, less what the model takes",
    )


def cpu_timed(work: Callable[[], object]) -> Callable[[], float]:
    """A variant that measures the CPU time of work on one thread, which other programs change less than the clock's."""

    def variant() -> float:
        start = time.process_time()
        work()
        return time.process_time() - start

    return variant


def _speed(measurer: Measurer, sentences: tuple[Sentence, ...], rounds: int) -> Iterator[Row]:
    shard = Shard("measure", 1, sentences, first=10**6)
    model = load("bundled", device="cpu")  # multiplies as torch does by itself
    times = alternate(
        {
            "atlas": cpu_timed(lambda: measurer.measure(shard)),
            "traces": cpu_timed(lambda: [model.trace(list(sentence.words)) for sentence in sentences]),
            "bare": cpu_timed(partial(_bare, model, measurer.setting, sentences)),
            "packed": cpu_timed(partial(_bare, measurer.backend, measurer.setting, sentences)),
        },
        min(rounds, 3),
    )
    for other, what, target in (
        ("traces", "sentences a CPU second, over a loop of `model.trace`", TRACES),
        ("bare", "the same, over bare forward passes in the same batches", BARE),
        ("packed", "the same, over bare passes that multiply by oneDNN, too", ""),
    ):
        rate = {name: sorted(len(sentences) / seconds for seconds in times[name]) for name in ("atlas", other)}
        middle = len(rate["atlas"]) // 2
        ours, theirs = rate["atlas"][middle], rate[other][middle]
        yield Row(
            part=PART,
            what=what,
            ours=ours,
            other=theirs,
            unit="a CPU second",
            n=len(rate["atlas"]),
            target=target,
        )


@torch.inference_mode()
def _bare(model: Backend, setting: Setting, sentences: tuple[Sentence, ...]) -> None:
    texts, _ = encode(model, sentences)
    for rows_of_batch in batches_by_length(texts, setting.batch_sentences):
        model.run_batch(padded([texts[row].tokens for row in rows_of_batch], pad_id=0))


def _measure(measurer: Measurer, sentences: tuple[Sentence, ...]) -> None:
    measurer.measure(Shard("measure", 1, sentences, first=10**6))


@torch.inference_mode()
def _keep_eager(measurer: Measurer, sentences: tuple[Sentence, ...]) -> None:
    model = load_bert(bundled_folder(), "eager")
    texts, _ = encode(measurer.backend, sentences)
    kept = []
    for rows_of_batch in batches_by_length(texts, measurer.setting.batch_sentences):
        batch = padded([texts[row].tokens for row in rows_of_batch], pad_id=0)
        output = model(input_ids=batch.input_ids, attention_mask=batch.attention_mask, output_attentions=True)
        kept.append(output.attentions)


MEMORY_VARIANTS: dict[str, Work] = {"atlas": _measure, "eager": _keep_eager}


def _peak(work: Work, sentences: tuple[Sentence, ...]) -> float:
    """MB that the work takes beyond the model, in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_peak_here, (work, sentences))


def _peak_here(work: Work, sentences: tuple[Sentence, ...]) -> float:
    measurer = Measurer(Setting(model="bundled", device="cpu"))
    work(measurer, sentences[:64])
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak is counted from now on
    before = _memory("VmRSS")
    work(measurer, sentences)
    return _memory("VmHWM") - before


def _memory(name: str) -> float:
    """MB of this process."""
    return memory_in(Path("/proc/self/status").read_text(encoding="ascii"), name)
