"""A text as aligned rows, as HTML: characters as typed, normalised, pieces with their ids, and words."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Final

from encoder.text.readings import ReadCharacter, ReadWord, is_unknown
from viz.answers.answer import TokenRows
from viz.wording.labels import make_visible
from viz.wording.readings import CHANGES

SHEET: Final = Path(__file__).with_name("token_rows.css")
NAMES: Final = "".join(f"<span>{name}</span>" for name in ("typed", "normalised", "pieces", "ids", "words"))
BLANK: Final = "&nbsp;"  # so that rows without a text are as high as the others


def html_of_token_rows(part: TokenRows) -> str:
    """What the marks stand for, and the rows of each sentence in its direction; CSS has the classes."""
    counts = part.reading.counts
    marks = " ".join(
        f'<mark class="{each}">{counts[each]:,} {CHANGES[each]}</mark>' for each in CHANGES if counts[each]
    )
    rows = ("".join(_word(part, word) for word in words) for words in part.reading.sentences)
    texts = "".join(f'<div class="read-text" dir="auto"><span dir="ltr">{NAMES}</span>{row}</div>' for row in rows)
    return f'<div class="token-rows"><p>{marks}</p>{texts}</div>'


def _word(part: TokenRows, word: ReadWord) -> str:
    """The pieces of a word, or what is in none."""
    tokens = part.reading.tokens
    pieces = "".join(
        f'<span class="{_kind(part, position)}">{escape(make_visible(tokens.labels[position]))}'
        f"<i>{tokens.ids[position]}</i></span>"
        for position in word.positions
    )
    read = "".join(each.read_as for each in word.characters)
    same = " class=same" if all(each.change in ("kept", "unknown") for each in word.characters) else ""
    differs = " class=differs" if part.differing.intersection(word.words) else ""
    direction = "" if word.characters else " dir=ltr"  # “[CLS]” says nothing about the text's direction
    return (
        f"<span{differs}{direction}><span>{''.join(map(_character, word.characters)) or BLANK}</span>"
        f"<span{same}>{escape(make_visible(read)) if word.characters else BLANK}</span>"
        f"<span>{pieces or f'<span>{BLANK}<i>{BLANK}</i></span>'}</span>"
        f"<b>{' '.join(escape(make_visible(tokens.words[index])) for index in word.words) or BLANK}</b></span>"
    )


def _character(character: ReadCharacter) -> str:
    typed, change = escape(make_visible(character.typed)), character.change
    return typed if change == "kept" else f'<mark class="{change}" title="{CHANGES[change]}">{typed}</mark>'


def _kind(part: TokenRows, position: int) -> str:
    if part.reading.tokens.special[position]:
        return "special"
    return "unknown" if is_unknown(part.reading.tokens, position) else "piece"
