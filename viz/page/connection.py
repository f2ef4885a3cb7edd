"""The page's connection with the browser, where the selection lives: what it hears, and the layers that it sends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st

from viz.caches import run_cache
from viz.components.wires import host
from viz.components.wires.store import store
from viz.page.hearing import hear
from viz.page.opening import telling_errors
from viz.page.runs import run_encoder, write
from viz.page.saving import save_generation, save_traces
from viz.page.sidebar import Size
from viz.page.tour_on_stage import points_of
from viz.page.tours.shown import without_answer
from viz.panels import PANELS, DecoderPanel, EncoderPanel
from viz.payloads.message import Message
from viz.state import session
from viz.state.messages import scope_of, shared_selection
from viz.state.reducer import within_model
from viz.state.selection import DEFAULT, Selection
from viz.tours.pointing import Texts, texts_of_writer

SENT = "sent_layers"  # in the session: those that were sent since the page was drawn
SHORT = 128  # tokens of a text whose layers are all sent: 393 kB for each layer of 12 heads, at most


@dataclass(frozen=True, slots=True, kw_only=True)
class Layers:
    """The layers that the page's pictures draw.

    Attributes:
        count: L.
        messages: makes what is sent of some layers, by the place of each picture.
    """

    count: int
    num_tokens: int
    messages: Mapping[str, Callable[[tuple[int, ...]], Message | None]]

    def send(self, layers: Sequence[int], *, name: str) -> None:
        """Send some layers, if there are any; `name` tells several messages of a page apart."""
        if not layers:  # a long text of a model with one layer has none beside it
            return
        for place, message_of in self.messages.items():
            message = message_of(tuple(layers))
            if message is not None:
                store(message, key=f"store_{name}_{place}")
        st.session_state[SENT].update(layers)

    def beside(self, layer: int) -> tuple[int, ...]:
        """The layers to send after the one on the page: all of a short text, the neighbours in a long one."""
        if self.num_tokens <= SHORT:
            return tuple(range(self.count))
        return tuple(near for near in (layer - 1, layer + 1) if 0 <= near < self.count)


def connect(model_name: str, size: Size, drawn: Selection) -> None:
    """Tell the browser what is selected, and hear of changes.

    Where the view follows a change by itself in the browser, the page is not drawn anew: the picture's layer follows,
    and what the view draws later.

    Args:
        drawn: the selection that the page is drawn for.
    """
    connected = st.fragment(_connect) if PANELS[drawn.view].in_browser else _connect
    connected(model_name, size, drawn)


@telling_errors
def _connect(model_name: str, size: Size, drawn: Selection) -> None:
    heard = session.pop_heard()
    panel = PANELS[drawn.view]
    if heard:
        if _elsewhere(session.readable()) != _elsewhere(drawn):
            st.rerun()  # a widget was used as well
        session.adjust(within_model(session.current(), size.num_layers, size.num_heads))
        session.save()
    selection = session.readable()
    scope = scope_of(selection)
    host.host(
        shared_selection(without_answer(selection)) | {"points": _points(panel, model_name, size, selection)},
        scope=scope,
        answered=session.answered(scope),
        eager=not panel.in_browser,
        on_selection=partial(hear, host.KEY),
    )
    layers = layers_of(panel, model_name, selection)
    if not heard:
        st.session_state[SENT] = set()
    if not heard or heard.waiting:
        layers.send([selection.layer], name="layer")
    _draw_later(panel, model_name, selection)
    _offer_to_save(panel, model_name, selection)
    new = [layer for layer in layers.beside(selection.layer) if layer not in st.session_state[SENT]]
    if heard:
        layers.send(new, name="neighbours")


def send_other_layers(model_name: str) -> None:
    """Send the layers that are not on the page, so that they are there when they are chosen; after all else.

    While somebody types they wait for the pause: each key would bring those of its text.
    """
    if session.is_typing():
        return
    selection = session.readable()
    layers = layers_of(PANELS[selection.view], model_name, selection)
    layers.send(layers.beside(selection.layer), name="others")


def layers_of(panel: EncoderPanel | DecoderPanel, model_name: str, selection: Selection) -> Layers:
    """The layers that a view draws of what the page shows."""
    if isinstance(panel, DecoderPanel):
        generation = write(model_name, selection)
        num_tokens = len(generation.source.tokens) + len(generation.target.tokens)
        message_of = partial(panel.layers, generation, selection)
        return Layers(count=generation.num_layers, num_tokens=num_tokens, messages={"decoder": message_of})
    traces = run_encoder(model_name, selection)
    sends = panel.layers
    messages = {place: partial(sends, trace, selection) for place, trace in traces.items()} if sends else {}
    num_tokens = max(len(trace.tokens) for trace in traces.values())
    return Layers(count=next(iter(traces.values())).num_layers, num_tokens=num_tokens, messages=messages)


def _points(
    panel: EncoderPanel | DecoderPanel, model_name: str, size: Size, selection: Selection
) -> list[dict[str, Any]]:
    """What the stop of a tour points at."""
    if isinstance(panel, DecoderPanel):
        return points_of(selection, texts_of_writer(write(model_name, selection), selection.decoder.kind), size)
    runs = {place: trace.tokens for place, trace in run_encoder(model_name, selection).items()}
    return points_of(selection, Texts(queries=runs, keys=runs), size)


def _elsewhere(selection: Selection) -> Selection:
    """The selection apart from what is changed in the browser."""
    decoder = replace(selection.decoder, place=DEFAULT.decoder.place)
    return replace(selection, place=DEFAULT.place, decoder=decoder, sentences=DEFAULT.sentences, scale=DEFAULT.scale)


def _draw_later(panel: EncoderPanel | DecoderPanel, model_name: str, selection: Selection) -> None:
    if isinstance(panel, DecoderPanel):
        panel.draw_later(write(model_name, selection), selection)
    elif panel.draw_later:
        for place, trace in run_encoder(model_name, selection).items():
            panel.draw_later(trace, selection, place=place)


def _offer_to_save(panel: EncoderPanel | DecoderPanel, model_name: str, selection: Selection) -> None:
    """What the page can be saved as; here, because it is to have the layer and the head that were chosen last."""
    if isinstance(panel, DecoderPanel):
        save_generation(write(model_name, selection), selection)
        return
    traces = run_encoder(model_name, selection)
    if all(len(run_cache.units(trace, level=selection.level, special=selection.special)) for trace in traces.values()):
        save_traces(traces, selection)
