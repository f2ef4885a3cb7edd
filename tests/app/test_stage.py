"""The page before an audience: what is drawn there, and the ways in and out."""

import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.app_script import choose, chosen, click, components, data_of, open_page, send, sentences_of, strip
from viz.state.selection import View
from viz.views.registered import PANELS

pytestmark = pytest.mark.usefixtures("no_work_beside_the_page")


def sent_stage(at: AppTest) -> dict[str, Any]:
    """What the component with the keys is given."""
    (stage,) = components(at, "stage")
    data: dict[str, Any] = data_of(stage)
    return data


def ask(at: AppTest, **asked: Any) -> AppTest:
    """The message of the component when one of its keys is pressed."""
    return send(at, "stage", asked=asked)


def sheets(at: AppTest) -> str:
    return "".join(element.proto.body for element in at.get("html"))


@pytest.mark.parametrize("view", ["heat map", "anatomy", "decoder"])
def test_every_view_omits_what_only_readers_need(view: View) -> None:
    reader, audience = open_page(view=view), open_page(view=view, stage="1")
    assert "How to read" in sentences_of(reader) or view in ("predictions", "anatomy", "data")
    assert "How to read" not in sentences_of(audience)
    small = [data_of(each)["large"] for each in components(audience, "head_map")]
    assert False not in small
    assert "--stage-foot" in sheets(audience)
    assert "--stage-foot" not in sheets(reader)
    assert sent_stage(audience)["on"]
    assert not sent_stage(reader)["on"]


def test_a_typed_pair_has_a_finding() -> None:
    at = open_page(stage="1", mode="separate", a="the old man the boats", b="dogs bark loudly")
    assert re.search(r"The model reads “\w+” (in A )?as an? .+ in B", sentences_of(at))


def test_texts_without_words_have_no_finding() -> None:
    assert "The model reads" not in sentences_of(open_page(stage="1", a="[SEP]", b=""))


def test_the_line_describes_the_view() -> None:
    seen = sent_stage(open_page(stage="1"))["seen"]
    assert (seen["model"], seen["shows"], seen["follows"]) == ("all-MiniLM-L6-v2", "row looks at column", True)
    norms = sent_stage(open_page(stage="1", view="norms", model="scratch"))
    assert (norms["layers"], norms["heads"]) == (4, 4)
    assert (norms["seen"]["model"], norms["seen"]["follows"]) == ("Small encoder, trained here", False)
    assert sent_stage(open_page(stage="1", view="decoder"))["scope"] == "decoder"
    assert len({panel.shows for panel in PANELS.values()}) == len(PANELS) - 2  # two tables, and two views of lines


def test_a_button_and_a_key_begin_and_a_key_ends() -> None:
    at = click(open_page(layer="3", head="7", view="head view"), "present")
    assert at.query_params == {"layer": "3", "head": "7", "view": "head view", "stage": "1"}
    ask(at, stage=False)
    assert not sent_stage(at)["on"]
    assert at.query_params == {"layer": "3", "head": "7", "view": "head view"}
    assert sent_stage(ask(at, stage=True))["on"]


def test_the_way_back_keeps_what_was_chosen_before_the_audience() -> None:
    at = ask(choose(open_page(), level="words"), stage=True)
    choose(at, view="model view", layer=2, head=1)
    ask(at, stage=False)
    assert chosen(at) == (2, 1)
    assert (at.query_params["view"], at.query_params["level"]) == ("model view", "words")
    assert len(strip(at)["tokens"]) == 7


@pytest.mark.parametrize("asked", [{"stage": "yes"}, {"stage": 1}, {}, {"other": True}])
def test_an_invalid_message_changes_nothing(asked: dict[str, Any]) -> None:
    assert not sent_stage(ask(open_page(), **asked))["on"]


def test_a_link_that_says_neither_is_reported() -> None:
    at = open_page(stage="maybe")
    assert not sent_stage(at)["on"]
    assert "stage='maybe' was ignored: it can be 1 or 0" in sentences_of(at)


def test_a_text_that_cannot_be_read_leaves_the_way_back() -> None:
    at = open_page(a=" ", b="", stage="1")
    assert at.error
    assert sent_stage(at)["on"]
    assert not sent_stage(ask(at, stage=False))["on"]
