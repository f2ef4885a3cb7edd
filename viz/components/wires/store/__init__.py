"""Sends a message to the browser once; all views read it from the browser's store.

The store splits a message of several layers, under ids that views know before it arrives (`shared/message.mjs`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from viz.components.registered import component
from viz.payloads.message import Message

_STORE: Final = component(Path(__file__).parent)


def store(message: Message, *, key: str) -> None:
    """Mount the receiver, which shows nothing; views of the message wait for it."""
    _STORE(key=key, data=message.data, height=0)
