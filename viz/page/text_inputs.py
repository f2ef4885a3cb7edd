"""The row of the texts: the sentences and their examples, or the text and task of an encoder-decoder."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from encoder.models.files import usual_name
from encoder.shipped.tasks import Task, draw_item
from viz.examples import EXAMPLES, Example
from viz.page.texts import SENTENCES, SOURCE, draw_fields
from viz.state import session
from viz.state.address import fits_link
from viz.state.selection import DEFAULT, Selection
from viz.widgets import choice
from viz.wording.settings import MODES, OWN_SENTENCES, READING

TASK_TITLES: Mapping[Task, str] = {"reverse": "Reverse", "sort": "Sort", "date": "Date to ISO"}
TOO_LONG = "This text is too long for a link: the page's address will not restore it."


def draw_inputs() -> DeltaGenerator:
    """The row of the texts. Returns the place of the model."""
    selection = session.current()
    if selection.shows_decoder:
        return _choose_source()
    if selection.shows_collection:
        from viz.page.collection_inputs import choose_collection  # imports pyarrow

        return choose_collection()
    return _choose_sentences()


def _choose_sentences() -> DeltaGenerator:
    """The two sentences, and an example to start from."""
    examples = {example.title: example for example in EXAMPLES}
    example, _, fits = inputs_state(session.current())
    key = _example_key(example)

    def show_example() -> None:
        chosen = examples.get(st.session_state[key])
        if chosen is not None and key == st.session_state["example_key"]:
            session.show_example(chosen.selection)

    with st.container(key="inputs"):
        fields, example_place, model = st.columns((10, 5, 5), gap="small")
    with fields:
        draw_fields(SENTENCES)
        if not fits:
            st.caption(TOO_LONG)
    example_place.selectbox("Example", list(examples), key=key, on_change=show_example, placeholder=OWN_SENTENCES)
    return model


def choose_encoding() -> None:
    """Whether two sentences are read one at a time or together."""
    selection = session.current()
    choice(
        READING,
        MODES,
        field="mode",
        disabled=not selection.texts.b.strip() or selection.encodes_apart,
        help="Together, as one input, each sentence attends to the other. One at a time, a word sees its own sentence "
        "alone. The word lens, “Similar because”, and Compare of A and B always read them one at a time.",
    )


def _choose_source() -> DeltaGenerator:
    """The task and the text of an encoder-decoder."""
    trained_here = st.session_state.get("writer_in_use", DEFAULT.decoder.model) == DEFAULT.decoder.model

    def write_another() -> None:
        item = draw_item(session.current().decoder.task, np.random.default_rng(), held_out=True)
        session.change(source=item.source)

    with st.container(key="inputs"):
        field, task, model = st.columns((9, 6, 5), gap="small")
    with field:
        draw_fields(SOURCE)
        if not fits_link(session.current()):
            st.caption(TOO_LONG)
    with task, st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        choice(
            "Task",
            TASK_TITLES,
            field="task",
            disabled=not trained_here,
            help="The small model that was trained here knows three tasks. In these we know where each output token "
            "comes from, so attention can be checked against it.",
        )
        if trained_here:
            st.button(
                "Another",
                key="another",
                on_click=write_another,
                help="Draws an item that was kept out of the training.",
            )
    return model


def shown_example(selection: Selection) -> Example | None:
    """The example with the current sentences; of two, the one with the mode of the open view."""
    a, b = selection.texts.a, selection.texts.b
    found = [example for example in EXAMPLES if (example.a, example.b) == (a, b)]
    return next((example for example in found if example.mode == selection.mode), found[0] if found else None)


def is_hint_true(example: Example, selection: Selection) -> bool:
    """Whether an example's hint holds for what the page shows: it was checked on one model in one mode."""
    return usual_name(selection.model) == DEFAULT.model and selection.mode == example.mode


def inputs_state(selection: Selection) -> tuple[str | None, bool, bool]:
    """What the row of the texts shows about the sentences, besides their fields.

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
