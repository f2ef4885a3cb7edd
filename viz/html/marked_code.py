"""Python code as HTML: a line each, one of them marked; keywords, strings and comments in classes."""

from __future__ import annotations

import io
import keyword
import tokenize
from collections import defaultdict
from html import escape

from viz.answers.answer import Code

Pieces = list[tuple[int, int, str]]  # the first and last column of a piece, and its class


def html_of_code(code: Code) -> str:
    """The lines of a piece of code; CSS has the classes."""
    pieces = _pieces_by_line(code.source)
    lines = []
    for number, line in enumerate(code.source.splitlines()):
        opening, closing = ("<mark>", "</mark>") if number == code.marked else ('<span class="line">', "</span>")
        lines.append(f"{opening}{_html_of_line(line, pieces[number]) or ' '}{closing}")
    return f'<pre class="python-code"><code>{"".join(lines)}</code></pre>'


def _html_of_line(line: str, pieces: Pieces) -> str:
    written, end = [], 0
    for start, stop, name in pieces:
        written.append(f'{escape(line[end:start])}<span class="code-{name}">{escape(line[start:stop])}</span>')
        end = stop
    return "".join((*written, escape(line[end:])))


def _pieces_by_line(source: str) -> defaultdict[int, Pieces]:
    """The pieces with a class in each line; a string of several lines is a piece in each of them."""
    lines = source.splitlines()
    found: defaultdict[int, Pieces] = defaultdict(list)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        name = _class_of(token)
        if not name:
            continue
        (first, start), (last, stop) = token.start, token.end
        for row in range(first, last + 1):
            from_column, to_column = start if row == first else 0, stop if row == last else len(lines[row - 1])
            found[row - 1].append((from_column, to_column, name))
    return found


def _class_of(token: tokenize.TokenInfo) -> str:
    if token.type == tokenize.NAME and keyword.iskeyword(token.string):
        return "keyword"
    return {tokenize.COMMENT: "comment", tokenize.STRING: "string"}.get(token.type, "")
