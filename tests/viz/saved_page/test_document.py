"""A saved page: what is in the file, how large it is, and that nothing in it can run or be loaded."""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest

import encoder
from encoder import Trace
from encoder.errors import SelectionError
from encoder.measures.similarity import l2_norms
from encoder.measures.unit_attention import shown_attention
from encoder.measures.units import units_of
from tests.rounding import Written
from tests.viz.html.reading import blocks_of, contents_of, elements_of, inflated, policy_of, weights_in
from viz.answers.answer import Answer, Chart
from viz.html.answers import html_of_answer
from viz.saved_page.contents import ATTENTION_VIEWS, VIEW_NAMES
from viz.saved_page.document import document
from viz.saved_page.pages import page_of_traces, selection_of
from viz.saved_page.traces import Shown
from viz.theme import THEMES

ROOT = Path(encoder.__file__).parents[1]
PAIR = ("time flies like an arrow every day", "fruit flies like a ripe banana")  # 16 tokens
HOSTILE = "</script><script>alert(1)</script> \u2028 <!-- & 'x' \" ]]>"


@pytest.fixture(scope="module")
def trace() -> Trace:
    return encoder.load("bundled").trace(*PAIR)


def page(trace: Trace, shown: Shown | None = None) -> str:
    made = page_of_traces({"pair": trace}, shown or Shown(), view="heat map", selection=selection_of(head=4))
    return document(made)


def test_attention_views_take_less_than_400_kb_and_charts_less_than_1500_kb_more(trace: Trace) -> None:
    assert len(trace.tokens) == 16
    attention = page(trace, Shown(views=ATTENTION_VIEWS))
    assert "data-plot" not in attention
    assert len(attention.encode()) < 400_000
    every = page(trace)
    assert [view["name"] for view in contents_of(every)["views"]] == list(VIEW_NAMES)
    assert len(every.encode()) - len(attention.encode()) < 1_500_000


def test_one_layer_of_512_tokens_takes_less_than_4_mb_without_charts() -> None:
    prose = (ROOT / "README.md").read_text(encoding="utf-8")
    long = encoder.load("bundled", all_positions=True).trace(prose)
    assert len(long.tokens) == 512
    html = page(long, Shown(layers=(5,), views=ATTENTION_VIEWS))  # the layer that takes most
    assert len(html.encode()) < 4_000_000
    assert len(page(long, Shown(layers=(5,))).encode()) - len(html.encode()) < 1_500_000
    assert list(weights_in(html, "pair.attention")) == [5]


def test_the_weights_are_those_of_the_trace_in_four_decimals(trace: Trace) -> None:
    layers = weights_in(page(trace), "pair.attention")
    assert list(layers) == list(range(trace.num_layers))
    for layer, weights in layers.items():
        np.testing.assert_array_equal(weights, np.rint(trace.weights(layer).astype(np.float64) * 10_000) / 10_000)


def test_weights_follow_from_the_queries_and_keys_of_the_page(trace: Trace) -> None:
    [arrays] = [arrays for message, _, arrays in blocks_of(page(trace)) if message == "pair.neurons"]

    def numbers(name: str) -> np.ndarray:
        high, low = arrays[name].astype(np.float64)
        return (256 * high + low - 32_767) / 32_767 * arrays[f"{name}.largest"][:, :, None]

    scores = numbers("query") @ numbers("key").swapaxes(-1, -2) * arrays["scaling"][:, None, None, None]
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    for layer in range(trace.num_layers):
        np.testing.assert_allclose(weights[layer], trace.weights(layer), atol=Written(1e-4))


def test_hidden_tokens_are_hidden_and_counted(trace: Trace) -> None:
    html = page(trace, Shown(level="words", special="renormalise"))
    units = units_of(trace.tokens, level="words", special="renormalise")
    expected, removed = shown_attention(trace.weights(2), units, "renormalise")
    np.testing.assert_allclose(weights_in(html, "pair.attention")[2], expected, atol=Written(5.1e-5))
    [arrays] = [arrays for message, _, arrays in blocks_of(html) if message == "pair.attention"]
    np.testing.assert_allclose(arrays["removed"][2], removed, atol=1e-6)
    assert contents_of(html)["runs"][0]["special"] == "renormalise"


def test_charts_have_the_numbers_of_the_answer_in_both_themes(trace: Trace) -> None:
    plots = [one for one in elements_of(page(trace), "script") if "data-plot" in one.attributes]
    assert [one.attributes["data-plot"] for one in plots] == ["hidden-states", "embedding", "cosines"]
    contents = json.loads(inflated(plots[0].text))
    [cells, *_] = contents["figure"]["data"]
    values = np.frombuffer(base64.b64decode(cells["z"]["bdata"]), dtype=cells["z"]["dtype"])
    np.testing.assert_allclose(values, l2_norms(trace.hidden_states).ravel(), rtol=1e-6)
    dark = {tuple(path): value for path, value in contents["dark"]}
    assert dark["layout", "font", "color"] == THEMES["dark"].text


