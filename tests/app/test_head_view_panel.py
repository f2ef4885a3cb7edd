"""What the head view's panel sends to the browser, and what it says."""

from typing import Any

from safetensors.numpy import load
from streamlit.testing.v1 import AppTest

from tests.app import app_script
from tests.app.app_script import components, data_of, layer_of, selected


def open_page(**link: str) -> AppTest:
    return app_script.open_page(view="head view", **link)


def view(at: AppTest, index: int = 0) -> dict[str, Any]:
    data: dict[str, Any] = data_of(components(at, "head_view")[index])
    return data


def test_view_gets_its_run_and_the_host_the_selection() -> None:
    at = open_page(layer="2", heads="1.3", query="8")
    assert selected(at) == {
        "layer": 2,
        "head": 4,
        "heads": "1.3",
        "query": 8,
        "key": -1,
        "pinned_in": "A",
        "sentences": "all",
        "scale": "auto",
        "points": [],
    }
    assert (view(at)["place"], view(at)["layers"], view(at)["scope"]) == ("pair", 6, "encoder")
    assert "banana" in layer_of(at, view(at)).extras["labels"]
    assert len(components(at, "head_view")[0].json) < 3_000


def sent_of_run(at: AppTest) -> list[bytes]:
    """The messages with layers of the run."""
    identity = view(at)["id"].encode()
    return [store.bytes for store in components(at, "store") if identity in store.bytes]


def test_a_short_text_has_all_its_layers_sent_after_the_first() -> None:
    at = open_page(layer="2")
    of_run = sent_of_run(at)
    assert sorted(len(load(sent)["weights"]) for sent in of_run) == [1, 6]


def test_a_long_text_has_the_neighbours_of_its_layer_sent() -> None:
    at = open_page(layer="5", a="word " * 150, b="")
    of_run = sent_of_run(at)
    assert sorted(len(load(sent)["weights"]) for sent in of_run) == [1, 1]
    at = open_page(layer="3", a="word " * 150, b="")
    of_run = sent_of_run(at)
    assert sorted(len(load(sent)["weights"]) for sent in of_run) == [1, 2]


def test_separate_sentences_have_their_own_view_and_pins() -> None:
    at = open_page(mode="separate", query="2", pinned_in="B")
    assert [view(at, index)["place"] for index in range(2)] == ["A", "B"]
    assert [view(at, index)["texts"] for index in range(2)] == [["A"], ["B"]]
    assert (selected(at)["query"], selected(at)["pinned_in"]) == (2, "B")
    assert view(at, 0)["id"] != view(at, 1)["id"]
    assert view(open_page())["texts"] == ["A", "B"]
