"""Which head does this? The heads that look hardest from one pinned token to the other, in every layer.

`ranking.mjs` ranks the heads by the layers that the browser has, `percentiles.mjs` says how unusual such a weight is
for a head, and `view.mjs` lists the first heads. A click on one chooses it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from viz.components.registered import component

KEY: Final = "linking_heads"
_LIST: Final = component(Path(__file__).parent, html='<div class="view linking"></div>')


def linking_heads(runs: Sequence[Mapping[str, Any]], *, quantiles: str) -> None:
    """Mount the list, once on a page.

    Args:
        runs: whose weights the page renders layer by layer: `run`, the id under which they are sent, how many `layers`
            it has, the `texts` of its tokens, and which of the `words` each is of.
        quantiles: the id of the message from `viz.payloads.head_cards.quantile_message`; "" without an atlas.
    """
    _LIST(key=KEY, data={"runs": list(runs), "quantiles": quantiles})
