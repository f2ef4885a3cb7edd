"""Messages of views: which changes are read, and which are ignored."""

from typing import Any

import pytest

from encoder.measures.unit_attention import MEAN
from viz.state.messages import BrowserMessage, read_change, read_message, scope_of, shared_selection
from viz.state.selection import DEFAULT, Decoder, Pins, Place, Selection


@pytest.mark.parametrize(
    ("message", "change"),
    [
        ({"layer": 3, "head": 7}, {"layer": 3, "head": 7}),
        ({"head": -1, "heads": "1.2"}, {"head": MEAN, "heads": (1, 2)}),
        ({"heads": ""}, {"heads": "selected"}),
        ({"query": 5, "key": -1, "pinned_in": "B"}, {"query": 5, "key": None, "pinned_in": "B"}),
        ({"at_a": 2, "at_b": -1}, {"at_a": 2, "at_b": None}),
        ({"row": 5, "column": 300}, {"row": 5, "column": 300}),
        ({"view": "anatomy", "walk": "softmax"}, {"view": "anatomy", "walk": "softmax"}),
        ({"a": "dogs", "source": "x\ud83d"}, {"a": "dogs", "source": "x\ufffd"}),
        ({"sentences": "A→B"}, {"sentences": "A→B"}),
        ({"scale": "root"}, {"scale": "root"}),
        ({}, {}),
    ],
)
def test_a_message_becomes_typed_values(message: dict[str, Any], change: dict[str, Any]) -> None:
    assert read_change(message) == change


@pytest.mark.parametrize(
    "message",
    [
        {"a": 3},
        {"typed": "another text"},
        {"row": -1},
        {"column": 10_000},
        {"layer": -3},
        {"layer": 1.5},
        {"layer": True},
        {"head": None},
        {"heads": [1, 2]},
        {"heads": "<script>"},
        {"query": "x"},
        {"sentences": "B"},
        {"view": "no such view"},
        {"scale": "logarithm"},
        {"model": "/etc"},
        {"no such name": 1},
    ],
)
def test_an_unreadable_value_is_logged_and_ignored(message: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    unread = message | {"level": "words"}
    assert read_change(unread | {"walk": "softmax"}) == {"walk": "softmax"}
    assert caplog.messages == [
        f"A view requested {name}={value!r:.40}, which is not a value." for name, value in unread.items()
    ]


def test_a_message_is_read_with_its_number_and_scope() -> None:
    sent = {"scope": "decoder", "number": 7, "changes": {"layer": 1, "model": "/etc"}, "waiting": True}
    assert read_message(sent) == BrowserMessage(scope="decoder", number=7, change={"layer": 1}, waiting=True)
    typed = sent | {"changes": {"source": "dogs"}, "typed": 6, "held": True}
    assert read_message(typed) == BrowserMessage(
        scope="decoder", number=7, change={"source": "dogs"}, typed=6, held=True, waiting=True
    )


@pytest.mark.parametrize(
    "sent",
    [
        None,
        "text",
        {},
        {"scope": "encoder", "number": 7},
        {"scope": "encoder", "number": "7", "changes": {}},
        {"scope": "elsewhere", "number": 7, "changes": {}},
        {"scope": "encoder", "number": 7, "changes": ["layer"]},
    ],
)
def test_an_invalid_message_is_ignored(sent: Any) -> None:
    assert read_message(sent) is None


def test_views_get_the_place_of_the_model_that_the_page_shows() -> None:
    place = Place(layer=1, head=MEAN, heads=(0, 2), pins=Pins(query=3, run="decoder"))
    selection = Selection(view="decoder", decoder=Decoder(place=place))
    place = {"layer": 1, "head": -1, "heads": "0.2", "query": 3, "key": -1, "pinned_in": "decoder"}
    shared = place | {"sentences": "all", "scale": "auto"}
    assert (scope_of(selection), shared_selection(selection)) == ("decoder", shared)
    assert (scope_of(DEFAULT), shared_selection(DEFAULT)["head"]) == ("encoder", 4)
