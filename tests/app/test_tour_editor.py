"""The user's tour: written, stored by the browser, and opened from files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from encoder import Backend
from tests.app.app_script import Offered, alerts, choose, click, model_shown, open_page, run, send, sentences_of
from tests.app.tours import FLIES, own_tour, pick, restore, sent_to_storage, text_area, titles, upload, write
from tests.viz.html.reading import contents_of
from viz.caches import run_cache
from viz.page.tours import custom_tour, editor
from viz.tours.files import write_tour
from viz.tours.grammar import format_claim, format_point

TEXT = write_tour(FLIES)
FOUND = "In layer 0, head 4, “flies” gives 80 % of its attention to “time” in A and 81 % to “fruit” in B."
TWO = "# Mine\n\n## One\n\n## Two\n\nSome *words*.\n"
BAD = "# Mine\n\n## One\n\n```yaml\nclaims: eval(1) > 0\n```\n"
HOSTILE = "# Mine\n\n## A stop\n\n```yaml\na: hello there\nmodel: {model}\n```\n"


def editing(text: str = TWO, stop: int = 1) -> AppTest:
    """The editor, open at a stop of a stored tour."""
    return click(restore(open_page(tour="own", stop=str(stop)), text), "tour_edit")


def run_with(at: AppTest, field: Any, typed: str) -> AppTest:
    field.set_value(typed)
    return run(at)


def turned(states: Any) -> Any:
    """The states of all widgets, the last one first."""
    states.widgets.reverse()
    return states


def test_edit_makes_a_copy_of_a_tour_that_ships_and_keeps_the_others() -> None:
    at = click(restore(open_page(tour="time-flies", stop="3"), TWO), "tour_edit")
    assert own_tour(at) == FLIES
    assert (text_area(at).value, at.query_params["stop"]) == (TEXT, "3")
    assert titles(pick(at, "own")) == ["One", "Two"]


def test_several_tours_are_listed_opened_and_deleted() -> None:
    at = restore(open_page(), TWO, TWO.replace("Mine", "Another"))
    assert [option for option in at.menu_button(key="tours").options if option.startswith("Mine: ")] == [
        "Mine: Mine",
        "Mine: Another",
    ]
    assert "Another · 1 of 2" in sentences_of(pick(at, "own-2"))
    assert sent_to_storage(click(at, "tour_delete"))["text"] == ""
    assert "tour" not in at.query_params
    assert "Mine: Another" not in at.menu_button(key="tours").options
    pick(at, "begin")
    assert titles(at) == [FOUND]
    assert "Mine: My lesson" in at.menu_button(key="tours").options


def test_a_tour_that_is_only_shown_is_not_stored_again() -> None:
    at = pick(restore(open_page(), TWO, TWO.replace("Mine", "Another")), "own-2")
    assert sent_to_storage(at)["revision"] == 0
    assert sent_to_storage(click(at, "tour_add"))["revision"] == 1


def test_a_pinned_cell_becomes_a_point_and_a_claim() -> None:
    stop = FLIES.stops[2]
    text = write_tour(replace(FLIES, stops=(stop,)))
    at = restore(open_page(tour="own", stop="1", view="heat map", mode="separate", query="3", key="2"), text)
    click(click(at, "tour_point"), "tour_claim")
    tour = own_tour(at)
    assert tour is not None
    assert [format_point(point) for point in tour.stops[0].points][len(stop.points) :] == ['cell(A:"like" → A:"flies")']
    assert [format_claim(claim) for claim in tour.stops[0].claims][len(stop.claims) :] == [
        'weight(layer=0, head=4, A:"like" → A:"flies") > 0.02'
    ]
    without_pin = restore(open_page(tour="own", stop="1"), TWO)
    assert sent_to_storage(click(without_pin, "tour_point"))["text"] == TWO
    assert [toast.value for toast in without_pin.toast] == ["Select a cell first: click one in the heat map."]


def test_typed_text_is_previewed_and_shown(offered: Offered) -> None:
    at = write(editing(), "# Yours\n\n## Two\n\n```yaml\nquestion: Why?\n```\n\n## One\n")
    assert {"**Yours**", ":material/help: Why?"} <= {element.value for element in at.markdown}
    assert [button.label for button in at.button if "tour_stop_" in str(button.key)] == ["**1 · Two**", "2 · One"]
    assert "Yours · 1 of 2" in sentences_of(at)
    assert (offered.keys() >= {"lesson.md", "slides.html"}, at.query_params["stop"]) == (True, "1")
    slides = contents_of(offered["slides.html"]().decode())["slides"]
    assert [slide["title"] for slide in slides] == ["Two", "One"]
    click(at, "tour_stop_2")
    assert (at.query_params["stop"], sent_to_storage(at)["place"]) == ("2", [2, 8])


def field(at: AppTest, label: str) -> Any:
    """A field of the editor's form."""
    return next(each for each in (*at.text_input, *at.text_area) if each.label == label)


