"""Escapes token text for Plotly and estimates its width.

Plotly reads a small HTML subset (`<b>`, `<a href>`, `<br>`), `$...$` as mathematics and `%{...}` as a template in
nearly every string. Every text of a figure goes through `plotly_text`: tick text, hover and titles.
"""

import unicodedata
from collections.abc import Iterable
from typing import Any

from viz.wording.labels import JOINERS, direction, make_visible, runs_from_right

Box = tuple[int, float, float]  # line, left edge and width, in pixels
_ISOLATE, _POP = "\u2066", "\u2069"  # left to right, so that "##" is placed as on the canvas
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "&#36;", "%": "&#37;"}

# Advance widths in em of Source Sans, the font of the page, rounded up.
_WIDTHS = {
    char: width
    for width, chars in (
        (0.21, " "),
        (0.27, "ijlI.,:;'|!"),
        (0.34, "()[]{}ft`-"),
        (0.36, "r/"),
        (0.45, "szcvxyJ"),
        (0.51, "aegk0123456789#?*_+=~^"),
        (0.85, "mwMW@%…"),
    )
    for char in chars
}


def plotly_text(label: str) -> str:
    """The label for Plotly: made visible, escaped, right-to-left text isolated."""
    text = make_visible(label)
    escaped = "".join(_ENTITIES.get(char, char) for char in text)
    return f"{_ISOLATE}{escaped}{_POP}" if any(map(runs_from_right, text)) else escaped


def text_width(label: str, *, size: int = 14) -> float:
    """Estimated width in pixels of the visible label in the page's font, an upper estimate."""
    return size * sum(em(char) for char in make_visible(label))


def break_lines(
    widths: Iterable[float], *, room: float, gap: float, indent: float = 0.0, words: Iterable[str] = ()
) -> list[Box]:
    """Boxes side by side, in lines of at most `room` pixels that begin at `indent`, or where the words begin."""
    boxes: list[Box] = []
    line, left = 0, indent
    for width in widths:
        if left > indent and left + width > room:
            line, left = line + 1, indent
        boxes.append((line, left, width))
        left += width + gap
    if direction(words) == "rtl":
        return [(line, room + indent - left - width - 1, width) for line, left, width in boxes]  # with its frame
    return boxes


def em(char: str) -> float:
    """Estimated width of a character in em, an upper estimate."""
    if char in _WIDTHS:
        return _WIDTHS[char]
    if unicodedata.combining(char) or char in JOINERS:
        return 0.0
    if unicodedata.east_asian_width(char) in "WF":
        return 1.25  # emoji are wider than an em
    if runs_from_right(char):
        return 0.95  # as wide as letters of Arabic are alone
    return 0.56 if char.islower() else 0.66


def word_frame(box: Box, *, pitch: int, height: int, fill: str, line: dict[str, Any]) -> dict[str, Any]:
    """A rectangle behind a word, as a shape of Plotly.

    Args:
        pitch: pixels from one line of words to the next.
        line: its colour and width.
    """
    number, left, width = box
    return {
        "type": "rect",
        "layer": "below",
        "x0": left + 1,
        "x1": left + width,
        "y0": number * pitch + 1,
        "y1": number * pitch + height,
        "fillcolor": fill,
        "line": line,
    }
