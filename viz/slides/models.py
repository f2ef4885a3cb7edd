"""The source of the runs of slides: a cache in the app, computation in a command."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from encoder import Backend, Trace
from encoder.attribution.method_facts import Quantity
from encoder.measures.similarity import ReferenceBand
from encoder.runs.arrays import FloatArray
from encoder.runs.generation import Generation
from viz.state.selection import Selection


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """Functions that make runs; they raise HeadlightError if they cannot.

    Attributes:
        open: a model by its name.
        trace: a model's run over one text or a pair.
        band: the usual similarity of two occurrences of a word, by the model's name.
        maps: a method's planes for a run, as from `encoder.attribution.methods.planes`.
        write: an encoder-decoder's run over the text of a selection.
    """

    open: Callable[[str], Backend]
    trace: Callable[[str, str, str | None], Trace]
    band: Callable[[str], ReferenceBand]
    maps: Callable[[Trace, Quantity], Sequence[FloatArray]]
    write: Callable[[Selection], Generation]
