"""The top of the sidebar: the sentences and their examples, or the task and text of an encoder-decoder."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import streamlit as st

from encoder.shipped.tasks import Task, draw_item
from viz.examples import EXAMPLES, Example
from viz.page.texts import SENTENCES, SOURCE, draw_fields
from viz.state import session
from viz.state.address import fits_link
from viz.state.selection import DEFAULT, Selection
from viz.widgets import choice

TITLES = {"pair": "As a pair", "separate": "Separately"}
TASK_TITLES: Mapping[Task, str] = MappingProxyType({"reverse": "Reverse", "sort": "Sort", "date": "Date to ISO"})
TOO_LONG = "What is typed here is too long for an address: a link to this page will not bring it back."


def choose_sentences() -> None:
    """The two sentences, and an example to start from."""
    examples = {example.title: example for example in EXAMPLES}
    selection = session.current()
    example, has_second, fits = sidebar_state(selection)
    key = _example_key(example)

    def show_example() -> None:
        chosen = examples.get(st.session_state[key])
        if chosen is not None and key == st.session_state["example_key"]:
            session.change(a=chosen.a, b=chosen.b, mode=chosen.mode)

    chosen = st.selectbox("Example", list(examples), key=key, on_change=show_example, placeholder="Your own sentences")
    draw_fields(SENTENCES)
    with st.container():  # below the fields, which must not move when the first key press removes the hint
        if chosen is not None and is_hint_true(examples[chosen], selection):
            st.caption(f"Look for: {examples[chosen].look_for}")
    st.button(
        "Show attention",
        key="run",
        width="stretch",
        help="Or press Ctrl+Enter in a text field.",
    )
    choice(
        "Two sentences are encoded",
        TITLES,
        field="mode",
        disabled=not has_second or selection.encodes_apart,
        help="As a pair, each sentence attends to the other; separately, a word sees its own sentence alone. "
        "The word lens, “Similar because”, and Compare of A and B always encode them separately.",
    )
    if not fits:
        st.caption(TOO_LONG)


def choose_source() -> None:
    """The task and the text of an encoder-decoder."""
    trained_here = st.session_state.get("writer_in_use", DEFAULT.decoder.model) == DEFAULT.decoder.model

    def write_another() -> None:
        item = draw_item(session.current().decoder.task, np.random.default_rng(), held_out=True)
        session.change(source=item.source)

    choice(
        "Task",
        TASK_TITLES,
        field="task",
        disabled=not trained_here,
        help="The small model that was trained here knows three tasks. Of these it is known where every written token "
        "comes from, so that attention can be held against it.",
    )
    draw_fields(SOURCE)
    st.button(
        "Write",
        key="run",
        width="stretch",
        help="Or press Ctrl+Enter in the text field.",
    )
    if trained_here:
        st.button(
            "Another, held out",
            key="another",
            width="stretch",
            on_click=write_another,
            help="Draws an item that was kept out of the training.",
        )
    if not fits_link(session.current()):
        st.caption(TOO_LONG)


def shown_example(selection: Selection) -> Example | None:
    """The example with the current sentences; of two, the one with the mode of the open view."""
    a, b = selection.texts.a, selection.texts.b
    found = [example for example in EXAMPLES if (example.a, example.b) == (a, b)]
    return next((example for example in found if example.mode == selection.mode), found[0] if found else None)


def is_hint_true(example: Example, selection: Selection) -> bool:
    """Whether an example's hint holds for what the page shows: it was checked on one model in one mode."""
    return selection.model == DEFAULT.model and selection.mode == example.mode


def sidebar_state(selection: Selection) -> tuple[str | None, bool, bool]:
    """What the top of the sidebar shows about the sentences, besides their fields.

    Returns:
        The title of their example, if any; whether there is a sentence B; and whether they fit into a link.
    """
    example = shown_example(selection)
    return example.title if example else None, bool(selection.texts.b.strip()), fits_link(selection)


def _example_key(title: str | None) -> str:
    """The key of a select box that shows an example.

    If the select box has to show another example than the selected one, it gets a new key, and choices under the old
    key are ignored: a browser that has not received the change sends the old value with its next click, which would
    replace what the user typed.
    """
    if st.session_state.get(st.session_state.setdefault("example_key", "example"), title) != title:
        st.session_state["example_round"] = st.session_state.get("example_round", 0) + 1
        st.session_state["example_key"] = f"example_{st.session_state['example_round']}"
    key: str = st.session_state["example_key"]
    st.session_state[key] = title
    return key
