"""Names of saved files: the text, and what the file has of it."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

LONGEST: Final = 80  # characters of a name with its ending
WORDS: Final = re.compile("[a-z0-9]+")


def file_name(text: str, what: str, ending: str) -> str:
    """A file's name in ASCII, as in "headlight-time-flies-like-an-arrow-heat-map.html".

    Args:
        text: that was read; its name loses words at its end if it is too long.
        what: the view or the numbers in the file.
        ending: without its dot.
    """
    described = "-".join(_words(what))
    words = ["headlight"]
    for word in _words(text):
        if len("-".join([*words, word, described])) + len(f".{ending}") > LONGEST:
            break
        words.append(word)
    return f"{'-'.join([*words, described])}.{ending}"


def _words(text: str) -> list[str]:
    """The words of a text, in lower case and without accents; a text in other letters has none."""
    return WORDS.findall(unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower())
