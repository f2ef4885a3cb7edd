"""The card of the selected head: what it usually does, in one sentence, as an atlas measured it over a corpus.

The lines of all heads are sent once, and the browser shows the first one of the selected head; the others are with the
details, which it requests by `wanted`. `view.mjs` is the card with its details. `search_box.mjs` requests sentences of
the corpus and lists them, with the texts of `search.mjs`.
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
        details: of the last requested head, from `viz.payloads.head_cards.details`, or {"problem": a sentence} with its
            "layer" and "head"; None without a request.
        found: the results of the last search, from `viz.payloads.found_sentences`, with the head, the `search` itself,
            `address`, the common part of links to sentences, and `suggestions`; or a problem; None without a search.
        on_wanted: called when the browser requests the details of a head, {"layer": 2, "head": 0}, or sentences, with
            "search": {"looks": "obj→", "looked_at": "", "least": 0.3}.
    """
    data = {**cards, "details": details, "found": found}
    _CARD(key=KEY, data=data, on_wanted_change=on_wanted)
