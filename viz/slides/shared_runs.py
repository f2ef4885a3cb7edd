"""The runs that slides share: the file contains each once, with the views and layers that any slide shows."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from encoder.attribution.routes import Routes
from encoder.attribution.target import Target
from encoder.runs.arrays import FloatArray
from encoder.runs.generation import Generation
from encoder.runs.trace import Trace
from viz.html.quantised import LONG
from viz.payloads.attributions import ShownMaps
from viz.saved_page.contents import PageRun, ViewName
from viz.saved_page.generations import run_of_generation
from viz.saved_page.routes import run_of_routes
from viz.saved_page.traces import Shown, run_of_trace
from viz.state.selection import Selection
from viz.views.routes.steps import picture_of
from viz.wording.labels import HEADINGS


@dataclass(slots=True, kw_only=True)
class _Need:
    """The views and layers of one run that slides show.

    Attributes:
        make: builds the run from views, layers and a name.
        layers: those of a long text; None for all.
    """

    make: Callable[[Shown, str], PageRun]
    shown: Shown
    views: list[ViewName] = field(default_factory=list)
    layers: set[int] | None


class SharedRuns:
    """Collects the runs of slides, and makes them when all are known."""

    def __init__(self) -> None:
        self._needs: dict[str, _Need] = {}

    def add_trace(
        self,
        trace: Trace,
        selection: Selection,
        *,
        view: ViewName,
        place: str,
        maps: ShownMaps | None = None,
        heading: str | None = None,
    ) -> int:
        """Add a view of a trace; returns the index of its run.

        Args:
            maps: shown instead of weights.
            heading: above the run; None for that of its place.
        """
        title = HEADINGS[place] if heading is None else heading

        def make(shown: Shown, name: str) -> PageRun:
            return run_of_trace(trace, shown, place=place, heading=title, name=name, maps=maps)

        drawn = (f"{place} {title}", maps.quantity if maps else None)
        return self._add([trace], drawn, selection, view, make)

    def add_generation(self, generation: Generation, selection: Selection, *, view: ViewName) -> int:
        """Add a view of an encoder-decoder's run; returns the index of the run."""

        def make(shown: Shown, name: str) -> PageRun:
            return run_of_generation(generation, shown, name=name)

        return self._add([generation.source, generation.target], ("decoder", None), selection, view, make)

    def add_routes(
        self, trace: Trace, selection: Selection, *, target: Target, found: Routes, cut: FloatArray | None
    ) -> int:
        """Add the links that carry an output; returns the index of the run.

        Args:
            trace: of the target's text.
            cut: the output without the strongest links, at the counts of `found`.
        """

        def make(_: Shown, name: str) -> PageRun:
            message = picture_of(target, found, selection.level, identity=f"{name}.routes")
            return run_of_routes(
                target.tokens, message, layers=trace.num_layers, heads=trace.num_heads, name=name, cut=cut
            )

        output = (target.unit, target.label, found.values.tobytes())
        return self._add([trace], ("routes", output), selection, "routes", make)

    def made(self) -> tuple[PageRun, ...]:
        """All runs, in the order of their indices.

        Raises:
            SelectionError: a run does not have one of its views or layers.
        """
        return tuple(
            need.make(replace(need.shown, views=tuple(need.views), layers=_sorted(need.layers)), name)
            for name, need in self._needs.items()
        )

    def _add(
        self,
        traces: list[Trace],
        drawn: tuple[str, object],
        selection: Selection,
        view: ViewName,
        make: Callable[[Shown, str], PageRun],
    ) -> int:
        name = _content_id(traces, drawn, selection)
        is_long = sum(len(trace.tokens) for trace in traces) > LONG
        shown = Shown(level=selection.level, special=selection.special)
        need = self._needs.setdefault(name, _Need(make=make, shown=shown, layers=set() if is_long else None))
        if view not in need.views:
            need.views.append(view)
        if need.layers is not None:
            need.layers.add(selection.layer)
        return list(self._needs).index(name)


def _sorted(layers: set[int] | None) -> tuple[int, ...] | None:
    return None if layers is None else tuple(sorted(layers))


def _content_id(traces: list[Trace], drawn: tuple[str, object], selection: Selection) -> str:
    """A name that is equal for equal numbers, units, place and quantity."""
    shown = (*drawn, selection.level, selection.special)
    digest = hashlib.blake2b(repr(shown).encode(), digest_size=6)
    for trace in traces:
        digest.update(repr((trace.model_name, trace.tokens.sentences, trace.tokens.ids)).encode())
        digest.update(np.ascontiguousarray(trace.hidden_states[-1]).data)
    return f"run-{digest.hexdigest()}"
