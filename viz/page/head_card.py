"""The card of the chosen head: what it does over a corpus, if the model has an atlas."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from encoder.atlas.reader import Atlas
from encoder.atlas.records import Card, Example
from encoder.errors import HeadlightError
from encoder.offers import ModelName
from viz.caches.atlases import atlas_of
from viz.caches.memo import VALUES
from viz.caches.revisions import unrevised
from viz.components import head_card
from viz.components.wires.store import store
from viz.payloads import head_cards
from viz.payloads.found_sentences import found_sentences, number_in, search_of, suggestions, text_in
from viz.state import session
from viz.state.address import to_query
from viz.state.selection import QUANTITY_VIEWS, Pins, Place, Selection, Texts, View
from viz.wording.labels import escape_markdown

PICTURES: tuple[View, ...] = (*QUANTITY_VIEWS, "neuron view")  # views that can open an example
WANTED = "wanted_head"  # in the session: the head whose details the browser requested in this run
NO_MEASUREMENTS = "No corpus measurements of the heads exist for this model."
OF_THE_LAST_STEP = (
    "The atlas is of the trained model, the last step: "
    "a head's card there says when in the training its habits appeared."
)


def show_head_card(model_name: str) -> None:
    """The card, or one sentence if the model has none; and what the card of a cell compares weights with."""
    atlas: Atlas | None = None
    absence = NO_MEASUREMENTS if ModelName(model_name).step is None else OF_THE_LAST_STEP
    try:
        atlas = atlas_of(model_name)
    except HeadlightError as error:
        absence = escape_markdown(str(error))
    if atlas is None:
        st.caption(absence)
        return
    if not session.is_typing():  # nobody clicks cells between two key presses
        store(VALUES.get(head_cards.quantile_message, atlas, model_name), key="store_head_card")
    _card(model_name, atlas)


@st.fragment
def _card(model_name: str, atlas: Atlas) -> None:
    """The card, which reruns alone when the browser requests the details of a head."""
    wanted = st.session_state.pop(WANTED, None)
    search = _search_in(wanted)
    answer = _answer(model_name, atlas, wanted, search)
    head_card.head_card(
        VALUES.get(head_cards.cards, atlas),
        details=answer if search is None else None,
        found=answer if search is not None else None,
        on_wanted=_note_wanted,
    )


def _note_wanted() -> None:
    st.session_state[WANTED] = (st.session_state.get(head_card.KEY) or {}).get("wanted")


def _search_in(wanted: Any) -> dict[str, Any] | None:
    """The search that the browser requests; None for another request."""
    search = wanted.get("search") if isinstance(wanted, dict) else None
    return search if isinstance(search, dict) else None


def _answer(model_name: str, atlas: Atlas, wanted: Any, search: dict[str, Any] | None) -> dict[str, Any] | None:
    """The answer to a request, or why it cannot be read; None without a request for a head of the atlas."""
    if not isinstance(wanted, dict):
        return None
    place = wanted.get("layer"), wanted.get("head")
    card = next((card for known, card in atlas.cards.items() if known == place), None)
    if card is None:
        return None
    head = {"layer": card.layer, "head": card.head}
    view = session.current().view
    shown: View = view if view in PICTURES else "heat map"
    try:
        if search is not None:
            return head | _found(model_name, atlas, card, shown, search)
        return head | head_cards.details(atlas, card.layer, card.head, partial(_address, model_name, card, shown))
    except HeadlightError as error:
        return head | {"problem": str(error)}


def _found(model_name: str, atlas: Atlas, card: Card, view: View, search: Mapping[str, Any]) -> dict[str, Any]:
    """The results of a search, and the search itself, so that the browser can ignore an outdated answer."""
    wanted = search_of(
        card.layer,
        card.head,
        looks=text_in(search, "looks"),
        looked_at=text_in(search, "looked_at"),
        least=number_in(search.get("least")),
    )
    return {
        "search": dict(search),
        "address": _query_of(model_name, card, view, Texts(a="", b=""), Pins()),
        "suggestions": suggestions(atlas, card.layer, card.head),
        "credit": atlas.credit,
        **found_sentences(atlas, atlas.find(wanted)),
    }


def _address(model_name: str, card: Card, view: View, example: Example) -> str:
    """A link to the example's sentence, with the head and the two words chosen."""
    pins = Pins(query=example.query_token, key=example.key_token)
    texts = Texts(a=" ".join(example.words), b="")
    return f"?{urlencode(_query_of(model_name, card, view, texts, pins))}"


def _query_of(model_name: str, card: Card, view: View, texts: Texts, pins: Pins) -> dict[str, str]:
    selection = Selection(
        texts=texts,
        model=unrevised(model_name),
        view=view,
        level="words",  # as it was measured
        place=Place(layer=card.layer, head=card.head, pins=pins),
    )
    return to_query(selection)
