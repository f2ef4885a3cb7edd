"""Brings text fields what is known of their texts after the run: wordpieces, what is cut off, and how long it took."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from viz.components.registered import component

_MARKS: Final = component(Path(__file__).parent)


def text_marks(
    marks: Mapping[str, Mapping[str, Any]], *, fields: str, answered: int | None, slow: float | None
) -> None:
    """Mount the messenger, which shows nothing.

    Args:
        marks: from `viz.payloads.text_marks`, by the names of the fields; a text that could not be run has none.
        fields: the key of the fields.
        answered: the number of the message whose texts were run.
        slow: seconds that a run takes where that is too long for one with every pause of the keys.
    """
    data = {"fields": fields, "marks": {name: dict(known) for name, known in marks.items()}}
    _MARKS(key=f"{fields}_marks", data=data | {"answered": answered, "slow": slow}, height=0)
