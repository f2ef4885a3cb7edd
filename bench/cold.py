"""From `streamlit run` to the first painted attention, over a bare page that imports the same libraries."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from bench.context import Context
from bench.measure import Row, SecondsByVariant, alternate, compare
from bench.server import Server

PART = "Cold start: `streamlit run` to first painted attention, over a bare page that imports torch and transformers"
TARGET = "≤ 1.4"
EARLIER_TARGET = "< 1"
PICTURE = "heat map"  # the view that the page opens with
BARE = """
import streamlit as st
import torch
import transformers

st.markdown(f"{torch.__version__} {transformers.__version__}")
"""


def rows(context: Context) -> Iterator[Row]:
    """The browser is running already; server and page are new each time."""
    seen: SecondsByVariant = {"inputs": [], "picture": []}

    def app() -> float:
        with context.app() as server:
            inputs, picture = _first(context, server, "inputs", PICTURE)
        seen["inputs"].append(inputs)
        seen["picture"].append(picture)
        return picture

    def bare() -> float:
        with context.page("bare", BARE) as server:
            return _first(context, server, "text")[0]

    times = alternate({"app": app, "bare": bare}, context.rounds)
    yield compare(times, "app", "bare", part=PART, what="first painted attention", target=TARGET)
    seen = {name: figures[1:] for name, figures in seen.items()}  # without the one that warmed up
    before = sum(inputs < picture for inputs, picture in zip(*seen.values(), strict=True))
    yield Row(
        part=PART,
        what="inputs visible, over the first painted attention",
        ours=1e3 * median(seen["inputs"]),
        other=1e3 * median(seen["picture"]),
        n=len(seen["inputs"]),
        target=EARLIER_TARGET,
        note=f"earlier in {before} of {len(seen['inputs'])} starts",
    )


def _first(context: Context, server: Server, *kinds: str) -> list[float]:
    """Seconds from the start of the server's process to the first picture of each kind, in the order of appearance."""
    with context.tab(server) as tab:
        tab.goto()
        return [tab.first(kind) - server.started for kind in kinds]
