"""Formulas in LaTeX as MathML, which browsers draw by themselves. A tour's formulas are hostile input."""

from __future__ import annotations

from html import escape, unescape
from typing import Final, Literal
from xml.etree import ElementTree

from latex2mathml import exceptions
from latex2mathml.converter import convert_to_element

# Its own errors have no class in common, and formulas that are cut off or malformed lead to Python's.
ERRORS: Final[tuple[type[Exception], ...]] = (
    *(error for error in vars(exceptions).values() if isinstance(error, type) and issubclass(error, Exception)),
    *(AttributeError, LookupError, RecursionError, StopIteration, TypeError, ValueError),
)
LONGEST = 1000  # characters
SAFE_ATTRIBUTES: Final = frozenset(
    (
        *("accent", "columnalign", "columnlines", "columnspacing", "depth", "display", "displaystyle", "fence", "form"),
        *("height", "linethickness", "lspace", "mathvariant", "maxsize", "minsize", "movablelimits", "notation"),
        *("rowlines", "rowspacing", "rspace", "scriptlevel", "separator", "stretchy", "voffset", "width"),
    )
)
ELEMENTS: Final = frozenset(
    (
        *("math", "menclose", "mfrac", "mi", "mn", "mo", "mover", "mpadded", "mphantom", "mroot", "mrow", "mspace"),
        *("msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder", "munderover"),
    )
)


def html_of_formula(latex: str, display: Literal["inline", "block"]) -> str:
    """A formula as MathML; as it is written, where it is none that can be drawn."""
    written = f"$${latex}$$" if display == "block" else f"${latex}$"
    as_written = f'<code class="formula">{escape(written)}</code>'
    if len(latex) > LONGEST:
        return as_written
    try:
        root = convert_to_element(latex, display=display)
    except ERRORS:
        return as_written
    if any(element.tag not in ELEMENTS for element in root.iter()):
        return as_written
    for element in root.iter():
        element.text = unescape(element.text or "")  # symbols are entities, and texts are not escaped
        for name in set(element.attrib) - SAFE_ATTRIBUTES:
            del element.attrib[name]
    return ElementTree.tostring(root, encoding="unicode")
