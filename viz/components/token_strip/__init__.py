"""The strip of tokens at the top of the page: what the model reads, in order, with ids.

`viz.payloads.tokens` builds its data; `token_strip` mounts it; `view.mjs` draws it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

from viz.components.registered import component

_STRIP: Final = component(Path(__file__).parent, html='<div class="view strip"></div>')


def token_strip(tokens_payload: Mapping[str, Any], *, key: str) -> None:
    """Mount the strip for display.

    Args:
        tokens_payload: from `viz.payloads.tokens.payload`.
        key: Streamlit's key; the same key keeps the strip and its focus through a change of text.
    """
    _STRIP(key=key, data=dict(tokens_payload))


def word_picker(
    tokens_payload: Mapping[str, Any], *, field: Literal["at_a", "at_b"], chosen: int | None, key: str
) -> None:
    """Mount the strip so that a click chooses a word.

    Args:
        field: of the selection, which is set to an index into `words`; the other field is released.
        chosen: the word that is marked, or None.
    """
    _STRIP(key=key, data={**tokens_payload, "choose": field, "chosen": chosen})
