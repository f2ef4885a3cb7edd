"""The documents around BertViz: what goes in comes out, nothing escapes, nothing is loaded."""

import json
import math
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from tests.rounding import Written
from tests.viz.html.reading import elements_of, policy_of
from viz.components.bertviz import (
    ALL_LAYERS_MAX_TOKENS,
    HEAD_VIEW_MAX_TOKENS,
    head_view_height,
    head_view_html,
    model_view_html,
)
from viz.theme import THEMES

VIEWS = pytest.mark.parametrize("view", [head_view_html, model_view_html])
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "<img src=x onerror=alert(1)>",
    "a\u2028b\u2029&amp;",
    "PYTHON_PARAMS",
    "$policy ${css}",
    "\x00\x1b\x7f\x85",
    "\ud800",
    "",
]


def weights(n_layers: int = 2, n_heads: int = 3, n_tokens: int = 5) -> np.ndarray:
    scores = np.random.default_rng(0).normal(size=(n_layers, n_heads, n_tokens, n_tokens))
    exponentials = np.exp(scores)
    return (exponentials / exponentials.sum(-1, keepdims=True)).astype(np.float32)


def html(view: Any, array: np.ndarray | None = None, labels: list[str] | None = None, **changes: Any) -> str:
    array = weights() if array is None else array
    options: dict[str, Any] = {
        "sentence_b_start": None,
        "layer": 1,
        "heads": [2],
        "include_layers": range(len(array)),
        "theme": THEMES["light"],
    }
    return str(view(array, labels or list("abcde")[: array.shape[-1]], **(options | changes)))


def params(document: str) -> dict[str, Any]:
    found = re.search(r"const params = (\{.*\}); // HACK: PYTHON_PARAMS is", document)
    assert found, "BertViz's parameters are not where they should be"
    return dict(json.loads(found[1]))


@VIEWS
def test_parameters_hold_the_rounded_weights_and_the_labels(view: Any) -> None:
    (block,) = params(html(view))["attention"]
    assert block["left_text"] == block["right_text"] == list("abcde")
    np.testing.assert_array_equal(block["attn"], np.round(weights().astype(np.float64), 4))


@VIEWS
def test_pair_has_bertviz_five_filters(view: Any) -> None:
    document = html(view, sentence_b_start=2)
    blocks = params(document)["attention"]
    a, b, every = slice(0, 2), slice(2, None), slice(None)
    expected = {
        "All": (every, every),
        "Sentence A -> Sentence A": (a, a),
        "Sentence B -> Sentence B": (b, b),
        "Sentence A -> Sentence B": (a, b),
        "Sentence B -> Sentence A": (b, a),
    }
    assert [block["name"] for block in blocks] == list(expected)
    for block, (queries, keys) in zip(blocks, expected.values(), strict=True):
        assert block["left_text"] == list("abcde")[queries]
        assert block["right_text"] == list("abcde")[keys]
        np.testing.assert_allclose(block["attn"], weights()[:, :, queries, keys], atol=Written(5.1e-5))
    assert re.findall(r'<option value="\d">([^<]+)', document) == ["All", "A → A", "B → B", "A → B", "B → A"]


def test_layer_and_heads_are_preselected() -> None:
    chosen = params(html(head_view_html, include_layers=[4, 6], layer=6, heads=[0, 2]))
    assert (chosen["layer"], chosen["heads"], chosen["include_layers"]) == (6, [0, 2], [4, 6])
    assert params(html(head_view_html, heads=None))["heads"] is None
    assert "#attn_background_1_0, #attn_background_1_2 {" in html(
        model_view_html, include_layers=[4, 6], layer=6, heads=[0, 2]
    )


def test_layer_menu_only_where_there_is_a_choice() -> None:
    assert '<select id="layer">' in html(head_view_html)
    single = html(head_view_html, weights(1), layer=3, include_layers=[3])
    assert '<select id="layer">' not in single
    assert "<span>Layer 3</span>" in single


@VIEWS
def test_hostile_labels_stay_text(view: Any) -> None:
    n = len(HOSTILE)
    document = html(view, weights(n_tokens=n), HOSTILE, sentence_b_start=4)
    document.encode("utf-8")
    plain = html(view, weights(n_tokens=n), ["x"] * n, sentence_b_start=4)
    assert [each.name for each in elements_of(document)] == [each.name for each in elements_of(plain)]
    block = params(document)["attention"][0]
    assert block["left_text"][1:3] == ["<!--<script>", "<img src=x onerror=aler…"]
    assert block["left_text"][3:] == [
        "a⟨U+2028⟩b⟨U+2029⟩&amp;",
        "PYTHON_PARAMS",
        "$policy ${css}",
        "⟨U+0000⟩⟨U+001B⟩⟨U+007F…",
        "�",
        "∅",
    ]
    written = document.split("const params = ")[1].split("; // HACK")[0]
    assert not set(written) & set("<>&")
    assert written.isascii()


@VIEWS
def test_nothing_is_loaded_from_anywhere(view: Any) -> None:
    document = html(view)
    for element in elements_of(document):
        assert not {"src", "href", "srcset"} & element.attributes.keys()
        assert element.name not in {"link", "base", "iframe", "img"}
    policy = policy_of(document)
    assert policy.startswith("default-src 'none';")
    assert "unsafe-inline" not in policy.split("script-src")[1]
    assert "http" not in policy


@VIEWS
def test_equal_input_gives_equal_html(view: Any) -> None:
    assert html(view) == html(view)
    assert html(view) != html(view, theme=THEMES["dark"])


def test_input_is_unchanged() -> None:
    array = weights()
    before = array.copy()
    array.setflags(write=False)
    html(head_view_html, array)
    np.testing.assert_array_equal(array, before)


@pytest.mark.parametrize(
    ("first", "last", "zoom"),
    [(1, 16, 1.5), (17, ALL_LAYERS_MAX_TOKENS, 1.25), (ALL_LAYERS_MAX_TOKENS + 1, HEAD_VIEW_MAX_TOKENS, 1.0)],
)
def test_the_head_view_has_a_row_per_token_and_enlarges_short_texts(first: int, last: int, zoom: float) -> None:
    heights = [head_view_height(tokens) for tokens in range(first, last + 1)]
    assert heights == [math.ceil(56 + zoom * (30 + 22.5 * tokens)) for tokens in range(first, last + 1)]


def test_bertviz_is_read_but_not_imported() -> None:
    """Its package imports IPython and torch, to no use here."""
    code = "import sys, viz.components.bertviz.page as b; b.script_libraries(); b._split_script('head_view');"
    code += "sys.exit('bertviz' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
