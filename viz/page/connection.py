"""The page's connection with the browser: changes of the selection that it receives, and layers that it sends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from viz.components.wires import host
from viz.components.wires.store import store
from viz.page.browser_changes import receive_change
from viz.page.errors import show_errors
from viz.page.settings import Size
from viz.page.shown_runs import ShownRuns, runs_of
from viz.page.tour_on_stage import points_of
from viz.page.tours.navigation import without_answer
from viz.payloads.message import Message
from viz.state import session
from viz.state.fields import default_of, with_values
from viz.state.messages import SHARED, scope_of, shared_selection
from viz.state.reducer import within_model
from viz.state.selection import Selection
from viz.views.registered import Panel

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


def connect(panel: Panel, model_name: str, size: Size, drawn: Selection) -> Callable[[], None] | None:
    """Send the selection to the browser, and apply its changes.

    If the view follows changes in the browser by itself, the page is not rendered again: only the selected layer is
    sent, and the parts that the view renders later.

    Args:
        drawn: the selection that the page was rendered with.
    Returns:
        Shows what can wait for all other parts of the page, if there is anything.
    """
    connected = st.fragment(_connect) if panel.in_browser else _connect
    return connected(panel, model_name, size, drawn)


@show_errors
def _connect(panel: Panel, model_name: str, size: Size, drawn: Selection) -> Callable[[], None] | None:
    change = session.pop_browser_change()
    if _without_shared_fields(session.readable()) != _without_shared_fields(drawn):
        st.rerun()  # the user changed a widget
    if change:
        session.adjust(within_model(session.current(), size.num_layers, size.num_heads))
        session.save()
    selection = session.readable()
    runs = runs_of(panel, model_name, selection)
    scope = scope_of(selection)
    host.host(
        shared_selection(without_answer(selection)) | {"points": points_of(selection, runs.points(selection), size)},
        scope=scope,
        answered=session.answered(scope),
        eager=not panel.in_browser,
        on_selection=partial(receive_change, host.KEY),
    )
    layers = layers_of(runs, panel, selection)
    if not change:
        st.session_state[SENT] = set()
    if not change or change.waiting:
        layers.send([selection.layer], name="layer")
    fill = runs.show_selected(panel, selection)
    new = [layer for layer in layers.to_prefetch(selection.layer) if layer not in st.session_state[SENT]]
    if not change:
        return fill
    layers.send(new, name="neighbours")
    if fill:
        fill()
    return None


def send_other_layers(panel: Panel, model_name: str) -> None:
    """Prefetch the layers that are not shown, after everything else.

    Not while the user types: each key press would send the layers of its text.
    """
    if session.is_typing():
        return
    selection = session.readable()
    layers = layers_of(runs_of(panel, model_name, selection), panel, selection)
    layers.send(layers.to_prefetch(selection.layer), name="others")


def layers_of(runs: ShownRuns, panel: Panel, selection: Selection) -> Layers:
    """The layers of the current runs that a view shows."""
    return Layers(count=runs.num_layers, num_tokens=runs.num_tokens, messages=runs.messages(panel, selection))


def _without_shared_fields(selection: Selection) -> Selection:
    """The selection without the fields that views in the browser share and change."""
    return with_values(selection, {name: default_of(name) for name in SHARED})
