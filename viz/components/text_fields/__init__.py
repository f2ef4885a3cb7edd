"""Text fields whose view updates while the user types.

`view.mjs` draws them, each a plain `<textarea>` under a layer with its marks; their texts are part of the page's
selection (`shared/page_selection.mjs`), and `pace.mjs` decides when the next text is sent. If the view shows layers,
`direct_drawing.mjs` requests them without the page's script (`viz/page/direct.py`), which gets the text at the next
pause.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from viz.components.registered import component

_FIELDS: Final = component(Path(__file__).parent, html='<div class="view fields"></div>')


def key_of(names: Iterable[str]) -> str:
    """Streamlit's key of the fields with these names."""
    return f"texts_{'_'.join(names)}"


def text_fields(
    labels: Mapping[str, str], texts: Mapping[str, Any], *, key: str, on_selection: Callable[[], None]
) -> None:
    """Mount the fields.

    Args:
        labels: of the fields, by their names.
        texts: from `viz.page.texts.texts_payload`. They do not replace text that was typed later.
        key: Streamlit's, under which drafts are stored.
        on_selection: called after a pause in typing.
    """
    fields = [{"name": name, "label": label} for name, label in labels.items()]
    _FIELDS(key=key, data={**texts, "key": key, "fields": fields}, on_selection_change=on_selection)
