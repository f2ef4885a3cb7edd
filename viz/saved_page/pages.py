"""Pages of one or two texts, of an encoder-decoder's run, and of arrays: their contents and titles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from encoder.errors import SelectionError
from encoder.runs.generation import AttentionKind, Generation
from encoder.runs.trace import Trace
from viz.payloads.attributions import ShownMaps
from viz.saved_page import generations
from viz.saved_page.contents import VIEW_NAMES, Page, PageRun, PageTheme, ViewName
from viz.saved_page.generations import run_of_generation
from viz.saved_page.traces import (
    ROUNDED_WEIGHTS,
    Shown,
    about_traces,
    layers_note,
    notes_on_numbers,
    pictures_note,
    rounding_notes,
    run_of_trace,
)
from viz.views.tokens.answer import tokens_of_texts
from viz.wording.labels import HEADINGS, isolated, shorten

LONGEST_TITLE: Final = 120  # characters
MOST_BESIDE: Final = 16  # tokens of each of two runs that stand side by side
ABOUT_FILE: Final = "This file needs neither a server nor a network, and it sends nothing."
NO_MAPS: Final[Mapping[str, ShownMaps]] = {}


def selection_of(*, layer: int = 0, head: int = 0, heads: str = "") -> dict[str, Any]:
    """A selection without pins, in the form of `viz.state.messages.shared_selection`."""
    return {
        "layer": layer,
        "head": head,
        "heads": heads,
        "query": -1,
        "key": -1,
        "pinned_in": "A",
        "sentences": "all",
        "scale": "auto",
    }


def page_of_traces(
    traces: Mapping[str, Trace],
    shown: Shown,
    *,
    view: ViewName,
    selection: Mapping[str, Any],
    answer: str = "",
    theme: PageTheme = "auto",
    maps: Mapping[str, ShownMaps] = NO_MAPS,
) -> Page:
    """A page of one text or pair, or of two texts that were encoded separately.

    Args:
        traces: by "pair", or by "A" and "B".
        view: the view that is open first.
        selection: from `viz.state.messages.shared_selection`.
        answer: what the runs show, in one sentence: the headline. If it is "", the headline is what was read.
        maps: shown instead of weights, by place; of every trace or of none.
    Raises:
        SelectionError: a trace does not have the view, a layer or a token.
    """
    alone = len(traces) == 1
    read = tokens_of_texts(traces)
    runs = tuple(
        run_of_trace(
            trace,
            shown,
            place=place,
            heading="" if alone else HEADINGS[place],
            maps=maps.get(place),
            read=read[place],
        )
        for place, trace in traces.items()
    )
    views = _checked_views(runs, view)
    texts = [sentence for trace in traces.values() for sentence in trace.tokens.sentences]
    title = shorten(" / ".join(map(isolated, texts)), LONGEST_TITLE)
    shown_maps = next(iter(maps.values()), None)
    checked = dict.fromkeys(said for trace in traces.values() if (said := trace.checked()))
    return Page(
        title=title,
        headline=answer or title,
        sentences=tuple(map("{}: {}".format, "AB", map(isolated, texts))) if answer else (),
        about=(*about_traces(traces, shown_maps), *checked),
        notes=(ABOUT_FILE, *notes_on_numbers(next(iter(traces.values())), views, runs[0].layers, shown_maps)),
        beside=not alone and all(len(trace.tokens) <= MOST_BESIDE for trace in traces.values()),
        views=views,
        view=view,
        selection=selection,
        theme=theme,
        runs=runs,
    )


def page_of_generation(
    generation: Generation,
    shown: Shown,
    *,
    view: ViewName,
    selection: Mapping[str, Any],
    first: AttentionKind = "cross",
    theme: PageTheme = "auto",
) -> Page:
    """A page of one run of an encoder-decoder.

    Args:
        first: the attention that is shown first.
    Raises:
        SelectionError: the run does not have the view or a layer.
    """
    run = run_of_generation(generation, shown, first=first)
    views = _checked_views((run,), view)
    read, written = generation.source.tokens.sentences[0], generation.written.sentences[0]
    title = shorten(f"{isolated(read)} → {isolated(written)}", LONGEST_TITLE)
    return Page(
        title=title,
        headline=title,
        about=generations.notes_of(generation),
        notes=(
            ABOUT_FILE,
            *layers_note(run.layers, generation.num_layers),
            *pictures_note(views),
            *rounding_notes(views, len(generation.source.tokens) + len(generation.target.tokens)),
        ),
        views=views,
        view=view,
        selection=selection,
        theme=theme,
        runs=(run,),
    )


def page_of_arrays(run: PageRun, *, view: ViewName, selection: Mapping[str, Any], theme: PageTheme = "auto") -> Page:
    """A page of attention weights of any model."""
    title, views = f"Attention, {view}", _checked_views((run,), view)
    return Page(
        title=title,
        headline=title,
        notes=(ABOUT_FILE, *layers_note(run.layers, run.num_layers), *pictures_note(views), ROUNDED_WEIGHTS),
        views=views,
        view=view,
        selection=selection,
        theme=theme,
        runs=(run,),
    )


def _checked_views(runs: Sequence[PageRun], view: ViewName) -> tuple[ViewName, ...]:
    """The views that every run has, in order.

    Raises:
        SelectionError: `view` is not among them.
    """
    views = tuple(view for view in VIEW_NAMES if all(view in run.explanations for run in runs))
    if view not in views:
        raise SelectionError(f"The {view} was asked for; what there is can be drawn as {', '.join(views)}.")
    return views
