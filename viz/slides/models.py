"""Where the runs of slides come from: the app caches them, a command computes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from encoder import Backend, Trace
from encoder.attribution.method_facts import Quantity
from encoder.measures.similarity import ReferenceBand
from encoder.offers import CATALOGUE
from encoder.runs.arrays import FloatArray
from encoder.runs.generation import Generation
from viz.state.selection import Selection


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """What makes runs. Each raises HeadlightError where it cannot, or may not be asked.

    Attributes:
        open: a model, by its name.
        trace: a model's run over one text or a pair.
        band: how similar two occurrences of a word usually are in a model, by its name.
        maps: what a method of attribution gives of a model's run, (P, T, T) for each layer, as
            `encoder.attribution.methods.planes` does.
        write: what an encoder-decoder writes about the text of a selection.
    """

    open: Callable[[str], Backend]
    trace: Callable[[str, str, str | None], Trace]
    band: Callable[[str], ReferenceBand]
    maps: Callable[[Trace, Quantity], Sequence[FloatArray]]
    write: Callable[[Selection], Generation]


def title_of_model(name: str) -> str:
    """A model as people know it."""
    return CATALOGUE[name].title if name in CATALOGUE else name
