"""What bad input gets, and texts of any size and script."""

import json
from typing import get_args

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.app_script import (
    VIEWS,
    alerts,
    captions,
    choose,
    chosen,
    click,
    components,
    example_box,
    figure,
    layer_of,
    map_data,
    model_shown,
    open_page,
    send,
    sent_runs,
    sentences_of,
    setting,
    shown_view,
    strip,
    texts_of,
    type_texts,
)
from viz.caches import run_cache
from viz.examples import Mode
from viz.state.selection import View
from viz.views.registered import PANELS

pytestmark = pytest.mark.usefixtures("no_work_beside_the_page")


def test_without_sentence_a_the_page_says_so_and_keeps_b() -> None:
    at = open_page()
    for a in ("", " ", " \n\t ", "\x00\x01"):
        type_texts(at, a=a, b="fruit flies like a banana")
        assert_sentence_a_is_missed(at, a)
    for view in ("norms", "compare"):
        choose(at, view=view)
        assert_sentence_a_is_missed(at, a)
    type_texts(at, a="time flies")
    assert not at.error
    assert shown_view(at) == "compare"


def assert_sentence_a_is_missed(at: AppTest, a: str) -> None:
    assert [error.value for error in at.error] == [
        "Sentence A is empty, or holds only spaces and control characters: type a word."
    ]
    assert (texts_of(at)["a"], texts_of(at)["b"]) == (a, "fruit flies like a banana")


LAST = "Below is the last text that could be read."


@pytest.mark.parametrize("view", ["heat map", "word lens"])  # drawn by the browser or not, in a fragment or not
def test_an_emptied_sentence_leaves_the_last_run_on_the_page(view: View) -> None:
    at = type_texts(open_page(view=view), a="dogs bark")
    type_texts(at, a="", held=True)
    assert len(at.error) == 1
    assert LAST in captions(at)
    assert [token["label"] for token in strip(at)["tokens"]][1:3] == ["dogs", "bark"]
    assert texts_of(at)["a"] == ""
    assert sent_runs(at)["marks"] == {}
    type_texts(at, a="")  # the keys pause, and the address has the text
    assert at.query_params["a"] in ("", [""])
    assert LAST in captions(at)
    assert LAST not in captions(type_texts(at, a="cats meow"))
    assert not at.error


def test_the_last_run_follows_the_settings_and_the_selected_head() -> None:
    at = type_texts(type_texts(open_page(), a="dogs bark", b=""), a="")
    choose(at, level="words")
    assert layer_of(at, map_data(at)).extras["labels"] == ["[CLS]", "dogs", "bark", "[SEP]"]
    send(at, "host", selection={"scope": "encoder", "number": 10**15, "changes": {"layer": 3, "head": 2}})
    assert chosen(at) == (3, 2)
    assert LAST in captions(at)
    assert texts_of(at)["a"] == ""


def test_a_page_that_opens_with_an_empty_sentence_shows_the_error_alone() -> None:
    at = open_page(a="", b="")
    assert len(at.error) == 1
    assert LAST not in captions(at)
    assert not components(at, "token_strip")


def test_an_emptied_source_leaves_what_was_written_on_the_page() -> None:
    at = open_page(view="decoder")
    type_texts(at, source="")
    assert len(at.error) == 1
    assert LAST in captions(at)
    assert components(at, "token_strip")
    assert texts_of(at)["source"] == ""


def test_a_bad_sentence_b_is_called_b_in_either_mode() -> None:
    at = type_texts(open_page(), b="\x01\x02")
    for mode in get_args(Mode):
        choose(at, mode=mode)
        assert len(at.error) == 1
        assert at.error[0].value.startswith("Sentence B is empty")
        assert texts_of(at)["b"] == "\x01\x02"


def test_a_blank_sentence_b_is_no_sentence() -> None:
    at = type_texts(open_page(mode="separate"), b="  \n ")
    assert len(components(at, "token_strip")) == 1
    assert setting(at, "mode").proto.disabled
    assert (texts_of(at)["b"], setting(at, "mode").value) == ("  \n ", "separate")


