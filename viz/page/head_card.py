"""The card of the chosen head beside the pictures: what it does over a corpus, where the model has an atlas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from encoder import Trace
from encoder.atlas.reader import Atlas, shipped_atlas
from encoder.atlas.records import Example
from encoder.errors import HeadlightError
from viz.components import head_card
from viz.labels import escape_markdown
from viz.panels.common import layers_id, texts_in
from viz.payloads import head_cards
from viz.state import session
from viz.state.address import to_query
from viz.state.selection import QUANTITY_VIEWS, Pins, Place, Selection, Texts, View

PICTURES: tuple[View, ...] = (*QUANTITY_VIEWS, "neuron view")  # in which an example can open
LAYER_BY_LAYER: tuple[View, ...] = ("heat map", "head view")
WANTED = "wanted_head"  # in the session: whose details the browser asked for in this run
HOW_TO_BUILD = (
    "There is no atlas of this model here, which says what each head does over a corpus: "
    "`python -m encoder.atlas build` makes one, and `show` prints it."
)


def show_head_card(model_name: str, traces: Mapping[str, Trace], selection: Selection) -> None:
    """The card, or one sentence where the model has none.

    Args:
        traces: that the page shows, by their place.
    """
    try:
        atlas = shipped_atlas(model_name)
    except HeadlightError as error:
        st.caption(escape_markdown(str(error)))
        return
    if atlas is None:
        st.caption(HOW_TO_BUILD)
    else:
        _card(model_name, atlas, _runs(traces, selection))


def _runs(traces: Mapping[str, Trace], selection: Selection) -> list[dict[str, Any]]:
    """The runs whose attention the view draws layer by layer."""
    if selection.view not in LAYER_BY_LAYER or not selection.draws_weights:
        return []
    return [
        {"run": layers_id(trace, selection), "layers": trace.num_layers, "texts": texts_in(place)}
        for place, trace in traces.items()
    ]


@st.fragment
def _card(model_name: str, atlas: Atlas, runs: list[dict[str, Any]]) -> None:
    """Drawn alone when the browser asks for all that is known of a head."""
    details = _details(model_name, atlas, st.session_state.pop(WANTED, None))
    head_card.head_card(head_cards.cards(atlas), details=details, runs=runs, on_wanted=_note_wanted)


def _note_wanted() -> None:
    st.session_state[WANTED] = (st.session_state.get(head_card.KEY) or {}).get("wanted")


def _details(model_name: str, atlas: Atlas, wanted: Any) -> dict[str, Any] | None:
    """What was asked for, or why it cannot be read; None where a browser asks for no head of the atlas."""
    if not isinstance(wanted, dict):
        return None
    place = wanted.get("layer"), wanted.get("head")
    card = next((card for at, card in atlas.cards.items() if at == place), None)
    if card is None:
        return None
    view = session.current().view
    shown: View = view if view in PICTURES else "heat map"
    try:
        return head_cards.details(
            atlas, card.layer, card.head, lambda example: _address(model_name, card.layer, card.head, shown, example)
        )
    except HeadlightError as error:
        return {"layer": card.layer, "head": card.head, "problem": str(error)}


def _address(model_name: str, layer: int, head: int, view: View, example: Example) -> str:
    """A link to the example's sentence, with the head and the two words chosen."""
    pins = Pins(query=example.query_token, key=example.key_token)
    selection = Selection(
        texts=Texts(a=" ".join(example.words), b=""),
        model=model_name,
        view=view,
        level="words",  # as it was measured
        place=Place(layer=layer, head=head, pins=pins),
    )
    return f"?{urlencode(to_query(selection))}"
