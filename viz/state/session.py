"""The page's state: where the selection is kept, and how a link restores it.

One `Selection` drives every view. Its fields are the widgets' values, under `st.session_state` keys of the same
names, and the page's address, so that a link or a reload brings the same page back.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import asdict, replace
from types import MappingProxyType
from typing import Any

import streamlit as st

from encoder.measures.unit_attention import MEAN
from viz.state.selection import (
    CHANGEABLE,
    NAMES,
    NOTHING,
    TEXTS,
    UNPINNABLE,
    Selection,
    fits_link,
    from_query,
    parsed,
    to_query,
)

logger = logging.getLogger(__name__)

PLACE = ("layer", "head", "heads", "query", "key", "pinned_in")
BEYOND = 9999  # is clamped to the last layer that there is


def current() -> Selection:
    """The selection that the widgets hold now."""
    return Selection(**{name: st.session_state[name] for name in NAMES})


def update(**changes: Any) -> None:
    """Change the selection from a callback, or before its widgets are drawn."""
    for name, value in changes.items():
        st.session_state[name] = value


def take(changes: Mapping[str, Any]) -> None:
    """Change the selection as somebody did in a view; what makes no sense is logged and left.

    Args:
        changes: fields of `Selection` that views may change, as text or number. A head that is chosen alone
            is shown alone: `heads` follows it unless it is given as well.
    """
    known: dict[str, Any] = {}
    for name, value in changes.items():
        text = "mean" if (name, value) == ("head", MEAN) else str(value)
        if (name in UNPINNABLE and value == NOTHING) or (name == "heads" and value == ""):
            known[name] = value
        elif name in CHANGEABLE and (value_read := parsed(name, text)) is not None:
            known[name] = value_read
        else:
            logger.warning("A view asked for %.40s=%.40r, which makes no sense.", name, value)
    if "head" in known:
        known.setdefault("heads", "")
    update(**known)


def restore() -> None:
    """Fill the session from the page's address: when it opens, and when the browser goes back or forward."""
    params = st.query_params.to_dict()
    if "a" not in st.session_state:
        _restore_from(params)
    elif params != st.session_state["url"] and current() == st.session_state["shown"]:
        # The address changed and no widget did. (Where a widget did, a fast click overtook the last address.)
        shown = current()
        kept = {} if "a" in params or fits_link(shown) else {name: getattr(shown, name) for name in TEXTS}
        _restore_from(params, kept)
    _change_models()
    now, shown = current(), st.session_state["shown"]
    if (now.a, now.b, now.mode) != (shown.a, shown.b, shown.mode):  # the pinned tokens are gone with their text
        update(query=NOTHING, key=NOTHING)
    if (now.writer, now.task, now.source) != (shown.writer, shown.task, shown.source):
        update(query=NOTHING, key=NOTHING, at_step=NOTHING)
    if (now.a, now.b) != (shown.a, shown.b) and (now.at_a, now.at_b) == (shown.at_a, shown.at_b):
        update(at_a=NOTHING, at_b=NOTHING)
    if now.head != shown.head and now.heads == shown.heads:  # a head that is chosen alone is shown alone
        update(heads="")
    for name in NAMES:  # Streamlit forgets the value of a widget that one run does not draw
        st.session_state[name] = st.session_state[name]


def _change_models() -> None:
    """The decoder's view has a model of its own, with its own layers and heads: each keeps where it was left.

    An encoder-decoder is first seen at its last layer, where most is to be seen.
    """
    now, shown = current(), st.session_state["shown"]
    if (now.view == "decoder") == (shown.view == "decoder"):
        return
    left = {name: getattr(now, name) for name in PLACE}
    beginning = {"layer": BEYOND, "head": 0, "heads": "", "query": NOTHING, "key": NOTHING}
    entered = st.session_state.get("left_behind", beginning if now.view == "decoder" else {})
    st.session_state["left_behind"] = left
    st.session_state["shown"] = replace(shown, **entered)  # none of this is somebody's choice of a head
    update(**entered)


def hold() -> None:
    """What the widgets hold stands, even where the address has not caught up with them.

    The callback of a button, and for a run that nobody asked for: its address, older than the widgets, would else
    count as somebody's way back.
    """
    st.session_state["url"] = st.query_params.to_dict()


def _restore_from(params: dict[str, str], kept: Mapping[str, str] = MappingProxyType({})) -> None:
    """Take the selection of an address, and what is `kept` where the address does not say."""
    selection, problems = from_query({**kept, **params})
    update(**asdict(selection))
    st.session_state["url"] = params
    st.session_state["shown"] = selection
    st.session_state["link_problems"] = problems


def save(selection: Selection) -> None:
    """Write the selection into the page's address."""
    params = to_query(selection)
    if st.session_state["url"] != params:
        st.query_params.from_dict(params)
        st.session_state["url"] = params
    st.session_state["shown"] = selection
