"""What a session makes of an address that changes, and of what a view sends."""

from dataclasses import asdict
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from encoder.measures.unit_attention import MEAN
from viz.state.selection import DEFAULT, NOTHING, Selection
from viz.state.session import take


def page() -> None:
    """A page with some of the widgets, one of which is not always drawn."""
    import streamlit as st

    from viz.state import session

    session.restore()
    st.text_area("A", key="a")
    st.number_input("Layer", key="layer", min_value=0)
    if st.session_state["view"] != "norms":
        st.text_area("B", key="b")
    st.button("Run", on_click=session.hold)
    session.save(session.current())


@pytest.fixture
def at() -> AppTest:
    return AppTest.from_function(page)


def held(at: AppTest) -> dict[str, Any]:
    return {name: at.session_state[name] for name in asdict(DEFAULT)}


def test_the_first_load_follows_the_link(at: AppTest) -> None:
    at.query_params |= {"a": "dogs bark", "layer": "3", "head": "mean", "view": "nothing"}
    at.run()
    assert held(at) == asdict(Selection(a="dogs bark", b="", layer=3, head=MEAN))
    assert (at.text_area(key="a").value, at.number_input(key="layer").value) == ("dogs bark", 3)
    assert [problem[:4] for problem in at.session_state["link_problems"]] == ["view"]
    assert at.query_params == {"a": "dogs bark", "b": "", "layer": "3", "head": "mean"}


def test_the_first_load_without_a_link_shows_the_defaults(at: AppTest) -> None:
    at.run()
    assert held(at) == asdict(DEFAULT)
    assert at.query_params == {}


def test_every_change_is_in_the_address(at: AppTest) -> None:
    at.run()
    at.number_input(key="layer").set_value(2).run()
    assert at.query_params == {"layer": "2"}
    at.text_area(key="a").set_value("dogs bark").run()
    assert at.query_params == {"a": "dogs bark", "b": DEFAULT.b, "layer": "2"}
    at.number_input(key="layer").set_value(0)
    at.text_area(key="a").set_value(DEFAULT.a).run()
    assert at.query_params == {}


def test_going_back_and_forward_restores_what_was_shown(at: AppTest) -> None:
    at.run()
    history = [dict(at.query_params)]
    at.number_input(key="layer").set_value(2).run()
    history.append(dict(at.query_params))
    at.text_area(key="a").set_value("dogs bark").run()
    history.append(dict(at.query_params))
    for params, layer, a in [
        (history[1], 2, DEFAULT.a),
        (history[0], 0, DEFAULT.a),
        (history[2], 2, "dogs bark"),
    ]:
        at.query_params = dict(params)
        at.run()
        assert (at.number_input(key="layer").value, at.text_area(key="a").value) == (layer, a)
        assert at.query_params == params


def test_a_click_that_overtakes_the_address_is_not_reverted(at: AppTest) -> None:
    at.run()
    at.number_input(key="layer").set_value(1).run()
    assert at.query_params == {"layer": "1"}
    at.query_params = {}  # the browser has not heard of layer 1 yet
    at.number_input(key="layer").set_value(2).run()
    assert at.number_input(key="layer").value == 2
    assert at.query_params == {"layer": "2"}


def test_a_button_that_overtakes_the_address_reverts_nothing(at: AppTest) -> None:
    at.run()
    at.number_input(key="layer").set_value(1).run()
    at.query_params = {}  # the browser has not heard of layer 1 yet
    at.button[0].click().run()
    assert at.number_input(key="layer").value == 1
    assert at.query_params == {"layer": "1"}


def test_text_typed_while_the_address_changes_is_kept(at: AppTest) -> None:
    at.run()
    at.query_params = {"layer": "4"}
    at.text_area(key="a").set_value("dogs bark").run()
    assert at.text_area(key="a").value == "dogs bark"


def test_a_run_without_changes_changes_nothing(at: AppTest) -> None:
    at.query_params |= {"a": "dogs bark", "b": "loudly", "layer": "3"}
    at.run()
    before, params = held(at), dict(at.query_params)
    at.button[0].click().run()
    assert (held(at), at.query_params) == (before, params)


def test_a_widget_that_one_run_does_not_draw_keeps_its_value(at: AppTest) -> None:
    at.run()
    at.text_area(key="b").set_value("typed with care").run()
    at.session_state["view"] = "norms"
    at.run()
    assert [area.key for area in at.text_area] == ["a"]
    at.run()
    at.session_state["view"] = "heat map"
    at.run()
    assert at.text_area(key="b").value == "typed with care"


def test_texts_too_long_for_a_link_stay_on_the_page(at: AppTest) -> None:
    at.run()
    long = "word " * 10_000
    at.text_area(key="a").set_value(long).run()
    assert at.query_params == {}
    at.number_input(key="layer").set_value(2).run()
    assert (at.text_area(key="a").value, at.query_params) == (long, {"layer": "2"})


def test_going_back_keeps_texts_that_no_address_could_hold(at: AppTest) -> None:
    at.run()
    at.text_area(key="a").set_value("word " * 10_000).run()
    at.number_input(key="layer").set_value(2).run()
    at.query_params = {}
    at.run()
    assert (at.text_area(key="a").value, at.number_input(key="layer").value) == ("word " * 10_000, 0)
    at.query_params = {"a": "dogs bark"}
    at.run()
    assert (at.text_area(key="a").value, at.text_area(key="b").value) == ("dogs bark", "")


class TestTake:
    """What a view may change; the session is a plain dictionary here."""

    @pytest.fixture(autouse=True)
    def session(self, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
        session: dict[str, Any] = asdict(DEFAULT) | {"heads": "all"}
        monkeypatch.setattr("viz.state.session.st.session_state", session)
        return session

    def test_a_head_that_is_chosen_is_shown_alone(self, session: dict[str, Any]) -> None:
        take({"layer": 3, "head": 7})
        assert (session["layer"], session["head"], session["heads"]) == (3, 7, "")

    def test_heads_given_with_it_stay(self, session: dict[str, Any]) -> None:
        take({"head": MEAN, "heads": "1.2"})
        assert (session["head"], session["heads"]) == (MEAN, "1.2")

    def test_tokens_are_pinned_and_released(self, session: dict[str, Any]) -> None:
        take({"query": 5, "key": NOTHING, "pinned_in": "B"})
        assert (session["query"], session["key"], session["pinned_in"]) == (5, NOTHING, "B")
        take({"query": NOTHING})
        assert session["query"] == NOTHING

    def test_a_cell_is_chosen_by_row_and_column_or_one_of_them(self, session: dict[str, Any]) -> None:
        take({"row": 5, "column": 300})
        take({"row": 7})
        assert (session["row"], session["column"]) == (7, 300)

    @pytest.mark.parametrize(
        "changes",
        [
            {"a": "another text"},
            {"row": -1},
            {"column": 10_000},
            {"layer": -3},
            {"layer": 1.5},
            {"head": None},
            {"heads": [1, 2]},
            {"heads": "<script>"},
            {"query": "x"},
            {"view": "nothing"},
            {"model": "/etc"},
        ],
    )
    def test_what_makes_no_sense_is_logged_and_left(
        self, session: dict[str, Any], changes: dict[str, Any], caplog: pytest.LogCaptureFixture
    ) -> None:
        before = dict(session)
        take(changes)
        assert session == before
        assert "makes no sense" in caplog.text
