"""How a session follows its address and its widgets, in a page that Streamlit runs."""

from dataclasses import replace
from unittest import mock

import pytest
from streamlit.runtime.state.common import TESTING_KEY
from streamlit.testing.v1 import AppTest

from encoder.measures.unit_attention import MEAN
from viz.state import session
from viz.state.fields import with_values
from viz.state.selection import ADDRESS_BASE, DEFAULT, Selection


def page() -> None:
    """A page with some of the widgets, one of which is not always drawn."""
    import streamlit as st

    from viz.state import session

    def picked(heads):  # type: ignore[no-untyped-def]  # AppTest runs this function's source as a script
        return list(heads) if isinstance(heads, tuple) else []

    session.restore()
    st.text_area("A", **session.bound("a", initial="value"))
    st.number_input("Layer", min_value=0, **session.bound("layer", initial="value"))
    st.segmented_control("View", ["heat map", "norms"], **session.bound("view", initial="default"))
    if session.current().view != "norms":
        st.text_area("B", **session.bound("b", initial="value"))
    heads = session.bound("heads", key="picked", to_widget=picked, from_widget=tuple, initial="default")
    st.multiselect("Heads", range(12), **heads)
    st.button("Run", key="run")
    st.selectbox("Tags", ["off", "all", 0, 1, 6], **session.bound("tags", options=["off", "all", 0, 1, 6]))
    session.save()
    session.finish()


@pytest.fixture
def at() -> AppTest:
    return AppTest.from_function(page)


def go(at: AppTest, params: dict[str, str]) -> None:
    """Go back or forward to an address."""
    at.query_params = dict(params)
    with mock.patch.object(session, "went_through_history", return_value=True):
        at.run()


def selection(at: AppTest) -> Selection:
    return at.session_state["page"].selection


def test_the_first_load_follows_the_link(at: AppTest) -> None:
    at.query_params |= {"a": "dogs bark", "layer": "3", "head": "mean", "view": "nothing"}
    at.run()
    assert selection(at) == with_values(ADDRESS_BASE, {"a": "dogs bark", "b": "", "layer": 3, "head": MEAN})
    assert (at.text_area(key="a").value, at.number_input(key="layer").value) == ("dogs bark", 3)
    assert [problem[:4] for problem in at.session_state["page"].problems] == ["view"]
    assert at.query_params == {"a": "dogs bark", "b": "", "layer": "3", "head": "mean"}


def test_the_first_load_without_a_link_shows_the_defaults(at: AppTest) -> None:
    at.run()
    assert selection(at) == DEFAULT
    assert at.query_params == {}


def test_every_change_is_in_the_address(at: AppTest) -> None:
    at.run()
    at.number_input(key="layer").set_value(2).run()
    assert at.query_params == {"mode": "separate", "layer": "2", "tags": "6"}
    at.text_area(key="a").set_value("dogs bark").run()
    assert at.query_params == {"a": "dogs bark", "b": DEFAULT.texts.b, "mode": "separate", "layer": "2", "tags": "6"}
    at.number_input(key="layer").set_value(0)
    at.text_area(key="a").set_value(DEFAULT.texts.a).run()
    assert at.query_params == {}


def test_going_back_and_forward_restores_what_was_shown(at: AppTest) -> None:
    at.run()
    history = [dict(at.query_params)]
    at.number_input(key="layer").set_value(2).run()
    history.append(dict(at.query_params))
    at.text_area(key="a").set_value("dogs bark").run()
    history.append(dict(at.query_params))
    for params, layer, a in [
        (history[1], 2, DEFAULT.texts.a),
        (history[0], 0, DEFAULT.texts.a),
        (history[2], 2, "dogs bark"),
    ]:
        go(at, params)
        assert (at.number_input(key="layer").value, at.text_area(key="a").value) == (layer, a)
        assert at.query_params == params


