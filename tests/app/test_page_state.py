"""What clicks, changes of text and links preserve."""

import re
from typing import Any
from unittest import mock

import pytest
import streamlit as st
from streamlit.runtime.state import QueryParamsProxy

from encoder.errors import UnsupportedModelError
from encoder.measures.unit_attention import MEAN
from tests.app.app_script import (
    choose,
    chosen,
    click,
    example_box,
    go,
    open_page,
    open_settings,
    pick_model,
    run,
    seen,
    sentences_of,
    setting,
    texts_of,
    type_texts,
)
from tests.app.jobs import open_settled
from viz.examples import EXAMPLES
from viz.page import body


def test_layer_and_head_are_clamped_to_what_a_model_has() -> None:
    at = choose(open_page(), layer=5, head=11)
    pick_model(at, "scratch-bert")
    assert chosen(at) == (5, 11)
    pick_model(at, "scratch-untrained")
    assert chosen(at) == (3, 3)
    assert (at.query_params["layer"], at.query_params["head"]) == ("3", "3")
    choose(at, head=MEAN)
    pick_model(at, "bundled")
    assert chosen(at) == (3, MEAN)
    assert (open_page(layer="9999", head="9999").query_params) == {"layer": "5", "head": "11"}


def test_an_example_fills_both_texts() -> None:
    at = open_page()
    for example in (EXAMPLES[-1], EXAMPLES[2]):
        example_box(at).set_value(example.title)
        run(at)
        assert (texts_of(at)["a"], texts_of(at)["b"]) == (example.a, example.b)
        assert chosen(at) == (example.layer, example.head)
        assert example.question in sentences_of(at)
        assert example.answer in sentences_of(at)
        assert not at.error
    type_texts(at, b=f"{example.b} very much")
    assert example_box(at).value is None
    assert example.question not in sentences_of(at)


def test_an_example_sets_how_its_sentences_are_encoded() -> None:
    at = open_page()
    for example in EXAMPLES[1], EXAMPLES[0]:
        example_box(at).set_value(example.title)
        run(at)
        assert setting(at, "mode").value == example.mode
    assert "view" not in at.query_params  # the head view, which the pair opened, closed with it
    choose(at, view="heat map")
    assert at.query_params == {}
    choose(at, mode="pair")
    assert example_box(at).value == EXAMPLES[1].title


def test_a_hint_is_given_where_it_was_checked() -> None:
    duck = next(example for example in EXAMPLES if example.word == "duck")
    at = open_page(a=duck.a, b=duck.b, mode="separate")
    assert duck.answer in sentences_of(at)
    choose(at, mode="pair")
    assert example_box(at).value == duck.title
    assert duck.answer not in sentences_of(at)
    choose(at, mode="separate")
    pick_model(at, "scratch-untrained")
    assert duck.answer not in sentences_of(at)


def test_the_address_brings_the_whole_page_back() -> None:
    at = type_texts(open_page(), a="unbelievably, time flies", b="fruit & flies = 100 % <b>bananas</b> 👍")
    choose(at, layer=3, head=2, level="words", special="renormalise")
    pick_model(at, "scratch-bert")
    for view, head, mode in (("heat map", 1, "pair"), ("data", MEAN, "separate"), ("head view", 2, "separate")):
        choose(at, view=view, head=head, mode=mode)
        again = open_settings(open_page(**at.query_params))
        assert seen(again) == seen(at)
        assert again.query_params == at.query_params
    assert set(at.query_params) == {"a", "b", "layer", "head", "level", "special", "model", "view", "mode", "tags"}


def test_a_nonsense_link_is_reported_and_shows_the_rest() -> None:
    at = open_page(layer="x", head="99999", view="<script>alert(1)</script>", special="hide", utm_source="mail")
    assert len(at.warning) == 3
    assert "<script>" not in sentences_of(at)
    assert at.query_params == {"special": "hide"}
    assert len(run(at).warning) == 3  # a rerun repeats them
    assert not choose(at, view="data").warning


def test_what_a_link_names_and_the_page_does_not_have_is_reported() -> None:
    at = open_page(layer="9", query="99", tags="99", head="2")
    assert [each.value.replace("\\", "") for each in at.warning] == [
        "Link: layer='9' is not there: the page shows 5.",
        "Link: tags='99' is not there: the page shows 6.",
        "Link: query='99' is not there.",
    ]
    assert not choose(at, view="data").warning


