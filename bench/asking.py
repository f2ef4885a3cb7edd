"""A text put into the field, in views that ask and in what the heat map can draw: from there to the painted answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import get_args

from bench import bare
from bench.context import Context
from bench.measure import Row, alternate, compare
from bench.page import Tab
from encoder.attribution.methods.facts import MethodName

PART = "First answer to a new text of 16 tokens (put into the field to painted), over the click of a bare page"
TARGET = "≤ 2"
TOKENS = 16
LONGER, TARGET_OF_LONGER = 64, "≤ 4"
OTHER = "fruit flies like a banana"
SHARED = "like"  # ends every text: Compare needs a word that both sentences have
VIEWS = {  # by the picture that is waited for: the view's parameters
    "predictions": {"view": "predictions", "model": "bundled-sentiment", "b": ""},
    "why": {"view": "why", "model": "bundled-sentiment", "b": ""},
    "why here": {"view": "why here", "layer": "3", "head": "7", "b": ""},
    "routes": {"view": "routes", "model": "bundled-sentiment", "b": ""},
    "similar because": {"view": "similar because", "b": OTHER},
    "compare": {"view": "compare", "b": OTHER},
}
STOP = "[class*='_stop']"  # the buttons of work that goes on beside the page


def rows(context: Context) -> Iterator[Row]:
    """Views whose answer takes long show progress meanwhile; this waits for the answer.

    A text is typed when all work on the one before is over, as by people who have looked at its pictures.
    """
    with context.app() as server, context.page("bare_click", bare.SCRIPT) as bare_server:
        for picture, given in VIEWS.items():
            with context.tab(server) as tab, context.tab(bare_server) as other:
                tab.open(a=_text(context, TOKENS), **given)
                yield _row(context, tab, other, picture, picture)
        with context.tab(server) as tab, context.tab(bare_server) as other:
            tab.open(a=context.texts.new(LONGER), **VIEWS["routes"])
            yield _row(context, tab, other, "routes", "routes", tokens=LONGER, target=TARGET_OF_LONGER)
        for method in get_args(MethodName):
            with context.tab(server) as tab, context.tab(bare_server) as other:
                tab.open(a=context.texts.new(TOKENS), b="", layer="3", head="7", method=method)
                yield _row(context, tab, other, "heat map", f"heat map of {method}")


def _row(
    context: Context, tab: Tab, other: Tab, picture: str, what: str, *, tokens: int = TOKENS, target: str = TARGET
) -> Row:
    bare.open_bare(other)
    variants = {
        "view": _new_text(context, tab, picture, tokens),
        "bare": bare.timed_click(other),
    }
    times = alternate(variants, context.rounds)
    return compare(times, "view", "bare", part=PART, what=what, tokens=tokens, target=target)


def _text(context: Context, tokens: int) -> str:
    return f"{context.texts.new(tokens - 1)} {SHARED}"


def _new_text(context: Context, tab: Tab, picture: str, tokens: int) -> Callable[[], float]:
    def sample() -> float:
        tab.page.wait_for_selector(STOP, state="detached")
        text = _text(context, tokens)
        return tab.measure(picture, lambda: tab.text_field().fill(text), key="input").seconds

    return sample
