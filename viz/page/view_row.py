"""The row of views at the top of the page: a group of them, and a view of that group."""

from __future__ import annotations

import streamlit as st

from viz.components.wires.number_keys import number_keys
from viz.panels import GROUPS, PANELS, Group, views_of
from viz.state import session
from viz.state.selection import View

LAST_OPENED = "last_opened"  # the view of each group that was open last


def view_row() -> None:
    """The choice of a view: in two clicks, or by its number within the group that is open."""
    view = session.current().view
    group = PANELS[view].group
    last_opened: dict[Group, View] = st.session_state.setdefault(LAST_OPENED, {})
    last_opened[group] = view
    with st.container(key="views", horizontal=True, gap="small"):
        st.segmented_control(
            "Views to",
            list(GROUPS),
            format_func=GROUPS.__getitem__,
            required=True,
            label_visibility="collapsed",
            **session.bound(
                "view",
                key="group",
                to_widget=lambda view: PANELS[view].group,
                from_widget=lambda group: last_opened.get(group, views_of(group)[0]),
                initial="default",
            ),
        )
        st.segmented_control(
            "View",
            views_of(group),
            format_func=lambda view: PANELS[view].title,
            required=True,
            label_visibility="collapsed",
            wrap=False,
            **session.bound("view", initial="default"),
        )
        number_keys("view")
