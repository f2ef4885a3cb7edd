"""A link that is cut from the card of its cell: from the click to the painted answer, over the click of a bare page."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bench import bare
from bench.context import Context
from bench.measure import Row, alternate, compare
from bench.page import Tab

PART = "A link cut from the card of its cell (click to the answer painted), over the click of a bare page"
TARGETS = {16: "≤ 1.5", 128: "≤ 2"}  # by the text's tokens


def rows(context: Context) -> Iterator[Row]:
    """Each cut is of another text, in all layers and heads."""
    with context.app() as server, context.page("bare_cut", bare.SCRIPT) as bare_server:
        for tokens, target in TARGETS.items():
            with context.tab(server) as tab, context.tab(bare_server) as other:
                bare.open_bare(other)
                variants = {"cut": _cut(context, tab, tokens), "bare": bare.timed_click(other)}
                times = alternate(variants, context.rounds)
                yield compare(times, "cut", "bare", part=PART, what="cut everywhere", tokens=tokens, target=target)


def _cut(context: Context, tab: Tab, tokens: int) -> Callable[[], float]:
    def sample() -> float:
        tab.open(a=context.texts.new(tokens), b="", query="3", key="2")
        click = tab.page.get_by_role("button", name="everywhere", exact=True).click
        return tab.measure("cut", click).seconds

    return sample
