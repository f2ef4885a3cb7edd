"""What somebody types into fields of ours: `components/text_fields` sends it, the page listens.

A message is {"number": n, "texts": {...}, "held": bool}: all fields as they are now, and whether another key may
follow. The number goes back to the fields, so that they know which of their messages have been read.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import streamlit as st

from viz.state import session
from viz.state.codecs import without_lone_surrogates

logger = logging.getLogger(__name__)

VISIT = "visit"


@dataclass(frozen=True, slots=True)
class Typed:
    """One message: its number, the texts by their fields' names, and whether another key may follow."""

    number: int
    texts: dict[str, str]
    held: bool


def read_typed(message: Any, names: Collection[str]) -> Typed | None:
    """A message of the fields with these names; None, and a line in the log, for what is none."""
    match message:
        case {"number": int(number), "texts": dict(texts), "held": bool(held)} if set(texts) == set(names) and all(
            isinstance(text, str) for text in texts.values()
        ):
            return Typed(number, {name: without_lone_surrogates(text) for name, text in texts.items()}, held)
    logger.warning("Text fields sent %.80r, which is no message of %s.", message, ", ".join(names))
    return None


def on_typed_message(key: str, names: Collection[str], *, sender: str | None = None) -> Callable[[], None]:
    """A callback for `on_typed_change`: applies the fields' texts, and remembers the message's number.

    Args:
        key: of the fields.
        sender: the key of the component that sends, where that is not the fields themselves. Of two messages that come
            together the newer one counts, whoever is heard first.
    """

    def read_message() -> None:
        typed = read_typed((st.session_state.get(sender or key) or {}).get("typed"), names)
        if typed is not None and typed.number > (answered(key) or 0):
            st.session_state[f"{key}_answered"] = typed.number
            session.change_texts(typed.texts, held=typed.held)

    return read_message


def answered(key: str) -> int | None:
    """The number of the fields' last message that was read, or None."""
    number: int | None = st.session_state.get(f"{key}_answered")
    return number


def visit() -> str:
    """A name for this session: fields that were sent another one before know that the server has forgotten them."""
    name: str = st.session_state.setdefault(VISIT, secrets.token_hex(8))
    return name
