"""What the head view's panel sends to the browser, and what it says."""

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.app import app_script
from tests.app.app_script import components, run


def open_page(**link: str) -> AppTest:
    return app_script.open_page(view="head view", **link)


def view(at: AppTest, index: int = 0) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(components(at, "head_view")[index].json)
    return data


def said(at: AppTest) -> str:
    return " ".join(caption.value for caption in at.caption)


def layer(at: AppTest) -> bytes:
    """The message of the layer that the view draws; other views of the page have messages of their own."""
    identity = view(at)["id"].encode()
    (sent,) = [store.bytes for store in components(at, "store") if identity in store.bytes]
    return bytes(sent)


def test_view_gets_the_selection_and_the_id_of_its_layer() -> None:
    at = open_page(layer="2", heads="1.3", query="8")
    assert view(at)["selection"] == {
        "layer": 2,
        "head": 4,
        "heads": "1.3",
        "query": 8,
        "key": -1,
        "sentences": "all",
    }
    assert view(at)["place"] == "pair"
    assert b"banana" in layer(at)
    assert len(components(at, "head_view")[0].json) < 3_000


def test_another_head_leaves_the_layer_as_it_is() -> None:
    at = open_page(layer="2")
    before, first = layer(at), view(at)["id"]
    at.query_params["heads"] = "0.5"
    run(at)
    assert view(at)["selection"]["heads"] == "0.5"
    assert (layer(at), view(at)["id"]) == (before, first)
    at.button_group(key="layer").set_value(3)
    run(at)
    assert view(at)["id"] != first


def test_sentences_encoded_apart_have_a_view_and_a_pin_each() -> None:
    at = open_page(mode="separate", query="2", pinned_in="B")
    assert [view(at, index)["place"] for index in range(2)] == ["A", "B"]
    assert [view(at, index)["selection"]["query"] for index in range(2)] == [-1, 2]
    assert view(at, 0)["id"] != view(at, 1)["id"]


@pytest.mark.parametrize(
    ("heads", "head", "all_heads"), [("", "3", False), ("", "mean", False), ("all", "3", True), ("none", "3", True)]
)
def test_hidden_attention_is_told_for_the_heads_that_are_drawn(heads: str, head: str, all_heads: bool) -> None:
    link = {"head": head, "special": "hide"} | ({"heads": heads} if heads else {})
    text = said(open_page(**link))
    assert "Special tokens are hidden" in text
    assert ("all heads counted" in text) == all_heads


def test_nothing_but_special_tokens_is_said() -> None:
    at = open_page(a="[SEP]", special="hide")
    assert not components(at, "head_view")
    assert "special tokens only" in at.info[0].value