def test_the_address_is_sent_after_a_way_back_for_the_run_before_may_have_sent_another() -> None:
    at = open_page(a="time flies", b="")
    with mock.patch.object(QueryParamsProxy, "from_dict") as sent:
        run(at)
        assert not sent.called
        go(at, dict(at.query_params))
    assert {**sent.call_args.args[0]}["a"] == "time flies"


@pytest.mark.usefixtures("jobs_begin_at_once")
@pytest.mark.parametrize(
    ("view", "link", "shown"),
    [
        ("why", {"why_label": "99"}, ""),
        ("why", {"model": "bundled", "why": "part of speech", "why_word": "77", "why_layer": "8"}, "1 5"),
        ("why", {"removed": "77"}, "2"),
        ("swaps", {"collection": "swaps", "part": "nosuch", "swap_label": "9"}, "pronouns and jobs 2"),
        ("word map", {"collection": "words", "word": "bank", "colour": "nosuch", "map_state": "99"}, "sense 6"),
        ("compare", {"compare": "steps", "model": "scratch", "with_step": "77"}, "61"),
        ("heat map", {"from_row": "9999"}, ""),
    ],
)
def test_what_a_view_shows_instead_of_a_links_value_is_reported(view: str, link: dict[str, str], shown: str) -> None:
    at = open_settled(**{"a": "time flies", "b": "", "model": "bundled-sentiment", "view": view} | link)
    said = " ".join(each.value.replace("\\", "") for each in at.warning)
    missing = {name: value for name, value in link.items() if f"{name}={value!r} is not there" in said}
    assert set(link) - set(missing) <= {"why", "collection", "word", "compare", "model"}
    assert " ".join(re.findall(r"the page shows (.*?)\.(?: |$)", said)) == shown
    assert not choose(at, view="data").warning


def test_problems_of_a_link_are_reported_next_to_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body, "runs_of", mock.Mock(side_effect=UnsupportedModelError("It has no attention.")))
    at = open_page(layer="first")
    assert [each.value for each in at.error] == ["It has no attention."]
    assert len(at.warning) == 1


@pytest.mark.parametrize(
    ("link", "left"),
    [
        ({"query": "12", "key": "13"}, {"query": "12"}),
        ({"view": "decoder", "at_step": "9999"}, {"view": "decoder", "head": "3"}),
    ],
)
def test_values_out_of_range_leave_the_address(link: dict[str, str], left: dict[str, str]) -> None:
    at = open_page(**link)
    assert at.query_params == left
    assert run(at).query_params == left


@pytest.mark.parametrize("link", [{"a": "x", "b": "\x01"}, {"view": "decoder", "source": " "}])
def test_an_unusable_text_does_not_hide_what_is_wrong_with_the_link(link: dict[str, str]) -> None:
    at = open_page(layer="-3", **link)
    assert len(at.error) == 1
    assert [warning.value.replace("\\", "") for warning in at.warning] == [
        "Link: layer='-3' was ignored: a whole number from 0 to 9999 is needed."
    ]
    assert len(run(at).warning) == 1
    assert not choose(at, view="data").warning


def test_buttons_that_report_no_choice_change_nothing() -> None:
    at = open_page(mode="pair")
    setting(at, "mode").set_value(None)
    run(at)
    assert at.query_params["mode"] == "pair"
    assert setting(at, "mode").value == "pair"


@pytest.mark.parametrize(
    ("link", "key", "name", "value"),
    [
        ({"view": "anatomy"}, "anatomy_next", "walk", "positions"),
        ({"view": "decoder", "at_step": "0"}, "decoder_next", "at_step", "2"),
        ({"tour": "time-flies", "stop": "4"}, "tour_back", "stop", "2"),
    ],
)
def test_a_second_press_before_the_answer_is_a_step_of_its_own(
    monkeypatch: pytest.MonkeyPatch, link: dict[str, str], key: str, name: str, value: str
) -> None:
    button: Any = st.button

    def pressed_twice(*args: Any, on_click: Any = None, **options: Any) -> bool:
        def press(*given: Any, **named: Any) -> None:
            for _ in range(2):
                on_click(*given, **named)

        pressed: bool = button(*args, on_click=on_click and press, **options)
        return pressed

    at = open_page(**link)
    monkeypatch.setattr(st, "button", pressed_twice)
    assert click(run(at), key).query_params[name] == value
