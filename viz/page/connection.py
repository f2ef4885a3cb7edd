"""The page's connection with the browser: changes of the selection that it receives, and layers that it sends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st

from encoder.runs.trace import excerpts
from viz.components.wires import host
from viz.components.wires.store import store
from viz.page.around_view import ranks_heads, show_links
from viz.page.browser_changes import receive_change
from viz.page.errors import show_errors
from viz.page.runs import run_encoder, write
from viz.page.settings import Size
from viz.page.tour_on_stage import points_of
from viz.page.tours.navigation import without_answer
from viz.panels import DecoderPanel, EncoderPanel
from viz.payloads.message import Message
from viz.state import session
from viz.state.messages import scope_of, shared_selection
from viz.state.reducer import within_model
from viz.state.selection import DEFAULT, Selection
from viz.tours.pointing import Texts, texts_of_writer

SENT = "sent_layers"  # in the session: the layers that were sent since the page was rendered
SHORT = 128  # up to so many tokens, all layers of a text are sent: at most 393 kB for each layer of 12 heads


@dataclass(frozen=True, slots=True, kw_only=True)
class Layers:
    """The layers that the page's views show.

    Attributes:
        count: L.
        messages: functions that make the message of some layers, by the place of each view.
    """

    count: int
    num_tokens: int
    messages: Mapping[str, Callable[[tuple[int, ...]], Message | None]]

    def send(self, layers: Sequence[int], *, name: str) -> None:
        """Send some layers, if there are any; `name` distinguishes several messages of a page."""
        if not layers:  # a model with one layer has no neighbours
            return
        for place, message_of in self.messages.items():
            message = message_of(tuple(layers))
            if message is not None:
                store(message, key=f"store_{name}_{place}")
        st.session_state[SENT].update(layers)

    def to_prefetch(self, layer: int) -> tuple[int, ...]:
        """The layers to send after the shown one: all of a short text, the neighbours for a long one."""
        if self.num_tokens <= SHORT:
            return tuple(range(self.count))
        return tuple(near for near in (layer - 1, layer + 1) if 0 <= near < self.count)


def connect(panel: EncoderPanel | DecoderPanel, model_name: str, size: Size, drawn: Selection) -> None:
    """Send the selection to the browser, and apply its changes.

    If the view follows changes in the browser by itself, the page is not rendered again: only the selected layer is
    sent, and the parts that the view renders later.

    Args:
        drawn: the selection that the page was rendered with.
    """
    connected = st.fragment(_connect) if panel.in_browser else _connect
    connected(panel, model_name, size, drawn)


@show_errors
def _connect(panel: EncoderPanel | DecoderPanel, model_name: str, size: Size, drawn: Selection) -> None:
    change = session.pop_browser_change()
    if _without_browser_fields(session.readable()) != _without_browser_fields(drawn):
        st.rerun()  # the user changed a widget
    if change:
        session.adjust(within_model(session.current(), size.num_layers, size.num_heads))
        session.save()
    selection = session.readable()
    scope = scope_of(selection)
    host.host(
        shared_selection(without_answer(selection)) | {"points": _points(panel, model_name, size, selection)},
        scope=scope,
        answered=session.answered(scope),
        eager=not panel.in_browser,
        on_selection=partial(receive_change, host.KEY),
    )
    layers = layers_of(panel, model_name, selection)
    if not change:
        st.session_state[SENT] = set()
    if not change or change.waiting:
        layers.send([selection.layer], name="layer")
    if isinstance(panel, DecoderPanel):
        panel.draw_later(write(model_name, selection), selection)
    if ranks_heads(selection) and layers.num_tokens <= SHORT and not selection.stage:
        show_links(run_encoder(model_name, selection), selection)
    new = [layer for layer in layers.to_prefetch(selection.layer) if layer not in st.session_state[SENT]]
    if change:
        layers.send(new, name="neighbours")


def send_other_layers(panel: EncoderPanel | DecoderPanel, model_name: str) -> None:
    """Prefetch the layers that are not shown, after everything else.

    Not while the user types: each key press would send the layers of its text.
    """
    if session.is_typing():
        return
    selection = session.readable()
    layers = layers_of(panel, model_name, selection)
    layers.send(layers.to_prefetch(selection.layer), name="others")


def layers_of(panel: EncoderPanel | DecoderPanel, model_name: str, selection: Selection) -> Layers:
    """The layers of the current runs that a view shows."""
    if isinstance(panel, DecoderPanel):
        generation = write(model_name, selection)
        num_tokens = len(generation.source.tokens) + len(generation.target.tokens)
        message_of = partial(panel.layers, generation, selection)
        return Layers(count=generation.num_layers, num_tokens=num_tokens, messages={"decoder": message_of})
    traces = excerpts(run_encoder(model_name, selection), selection.first)
    sends = panel.layers
    messages = {place: partial(sends, trace, selection) for place, trace in traces.items()} if sends else {}
    num_tokens = max(len(trace.tokens) for trace in traces.values())
    return Layers(count=next(iter(traces.values())).num_layers, num_tokens=num_tokens, messages=messages)


def _points(
    panel: EncoderPanel | DecoderPanel, model_name: str, size: Size, selection: Selection
) -> list[dict[str, Any]]:
    """The cells that the stop of a tour points at."""
    if isinstance(panel, DecoderPanel):
        return points_of(selection, texts_of_writer(write(model_name, selection), selection.decoder.kind), size)
    traces = excerpts(run_encoder(model_name, selection), selection.first)
    runs = {place: trace.tokens for place, trace in traces.items()}
    return points_of(selection, Texts(queries=runs, keys=runs), size)


def _without_browser_fields(selection: Selection) -> Selection:
    """The selection without the fields that the browser changes."""
    decoder = replace(selection.decoder, place=DEFAULT.decoder.place)
    return replace(selection, place=DEFAULT.place, decoder=decoder, sentences=DEFAULT.sentences, scale=DEFAULT.scale)
