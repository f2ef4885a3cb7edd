"""The first screen of the page, and every view."""

import io
import json
from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest

from encoder import Backend, Trace
from encoder.measures.unit_attention import MEAN, head_or_mean, shown_attention
from encoder.measures.units import Special, units_of
from encoder.runs.arrays import FloatArray
from encoder.runs.links import Link
from encoder.shipped.names import TUNED
from tests.app.app_script import (
    VIEWS,
    Offered,
    alerts,
    captions,
    choose,
    chosen,
    click,
    components,
    data_of,
    example_box,
    labels,
    layer_of,
    map_data,
    matrix,
    open_page,
    run,
    selected,
    sentences_of,
    shown_view,
    strip,
    type_texts,
)
from viz.caches.memo import VALUES
from viz.components.bertviz import HEAD_VIEW_MAX_TOKENS
from viz.examples import EXAMPLES
from viz.page import body
from viz.payloads.layer import MAX_ERROR
from viz.state.selection import DEFAULT, View
from viz.state.starts import STARTS
from viz.views.registered import PANELS, Panel

pytestmark = pytest.mark.usefixtures("no_work_beside_the_page")

# The first screen


def test_the_first_screen_shows_the_two_flies(bundled: Backend) -> None:
    at = open_page()
    first, second = (strip(at, index)["tokens"] for index in range(2))
    assert [token["id"] for token in first[1:6]] == [2051, 10029, 2066, 2019, 8612]
    assert [token["label"] for token in first[1:6]] == ["time", "flies", "like", "an", "arrow"]
    assert [token["label"] for token in second[1:6]] == ["fruit", "flies", "like", "a", "banana"]
    assert {(token["type"], token["sentence"]) for token in second} == {(0, 1), (0, None)}
    assert (shown_view(at), at.selectbox(key="model").value) == ("heat map", "bundled")
    assert example_box(at).value == EXAMPLES[0].title
    assert alerts(at) == []
    assert at.query_params == {}
    assert [each.value for each in at.markdown if "Sentence" in each.value] == ["### Sentence A", "### Sentence B"]
    for index, text in enumerate((DEFAULT.texts.a, DEFAULT.texts.b)):
        np.testing.assert_allclose(matrix(at, index), bundled.trace(text).weights(0)[4], atol=MAX_ERROR)
    one, other = (data_of(view) for view in components(at, "cell_map"))
    assert one["others"] == [{"id": other["id"], "texts": ["B"]}]
    assert other["others"] == [{"id": one["id"], "texts": ["A"]}]


def test_the_heat_map_shows_the_models_numbers(bundled: Backend) -> None:
    trace = bundled.trace(DEFAULT.texts.a, DEFAULT.texts.b)
    at = open_page(layer="3", head="7")
    assert chosen(at) == (3, 7)
    np.testing.assert_allclose(matrix(at), trace.weights(3)[7], atol=MAX_ERROR)
    before = map_data(at)
    choose(at, head=MEAN)
    assert (chosen(at), map_data(at)) == ((3, MEAN), before)
    np.testing.assert_allclose(matrix(at), trace.weights(3).mean(axis=0), atol=MAX_ERROR)
    choose(at, layer=0, head=11)
    np.testing.assert_allclose(matrix(at), trace.weights(0)[11], atol=MAX_ERROR)


def test_a_pair_is_one_run() -> None:
    at = open_page(mode="pair")
    tokens = strip(at)["tokens"]
    assert len(tokens) == 13
    assert [token["position"] for token in tokens if token["sentence"] == 1] == [7, 8, 9, 10, 11]
    assert [token["type"] for token in tokens] == [0] * 7 + [1] * 6
    assert map_data(at)["others"] == []


def test_words_and_hidden_tokens_reach_the_heat_map(bundled: Backend) -> None:
    a, b = "unbelievably, time flies", "antidisestablishmentarianism does not"
    trace = bundled.trace(a, b)
    at = open_page(a=a, b=b, level="words")
    for special in get_args(Special):
        choose(at, special=special)
        units = units_of(trace.tokens, level="words", special=special)
        expected, removed = shown_attention(trace.weights(0)[4], units, special)
        np.testing.assert_allclose(matrix(at), expected, atol=MAX_ERROR)
        assert labels(at) == list(units.labels)
        sent = layer_of(at, map_data(at)).arrays.get("removed")
        if special == "show":
            assert sent is None
        else:
            assert sent is not None
            assert removed is not None
            np.testing.assert_allclose(sent[4], removed, atol=1e-6)


