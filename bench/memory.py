"""The server's memory: what a trace takes, and that the memo stops growing."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from statistics import median

from bench.context import BERT_SHAPE, Context
from bench.forward import trace_bytes
from bench.measure import Row
from bench.server import MB
from encoder.models.loading import load_folder
from viz.caches.memo import VALUE_BYTES

PART = "Memory of the server, 512 tokens on BERT-base’s shape"
TOKENS = 512
LAYER = 6_300_000  # bytes that a message holds of one layer; the smallest message has one
VIEW = "heat map"
STABLE_TARGET = "< 1.1"


def rows(context: Context) -> Iterator[Row]:
    """New texts until the memo has been full twice; resident memory after each."""
    backend = load_folder(BERT_SHAPE, context.models[BERT_SHAPE])
    trace = trace_bytes(backend.trace(context.texts.new(TOKENS)))
    full = VALUE_BYTES // (trace + LAYER)
    resident = []
    with context.app() as server, context.tab(server) as tab:
        tab.open(a=context.texts.new(TOKENS), model=context.link(BERT_SHAPE), view=VIEW)
        for _ in range(2 * full):
            tab.measure(VIEW, tab.type(context.texts.new(TOKENS)))
            resident.append(server.resident())
    growing, last = resident[: full - 1], resident[-full // 2 :]
    steps = [after - before for before, after in pairwise(growing)]
    yield Row(part=PART, what="arrays of a trace", ours=trace / MB, tokens=TOKENS, unit="MB", judged_by="ours")
    yield Row(
        part=PART,
        what="resident memory that a new text adds while the memo fills",
        ours=median(steps),
        tokens=TOKENS,
        unit="MB",
        n=len(steps),
        judged_by="ours",
    )
    yield Row(
        part=PART,
        what=f"all that the memo holds, {full} texts of this size",
        ours=VALUE_BYTES / MB,
        tokens=TOKENS,
        unit="MB",
        judged_by="ours",
    )
    yield Row(
        part=PART,
        what=f"resident memory after {2 * full} texts, over that after {full}",
        ours=median(last),
        other=median(resident[full - full // 4 : full + full // 4]),
        tokens=TOKENS,
        unit="MB",
        n=len(last),
        target=STABLE_TARGET,
    )
