"""Sends a message to the browser once; the views draw from there, whatever they show of it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from viz.components.registered import component
from viz.payloads.message import Message

_STORE: Final = component(Path(__file__).parent)


def store(message: Message, *, key: str) -> None:
    """Mount the receiver, which shows nothing; put it before the views that draw the message."""
    _STORE(key=key, data=message.data, height=0)