@pytest.mark.parametrize("view", ["head view", "data"])
def test_the_page_claims_whole_rows_only_where_they_are_whole(view: View) -> None:
    at = open_page(view=view)
    assert "hidden" not in sentences_of(at)
    choose(at, special="hide")
    assert "row adds up to 1" not in sentences_of(at)
    assert "They receive" in sentences_of(at) or view == "head view"  # which says it in the browser


def test_the_heat_map_says_over_what_its_rows_sum_to_1() -> None:
    assert "(key). Over both sentences, each row adds up to 1." in sentences_of(open_page(view="heat map"))
    assert "(key). Each row adds up to 1." in sentences_of(open_page(view="heat map", a="time flies", b=""))


# The views


def test_what_a_view_cannot_answer_leads_to_what_can() -> None:
    headless = {"model": "scratch-bert", "a": "dogs bark", "b": "cats purr", "mode": "separate"}
    assert "Shown instead: part of speech." in captions(open_page(view="why", **headless))
    assert click(open_page(view="predictions", **headless), "predictions_open").query_params["model"] == TUNED
    alone = click(open_page(view="similar because", a="dogs bark", b=""), "similar_example")
    assert alone.query_params["a"] == STARTS["similar because"]["a"]


@pytest.mark.parametrize(
    ("link", "runs"),
    [
        ({"mode": "pair", "level": "words", "special": "hide"}, 1),
        ({"mode": "separate", "level": "wordpieces", "special": "renormalise"}, 2),
    ],
)
def test_every_view_draws(link: dict[str, str], runs: int) -> None:
    at = open_page(model="scratch-bert", a="unbelievably, time flies", b="fruit flies like bananas", **link)
    pictures: dict[View, str] = {
        "heat map": "cell_map",
        "norms": "plotly_chart",
        "predictions": "alert",
        "data": "dataframe",
    }
    pictures |= {"head view": "head_view", "model view": "head_map", "neuron view": "neuron_view", "bertviz": "iframe"}
    with_own_tests = {"tokens", "anatomy", "models", "word lens", "why", "why here", "similar because", "compare"}
    with_own_tests |= {"routes"}
    assert set(pictures) == set(VIEWS) - with_own_tests
    for view in pictures:
        choose(at, view=view)
        counts = {kind: len(at.get(kind)) for kind in ("plotly_chart", "iframe")}
        counts |= {"alert": len(alerts(at)), "dataframe": len(at.dataframe)}
        counts |= {name: len(components(at, name)) for name in ("cell_map", "head_view", "neuron_view", "head_map")}
        if PANELS[view].shows_map:  # the small ones
            counts["head_map"] -= 1
        drawn = {kind: count for kind, count in counts.items() if count}
        assert drawn == {pictures[view]: 1 if view in ("model view", "predictions") else runs}, view


