"""Text fields whose picture follows while somebody types.

`view.mjs` draws them, each a plain `<textarea>` under a layer with its marks; what they hold is part of the page's
selection (`shared/page_selection.mjs`), and `pace.mjs` says when the next text is sent. `direct.mjs` asks for its
picture without the page (`viz/page/direct.py`), where the view draws layers; the page is texts when the keys pause.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from viz.components.registered import component

_FIELDS: Final = component(Path(__file__).parent, html='<div class="view fields"></div>')


def text_fields(
    labels: Mapping[str, str], texts: Mapping[str, Any], *, key: str, on_selection: Callable[[], None]
) -> None:
    """Mount the fields.

    Args:
        labels: what stands over each field, by its name.
        texts: of the texts, from `viz.page.texts.texts`. They do not replace what was typed since the last change that
            was read.
        key: Streamlit's, under which drafts are stored.
        on_selection: called after the keys paused.
    """
    fields = [{"name": name, "label": label} for name, label in labels.items()]
    _FIELDS(key=key, data={**texts, "key": key, "fields": fields}, on_selection_change=on_selection)
