"""A tour in presentation mode: its stops, their words and pointers, and stale messages."""

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.app_script import (
    choose,
    chosen,
    click,
    components,
    data_of,
    host,
    open_page,
    selected,
    send,
    setting,
    type_texts,
)
from tests.app.test_stage import ask, sent_stage
from viz.claims.outcome import Outcome
from viz.page.tours import claims
from viz.page.tours.claims import in_one_line
from viz.page.tours.navigation import WITHHELD
from viz.tours.grammar import parse_claim
from viz.tours.shipped import shipped_tour

FLIES = shipped_tour("time-flies")


def go(at: AppTest, stop: int, *, answered: bool = False, after: int = 1) -> AppTest:
    return ask(at, stop=stop, answered=answered, scope="encoder", after=after)


def said(at: AppTest) -> list[str]:
    """What stands under the picture: a stop's title with its question, and its answer with its words."""
    texts = [element.value for element in at.markdown]
    first = next(index for index, text in enumerate(texts) if text.startswith("**"))
    return texts[first : first + 2] if is_answered_on(at) else texts[first : first + 1]


def is_answered_on(at: AppTest) -> bool:
    return bool(sent_stage(at)["tour"]["answered"])


@pytest.fixture
def no_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    """Claims take as long as all else of a tour. tests/viz/claims/test_check.py computes those of all tours, and
    tests/browser/test_stage.py walks through all stops.
    """
    monkeypatch.setattr(claims, "claims_job", lambda *_: None)


@pytest.mark.usefixtures("no_claims")
def test_every_stop_asks_and_is_answered() -> None:
    at = open_page(stage="1", tour="time-flies")
    for number, stop in enumerate(FLIES.stops, 1):
        go(at, number)
        shown = sent_stage(at)["tour"]
        assert (shown["at"], shown["answered"], withholds(at)) == (number, False, stop.reveals_picture)
        assert {key: at.query_params[key] for key in stop.state if key in at.query_params}.items() <= stop.state.items()
        (asked,) = said(at)
        assert stop.question in asked
        assert (selected(at)["points"], selected(at)["query"]) == ([], -1)
        go(at, number, answered=True)
        assert said(at) == [asked, f"{stop.answer} {stop.words}".strip()]
        assert not withholds(at)
        assert sent_stage(at)["tour"]["answered"]
        assert len(selected(at)["points"]) == len(stop.points)


def test_a_stop_points_at_the_tokens_of_its_words() -> None:
    at = go(open_page(stage="1", tour="time-flies"), 3, answered=True)
    cell: dict[str, Any] = {"kind": "cell", "query": [2], "key": [1]}
    assert selected(at)["points"] == [cell | {"run": "A"}, cell | {"run": "B"}]
    assert [data_of(strip)["run"] for strip in components(at, "token_strip")] == ["A", "B"]


def test_the_pinned_cell_comes_with_the_answer_or_by_a_click() -> None:
    at = go(open_page(stage="1", tour="time-flies"), 3)
    assert (selected(at)["query"], selected(at)["key"], at.query_params["query"]) == (-1, -1, "2")
    assert selected(go(at, 3, answered=True, after=2))["query"] == 2
    at = go(at, 3, after=3)
    changes = {"query": 2, "key": 1, "pinned_in": "A"}
    send(at, "host", selection={"scope": "encoder", "number": 4, "changes": changes, "waiting": False})
    assert (selected(at)["query"], selected(at)["key"]) == (2, 1)


def withholds(at: AppTest) -> bool:
    return any(getattr(node, "key", None) == WITHHELD for node in at)


@pytest.mark.parametrize(
    "choose_another",
    [lambda at: type_texts(at, a="another text"), lambda at: choose(at, view="head view")],
    ids=["text", "view"],
)
def test_a_withheld_picture_is_shown_once_another_is_chosen(choose_another: Callable[[AppTest], AppTest]) -> None:
    at = ask(go(open_page(stage="1", tour="time-flies"), 3), stage=False)
    assert withholds(at)
    choose(at, layer=1)
    assert withholds(at)
    assert not withholds(choose_another(at))