HOSTILE = {
    "of all scripts": (
        "👩‍👩‍👧 🏳️‍🌈 time flies 👍🏽 שלום עולם مرحبا بالعالم",
        "我喜欢苹果。時間が飛ぶ a\u0301\u0302\u0303 Z͑ͫ̓ͪ̂ͫ̽͏a̴l̷g̸o̵ \u0301",
    ),
    "control characters": ("a\x00b\x07 \x1b[31mred\u200b \u2028 \u202eevil\u202c \x7f", ".\x85\ufeff"),
    "markup": (
        "![x](https://evil.example/x.png) **b** :red[c] # e | f </script><script>alert(1)</script>",
        "$x^2$ %{x} {{y}} `d` \\ ${z} <img src=x onerror=alert(1)>",
    ),
    "special tokens": ("time [MASK] like [SEP] an arrow", "[SEP] [CLS] [PAD] [UNK]"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_text_is_shown_as_text(kind: str) -> None:
    a, b = HOSTILE[kind]
    at = type_texts(open_page(model="scratch"), a=a, b=b)
    for view in VIEWS if kind == "markup" else ("data", "tokens", "norms"):
        choose(at, view=view)
        assert not at.error
        assert "evil.example" not in sentences_of(at)
        for frame in at.get("iframe"):
            assert "<script>alert" not in frame.proto.srcdoc
            assert "<img" not in frame.proto.srcdoc
        for index in range(len(at.get("plotly_chart"))):
            drawn = figure(at, index)
            axes = [drawn["layout"][axis] for axis in ("xaxis", "yaxis")]
            names = "".join(name for axis in axes for name in axis.get("labelalias", {}).values())
            names += "".join(name for axis in axes for name in axis.get("ticktext", []))
            names += json.dumps([trace.get("hovertext") for trace in drawn["data"]])
            assert not [tag for tag in ("<script", "<img") if tag in names]
    choose(at, mode="separate", special="hide", level="words", view="heat map")
    choose(at, view="data")
    assert (texts_of(at)["a"], texts_of(at)["b"]) == (a, b)
    again = open_page(**at.query_params)
    assert (texts_of(again)["a"], texts_of(again)["b"]) == (a, b)


def test_a_special_token_in_both_texts_is_reported_once() -> None:
    at = open_page(a="time [MASK]", b="[MASK] flies", mode="separate")
    assert len([caption for caption in at.caption if "the model's own token" in caption.value]) == 1


def test_a_page_whose_tokens_are_all_hidden_says_so() -> None:
    at = open_page(a="[SEP]", b="", special="hide", model="scratch-bert")
    for view in set(VIEWS) - {"anatomy", "tokens"}:  # which show every token
        choose(at, view=view)
        assert len(alerts(at)) == len(at.info) == 1
        assert [len(at.get(kind)) for kind in ("plotly_chart", "iframe", "dataframe")] == [0, 0, 0]


@pytest.mark.parametrize("mode", get_args(Mode))
def test_too_long_a_text_is_truncated_and_reported(mode: Mode) -> None:
    words = "word " * 10_000
    at = open_page(mode=mode)
    type_texts(at, a="time flies", b=words)
    assert at.warning[0].value.startswith("Sentence B is too long")
    kept = sum(token["sentence"] == 1 for token in strip(at, 1 if mode == "separate" else 0)["tokens"])
    assert kept == (254 if mode == "separate" else 251)
    assert f"first {kept:,} tokens" in at.warning[0].value
    assert f"last {10_000 - kept:,} are" in at.warning[0].value
    assert len(at.warning) == 1
    assert "too long for a link" in sentences_of(at)
    assert texts_of(at)["b"] == words
    choose(at, view="decoder")  # whose own text is short
    assert "too long for a link" not in sentences_of(at)


def test_a_click_reads_a_text_beyond_what_the_folder_says_and_the_page_says_what_that_changes() -> None:
    at = type_texts(open_page(), a="time " * 100, b="")
    assert not [button.label for button in at.button if "Read" in button.label]
    at = type_texts(open_page(), a="time " * 394, b="")
    assert len(strip(at)["tokens"]) == 256
    assert at.button(key="read_all_AB").label == "Read all 396"
    click(at, "read_all_AB")
    assert len(strip(at)["tokens"]) == 396
    assert at.query_params["model"] == model_shown(at) == "all-positions:bundled"
    assert "all-MiniLM-L6-v2, a small BERT, all positions" in at.selectbox(key="model").options
    assert not at.warning
    change = run_cache.trace("all-positions:bundled", "time " * 394).notes[-1]
    assert change.startswith("All positions: 396 tokens are read, where the model's folder says 256: the cosine")
    assert change in captions(at)
    type_texts(at, a="time " * 800)
    assert at.warning[0].value.startswith("Sentence A is too long: its first 510 tokens are read")
    assert not [button.label for button in at.button if "Read" in button.label]


def test_views_without_longer_texts_stand_512_tokens_and_100_kb_without_a_space() -> None:
    """tests/app/test_long_texts.py opens the others with as many."""
    a, b = "word " * 10_000, "x" * 100_000
    at = type_texts(open_page(model="scratch"), a=a, b=b)
    for view in (view for view in VIEWS if PANELS[view].long_texts == "none"):
        choose(at, view=view)
        assert (texts_of(at)["a"], texts_of(at)["b"]) == (a, b)
        assert not at.error


def test_two_too_long_sentences_are_both_reported() -> None:
    at = type_texts(open_page(), a="time " * 1000, b="flies " * 1000)
    assert [warning.value[:22] for warning in at.warning] == ["Sentence A is too long", "Sentence B is too long"]


def test_100_kb_without_a_space_is_one_token() -> None:
    at = type_texts(open_page(level="words"), a="x" * 100_000)
    assert len(components(at, "token_strip")[0].json) < 10_000
    assert layer_of(at, map_data(at)).arrays["weights"].nbytes < 500_000


def test_the_next_example_closes_the_view_that_an_example_opened() -> None:
    at = open_page(view="model view")
    at = show_example(at, "masked words")
    assert shown_view(at) == "predictions"
    assert shown_view(show_example(at, "a negation")) == "model view"
    at = show_example(at, "masked words")
    for view in ("tokens", "predictions"):
        choose(at, view=view)
    assert shown_view(show_example(at, "a negation")) == "predictions"


def show_example(at: AppTest, title: str) -> AppTest:
    example_box(at).set_value(title)
    return at.run()
