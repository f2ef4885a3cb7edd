"""The runs of the page: the encoder's traces, or what an encoder-decoder writes."""

from __future__ import annotations

from collections.abc import Callable

from encoder import Trace
from encoder.errors import InputError
from encoder.runs.generation import Generation
from encoder.runs.links import Link
from encoder.text.tokens import USUAL_TOKENS
from viz.caches import run_cache
from viz.state.selection import Selection


def run_encoder(
    model_name: str, selection: Selection, trace: Callable[..., Trace] = run_cache.trace
) -> dict[str, Trace]:
    """A trace of the "pair", or of the sentences "A" and "B" alone, with the cut links of the view.

    Args:
        trace: returns the trace of a model and its texts, with changed `links`.
    Raises:
        InputError: a text cannot be read; of a pair, the error names the right one.
        SelectionError: no link can be cut in this model.
    """
    try:
        traces = [
            trace(model_name, a, b, links=_existing(links, model_name, a, b)) for a, b, links in selection.changed_runs
        ]
    except InputError:
        if len(selection.runs) > 1:  # the run of B alone calls its text A
            run_cache.model(model_name).tokenize(selection.texts.a, selection.texts.b)
        raise
    return dict(zip(["pair"] if len(traces) == 1 else ["A", "B"], traces, strict=True))


def _existing(links: tuple[Link, ...], model_name: str, a: str, b: str | None) -> tuple[Link, ...]:
    """The links of tokens that the text has, none of a long text; the page drops the others from its address."""
    if not links:
        return ()
    count = len(run_cache.model(model_name).tokenize(a, b))
    return tuple(link for link in links if max(link.queries + link.keys) < count <= USUAL_TOKENS)


def write(writer_name: str, selection: Selection) -> Generation:
    """What the encoder-decoder writes. Raises InputError."""
    from viz.caches import writers  # imports torch

    return writers.generation(writer_name, selection.decoder.task, selection.decoder.source)
