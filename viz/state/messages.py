"""What the browser sends when the selection or a text is changed there: `shared/host.mjs` sends, the page listens.

A message is {"scope": "encoder", "number": n, "changes": {...}, "waiting": false}. The number goes back with the next
data, so that the browser knows which of its changes have been read; a message that comes twice is read once. Changes of
texts have "held" among them: whether another key may follow.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from encoder.measures.unit_attention import MEAN
from viz.state.codecs import UnreadableError, without_lone_surrogates
from viz.state.fields import FIELDS
from viz.state.selection import Selection

logger = logging.getLogger(__name__)

Scope = Literal["encoder", "decoder"]
RELEASED = -1  # as views write a position that is not pinned or chosen any more
RELEASABLE = ("query", "key", "at_a", "at_b")
TYPED = ("a", "b", "source")
CHANGEABLE = (
    *TYPED,
    *("layer", "head", "heads", "query", "key", "pinned_in", "sentences", "scale"),
    *("at_a", "at_b", "row", "column"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserMessage:
    """What the browser sent.

    Attributes:
        scope: whose selection was changed, the encoder's or the decoder's.
        number: greater than that of any message before.
        change: values by the names of `viz.state.fields.FIELDS`.
        held: whether another key may follow.
        waiting: whether a view waits for bytes.
    """

    scope: Scope
    number: int
    change: Mapping[str, Any]
    held: bool = False
    waiting: bool


def read_message(message: Any) -> BrowserMessage | None:
    """A message of the browser, or None where it is none; what stands for no change is logged and left out."""
    match message:
        case {"scope": "encoder" | "decoder" as scope, "number": int(number), "changes": dict(changes)}:
            held, waiting = changes.get("held") is True, message.get("waiting") is True
            change = read_change({name: value for name, value in changes.items() if name != "held"})
            return BrowserMessage(scope=scope, number=number, change=change, held=held, waiting=waiting)
    return None


def scope_of(selection: Selection) -> Scope:
    """Whose selection the page shows."""
    return "decoder" if selection.shows_decoder else "encoder"


def shared_selection(selection: Selection) -> dict[str, Any]:
    """The part of the selection that the views in the browser follow, as they write it."""
    place = selection.shown_place
    query, key = (RELEASED if position is None else position for position in (place.pins.query, place.pins.key))
    return {
        "layer": place.layer,
        "head": place.head,
        "heads": FIELDS["heads"].codec.encode(place.heads),
        "query": query,
        "key": key,
        "pinned_in": place.pins.run,
        "sentences": selection.sentences,
        "scale": selection.scale,
    }


def read_change(message: Mapping[str, Any]) -> dict[str, Any]:
    """The change that a view asks for, by the names of `viz.state.fields.FIELDS`.

    Args:
        message: what the browser sent, texts or numbers: -1 releases a position and stands for the mean of heads, ""
            for the heads that are shown with the selected one. Whatever stands for no value is logged and left out.
    """
    change = {}
    for name, value in message.items():
        try:
            change[name] = _read(name, value)
        except UnreadableError:
            logger.warning("A view asked for %.40s=%.40r, which stands for nothing.", name, value)
    return change


def _read(name: str, value: Any) -> Any:
    if name not in CHANGEABLE:
        raise UnreadableError
    if name in TYPED:
        if not isinstance(value, str):
            raise UnreadableError
        return without_lone_surrogates(value)
    if name in RELEASABLE and value == RELEASED:
        return None
    if name == "heads" and value == "":
        return "selected"
    return FIELDS[name].codec.decode("mean" if (name, value) == ("head", MEAN) else str(value))
