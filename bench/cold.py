"""From `streamlit run` to the first painted attention, and to that of a typed text, over a bare page with torch."""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import median

from bench.context import Context
from bench.measure import Row, SecondsByVariant, alternate, compare
from bench.server import Server

PART = "Cold start: `streamlit run` to first painted attention, over a bare page that imports torch and transformers"
TARGET = "≤ 0.85"
TYPED_TARGET = "≤ 1.2"
EARLIER_TARGET = "< 1"
PICTURE = "heat map"  # the view that the page opens with, of both sentences
TYPED = "the old man the boat"  # no example's, so that no run of it is stored
BARE = """
import streamlit as st
import torch
import transformers

st.markdown(f"{torch.__version__} {transformers.__version__}")
"""


def rows(context: Context) -> Iterator[Row]:
    """The browser is running already; server and page are new each time."""
    seen: SecondsByVariant = {"inputs": [], "typed": []}

    def app() -> float:
        with context.app() as server, context.tab(server) as tab:
            tab.goto()
            inputs, picture = (tab.first(kind) - server.started for kind in ("inputs", PICTURE))
            send = tab.type(TYPED)  # at once, while torch is being loaded
            sent = time.time() - server.started
            typed = sent + tab.measure(PICTURE, send).seconds
        for name, seconds in (("inputs", inputs), ("typed", typed)):
            seen[name].append(seconds)
        return picture

    def bare() -> float:
        with context.page("bare", BARE) as server:
            return _first(context, server, "text")

    times = alternate({"app": app, "bare": bare}, context.rounds)
    seen = {name: figures[1:] for name, figures in seen.items()}  # without the one that warmed up
    times |= {"typed": seen["typed"]}
    yield compare(times, "app", "bare", part=PART, what="first painted attention", target=TARGET)
    yield compare(times, "typed", "bare", part=PART, what="a text typed at once, painted", target=TYPED_TARGET)
    before = sum(inputs < picture for inputs, picture in zip(seen["inputs"], times["app"], strict=True))
    yield Row(
        part=PART,
        what="inputs visible, over the painted attention",
        ours=1e3 * median(seen["inputs"]),
        other=1e3 * median(times["app"]),
        n=len(seen["inputs"]),
        target=EARLIER_TARGET,
        note=f"earlier in {before} of {len(seen['inputs'])} starts",
    )


def _first(context: Context, server: Server, kind: str) -> float:
    """Seconds from the start of the server's process to the first picture of that kind."""
    with context.tab(server) as tab:
        tab.goto()
        return tab.first(kind) - server.started
