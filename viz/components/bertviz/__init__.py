"""BertViz's head view and model view as self-contained HTML documents for `st.iframe`.

BertViz's scripts `head_view.js` and `model_view.js` are read unchanged from the installed package. They draw
everything and handle clicks on lines. d3 and jQuery come from XStatic.

We fill in the parameters, because BertViz's own Python writes token text into a `<script>` unescaped, loads three
scripts from a CDN and generates a new id at each call. `shim.js` replaces require.js and passes the app's colours to
BertViz, `frame.js` adds numbers and keys to the head boxes and scales the model view, and `page.css` is the theme.

The documents need no network, and their content security policy allows none. The policy names the hash of each
script, so that the text of a token could not run even if it escaped from its string.

Source: Vig (2019), "A Multiscale Visualization of Attention in the Transformer Model", ACL demonstrations.
"""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from viz.components.bertviz.page import document, root_id
from viz.theme import Theme
from viz.wording.labels import word_label

HEAD_VIEW_MAX_TOKENS: Final = 64  # with one layer, in either view
ALL_LAYERS_MAX_TOKENS: Final = 24  # with several; beyond it BertViz takes seconds to draw
WEIGHT_DIGITS: Final = 4

# Sizes in CSS pixels. The frame's are ours (page.css), the others repeat constants of BertViz's scripts.
_CHROME: Final = 56  # padding and the row of menus
_HEAD_TEXT_TOP, _HEAD_ROW = 30, 22.5
_MODEL_AXIS, _MODEL_PADDING = 38, 5
_DETAIL_ROW, _DETAIL_FRAME = 18, 58  # the enlarged head: 2 * 15 padding, 25 heading, 3 off the bottom
_MODEL_SCALE: Final = 1.25  # a wide page may enlarge the model view up to this


def head_view_html(
    weights: NDArray[np.float32],
    labels: Sequence[str],
    *,
    sentence_b_start: int | None,
    layer: int,
    heads: Sequence[int] | None,
    include_layers: Sequence[int],
    theme: Theme,
) -> str:
    """BertViz's head view: tokens twice, lines between them, one colour per head.

    The layer menu appears only if several layers are included; with one, the layer is selected on the page.

    Args:
        weights: (N, H, T, T) attention weights, query by key, one entry per included layer, in that order.
        labels: T token texts of any characters, see `viz.wording.labels`.
        sentence_b_start: first token of sentence B; it adds the menu of five filters (all, A → A, ...).
        layer: the layer shown first.
        heads: the heads shown first, None for all.
        include_layers: the model's numbers of the layers in `weights`.
        theme: colours of the page.
    Returns:
        A document of `head_view_height(T)` pixels, the same for the same arguments.
    """
    params = {
        "attention": _attention(weights, labels, sentence_b_start),
        "default_filter": "0",
        "root_div_id": root_id("head_view"),
        "layer": int(layer),
        "heads": None if heads is None else list(map(int, heads)),
        "include_layers": list(map(int, include_layers)),
    }
    if len(include_layers) > 1:
        controls = '<label>Layer <select id="layer"></select></label>'
    else:
        controls = f"<span>Layer {layer}</span>"
    css = f"#vis {{ zoom: {_head_zoom(len(labels))}; }}"
    return document("head_view", params, controls + _filter_menu(sentence_b_start), css, weights.shape[1], theme)


def model_view_html(
    weights: NDArray[np.float32],
    labels: Sequence[str],
    *,
    sentence_b_start: int | None,
    layer: int,
    heads: Sequence[int] | None,
    include_layers: Sequence[int],
    theme: Theme,
) -> str:
    """BertViz's model view: every included layer and every head as a small picture; a click enlarges one.

    The picture fits the width and height of its frame. Arguments are those of `head_view_html`, except:

    Args:
        layer, heads: the pictures that are framed as the page's current selection; None frames none.
    Returns:
        A document of `model_view_height(T, N, H)` pixels, the same for the same arguments.
    """
    n_heads = weights.shape[1]
    params = {
        "attention": _attention(weights, labels, sentence_b_start),
        "default_filter": "0",
        "display_mode": theme.name,
        "root_div_id": root_id("model_view"),
        "include_layers": list(map(int, include_layers)),
        "include_heads": list(range(n_heads)),
        "total_heads": n_heads,
    }
    row = list(include_layers).index(layer)
    current = ", ".join(f"#attn_background_{row}_{head}" for head in heads or ())
    frame = "stroke: var(--primary); stroke-opacity: 1; stroke-width: 5px; clip-path: inset(0) fill-box;"
    css = f"{current} {{ {frame} }}" if current else ""
    return document("model_view", params, _filter_menu(sentence_b_start), css, n_heads, theme)


def head_view_height(n_tokens: int) -> int:
    """Height of the head view in CSS pixels, for `st.iframe(html, height=...)`; a narrower filter leaves space."""
    return math.ceil(_CHROME + _head_zoom(n_tokens) * (_HEAD_TEXT_TOP + n_tokens * _HEAD_ROW))


def model_view_height(n_tokens: int, n_layers: int, n_heads: int) -> int:
    """Height of the model view in CSS pixels for the layers included; it follows model_view.js."""
    thumbnail = n_tokens * 7 * 12 / n_heads + 2 * _MODEL_PADDING
    picture = max(n_layers * thumbnail + _MODEL_AXIS, n_tokens * _DETAIL_ROW + _DETAIL_FRAME)
    return math.ceil(_CHROME + _MODEL_SCALE * picture)


def _head_zoom(n_tokens: int) -> float:
    """The magnification: short texts are enlarged, to be legible from the last row of a lecture hall."""
    return 1.5 if n_tokens <= 16 else 1.25 if n_tokens <= ALL_LAYERS_MAX_TOKENS else 1.0


def _attention(
    weights: NDArray[np.float32], labels: Sequence[str], sentence_b_start: int | None
) -> list[dict[str, object]]:
    """BertViz's list of filters: all positions, and the four blocks of a pair."""
    rounded = np.round(weights.astype(np.float64), WEIGHT_DIGITS)  # (N, H, T, T); float64 prints as 0.1234
    texts = [word_label(label) for label in labels]

    def block(name: str | None, queries: slice, keys: slice) -> dict[str, object]:
        attn = rounded[:, :, queries, keys].tolist()
        return {"name": name, "attn": attn, "left_text": texts[queries], "right_text": texts[keys]}

    everything = slice(None)
    if sentence_b_start is None:
        return [block(None, everything, everything)]
    a, b = slice(0, sentence_b_start), slice(sentence_b_start, None)
    return [
        block("All", everything, everything),
        block("Sentence A -> Sentence A", a, a),
        block("Sentence B -> Sentence B", b, b),
        block("Sentence A -> Sentence B", a, b),
        block("Sentence B -> Sentence A", b, a),
    ]


def _filter_menu(sentence_b_start: int | None) -> str:
    if sentence_b_start is None:
        return ""
    names = ("All", "A → A", "B → B", "A → B", "B → A")  # the order of _attention
    options = "".join(f'<option value="{index}">{name}</option>' for index, name in enumerate(names))
    return f'<label>Attention <select id="filter">{options}</select></label>'
