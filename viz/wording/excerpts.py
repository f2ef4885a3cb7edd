"""What views show of a long text, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from encoder.runs.trace import Trace

ROWS_LACK: Final = "Rows of attention sum to less than 1: other tokens of the text receive the rest."


def excerpt_sentences(traces: Mapping[str, Trace]) -> Iterator[str]:
    """Which tokens of each run are shown, and what follows for rows of attention; nothing for whole texts."""
    excerpts = {place: trace for place, trace in traces.items() if trace.whole is not None}
    if excerpts:
        shown = [tokens_shown(trace) + ("" if place == "pair" else f" in {place}") for place, trace in excerpts.items()]
        yield f"Tokens {' and '.join(shown)} are shown."
        yield ROWS_LACK


def tokens_shown(excerpt: Trace) -> str:
    """The positions of an excerpt's tokens: “512 to 1,023 of 2,310”."""
    first, of = excerpt.tokens.first, len((excerpt.whole or excerpt).tokens)
    return f"{first:,} to {first + len(excerpt.tokens) - 1:,} of {of:,}"