def test_a_stop_is_edited_in_a_form_with_any_character() -> None:
    at = editing(stop=2)
    notes = "notes: Wait ten seconds: then show\n```\n## “#” – {a}: [b] & 100 %\n- 'c' \\ \"d\""
    for label, typed in {
        "Title of the lesson": "Yours: a #1",
        "Question": "Why: here?",
        "Notes for the speaker": notes,
    }.items():
        run_with(at, field(at, label), typed)
    tour = own_tour(at)
    assert tour is not None
    assert (tour.title, tour.stops[1].question, tour.stops[1].notes) == ("Yours: a #1", "Why: here?", notes)
    assert tour.stops[1].words == "Some *words*."
    run_with(at, field(at, "Answer"), "<b>no</b>")
    assert any(alert.startswith("In words, HTML is not allowed") for alert in alerts(at))
    assert (field(at, "Answer").value, own_tour(at)) == ("<b>no</b>", tour)
    assert titles(click(at, "tour_add_page")) == ["One", "Two"]  # nothing is done that would lose it
    run_with(at, field(at, "Answer"), "yes")
    assert not alerts(at)


@pytest.mark.parametrize("button_first", [False, True])
def test_stops_are_moved_duplicated_and_deleted(monkeypatch: pytest.MonkeyPatch, button_first: bool) -> None:
    at = editing(stop=2)
    if button_first:
        monkeypatch.setattr(at._tree, "get_widget_states", lambda read=at._tree.get_widget_states: turned(read()))
    field(at, "Title of this stop: what it finds").set_value("Second")
    click(at, "form_up")
    assert (titles(at), at.query_params["stop"]) == (["Second", "One"], "1")
    assert titles(click(at, "form_duplicate")) == ["Second", "Second", "One"]
    assert at.query_params["stop"] == "2"
    assert titles(click(click(at, "form_down"), "form_delete")) == ["Second", "One"]
    assert titles(click(at, "tour_undo")) == ["Second", "One", "Second"]


def test_a_second_press_before_the_answer_loses_no_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    arrange = editor._arrange
    monkeypatch.setattr(editor, "_arrange", lambda *args: (arrange(*args), arrange(*args)))
    assert titles(click(editing(), "form_duplicate")) == ["One", "One", "One", "Two"]


def test_unreadable_text_stays_and_its_line_is_named() -> None:
    at = write(editing(), BAD)
    assert text_area(at).value == BAD
    assert any("Line 6: “eval” is no measure" in alert for alert in alerts(at))
    assert at.code[0].value == "claims: eval(1) > 0"
    assert "Mine · 1 of 2" in sentences_of(at)  # as it was read last
    again = restore(open_page(tour="own", stop="1"), BAD)
    assert text_area(again).value == BAD
    assert alerts(write(again, TWO)) == []
    assert "Mine · 1 of 2" in sentences_of(again)


def test_a_page_is_added_after_the_stop_that_is_shown() -> None:
    at = click(choose(editing(), layer=5), "tour_add_page")
    assert [title[:19] for title in titles(at)] == ["One", "In layer 5, head 4,", "Two"]
    assert str(text_area(at).value).endswith("## Two\n\nSome *words*.\n")
    assert (at.query_params["stop"], sent_to_storage(at)["place"][0]) == ("2", 2)
    tour = own_tour(at)
    assert tour is not None
    assert tour.stops[1].state["layer"] == "5"
    click(at, "tour_undo")
    assert text_area(at).value == TWO
    assert len(titles(click(at, "tour_redo"))) == 3