def test_the_speaker_reads_plain_paragraphs_that_wrap_by_themselves() -> None:
    stop = FLIES.stops[2]
    assert "\n" in stop.notes
    stops = sent_stage(open_page(stage="1", tour="time-flies"))["tour"]["stops"]
    assert stops[2]["notes"] == stop.notes.replace("\n", " ")
    assert stops[0]["answer"].startswith("In A, time flies, a verb.")


def test_the_stops_pointers_follow_its_selection() -> None:
    at = go(open_page(stage="1", tour="time-flies"), 3, answered=True)
    address = dict(at.query_params)
    choose(at, view="head view")
    assert len(selected(at)["points"]) == 2
    assert selected(open_page(**address))["points"] == []  # the question is asked anew
    choose(at, layer=1)
    assert selected(at)["points"] == []


def test_a_tour_that_is_open_on_the_page_points_as_well() -> None:
    at = go(open_page(stage="1", tour="time-flies"), 3)
    assert selected(at)["points"] == []
    ask(at, stage=False)
    assert selected(at)["points"] == []
    click(at, "tour_next")
    assert len(selected(at)["points"]) == 2
    assert sent_stage(at)["tour"] is None


def test_a_stop_is_newer_than_what_was_chosen_before_the_press() -> None:
    at = go(open_page(stage="1", tour="time-flies"), 3, after=50)
    assert chosen(at) == (0, 4)
    assert data_of(host(at))["answered"] == 50


def test_a_stale_widget_does_not_undo_a_stop() -> None:
    at = go(open_page(stage="1", tour="time-flies"), 2)
    assert at.query_params["view"] == "norms"
    setting(at, "level").set_value("words")  # as a browser still sends it
    go(at, 3, after=2)
    assert at.query_params["view"] == "heat map"
    assert at.query_params["stop"] == "3"


def test_a_stop_that_there_is_not_is_the_nearest() -> None:
    at = go(open_page(stage="1", tour="time-flies"), 99)
    assert sent_stage(at)["tour"]["at"] == len(FLIES.stops)
    assert go(at, -5, after=2).query_params["stop"] == "1"


def test_a_press_without_a_tour_changes_nothing() -> None:
    at = go(open_page(stage="1", layer="2"), 3)
    assert at.query_params == {"stage": "1", "layer": "2"}
    assert sent_stage(at)["tour"] is None


def test_the_anatomy_before_an_audience_has_its_picture_and_not_its_words() -> None:
    at = go(open_page(stage="1", tour="twelve-steps"), 8, answered=True)
    words = "**Softmax** turns each row of scores"
    assert "### Scores into weights" not in [element.value for element in at.markdown]  # the stop has a title
    assert at.latex
    assert not any(words in element.value for element in at.markdown)
    assert "anatomy_next" not in [button.key for button in at.button]
    on_page = open_page(view="anatomy", walk="softmax")
    assert any(words in element.value for element in on_page.markdown)
    assert "anatomy_next" in [button.key for button in on_page.button]


def test_of_many_claims_an_audience_sees_how_many_hold() -> None:
    def outcome(holds: bool | None) -> Outcome:
        return Outcome(claim=parse_claim("prediction(negative) > 0.5"), holds=holds, value=0.12, bound=0.5)

    line = in_one_line([*[outcome(True)] * 5, outcome(False)])
    assert line.startswith("5 of 6 hold :material/check_circle: ")
    assert line.endswith("does not hold here: negative 0.12, not \\> 0.5 :material/cancel:")
    assert in_one_line([outcome(True)] * 2).split(" \u2002") == ["negative 0.12 :material/check_circle:"] * 2


def test_presentation_mode_says_once_why_claims_do_not_apply() -> None:
    claim = parse_claim("prediction(negative) > 0.5")
    line = in_one_line(
        [Outcome(claim=claim, holds=None, why=why) for why in ("No classes.", "No classes.", "No score.")]
    )
    assert line.split(" \u2002") == [
        "does not apply here: No classes. :material/remove:",
        "does not apply here :material/remove:",
        "does not apply here: No score. :material/remove:",
    ]
