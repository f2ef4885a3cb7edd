"""The card of the head that is chosen: what it does over a corpus, as an atlas measured it.

The few lines of every head are sent once, and the browser shows those of the head that is chosen there. What the card
opens to is asked for by `wanted`, a head at a time. `view.mjs` is the card, `details.mjs` what it opens to.
`ranking.mjs` finds the heads that look from one pinned token to the other, in the layers that the browser has, and
`ranked_list.mjs` lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from viz.components.registered import component

KEY: Final = "head_card"
_CARD: Final = component(Path(__file__).parent, html='<div class="view card"></div>')


def head_card(
    cards: Mapping[str, Any],
    *,
    details: Mapping[str, Any] | None,
    runs: Sequence[Mapping[str, Any]],
    on_wanted: Callable[[], None],
) -> None:
    """Mount the card, once on a page.

    Args:
        cards: from `viz.payloads.head_cards.cards`.
        details: of the head that was asked for last, from `viz.payloads.head_cards.details`, or {"problem": a sentence}
            beside its "layer" and "head"; None where none was.
        runs: whose layers the page draws: `run`, the id that they are sent under, how many `layers` it has, and the
            `texts` of its tokens. None where other numbers than weights are drawn.
        on_wanted: called when the browser asks for the details of a head, {"layer": 2, "head": 0}.
    """
    data = {**cards, "details": dict(details) if details else None, "runs": list(runs)}
    _CARD(key=KEY, data=data, on_wanted_change=on_wanted)
