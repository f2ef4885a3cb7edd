"""The head view: tokens on both sides, and a line from every query to every key that it looks at.

`view.mjs` draws it, from a layer that `viz.components.store` sent before: a change of head sends no weights.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from viz.components.registered import component

_VIEW: Final = component(Path(__file__).parent, html='<div class="view head-view"></div>')


def head_view(data: Mapping[str, Any], *, key: str, on_selection_change: Callable[[], None]) -> None:
    """Mount the view.

    Args:
        data: what `viz.panels.common.view_data` gives, with `id` of the layer's message and `place`, under which the
            browser remembers how far the view was scrolled and which lines it drew. Optional besides: `until`, how many
            units exist so far (None: all): queries from there on have no lines and cannot be pinned, and the labels of
            those units, on both sides, are muted. No token moves.
        key: Streamlit's key; the same key keeps the view through a change of text.
        on_selection_change: called when somebody chose heads or pinned a token.
    """
    _VIEW(key=key, data=dict(data), on_selection_change=on_selection_change)
