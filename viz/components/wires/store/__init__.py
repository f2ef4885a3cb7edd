"""Sends a message to the browser once; the views draw from there, whatever they show of it.

A message of several layers is kept a layer at a time, under ids that views can name before it comes
(`shared/layers.mjs`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from viz.components.registered import component
from viz.payloads.message import Message

_STORE: Final = component(Path(__file__).parent)


def store(message: Message, *, key: str) -> None:
    """Mount the receiver, which shows nothing; views that draw the message wait for it."""
    _STORE(key=key, data=message.data, height=0)