@pytest.mark.parametrize(("least", "height"), [(0, 220), (300, 300)])
def test_a_figure_does_not_shrink_below_its_least_height(least: int, height: int) -> None:
    layout = {"height": 400, "margin": {"l": 8}}
    chart = Chart(name="rows", alt="Rows.", figure=lambda theme: go.Figure(layout=layout), least_height=least)
    [plot] = elements_of(html_of_answer(Answer((chart,)), height=220), "script")
    assert json.loads(inflated(plot.text))["figure"]["layout"]["height"] == height


@pytest.mark.parametrize("has_charts", [False, True])
def test_a_page_names_its_scripts_and_style_and_allows_nothing_else(trace: Trace, has_charts: bool) -> None:
    html = page(trace, None if has_charts else Shown(views=ATTENTION_VIEWS))
    scripts = elements_of(html, "script")
    [start] = [one for one in scripts if one.attributes.get("type") == "module"]
    packed = [one for name in ("data-code", "data-plotly") for one in scripts if name in one.attributes]
    codes = [start.text, *(inflated(one.text).decode() for one in packed)]
    assert len(codes) == (3 if has_charts else 2)
    [style] = elements_of(html, "style")
    only = f"'{sha256(style.text)}'"
    styles = [f"style-src-elem {only} '{sha256('')}'", "style-src-attr 'unsafe-inline'"]
    assert policy_of(html).split("; ") == [
        "default-src 'none'",
        " ".join(["script-src", *(f"'{sha256(code)}'" for code in codes)]),
        *(styles if has_charts else [f"style-src {only}"]),
        "img-src data: blob:",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    kinds = {one.attributes.get("type") for one in scripts}
    assert kinds == {"module", "application/json", "text/plain"}
    addresses = ("src", "href", "srcset", "action")
    assert not [one for one in elements_of(html) if set(one.attributes) & set(addresses)]


def test_hostile_texts_are_text() -> None:
    trace = encoder.load("bundled").trace(HOSTILE)
    html = page(trace)
    plain = page(encoder.load("bundled").trace("harmless"))
    assert len(elements_of(html, "script")) == len(elements_of(plain, "script"))
    assert "<script>alert" not in html
    assert "\u2028" not in html.split('<script type="module">')[0].split("</title>")[1]
    assert contents_of(html)["headline"].startswith("</script><script>alert(1)")


def test_the_same_page_is_the_same_file(trace: Trace) -> None:
    assert page(trace) == page(trace)


def test_what_cannot_be_drawn_is_refused_in_a_sentence(trace: Trace) -> None:
    with pytest.raises(SelectionError, match=r"Layers \[6\] were asked for; there are layers 0 to 5."):
        page(trace, Shown(layers=(6,)))
    with pytest.raises(SelectionError, match="The heat map was asked for; what there is can be drawn as norms"):
        page(trace, Shown(views=("norms",)))
    empty = encoder.load("bundled").trace("[SEP]")
    with pytest.raises(SelectionError, match="special tokens only, and they are hidden"):
        page(empty, Shown(special="hide"))


def test_two_texts_that_were_encoded_apart_have_a_heading_each() -> None:
    model = encoder.load("bundled")
    traces = {"A": model.trace("time flies"), "B": model.trace("fruit flies")}
    html = document(page_of_traces(traces, Shown(), view="norms", selection=selection_of()))
    contents = contents_of(html)
    assert [(run["place"], run["heading"], run["texts"]) for run in contents["runs"]] == [
        ("A", "Sentence A", ["A"]),
        ("B", "Sentence B", ["B"]),
    ]
    assert (contents["headline"], contents["sentences"]) == ("time flies / fruit flies", [])
    assert contents["about"][0].endswith("6 layers with 12 heads each.")
    assert set(weights_in(html, "A.attention")) == set(weights_in(html, "B.attention")) == set(range(6))


def test_what_was_cut_off_is_named() -> None:
    trace = encoder.load("bundled").trace("time " * 600)
    contents = contents_of(page(trace, Shown(layers=(0,), views=("heat map",))))
    assert contents["about"][1:] == ["Sentence A is too long for the model: its last 346 tokens are cut off."]
    assert contents["notes"][1:] == [
        "It has layer 0 only; the model has 6 layers.",
        "Attention weights are rounded to four decimals.",
    ]


def test_an_answer_is_the_headline_above_the_sentences() -> None:
    model = encoder.load("bundled")
    traces = {"A": model.trace("time flies"), "B": model.trace("fruit flies")}
    html = document(
        page_of_traces(traces, Shown(), view="heat map", selection=selection_of(), answer="The model reads “flies”.")
    )
    contents = contents_of(html)
    assert contents["headline"] == "The model reads “flies”."
    assert contents["sentences"] == ["A: time flies", "B: fruit flies"]
    assert "<title>time flies / fruit flies</title>" in html


@pytest.mark.parametrize(("words", "beside"), [(14, True), (15, False)])
def test_two_short_texts_stand_side_by_side(words: int, beside: bool) -> None:
    model = encoder.load("bundled")
    traces = {"A": model.trace("time flies"), "B": model.trace("time " * words)}  # and two special tokens
    page = page_of_traces(traces, Shown(views=("heat map",)), view="heat map", selection=selection_of())
    assert contents_of(document(page))["beside"] is beside


def test_pages_are_made_without_torch_and_streamlit() -> None:
    code = "import viz, sys; viz.head_view; print([name for name in ('torch', 'streamlit') if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def sha256(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
