"""Brings text fields what is known of their texts after the run: wordpieces, what is cut off, and how long it took.

Where the part of the page that shows the texts is drawn by itself, the fields send their texts through it: a run then
draws that part alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from viz.components.registered import component

_MARKS: Final = component(Path(__file__).parent)


def text_marks(
    marks: Mapping[str, Mapping[str, Any]],
    *,
    fields: str,
    answered: int | None,
    slow: float | None,
    linked: Mapping[str, str],
    alone: bool,
    direct: str | None,
    key: str,
    on_typed: Callable[[], None],
) -> None:
    """Mount the messenger, which shows nothing.

    Args:
        marks: from `viz.payloads.text_marks`, by the names of the fields; a text that could not be run has none.
        fields: the key of the fields.
        answered: the number of the message whose texts were run.
        slow: seconds that a run takes where that is too long for one with every pause of the keys.
        linked: what the page's address brings back, by the names of the fields.
        alone: whether the part of the page that this is in is drawn by itself.
        direct: the address of `viz.page.direct`, where the page's picture can be had there.
        on_typed: called after the keys paused, where it is.
    """
    data: dict[str, Any] = {"fields": fields, "marks": {name: dict(known) for name, known in marks.items()}}
    data |= {"answered": answered, "slow": slow, "linked": dict(linked), "alone": alone, "direct": direct}
    _MARKS(key=key, data=data, height=0, on_typed_change=on_typed)
