"""Typing at 5 keys a second, from the last key to its painted picture, against a click on a bare page."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator
from itertools import product

from bench import bare
from bench.context import BUNDLED, Context
from bench.measure import Row, alternate, compare
from bench.page import Tab

PART = "Typing at 5 keys a second: last key to painted picture, over the click of a bare page"
TARGET = "≤ 2"
BETWEEN_KEYS = 200  # milliseconds
LETTERS = 6  # of the word that is typed
SIZES = (16, 64, 128)  # tokens of the text before it
SOURCE, SOURCE_TOKENS = "time flies like an arrow", 7


def rows(context: Context) -> Iterator[Row]:
    """Every word is new: nothing of it is kept. A key that gets lost ends the measurement."""
    words = map("".join, product(string.ascii_lowercase, repeat=LETTERS))
    numbers = map("".join, product(string.digits[1:], repeat=LETTERS))
    with context.app() as server, context.page("bare_click", bare.SCRIPT) as bare_server:
        for size in SIZES:
            with context.tab(server) as tab, context.tab(bare_server) as other:
                text = context.texts.new(size)
                tab.open(a=text, model=context.link(BUNDLED))
                bare.open_bare(other)
                variants = {"typing": timed_typing(tab, text, words), "bare": bare.timed_click(other)}
                times = alternate(variants, context.rounds)
                yield compare(times, "typing", "bare", part=PART, what="heat map", tokens=size, target=TARGET)
        with context.tab(server) as tab, context.tab(bare_server) as other:
            tab.open(view="decoder")
            bare.open_bare(other)
            typing = timed_typing(tab, SOURCE, numbers, kind="typed source")  # of its 393 words and digits
            times = alternate({"typing": typing, "bare": bare.timed_click(other)}, context.rounds)
            yield compare(times, "typing", "bare", part=PART, what="decoder", tokens=SOURCE_TOKENS, target=TARGET)


def timed_typing(tab: Tab, text: str, words: Iterator[str], *, kind: str = "typed text") -> Callable[[], float]:
    """The word before is deleted, then the next one typed behind the text."""
    field = tab.text_field()

    def sample() -> float:
        field.fill(text)
        field.press("Control+Enter")
        tab.wait_for(kind, text)
        field.press("Control+End")
        *keys, last = list(f" {next(words)}")
        for key in keys:
            field.press("Space" if key == " " else key)
            tab.page.wait_for_timeout(BETWEEN_KEYS)
        wanted = f"{text}{''.join(keys)}{last}"
        seconds = tab.measure(kind, lambda: field.press(last), key=last, wanted=wanted).seconds
        if field.input_value() != wanted:
            raise RuntimeError(f"A key was lost: {field.input_value()[-LETTERS:]!r} for {wanted[-LETTERS:]!r}.")
        return seconds

    return sample
