"""Messages about changes of the selection or of a text in the browser, which `shared/host.mjs` sends.

A message is {"scope": "encoder", "number": n, "changes": {...}, "typed": m, "held": false, "waiting": false}. The page
sends the numbers back with the next data, so that the browser knows which of its changes have been read; a repeated
message is ignored. Texts have a number of their own, `typed`: a message repeats texts that the page has read but not
acknowledged, and these must not replace newer ones.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from encoder.measures.unit_attention import MEAN
from viz.state.codecs import UnreadableError, without_lone_surrogates
from viz.state.fields import FIELDS, text_of, value_of
from viz.state.selection import Selection

logger = logging.getLogger(__name__)

Scope = Literal["encoder", "decoder"]
RELEASED = -1  # a position that views have unpinned or deselected
RELEASABLE = ("query", "key", "at_a", "at_b")
TYPED = [name for name, field in FIELDS.items() if field.browser == "types"]
SHARED = [name for name, field in FIELDS.items() if field.browser == "shares"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserMessage:
    """A message from the browser.

    Attributes:
        scope: the model whose selection was changed, encoder or decoder.
        number: greater than that of any earlier message.
        change: values by the names of `viz.state.fields.FIELDS`.
        typed: the number of the last change of the texts in it; None without texts.
        held: whether another key press may follow.
        waiting: whether a view waits for bytes.
    """

    scope: Scope
    number: int
    change: Mapping[str, Any]
    typed: int | None = None
    held: bool = False
    waiting: bool

    def newer(self, *, answered: int, typed: int, held: bool) -> BrowserMessage | None:
        """The message without what was read before; None if all of it was.

        Args:
            answered: the number of the last message that was read.
            typed: the number of the last change of a text that was read.
            held: whether that change is still held, which repeated texts do not end.
        """
        is_typed = self.typed is not None and self.typed > typed
        if self.number <= answered and not is_typed:
            return None
        change = {
            name: value
            for name, value in self.change.items()
            if (is_typed if name in TYPED else self.number > answered)
        }
        return replace(self, change=change, held=self.held and (is_typed or (held and self.typed is not None)))


def read_message(message: Any) -> BrowserMessage | None:
    """A message from the browser, or None if it is invalid; unreadable changes are logged and omitted."""
    match message:
        case {"scope": "encoder" | "decoder" as scope, "number": int(number), "changes": dict(changes)}:
            typed = message.get("typed")
            return BrowserMessage(
                scope=scope,
                number=number,
                change=read_change(changes),
                typed=typed if isinstance(typed, int) else None,
                held=message.get("held") is True,
                waiting=message.get("waiting") is True,
            )
    return None


def scope_of(selection: Selection) -> Scope:
    """The model whose selection the page shows."""
    return "decoder" if selection.shows_decoder else "encoder"


def shared_selection(selection: Selection) -> dict[str, Any]:
    """The part of the selection that the views in the browser share, in their format."""
    values = {name: value_of(selection, name) for name in SHARED} | {"heads": text_of(selection, "heads")}
    return {name: RELEASED if value is None else value for name, value in values.items()}


def read_change(message: Mapping[str, Any]) -> dict[str, Any]:
    """The change that a view requests, by the names of `viz.state.fields.FIELDS`.

    Args:
        message: texts or numbers by name: -1 releases a position or selects the mean of heads, and "" shows the heads
            with the selected one. Unreadable values are logged and omitted.
    """
    change = {}
    for name, value in message.items():
        try:
            change[name] = _read(name, value)
        except UnreadableError:
            logger.warning("A view requested %.40s=%.40r, which is not a value.", name, value)
    return change


def _read(name: str, value: Any) -> Any:
    if name not in FIELDS or FIELDS[name].browser is None:
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
