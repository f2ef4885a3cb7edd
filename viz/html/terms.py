"""Terms in Markdown as buttons with a dotted underline; a click, a tap or Enter opens the definition, Escape closes it.

The browser does that alone: each definition is a popover of HTML. On the page it follows its button; a file has one
for each term, at its end.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Final
from zlib import crc32

from viz.wording.glossary import TERMS, Term, mark_terms

STYLE: Final = Path(__file__).with_name("terms.css")  # of these buttons and definitions, on the page and in files
# Pairs of a backslash and a character are Markdown's own escapes.
_UNSAFE = re.compile(r"(\\.)|([<>&])", re.DOTALL)
_OPENED = re.compile(r'<button type="button" class="term" popovertarget="([a-z0-9-]+)">')


def markdown_with_terms(text: str) -> str:
    """Markdown in which each term of the glossary is a button where it appears first; other HTML in it is escaped."""
    key = f"{crc32(text.encode()):x}"  # the same text has the same ids, so that an open definition stays open

    def marked(part: str, term: Term) -> str:
        place = f"{_place_of(term)}-{key}"
        return _button(part, place) + _definition(term, place)

    return "".join(marked(part, term) if term else _escape(part) for part, term in mark_terms(text))


def opening_button(label: str, text: str) -> str:
    """A button in Markdown that opens a text, which is Markdown too, as the button of a term opens its definition."""
    place = f"text-{crc32(text.encode()):x}"
    return f'{_button(label, place)}<span popover id="{place}" class="definition">{_escape(text)}</span>'


def html_with_terms(text: str) -> str:
    """Plain text of a file as HTML, in which each term of the glossary is a button where it appears first."""
    return "".join(term_button(part, term) if term else escape(part) for part, term in mark_terms(text))


def term_button(text: str, term: Term) -> str:
    """The button of a term in a file; `definitions_in` gives the definition that it opens."""
    return _button(text, _place_of(term))


def definitions_in(html: str) -> str:
    """The definitions that the buttons in a file's HTML open, each once."""
    opened = set(_OPENED.findall(html))
    return "".join(_definition(term, place) for place, term in _BY_PLACE.items() if place in opened)


def _place_of(term: Term) -> str:
    return f"term-{re.sub(r'[^a-z0-9]+', '-', term.name.casefold()).strip('-')}"


_BY_PLACE: Final = {_place_of(term): term for term in TERMS}


def _button(text: str, place: str) -> str:
    return f'<button type="button" class="term" popovertarget="{place}">{escape(text)}</button>'


def _escape(text: str) -> str:
    return _UNSAFE.sub(lambda match: match[1] or escape(match[2]), text)


def _definition(term: Term, place: str) -> str:
    source = f" <em>{escape(term.source)}</em>" if term.source else ""
    return (
        f'<span popover id="{place}" class="definition"><strong>{escape(term.name)}</strong>: '
        f"{escape(term.definition)}{source}</span>"
    )