@pytest.mark.parametrize("button_first", [False, True])
def test_text_that_comes_with_a_click_counts(monkeypatch: pytest.MonkeyPatch, button_first: bool) -> None:
    at = editing()
    text_area(at).set_value(TWO.replace("One", "First"))
    if button_first:
        monkeypatch.setattr(at._tree, "get_widget_states", lambda read=at._tree.get_widget_states: turned(read()))
    assert titles(click(at, "tour_add_page"))[::2] == ["First", "Two"]


def test_a_text_area_that_was_replaced_is_ignored() -> None:
    at = editing()
    drafts: dict[str, custom_tour.Draft] = at.session_state[custom_tour.DRAFTS]
    area = text_area(at).set_value("# Stale")
    at.session_state[custom_tour.DRAFTS] = {"own": replace(drafts["own"], revision=drafts["own"].revision + 1)}
    assert area.key != text_area(run(at)).key
    assert text_area(at).value == TWO


def test_a_double_click_undoes_the_first_change_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second click comes before the button is disabled."""
    at = click(editing(), "tour_add_page")
    step = custom_tour.step
    monkeypatch.setattr(custom_tour, "step", lambda by: (step(by), step(by)))
    assert titles(click(at, "tour_undo")) == ["One", "Two"]


def test_an_emptied_tour_is_closed_and_comes_back() -> None:
    at = write(editing(), "")
    assert (sent_to_storage(run(at))["text"], own_tour(at), "tour" in at.query_params) == ("", None, False)
    assert titles(click(at, "tour_undo")) == ["One", "Two"]


def test_a_change_that_the_browser_did_not_store_can_be_saved_as_a_file() -> None:
    at = restore(open_page(tour="own"), TWO)
    assert not at.warning
    send(at, "kept_tour", refused=True)
    assert "is lost when this tab closes" in at.warning[0].value
    send(at, "kept_tour", refused=False)
    assert not at.warning


def test_a_tour_is_restored_after_a_reload() -> None:
    at = open_page(tour="own", stop="2")
    assert (sent_to_storage(at)["text"], sent_to_storage(at)["awaited"], alerts(at)) == (None, True, [])
    restore(at, TWO)
    assert {"#### Two", "Some *words*."} <= {element.value for element in at.markdown}
    assert (sent_to_storage(at)["text"], at.query_params["stop"]) == (TWO, "2")


@pytest.mark.parametrize("link", [{}, {"tour": "time-flies"}])
def test_a_page_without_the_users_tour_waits_for_none(link: dict[str, str]) -> None:
    at = open_page(**link)
    assert not sent_to_storage(at)["awaited"]
    assert restore(at, TWO).query_params.get("tour") == link.get("tour")


def test_a_tour_begun_before_the_stored_one_comes_is_kept_with_it() -> None:
    at = restore(pick(open_page(), "add"), TWO)
    assert titles(at) == [FOUND]
    assert titles(pick(at, "own")) == ["One", "Two"]


def test_a_file_is_opened_and_keeps_the_others() -> None:
    at = upload(editing(stop=2), "flies.md", b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    assert own_tour(at) == FLIES
    assert (text_area(at).value, at.query_params["stop"]) == (TEXT, "1")
    assert titles(pick(at, "own")) == ["One", "Two"]


def test_a_malformed_file_is_opened_and_its_line_named() -> None:
    data = b"\xff\r\x00"
    at = upload(editing(), "bad.md", data)
    assert any("Line 2: The character U+0000" in alert for alert in alerts(at))
    assert text_area(at).value == data.decode(errors="replace").replace("\r", "\n")
    assert titles(pick(at, "own")) == ["One", "Two"]


def test_a_strangers_tour_loads_no_model_unasked(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    loaded: list[str] = []
    load = run_cache.model

    def note(name: str) -> Backend:
        loaded.append(name)
        return load(name)

    monkeypatch.setattr(run_cache, "model", note)
    at = upload(editing(), "theirs.md", HOSTILE.format(model=tmp_path).encode())
    assert any("is a path" in alert for alert in alerts(at))
    assert model_shown(at) == "bundled"
    assert str(tmp_path) not in loaded


def test_a_tour_is_closed_and_the_page_stays() -> None:
    at = click(open_page(tour="time-flies", stop="3"), "tour_close")
    assert at.query_params == {"mode": "separate", "query": "2", "key": "1"}
    assert "of 10" not in sentences_of(at)