def test_a_click_that_is_newer_than_the_address_is_not_reverted(at: AppTest) -> None:
    at.run()
    at.number_input(key="layer").set_value(1).run()
    assert at.query_params == {"mode": "separate", "layer": "1", "tags": "6"}
    at.query_params = {}  # the browser has not received layer 1
    at.number_input(key="layer").set_value(2).run()
    assert at.number_input(key="layer").value == 2
    assert at.query_params == {"mode": "separate", "layer": "2", "tags": "6"}


def test_a_run_that_is_newer_than_the_address_reverts_nothing(at: AppTest) -> None:
    at.run()
    at.number_input(key="layer").set_value(1).run()
    for _ in range(2):
        at.query_params = {}  # the browser has not received layer 1
        at.button[0].click().run()
        assert at.number_input(key="layer").value == 1
        assert at.query_params == {"mode": "separate", "layer": "1", "tags": "6"}


def test_text_typed_while_the_address_changes_is_kept(at: AppTest) -> None:
    at.run()
    at.query_params = {"layer": "4"}
    at.text_area(key="a").set_value("dogs bark").run()
    assert at.text_area(key="a").value == "dogs bark"


def test_a_widget_that_one_run_does_not_draw_keeps_its_value(at: AppTest) -> None:
    at.run()
    at.text_area(key="b").set_value("typed with care").run()
    at.button_group(key="view").set_value("norms").run()
    assert [area.key for area in at.text_area] == ["a"]
    at.run()
    at.button_group(key="view").set_value("heat map").run()
    assert at.text_area(key="b").value == "typed with care"


def test_a_widget_may_show_its_field_in_another_form(at: AppTest) -> None:
    at.query_params |= {"heads": "0.5"}
    at.run()
    assert at.multiselect(key="picked").value == [0, 5]
    at.multiselect(key="picked").set_value([0, 5, 7]).run()
    assert selection(at).place.heads == (0, 5, 7)
    assert at.query_params == {"heads": "0.5.7"}


def test_a_widget_that_shows_its_value_is_not_written_again(at: AppTest) -> None:
    at.run()
    at.number_input(key="layer").set_value(2).run()
    assert not at.text_area(key="a").proto.set_value
    go(at, {"a": "dogs bark"})
    assert at.text_area(key="a").proto.set_value


def first_values(at: AppTest) -> list[object]:
    """The values that a browser shows if this run is the first that it renders."""
    tags, view, heads = at.selectbox(key="tags").proto, at.button_group(key="view").proto, at.multiselect(key="picked")
    texts = [at.text_area(key=key).proto.default for key in ("a", "b")]
    return [*texts, at.number_input(key="layer").proto.default, tags.default, [*view.default], [*heads.proto.default]]


def test_every_run_names_the_values_as_the_first_ones(at: AppTest) -> None:
    at.query_params |= {"a": "dogs bark", "b": "loudly", "layer": "3", "tags": "all", "heads": "0.5"}
    at.run()
    shown = first_values(at)
    assert shown == ["dogs bark", "loudly", 3, 1, [0], [0, 5]]
    at.run()
    assert first_values(at) == shown
    at.number_input(key="layer").set_value(4).run()
    at.run()
    assert first_values(at) == ["dogs bark", "loudly", 4, 1, [0], [0, 5]]


def test_a_first_run_that_is_cut_short_leaves_the_values_to_the_next(at: AppTest) -> None:
    at.query_params |= {"layer": "3", "tags": "all"}
    with mock.patch.object(session, "finish"):  # as where a click ends the run
        at.run()
        shown = first_values(at)
        at.run()
    assert first_values(at) == shown
    assert shown[2:4] == [3, 1]


def start_again(at: AppTest) -> None:
    """Give the open page a new session."""
    for widgets in (at.text_area, at.number_input, at.button_group, at.selectbox, at.multiselect):
        for widget in widgets:
            widget.set_value(widget.value)  # as a browser has it, and not the session
    fresh = AppTest.from_function(page)
    fresh._session_state[TESTING_KEY] = at._session_state[TESTING_KEY]  # how AppTest writes the values of widgets
    at._session_state, at.session_state = fresh._session_state, fresh.session_state


