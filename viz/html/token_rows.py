"""A text as aligned rows, as HTML: characters as typed, normalised, pieces with their ids, and words."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Final

from encoder.text.readings import ReadCharacter, ReadWord, Segment
from viz.answers.answer import TokenRows
from viz.wording.labels import make_visible
from viz.wording.readings import CHANGES

SHEET: Final = Path(__file__).with_name("token_rows.css")
ROWS: Final = ("typed", "normalised", "pieces", "ids", "words")
_BLANK: Final = "&nbsp;"  # so that rows without a text are as high as the others


def html_of_token_rows(part: TokenRows) -> str:
    """What the marks stand for, and the rows of each sentence in its direction; CSS has the classes."""
    names = "".join(f"<span>{name}</span>" for name in ROWS)
    texts = "".join(
        f'<div class="read-text" dir="auto"><span class="read-names" dir="ltr">{names}</span>'
        f"{''.join(_word(part, word) for word in words)}</div>"
        for words in part.reading.sentences
    )
    marks = (
        f'<mark class="{change}">{part.reading.counts[change]:,} {text}</mark>'
        for change, text in CHANGES.items()
        if part.reading.counts[change]
    )
    shown = " ".join(marks)
    return f'<div class="token-rows">{shown and f"""<div class="read-marks">{shown}</div>"""}{texts}</div>'


def _word(part: TokenRows, word: ReadWord) -> str:
    """The pieces of a word, or one that is in none."""
    label = _BLANK if word.word is None else escape(make_visible(part.reading.tokens.words[word.word]))
    classes = "read-word differs" if set(word.positions) & part.differing else "read-word"
    direction = "" if word.sentence is not None else ' dir="ltr"'  # “[CLS]” says nothing about the text's direction
    segments = "".join(_segment(part, segment) for segment in word.segments)
    return f'<span class="{classes}"{direction}><span class="read-row">{segments}</span><b>{label}</b></span>'


def _segment(part: TokenRows, segment: Segment) -> str:
    """Some characters, and the pieces that hold them."""
    typed = "".join(map(_characters, _runs(segment.characters))) or _BLANK
    read = "".join(each.read_as for each in segment.characters)
    normalised = escape(make_visible(read)) if segment.characters else _BLANK
    same = "" if any(each.change not in ("kept", "unknown") for each in segment.characters) else ' class="same"'
    pieces = (
        "".join(_piece(part, position) for position in segment.positions) or f"<span>{_BLANK}<i>{_BLANK}</i></span>"
    )
    return f'<span><span>{typed}</span><span{same}>{normalised}</span><span class="read-row">{pieces}</span></span>'


def _runs(characters: Iterable[ReadCharacter]) -> Iterable[list[ReadCharacter]]:
    """Characters of the same change together."""
    return (list(found) for _, found in groupby(characters, key=lambda each: each.change))


def _characters(run: list[ReadCharacter]) -> str:
    typed, change = escape(make_visible("".join(each.typed for each in run))), run[0].change
    if change == "kept":
        return typed
    return f'<mark class="{change}" title="{escape(CHANGES[change])}">{typed}</mark>'


def _piece(part: TokenRows, position: int) -> str:
    tokens = part.reading.tokens
    classes = "special" if tokens.special[position] else "unknown" if part.reading.is_unknown(position) else "piece"
    label = escape(make_visible(tokens.labels[position]))
    return f'<span class="{classes}">{label}<i>{tokens.ids[position]}</i></span>'
