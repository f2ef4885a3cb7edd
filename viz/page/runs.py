"""The runs of the page: the encoder's traces, or what an encoder-decoder writes."""

from __future__ import annotations

from collections.abc import Callable

from encoder import Trace
from encoder.errors import InputError
from encoder.runs.generation import Generation
from viz.caches import run_cache
from viz.state.selection import Selection


def run_encoder(
    model_name: str, selection: Selection, trace: Callable[[str, str, str | None], Trace] = run_cache.trace
) -> dict[str, Trace]:
    """A trace of the "pair", or of the sentences "A" and "B" alone.

    Args:
        trace: returns the trace of a model and its texts.
    Raises:
        InputError: a text cannot be read; of a pair, the error names the right one.
    """
    try:
        traces = [trace(model_name, a, b) for a, b in selection.runs]
    except InputError:
        if len(selection.runs) > 1:  # the run of B alone calls its text A
            run_cache.model(model_name).tokenize(selection.texts.a, selection.texts.b)
        raise
    return dict(zip(["pair"] if len(traces) == 1 else ["A", "B"], traces, strict=True))


def write(writer_name: str, selection: Selection) -> Generation:
    """What the encoder-decoder writes. Raises InputError."""
    from viz.caches import experiment_cache  # imports torch

    return experiment_cache.generation(writer_name, selection.decoder.task, selection.decoder.source)
