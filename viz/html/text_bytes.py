"""Bytes as text for any place in a page: five characters for four bytes, where base64 takes five and a third.

HTML, attributes, JSON and scripts need no escapes for the alphabet. `browser/text_bytes.mjs` reads the text.
"""

from __future__ import annotations

from typing import Final

import numpy as np

ALPHABET: Final = "".join(chr(code) for code in range(ord("!"), ord("~") + 1) if chr(code) not in "\"&'<>\\`$-")
_LETTERS: Final = np.frombuffer(ALPHABET.encode("ascii"), dtype=np.uint8)
_POWERS: Final = np.array([85**power for power in (4, 3, 2, 1, 0)], dtype=np.uint32)


def text_of_bytes(data: bytes) -> str:
    """Base 85, highest digit first; a last group of n < 4 bytes has n + 1 characters."""
    missing = -len(data) % 4
    groups = np.frombuffer(data + bytes(missing), dtype=">u4").astype(np.uint32)
    text = _LETTERS[groups[:, None] // _POWERS % 85].tobytes().decode("ascii")
    return text[: len(text) - missing]
