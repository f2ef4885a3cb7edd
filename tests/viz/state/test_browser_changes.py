"""How a session applies the messages of the browser, in a page that Streamlit runs."""

from streamlit.testing.v1 import AppTest

from tests.viz.state.test_session import selection


def listening_page() -> None:
    """A page that applies the messages of the test, as the callback of the host does."""
    import streamlit as st

    from viz.state import session

    session.restore()
    if "overruled_up_to" in st.session_state:
        session.overrule("encoder", st.session_state.pop("overruled_up_to"))
    if "example" in st.session_state:
        session.change(a=st.session_state.pop("example"))
    session.apply_browser_change(st.session_state.get("sent"))
    st.session_state["change"] = session.pop_browser_change()
    session.save()


def sent(
    number: int, scope: str = "encoder", *, typed: int | None = None, held: bool = False, **changes: object
) -> dict[str, object]:
    return {"scope": scope, "number": number, "changes": changes, "typed": typed, "held": held, "waiting": False}


def test_a_change_in_the_browser_is_heard_once() -> None:
    at = AppTest.from_function(listening_page)
    at.session_state["sent"] = sent(5, layer=3, head=7)
    at.run()
    assert (selection(at).layer, selection(at).head) == (3, 7)
    assert at.query_params == {"mode": "separate", "layer": "3", "head": "7", "tags": "6"}
    assert at.session_state["change"].number == 5
    at.session_state["sent"] = sent(5, layer=1)
    at.run()
    assert (selection(at).layer, at.session_state["change"]) == (3, None)
    at.session_state["sent"] = sent(6, layer=1)
    at.run()
    assert selection(at).layer == 1


def test_a_change_of_the_other_models_place_goes_there() -> None:
    at = AppTest.from_function(listening_page)
    at.query_params |= {"view": "decoder", "layer": "1", "head": "2"}
    at.session_state["sent"] = sent(1, layer=5, head=11)
    at.run()
    assert (selection(at).view, selection(at).layer, selection(at).head) == ("decoder", 1, 2)
    assert (selection(at).place.layer, selection(at).place.head) == (5, 11)
    at.session_state["sent"] = sent(1, scope="decoder", layer=0)  # numbers of the two are not compared
    at.run()
    assert (selection(at).layer, selection(at).place.layer) == (0, 5)


def test_the_address_waits_for_the_end_of_typing() -> None:
    at = AppTest.from_function(listening_page)
    at.session_state["sent"] = sent(5, typed=5, a="dogs", b="", held=True)
    at.run()
    assert (selection(at).texts.a, at.query_params) == ("dogs", {})
    at.session_state["sent"] = sent(6, typed=6, a="dogs bark", b="")
    at.run()
    assert at.query_params == {"a": "dogs bark", "b": "", "mode": "separate", "tags": "6"}


def test_of_two_messages_the_newer_one_counts_whichever_is_heard_first() -> None:
    at = AppTest.from_function(listening_page)
    for message in (sent(6, typed=6, a="dogs bark"), sent(5, typed=5, a="dogs")):
        at.session_state["sent"] = message
        at.run()
    assert selection(at).texts.a == "dogs bark"


def test_a_text_that_was_read_does_not_return_with_a_later_choice() -> None:
    at = AppTest.from_function(listening_page)
    at.session_state["sent"] = sent(5, typed=5, a="dogs", held=True)
    at.run()
    at.session_state["example"] = "an example"
    at.session_state["sent"] = sent(6, typed=5, a="dogs", head=7, held=True)
    at.run()
    assert (selection(at).texts.a, selection(at).head) == ("an example", 7)
    assert at.query_params["a"] == "an example"


def test_a_choice_while_a_text_is_unacknowledged_does_not_end_typing() -> None:
    at = AppTest.from_function(listening_page)
    at.session_state["sent"] = sent(5, typed=5, a="dogs", held=True)
    at.run()
    at.session_state["sent"] = sent(6, typed=5, a="dogs", head=7, held=True)
    at.run()
    assert (selection(at).head, at.query_params) == (7, {})
    at.session_state["sent"] = sent(7, head=8, held=True)
    at.run()
    assert at.query_params["a"] == "dogs"


def test_an_overruled_message_still_has_its_texts() -> None:
    at = AppTest.from_function(listening_page)
    at.session_state["overruled_up_to"] = 6
    at.session_state["sent"] = sent(6, typed=5, a="dogs", head=7)
    at.run()
    assert (selection(at).texts.a, selection(at).head) == ("dogs", 4)
    at.session_state["sent"] = sent(6, typed=5, a="cats")
    at.run()
    assert selection(at).texts.a == "dogs"
