"""The words of tours as HTML: Markdown without HTML, without pictures, and with links to the web only.

LaTeX between dollars, as in the app, becomes MathML, which browsers render. A tour's formulas are hostile input.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape, unescape
from typing import Any, Final, Literal
from xml.etree import ElementTree

from latex2mathml import exceptions
from latex2mathml.converter import convert_to_element
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from viz.html.terms import term_button
from viz.wording.glossary import mark_terms
from viz.wording.labels import isolate_quoted

HEADING = "h3"  # of every level, below the title of a stop
# latex2mathml's own errors have no class in common, and formulas that are cut off or malformed lead to Python's.
LATEX_ERRORS: Final[tuple[type[Exception], ...]] = (
    *(error for error in vars(exceptions).values() if isinstance(error, type) and issubclass(error, Exception)),
    *(AttributeError, LookupError, RecursionError, StopIteration, TypeError, ValueError),
)
LONGEST_FORMULA = 1000  # characters
SAFE_ATTRIBUTES: Final = frozenset(
    (
        *("accent", "columnalign", "columnlines", "columnspacing", "depth", "display", "displaystyle", "fence", "form"),
        *("height", "linethickness", "lspace", "mathvariant", "maxsize", "minsize", "movablelimits", "notation"),
        *("rowlines", "rowspacing", "rspace", "scriptlevel", "separator", "stretchy", "voffset", "width"),
    )
)
MATHML_ELEMENTS: Final = frozenset(
    (
        *("math", "menclose", "mfrac", "mi", "mn", "mo", "mover", "mpadded", "mphantom", "mroot", "mrow", "mspace"),
        *("msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder", "munderover"),
    )
)


def _reader() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False}).disable("image").enable(["table", "strikethrough"])
    markdown.use(dollarmath_plugin, allow_digits=False, allow_space=False, allow_labels=False)
    for name in ("math_inline", "math_inline_double", "math_block"):
        markdown.add_render_rule(name, _formula)
    markdown.validateLink = _leads_to_the_web  # type: ignore[method-assign]
    return markdown


def _formula(_renderer: RendererHTML, tokens: Sequence[Token], index: int, *_more: Any) -> str:
    token = tokens[index]
    return html_of_formula(token.content.strip(), "inline" if token.type == "math_inline" else "block")


def _leads_to_the_web(url: str) -> bool:
    return url.startswith(("https://", "http://"))


_MARKDOWN: Final = _reader()


def html_of_markdown(text: str, *, defined: set[str] | None = None) -> str:
    """Markdown as HTML; HTML in it is escaped.

    Args:
        defined: names of terms that are buttons already, to which the text adds its own; None marks no terms.
    """
    tokens = _MARKDOWN.parse(isolate_quoted(text))
    _prepare(tokens)
    if defined is not None:
        for before, token in zip([None, *tokens], tokens, strict=False):
            if token.type == "inline" and not (before and before.type == "heading_open"):
                token.children = list(_with_terms(token.children or [], defined))
    return str(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))


def plain_text_of_markdown(text: str) -> str:
    """Markdown as plain text, line by line: without the marks of emphasis, code, links and formulas."""
    return "\n".join(
        "".join(part.content for part in token.children or [])
        for line in text.split("\n")
        for token in _MARKDOWN.parseInline(line)
    )


def _prepare(tokens: list[Token]) -> None:
    """Links open in a new tab without a referrer."""
    for token in tokens:
        if token.type == "link_open":
            token.attrs |= {"target": "_blank", "rel": "noopener noreferrer"}
        elif token.type in ("heading_open", "heading_close"):
            token.tag = HEADING
        _prepare(token.children or [])


def _with_terms(tokens: list[Token], defined: set[str]) -> Iterator[Token]:
    """Inline tokens in which terms outside links are buttons where they appear first."""
    depth = 0  # of links
    for token in tokens:
        depth += (token.type == "link_open") - (token.type == "link_close")
        if token.type != "text" or depth:
            yield token
            continue
        for part, term in mark_terms(token.content):
            if term and term.name not in defined:
                defined.add(term.name)
                yield Token("html_inline", "", 0, content=term_button(part, term))
            else:
                yield Token("text", "", 0, content=part)


def html_of_formula(latex: str, display: Literal["inline", "block"]) -> str:
    """A formula as MathML, or as its source if it cannot be converted."""
    written = f"$${latex}$$" if display == "block" else f"${latex}$"
    as_written = f'<code class="formula">{escape(written)}</code>'
    if len(latex) > LONGEST_FORMULA:
        return as_written
    try:
        root = convert_to_element(latex, display=display)
    except LATEX_ERRORS:
        return as_written
    if any(element.tag not in MATHML_ELEMENTS for element in root.iter()):
        return as_written
    for element in root.iter():
        element.text = unescape(element.text or "")  # symbols are entities, and texts are not escaped
        for name in set(element.attrib) - SAFE_ATTRIBUTES:
            del element.attrib[name]
    return ElementTree.tostring(root, encoding="unicode")