def test_only_the_visible_view_computes_next_to_the_map_if_it_follows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    layers: list[int] = []
    weights = Trace.weights

    def note(view: View) -> Panel:
        panel = PANELS[view]

        def draw(*arguments: Any) -> Any:
            drawn.append(view)
            return panel.draw(*arguments)

        return replace(panel, draw=draw)

    def noted_weights(trace: Trace, layer: int) -> FloatArray:
        layers.append(layer)
        return weights(trace, layer)

    monkeypatch.setattr(body, "PANELS", {**PANELS, **{view: note(view) for view in VIEWS}})
    monkeypatch.setattr(Trace, "weights", noted_weights)
    VALUES.clear()
    at = open_page(layer="2", head="3")
    # The map beside every view has read every layer once; the layers that heat map and head view draw are kept.
    # The lens reads the sentences alone, for which the map is drawn anew; a score is decomposed down to layer 0.
    # Other models' layers are read where they are shown. The sentence under a head names its strongest link.
    needed = {
        "heat map": {2},
        "head view": {2},
        "model view": {2},
        "neuron view": {2},
        "data": {2},
        "bertviz": {2},
        "models": set(range(4)),
        "word lens": set(range(6)),
        "why here": {0, 1, 2},
        "routes": set(range(6)),
        "anatomy": {2},
        "compare": set(range(6)),
    }
    others = {"tokens", "model view", "models", "norms", "predictions", "why", "routes", "similar because", "anatomy"}
    for view in VIEWS:
        drawn.clear()
        layers.clear()
        choose(at, view=view)
        assert drawn == [view]
        assert set(layers) == needed.get(view, set())
        small = [each for part in components(at, "head_map") if not (each := data_of(part))["large"]]
        assert len(small) == (view not in others)
        filters = len(components(at, "token_strip")) == 1 and view in ("heat map", "head view", "neuron view", "data")
        assert {each["filter"] for each in small} <= {filters}
        assert chosen(at) == (2, 3)


def test_bertviz_gets_the_shown_numbers_and_reports_its_limits(bundled: Backend) -> None:
    at = open_page(view="bertviz", layer="1", head="mean")
    assert "BertViz has no mean over heads" in sentences_of(at)
    document = at.get("iframe")[0].proto.srcdoc
    weights = bundled.trace(DEFAULT.texts.a, DEFAULT.texts.b).weights(1)
    assert json.dumps(np.round(weights[0].astype(float), 4).tolist(), separators=(",", ":")) in document
    type_texts(at, a="word " * 30)
    choose(at, bertviz="model view")
    assert "shows layer 1 only" in sentences_of(at)
    type_texts(at, a="word " * HEAD_VIEW_MAX_TOKENS)
    for view in ("head view", "model view"):
        choose(at, bertviz=view)
        assert not at.get("iframe")
        assert f"up to {HEAD_VIEW_MAX_TOKENS} tokens" in at.info[0].value


def test_the_csv_holds_the_shown_matrix(offered: Offered, bundled: Backend) -> None:
    a, b = "=1+1 time, flies\n", '"fruit" flies'
    trace = bundled.trace(a, b)
    at = open_page(view="data", a=a, b=b, layer="5", head="2")
    shown: list[tuple[int, Special]] = [(2, "show"), (MEAN, "show"), (2, "hide"), (MEAN, "renormalise")]
    for head, special in shown:
        choose(at, head=head, special=special)
        units = units_of(trace.tokens, special=special)
        expected, _ = shown_attention(head_or_mean(trace.weights(5), head), units, special)
        data = offered["attention-L5-H2.csv" if head == 2 else "attention-L5,-mean-over-heads.csv"]
        for frame in (pd.read_csv(io.BytesIO(data()), index_col=0), at.dataframe[0].value):
            assert list(frame.index) == list(frame.columns)
            assert list(frame.columns) == [f"{index}: {label}" for index, label in enumerate(units.labels)]
            np.testing.assert_allclose(frame.to_numpy(np.float32), expected, rtol=1e-6)


def test_the_csv_of_a_run_with_a_cut_link_holds_that_run(offered: Offered, bundled: Backend) -> None:
    open_page(view="data", a="time flies", b="", layer="5", head="2", cut="A2-1")
    frame = pd.read_csv(io.BytesIO(offered["attention-L5-H2.csv"]()), index_col=0)
    cut = bundled.trace("time flies", links=[Link(query=(2,), key=(1,))])
    np.testing.assert_allclose(frame.to_numpy(np.float32), cut.weights(5)[2], rtol=1e-6)


def test_one_map_shows_the_sentence_that_is_chosen_and_releases_the_cell() -> None:
    at = open_page(mode="separate", query="2", key="1")
    (shown,) = map(data_of, components(at, "head_map"))
    assert (shown["texts"], selected(at)["query"]) == (["A"], 2)
    at.button_group(key="map_of").set_value("B")
    (shown,) = map(data_of, components(run(at), "head_map"))
    assert (shown["texts"], selected(at)["query"]) == (["B"], -1)
    assert at.query_params["pinned_in"] == "B"
