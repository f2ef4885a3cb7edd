"""Terms in Markdown as buttons with a dotted underline; a click, a tap or Enter opens the definition, Escape closes it.

The browser does that alone: each definition is a popover of HTML. Saved pages have the text without them.
"""

from __future__ import annotations

import re
from html import escape
from zlib import crc32

from viz.wording.glossary import Term, mark_terms

# Pairs of a backslash and a character are Markdown's own escapes.
_UNSAFE = re.compile(r"(\\.)|([<>&])", re.DOTALL)


def markdown_with_terms(text: str) -> str:
    """Markdown in which each term of the glossary is a button where it appears first; other HTML in it is escaped."""
    key = f"{crc32(text.encode()):x}"  # the same text has the same ids, so that an open definition stays open
    return "".join(_button(part, term, key) if term else _escape(part) for part, term in mark_terms(text))


def _escape(text: str) -> str:
    return _UNSAFE.sub(lambda match: match[1] or escape(match[2]), text)


def _button(text: str, term: Term, key: str) -> str:
    place = f"term-{key}-{re.sub(r'[^a-z0-9]+', '-', term.name.casefold())}"
    source = f" <em>{escape(term.source)}</em>" if term.source else ""
    return (
        f'<button type="button" class="term" popovertarget="{place}">{escape(text)}</button>'
        f'<span popover id="{place}" class="definition"><strong>{escape(term.name)}</strong>: '
        f"{escape(term.definition)}{source}</span>"
    )
