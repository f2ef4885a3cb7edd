"""The words of tours as HTML: Markdown without HTML and without pictures, whose links lead to the web alone."""

from __future__ import annotations

from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

HEADING = "h3"  # of every level, below the title of a stop


@cache
def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False}).disable("image").enable(["table", "strikethrough"])
    markdown.validateLink = _leads_to_the_web  # type: ignore[method-assign]
    return markdown


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
