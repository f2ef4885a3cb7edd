"""What the page shows at once: its title and the two sentences, before anything that takes seconds to import."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import wraps
from pathlib import Path
from types import MappingProxyType
from typing import ParamSpec

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from encoder.errors import HeadlightError
from encoder.shipped.tasks import Task
from encoder.shipped.tasks import draw_item as draw_item
from viz.examples import EXAMPLES, Example
from viz.page.texts import SENTENCES, SOURCE, draw_fields
from viz.page.tours.box import tour_box, tour_menu
from viz.page.tours.own import store_draft
from viz.state import session
from viz.state.address import fits_link
from viz.state.selection import DEFAULT, Selection
from viz.tours.visiting import completed
from viz.widgets import choice
from viz.wording.labels import escape_markdown

ICON = Path(__file__).parents[1] / "icon.svg"  # a symbol or an emoji would come from the network
STYLE, STAGE_STYLE = (Path(__file__).with_name(name) for name in ("page.css", "stage.css"))
TITLES = {"pair": "As a pair", "separate": "Separately"}
TASK_TITLES: Mapping[Task, str] = MappingProxyType({"reverse": "Reverse", "sort": "Sort", "date": "Date to ISO"})
SIDEBAR = 320  # pixels of its width, until the user chooses another one
Arguments = ParamSpec("Arguments")
TOO_LONG = "What is typed here is too long for an address: a link to this page will not bring it back."


def draw() -> DeltaGenerator | None:
    """Set the page up, restore what its address says, and draw the top of the sidebar.

    Returns the place of a tour's claims, None where no tour is given.
    """
    st.set_page_config(page_title="Headlight", page_icon=str(ICON), layout="wide", initial_sidebar_state=SIDEBAR)
    st.html(STYLE)
    session.restore(completed)
    if session.current().stage:
        st.html(STAGE_STYLE)
    _run_after_reconnecting()
    with st.sidebar:
        # A browser fetches the code of components when it meets the first one. What it meets meanwhile gets a
        # placeholder, and React leaves one for 0.3 s at least: the first one comes before all that is seen.
        store_draft()
        st.markdown("## Headlight", help="What a Transformer encoder attends to.")
        with st.container(horizontal=True, gap="xsmall"):
            tour_menu()
            _present_button()
        claims_place = tour_box()
        if session.current().shows_decoder:
            _source()
        else:
            _texts()
    return claims_place


@st.fragment(run_every=timedelta(days=1))
def _run_after_reconnecting() -> None:
    """Draws nothing, and makes the browser ask for a run when it has lost the server and found it again.

    A server that was started again knows nothing of the page. Were the first run that of a click, Streamlit could not
    tell that something was clicked, because it has not drawn the widget yet, and the click would be lost. The browser
    asks for a run on reconnecting only where a part of the page runs by itself from time to time.
    """


def shown_example(selection: Selection) -> Example | None:
    """The example that the sentences are; of two, the one that encodes them as the open view does."""
    a, b = selection.texts.a, selection.texts.b
    found = [example for example in EXAMPLES if (example.a, example.b) == (a, b)]
    return next((example for example in found if example.mode == selection.mode), found[0] if found else None)


def is_hint_true(example: Example, selection: Selection) -> bool:
    """Whether an example's hint is about what the page shows: its claims were checked on one model and in one mode."""
    return selection.model == DEFAULT.model and selection.mode == example.mode


def told_by(selection: Selection) -> tuple[str | None, bool, bool]:
    """What the top of the sidebar draws of the sentences, apart from their fields.

    Returns:
        The title of the example that they are, if any; whether there is a second one; and whether they fit into a link.
    """
    example = shown_example(selection)
    return example.title if example else None, bool(selection.texts.b.strip()), fits_link(selection)


def _present_button() -> None:
    st.button(
        "Present",
        key="present",
        help="For an audience: the picture and the sentences alone, and large. Or press P; there, ? shows the keys.",
        on_click=session.change,
        kwargs={"stage": True},
    )


def _texts() -> None:
    """The two sentences, and an example to start from."""
    examples = {example.title: example for example in EXAMPLES}
    selection = session.current()
    example, has_second, fits = told_by(selection)
    key = _example_key(example)

    def show_example() -> None:
        chosen = examples.get(st.session_state[key])
        if chosen is not None and key == st.session_state["example_key"]:
            session.change(a=chosen.a, b=chosen.b, mode=chosen.mode)

    chosen = st.selectbox("Example", list(examples), key=key, on_change=show_example, placeholder="Your own sentences")
    draw_fields(SENTENCES)
    with st.container():  # below the fields, which must not move when the first key ends the example
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


def _source() -> None:
    """What an encoder-decoder is to do, and with which text."""
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


def _example_key(title: str | None) -> str:
    """The key of a picker that shows this example.

    A picker that has to show another one than was picked gets a new key, and the old one's choices count no more: a
    browser that has not heard of the change yet sends the old value with its next click, which looks like a choice of
    that example and would replace what was typed.
    """
    if st.session_state.get(st.session_state.setdefault("example_key", "example"), title) != title:
        st.session_state["example_round"] = st.session_state.get("example_round", 0) + 1
        st.session_state["example_key"] = f"example_{st.session_state['example_round']}"
    key: str = st.session_state["example_key"]
    st.session_state[key] = title
    return key


def tell_error(error: HeadlightError) -> None:
    """What went wrong, as it stands."""
    st.error(escape_markdown(str(error)), icon=":material/error:")


def telling_errors(draw: Callable[Arguments, None]) -> Callable[Arguments, None]:
    """A part of the page that says itself what went wrong: drawn alone, it runs outside the page's script."""

    @wraps(draw)
    def told(*args: Arguments.args, **options: Arguments.kwargs) -> None:
        try:
            draw(*args, **options)
        except HeadlightError as error:
            tell_error(error)

    return told
