"""Text fields whose picture follows while somebody types.

`view.mjs` draws them, each a plain `<textarea>` under a layer with its marks; `exchange.mjs` knows what the fields hold
and what Python has read of it, and `pace.mjs` when the next text is sent. `direct.mjs` asks for its picture without the
page (`viz/page/direct.py`), where the view draws layers; the page is told when the keys pause. The marks come later,
from `components/text_marks`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from viz.components.registered import component

_FIELDS: Final = component(Path(__file__).parent, html='<div class="view fields"></div>')


def text_fields(
    labels: Mapping[str, str],
    *,
    texts: Mapping[str, str],
    linked: Mapping[str, str],
    answered: int | None,
    visit: str,
    key: str,
    on_typed: Callable[[], None],
) -> None:
    """Mount the fields.

    Args:
        labels: what stands over each field, by its name.
        texts: what the page shows. It does not replace what was typed since the last message that was read.
        linked: what the page's address brings back.
        answered: the number of the last message that was read.
        visit: a name of the session.
        key: Streamlit's key, under which `text_marks` finds the fields.
        on_typed: called after the keys paused.
    """
    fields = [{"name": name, "label": label} for name, label in labels.items()]
    data = {"key": key, "fields": fields, "texts": dict(texts), "linked": dict(linked)}
    _FIELDS(key=key, data=data | {"answered": answered, "visit": visit}, on_typed_change=on_typed)
