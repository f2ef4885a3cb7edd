"""The heads of all layers with the largest weight from one pinned token to the other.

`ranking.mjs` ranks the heads of the layers that the browser has, `percentiles.mjs` gives the percentile of a weight
for its head, and `view.mjs` lists the first heads. A click on one selects it.
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
        runs: the runs whose weights the page renders layer by layer: `run`, the id of their messages, the number of
            `layers`, the `texts` of the tokens, and the index of each token's word in `words`.
        quantiles: the id of the message from `viz.payloads.head_cards.quantile_message`; "" without an atlas.
    """
    _LIST(key=KEY, data={"runs": list(runs), "quantiles": quantiles})