def test_the_first_click_after_a_restart_counts(at: AppTest) -> None:
    at.run()
    at.number_input(key="layer").set_value(2).run()
    start_again(at)
    at.number_input(key="layer").set_value(3)
    at.selectbox(key="tags").set_value("all").run()
    assert (selection(at).layer, selection(at).tags) == (3, "all")
    assert at.query_params == {"mode": "separate", "layer": "3", "tags": "all"}


def test_the_first_text_after_a_restart_releases_the_pins(at: AppTest) -> None:
    at.query_params |= {"query": "3"}
    at.run()
    start_again(at)
    at.text_area(key="a").set_value("dogs bark").run()
    assert at.query_params == {"a": "dogs bark", "b": DEFAULT.texts.b}


def test_a_restart_alone_changes_nothing(at: AppTest) -> None:
    at.query_params |= {"a": "dogs bark", "b": "", "layer": "3"}
    at.run()
    before = selection(at)
    start_again(at)
    at.run()
    assert selection(at) == before


def test_the_address_counts_again_once_the_page_is_drawn(at: AppTest) -> None:
    at.run()
    start_again(at)
    at.run()
    go(at, {"layer": "4", "view": "norms"})
    assert (selection(at).layer, selection(at).view) == (4, "norms")
    assert (at.number_input(key="layer").value, at.button_group(key="view").value) == (4, "norms")


def test_an_overruled_widget_counts_again_in_the_next_run(at: AppTest) -> None:
    at.run()
    at.session_state["overruled"] = True
    at.number_input(key="layer").set_value(2).run()
    assert (selection(at).layer, at.number_input(key="layer").value) == (0, 0)
    at.number_input(key="layer").set_value(3).run()
    assert selection(at).layer == 3


def test_buttons_that_report_none_after_an_incomplete_run_change_nothing(at: AppTest) -> None:
    at.run()
    at.session_state["page"] = replace(at.session_state["page"], drawn=False)
    at.session_state["first_drawn"] = {"view": session.Binding("view", "heat map", lambda value: value)}
    at.session_state["view"] = None
    at.run()
    assert not at.exception
    assert selection(at) == DEFAULT
    assert at.query_params == {}
    assert at.session_state["page"].drawn


def test_a_text_that_cannot_be_read_leaves_the_last_one_that_could() -> None:
    def typed() -> None:
        from viz.state import session

        session.restore()
        session.note_texts(readable=False)
        assert session.readable() == session.current(), "no text has been read yet"
        session.change(a="dogs bark", b="cats sleep")
        session.note_texts(readable=True)
        session.change(view="decoder", typed="three")
        session.note_texts(readable=True)
        session.change(view="heat map", a="")
        session.note_texts(readable=False)
        assert (session.readable().texts.a, session.readable().texts.b) == ("dogs bark", "cats sleep")
        assert session.current().texts.a == ""

    at = AppTest.from_function(typed).run()
    assert not at.exception


def test_a_session_has_one_finding_a_name_and_a_view_to_return_to() -> None:
    def noted() -> None:
        from viz.state import session

        session.restore()
        session.finish()
        for sentence in ("first", "second"):
            session.note_finding(sentence)
        assert session.finding() == "first"
        session.change(layer=3)
        assert session.finding() == "", "it is of another selection"
        session.note_finding("third")
        assert session.finding() == "third"
        session.forget_finding()
        assert session.finding() == ""
        assert session.visit() == session.visit()
        session.show_example({"view": "norms", "a": "dogs bark"})
        session.change(layer=2)
        assert (session.current().view, session.text_revision()) == ("norms", 1)
        session.show_example({"a": "cats sleep"})
        assert (session.current().view, session.text_revision()) == ("heat map", 2)

    at = AppTest.from_function(noted).run()
    assert not at.exception
