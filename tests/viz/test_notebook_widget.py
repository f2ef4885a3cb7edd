"""`headlight.Widget`: its traits, the page that it makes, and what is refused. Real notebooks are in tests/browser."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from numpy.testing import assert_allclose
from traitlets import TraitError

from encoder import Backend
from encoder.errors import ArgumentError
from encoder.runs.links import Link
from tests.encoder.random_models import Zoo
from viz.notebook_widget import OF_MODEL, OF_TRACE, Widget

TEXT, PAIR = "time flies like an arrow", ["time flies", "fruit flies"]


def contents(widget: Widget) -> Any:
    """The JSON of the widget's page."""
    found = re.search(r"data-contents>(.*?)</script>", widget.page)
    assert found
    return json.loads(found[1])


@pytest.fixture
def widget(tuned: Backend) -> Widget:
    return Widget(tuned, TEXT)


def test_the_page_opens_with_what_was_requested(tuned: Backend) -> None:
    page = contents(Widget(tuned, TEXT, view="heat map", layer=2, head=7, query=1))
    assert page["view"] == "heat map"
    assert page["linked"]
    assert page["selection"] | {"layer": 2, "head": 7, "query": 1, "key": -1, "cut": ""} == page["selection"]
    assert [view["name"] for view in page["views"]] == [*OF_TRACE, *OF_MODEL]


def test_a_model_that_hides_its_queries_has_no_neuron_view(tmp_path: Path) -> None:
    deberta = Zoo(tmp_path).backend("deberta")
    assert "neuron view" not in [view["name"] for view in contents(Widget(deberta, TEXT))["views"]]
    with pytest.raises(ArgumentError, match="view is 'neuron view'"):
        Widget(deberta, TEXT, view="neuron view")


def test_what_is_selected_is_a_frame(widget: Widget) -> None:
    widget.layer, widget.head, widget.query = 1, 3, 2
    weights = widget.trace.weights(1)[3]
    assert_allclose(widget.selection["weight"], weights[2])
    assert widget.selection["query_token"].unique().tolist() == ["flies"]
    widget.head, widget.key = -1, 0
    assert_allclose(widget.selection["weight"].item(), widget.trace.weights(1).mean(0)[2, 0])


def test_a_choice_among_what_the_page_has_makes_no_page(widget: Widget) -> None:
    page = widget.page
    widget.view, widget.layer, widget.head, widget.query = "model view", 5, 11, 3
    assert widget.page is page


def test_another_text_runs_the_model_and_releases_pins_and_links(widget: Widget) -> None:
    widget.query, widget.links = 3, ["A2-1"]
    widget.texts = PAIR
    assert widget.trace.tokens.sentences == tuple(PAIR)
    assert (widget.query, widget.links) == (None, [])
    assert contents(widget)["runs"][0]["place"] == "pair"


def test_a_cut_link_changes_the_run(widget: Widget, tuned: Backend) -> None:
    widget.links = ["A2-1@0.4x35"]
    cut = tuned.trace(TEXT, links=[Link(query=2, key=1, layer=0, head=4, factor=0.35)])
    assert_allclose(widget.trace.hidden_states, cut.hidden_states, atol=1e-6)
    assert contents(widget)["runs"][0]["cuts"] == {"run": "A", "shown": "A2-1@0.4x35"}
    widget.view = "why"  # is about the run without cut links
    assert_allclose(widget.trace.hidden_states, tuned.trace(TEXT).hidden_states, atol=1e-6)


def test_a_text_that_cannot_be_read_stays_in_its_field_and_is_explained(widget: Widget) -> None:
    page = widget.page
    widget.texts = [" "]
    assert "is empty" in widget.message
    assert (widget.texts, widget.page) == ([" "], page)
    widget.texts = ["flies"]
    assert not widget.message


@pytest.mark.parametrize("view", ["norms", "predictions", "why", "why here", "word lens"])
def test_a_view_is_worked_out_when_it_is_opened(widget: Widget, view: str) -> None:
    template = re.compile(rf'<template data-answer="A.{view}">(.*?)</template>', re.DOTALL)
    before = template.search(widget.page)
    assert before
    assert "needs a running kernel" in before[1]
    widget.view = view
    after = template.search(widget.page)
    assert after
    assert "needs a running kernel" not in after[1]


def test_the_word_lens_reads_the_texts_of_a_pair_apart(bundled: Backend) -> None:
    widget = Widget(bundled, [TEXT, "fruit flies like a banana"], view="word lens")
    assert "“flies” as a verb in A" in re.sub(r"</?[a-z]+[^>]*>", "", widget.page)
    assert widget.trace.tokens.sentence_b_start is not None


def test_routes_and_queries_come_with_their_views(widget: Widget) -> None:
    for view, message in (("routes", "A.routes"), ("neuron view", "A.neurons")):
        assert f'data-message="{message}"' not in widget.page
        widget.view = view
        assert f'data-message="{message}"' in widget.page


def test_a_long_text_has_the_selected_layer_alone(tuned: Backend) -> None:
    widget = Widget(tuned, "flies " * 140, layer=2)
    assert contents(widget)["runs"][0]["layers"] == [2]
    widget.layer = 4
    assert contents(widget)["runs"][0]["layers"] == [4]


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("layer", 6, "layer is 6: this run has 0 to 5"),
        ("head", -2, "head is -2: this run has -1 to 11"),
        ("query", 7, "query is 7: this run has 0 to 6"),
        ("view", "decoder", "view is 'decoder': it can be tokens, heat map"),
        ("links", ["2-1"], "cut links are written as A2-1"),
    ],
)
def test_what_the_run_does_not_have_is_refused(tuned: Backend, name: str, value: Any, sentence: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(sentence)):
        Widget(tuned, TEXT, **{name: value})
    widget = Widget(tuned, TEXT)
    with pytest.raises(TraitError, match=re.escape(sentence)):
        setattr(widget, name, value)


def test_a_trace_keeps_its_texts_and_has_the_views_that_need_no_model(tuned: Backend) -> None:
    widget = Widget(tuned.trace(TEXT), view="heat map")
    assert [view["name"] for view in contents(widget)["views"]] == [*OF_TRACE]
    assert not widget.takes_texts
    for name, value in (("texts", PAIR), ("links", ["A2-1"])):
        with pytest.raises(TraitError, match="A trace keeps its"):
            setattr(widget, name, value)


def test_other_arguments_are_refused(tuned: Backend) -> None:
    with pytest.raises(ArgumentError, match="a model or a trace, and this is of type str"):
        Widget("bundled")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="no trait 'heads'"):
        Widget(tuned, TEXT, heads=[0])
    with pytest.raises(ArgumentError, match="3 texts were given"):
        Widget(tuned, ["a", "b", "c"])
