"""Validates the Markdown of a tour's texts, which are untrusted."""

from __future__ import annotations

import re

LONGEST_TITLE = 200  # characters
LONGEST_WORDS = 5_000
UNREADABLE = re.compile("[^\t\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LINE_BREAK = re.compile(r"(?<!\n)\n(?!\s*\n|\s*(?:[-*+]|[0-9]+[.)])\s)[ \t]*")  # within a paragraph
_HTML = re.compile(r"(?<!\\)(?:\\\\)*<[A-Za-z/!?]")
_PICTURE = re.compile(r"!\[")
_LINK_TARGET = re.compile(r"\]\(\s*(?!https?://)")
_LINK_DEFINITION = re.compile(r"^[ \t>]*\[[^\]]*\]:", re.MULTILINE)
_FORBIDDEN = (
    (_HTML, "HTML is not allowed: write \\< for a plain “<”"),
    (_PICTURE, "pictures are not allowed: the page would fetch them from elsewhere"),
    (_LINK_TARGET, "a link has to lead to https:// or http://"),
    (_LINK_DEFINITION, "links are written in their place, as [text](https://…)"),
)


class TextError(ValueError):
    """An invalid text of a tour; `args` are a sentence and the index of the invalid character."""


def read_title(text: str) -> str:
    """A title without space around it: one line of plain text.

    Raises:
        TextError: it is empty, too long, or not one line of plain text.
    """
    title = text.strip()
    if not title:
        raise TextError("A title is needed.", 0)
    if len(title) > LONGEST_TITLE:
        raise TextError(f"The title has {len(title):,} characters; {LONGEST_TITLE} are allowed.", 0)
    if UNREADABLE.search(title) or len(title.splitlines()) > 1:
        raise TextError("A title is one line, without control characters.", 0)
    return title


def read_words(text: str) -> str:
    """Words in Markdown, without space around them.

    Raises:
        TextError: they are too long, or contain HTML, an image, or a link other than to the web.
    """
    words = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if len(words) > LONGEST_WORDS:
        raise TextError(f"The words have {len(words):,} characters; {LONGEST_WORDS:,} are allowed in one place.", 0)
    unreadable = UNREADABLE.search(words)
    if unreadable:
        raise TextError(f"The character U+{ord(unreadable[0]):04X} is not allowed.", unreadable.start())
    for pattern, sentence in _FORBIDDEN:
        found = pattern.search(words)
        if found:
            raise TextError(f"In words, {sentence}.", found.start())
    return words


def unwrapped(text: str) -> str:
    """Words with each paragraph on one line, for containers that wrap; list items keep their lines."""
    return _LINE_BREAK.sub(" ", text)
