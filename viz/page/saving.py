"""Saving the page: one file with the open view or with all views of attention, and the run itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import streamlit as st

from encoder import Trace
from viz.page.runs import run_encoder, write
from viz.page.slides_file import view_button
from viz.panels import PANELS
from viz.panels.tables import file_name
from viz.panels.units import why_not_drawn
from viz.payloads.attributions import ShownMaps
from viz.saved_page.contents import VIEW_NAMES, Page, ViewName
from viz.saved_page.document import document
from viz.saved_page.pages import page_of_generation, page_of_traces
from viz.saved_page.traces import Shown
from viz.state.messages import shared_selection
from viz.state.selection import Selection, View
from viz.wording.labels import escape_markdown

LOOK_LIKE_OTHERS: Final[frozenset[View]] = frozenset({"data", "bertviz"})  # the heat map, and our own head view
SHORT = 128  # up to so many tokens, all layers of a text are saved
HELP = (
    "One HTML file with hover, layers, heads and keys, in both themes. It opens in any browser, without Headlight and "
    "without a network."
)


def save_traces(model_name: str, traces: Mapping[str, Trace], selection: Selection) -> None:
    """Buttons that save an encoder's page; none if every token is hidden.

    A session keeps what its buttons refer to, so they refer to no run: a click gets it from the memo.

    Args:
        traces: of the selection, by their place.
    """
    every = Shown(level=selection.level, special=selection.special, layers=_layers(traces, selection))
    with st.popover("Save as a page", icon=":material/save:"):
        st.caption(HELP)
        why = next(filter(None, (why_not_drawn(trace, selection) for trace in traces.values())), "")
        if why:
            st.caption(f"{escape_markdown(why)} The file shows attention weights.")
        make = partial(_page, model_name, selection, shows_weights=bool(why))
        if every.layers:
            st.caption(f"The text is long: the file has layer {selection.layer} alone.")
        view = _view_of(traces, selection)
        if view:
            alone = Shown(views=(view,), level=every.level, special=every.special, layers=every.layers)
            _page_button(PANELS[selection.view].title, view, partial(make, alone), selection)
        elif selection.view not in LOOK_LIKE_OTHERS:
            view_button(selection)
        _page_button("All views of “Look”", view or "heat map", partial(make, every), selection, name="all views")
        for place in traces:
            st.download_button(
                "The run, as .safetensors" if place == "pair" else f"The run of sentence {place}, as .safetensors",
                partial(_run_as_bytes, model_name, selection, place),
                file_name=f"{file_name('trace', place)}.safetensors",
                mime="application/octet-stream",
                icon=":material/download:",
                on_click="ignore",
                key=f"save_trace_{place}",
                help="Tokens, queries, keys, values and hidden states. `encoder.Trace.load(path)` reads them back, "
                "equal to the bit; docs/exports.md names them.",
            )


def save_generation(model_name: str, selection: Selection) -> None:
    """A button that saves an encoder-decoder's page; as in `save_traces`, it refers to no run."""
    make = partial(_written_page, model_name, selection)
    with st.popover("Save as a page", icon=":material/save:"):
        st.caption(HELP)
        _page_button("All views of the three attentions", selection.decoder.picture, make, selection)


def _page(model_name: str, chosen: Selection, shown: Shown, *, shows_weights: bool, **options: Any) -> Page:
    """The page of a selection's runs; `options` are of `page_of_traces`."""
    traces = run_encoder(model_name, chosen)
    return page_of_traces(traces, shown, maps={} if shows_weights else _maps(traces, chosen), **options)


def _written_page(model_name: str, chosen: Selection, **options: Any) -> Page:
    """The page of an encoder-decoder's run; `options` are of `page_of_generation`."""
    kind, shown = chosen.decoder.kind, Shown(level=chosen.level, special=chosen.special)
    first = "cross" if kind == "all" else kind
    return page_of_generation(write(model_name, chosen), shown, first=first, **options)


def _run_as_bytes(model_name: str, selection: Selection, place: str) -> bytes:
    return run_encoder(model_name, selection)[place].to_bytes()


def _maps(traces: Mapping[str, Trace], selection: Selection) -> Mapping[str, ShownMaps]:
    """The maps that the page shows instead of weights, by place; none if it shows weights."""
    if selection.draws_weights:
        return {}
    from viz.caches import attribution_cache  # imports torch

    level, special = selection.level, selection.special
    return {
        place: attribution_cache.shown(trace, quantity=selection.drawn, level=level, special=special)
        for place, trace in traces.items()
    }


def _layers(traces: Mapping[str, Trace], selection: Selection) -> tuple[int, ...] | None:
    """The layers that are saved; None for all."""
    longest = max(len(trace.tokens) for trace in traces.values())
    return None if longest <= SHORT else (selection.layer,)


def _view_of(traces: Mapping[str, Trace], selection: Selection) -> ViewName | None:
    """The open view, if it can be saved."""
    if selection.view == "neuron view" and any(trace.layers[0].query is None for trace in traces.values()):
        return None
    return next((view for view in VIEW_NAMES if view == selection.view), None)


def _page_button(
    label: str, view: ViewName, make: Callable[..., Page], selection: Selection, *, name: str = ""
) -> None:
    """A button that saves a page, which is built on a click.

    Args:
        view: the view that is open first.
        name: of the file; the label's if it is "".
    """
    name = "-".join((name or label).lower().split())
    st.download_button(
        label,
        lambda: document(make(view=view, selection=shared_selection(selection))).encode(),
        file_name=f"headlight-{name}.html",
        mime="text/html",
        icon=":material/download:",
        on_click="ignore",
        key=f"save_page_{name}",
    )
