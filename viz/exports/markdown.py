"""The words of tours as HTML: Markdown without HTML and without pictures, whose links lead to the web alone.

Formulas stand between dollars, as in the app.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from viz.exports.formulas import html_of_formula

HEADING = "h3"  # of every level, below the title of a stop


@cache
def _markdown() -> MarkdownIt:
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


def html_of_markdown(text: str) -> str:
    """Markdown as HTML. What would be HTML in it is shown as it is written."""
    markdown = _markdown()
    tokens = markdown.parse(text)
    _prepare(tokens)
    return str(markdown.renderer.render(tokens, markdown.options, {}))


def _prepare(tokens: list[Token]) -> None:
    """Links open in a tab of their own, which learns nothing of the page that it comes from."""
    for token in tokens:
        if token.type == "link_open":
            token.attrs |= {"target": "_blank", "rel": "noopener noreferrer"}
        elif token.type in ("heading_open", "heading_close"):
            token.tag = HEADING
        _prepare(token.children or [])
