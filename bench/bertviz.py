"""BertViz as it is, for comparison: its own Python makes the HTML, with all layers and weights, on a Streamlit page.

One thing is changed: d3, jQuery and a stand-in for require.js are in the page, while BertViz loads them from a CDN.
That is faster than BertViz with a network.
"""

from __future__ import annotations

import re
from typing import Any

from viz.components.bertviz.page import script_libraries

CDN = re.compile(r'<script src="https://[^"]*"></script>')
SHIM = """
window.require = { config() {} };
window.requirejs = (names, run) => run(...names.map((name) => ({ jquery: window.jQuery, d3: window.d3 })[name]));
d3.schemeCategory10 = d3.scale.category10().range();
"""

# Attention is there before the click, as a trace is in the app. A second button takes the picture away again.
PAGE = """
import numpy as np
import streamlit as st
import torch
from bench.bertviz import draw

params = st.query_params

@st.cache_resource
def attention(path):
    weights = torch.tensor(np.load(path))  # (L, H, T, T)
    return [layer[None] for layer in weights]  # BertViz takes L of (1, H, T, T)

layers = attention(params["file"])
layers = layers if params["layers"] == "all" else layers[:1]
tokens = [f"token{index}" for index in range(layers[0].shape[-1])]
clear = st.button("Clear")
if st.button("Draw") and not clear:
    st.iframe(draw(params["view"], layers, tokens), height=900)
"""


def draw(view: str, attention: list[Any], tokens: list[str]) -> str:
    """BertViz's "head view" or "model view" as one HTML text.

    Args:
        attention: L tensors of (1, H, T, T).
        tokens: T labels; BertViz pastes them into a script as they are.
    """
    from bertviz import head_view, model_view  # brings IPython along

    make = head_view if view == "head view" else model_view
    html: str = make(attention, list(tokens), html_action="return").data
    return offline(html)


def offline(html: str) -> str:
    """The same document with d3 and jQuery inside instead of the scripts of a CDN."""
    d3, jquery, _ = script_libraries()
    scripts = "".join(f"<script>{script}</script>" for script in (d3, jquery, SHIM))
    return CDN.sub(lambda _: scripts, html, count=1)
