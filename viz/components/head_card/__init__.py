"""The card of the head that is chosen: what it does over a corpus, as an atlas measured it.

The few lines of every head are sent once, and the browser shows those of the head that is chosen there. What the card
opens to is asked for by `wanted`, a head at a time. `view.mjs` is the card with its details.
`search_box.mjs` searches the corpus and lists the sentences, with the texts of `search.mjs`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from viz.components.registered import component

KEY: Final = "head_card"
_CARD: Final = component(Path(__file__).parent, html='<div class="view card"></div>')


def head_card(
    cards: Mapping[str, Any],
    *,
    details: Mapping[str, Any] | None,
    found: Mapping[str, Any] | None,
    on_wanted: Callable[[], None],
) -> None:
    """Mount the card, once on a page.

    Args:
        cards: from `viz.payloads.head_cards.cards`.
        details: of the head that was asked for last, from `viz.payloads.head_cards.details`, or {"problem": a sentence}
            beside its "layer" and "head"; None where none was.
        found: what was searched for last, from `viz.payloads.found_sentences`, beside the head, the `search` itself,
            `address`, which links to sentences have in common, and `suggestions`; or a problem; None where nothing was.
        on_wanted: called when the browser asks for the details of a head, {"layer": 2, "head": 0}, or for sentences,
            with "search": {"looks": "obj→", "looked_at": "", "least": 0.3}.
    """
    data = {**cards, "details": details, "found": found}
    _CARD(key=KEY, data=data, on_wanted_change=on_wanted)
