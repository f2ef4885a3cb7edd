"""The page's state and the history of its browser: the newer one of address and click counts."""

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.viz.state.selections import CHANGES
from viz.state import history
from viz.state.address import LONGEST_LINK, from_query, left_out, to_query
from viz.state.fields import with_values
from viz.state.history import Page
from viz.state.selection import DEFAULT, Selection

Params = dict[str, str]


@dataclass
class Browser:
    """A tab: its addresses, where in them it is, and the page that the server holds for it."""

    page: Page
    addresses: list[Params]
    at: int = 0

    @classmethod
    def open(cls, params: Params) -> "Browser":
        browser = cls(page=history.opened(params), addresses=[params])
        browser._write()
        return browser

    def click(self, change: dict[str, Any]) -> None:
        self.page = history.changed(self.page, change)
        self._write()

    def type(self, change: dict[str, Any]) -> None:
        """Keys after which others may follow."""
        self.page = history.changed(self.page, change, held=True)
        self._write()

    def go(self, steps: int) -> None:
        """Back or forward, as far as there is something."""
        self.at = min(max(self.at + steps, 0), len(self.addresses) - 1)
        self.page = history.arrived(self.page, self.addresses[self.at])
        self._write()

    def follow(self, params: Params) -> None:
        """A link within the tab."""
        self.addresses[self.at + 1 :] = [params]
        self.go(1)

    def _write(self) -> None:
        self.page = history.written(self.page)
        if self.page.address != self.addresses[self.at]:
            self.addresses[self.at + 1 :] = [dict(self.page.address)]
            self.at += 1


LINKS = st.sampled_from(
    [
        {},
        {"layer": "3"},
        {"layer": "x", "head": "mean"},
        {"a": "dogs bark"},
        {"view": "decoder", "layer": "1", "source": "b a"},
        {"view": "word lens", "at_a": "1", "silenced": "0.1-2.3"},
    ]
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("click"), CHANGES),
        st.tuples(st.just("go"), st.integers(-3, 3)),
        st.tuples(st.just("follow"), LINKS),
        st.tuples(st.just("type"), CHANGES),
    ),
    max_size=12,
)


@given(LINKS, STEPS)
def test_the_last_address_restores_the_page_after_any_steps(link: Params, steps: list[tuple[str, Any]]) -> None:
    browser = Browser.open(dict(link))
    for kind, what in steps:
        if kind == "go":
            browser.go(what)
        elif kind == "follow":
            browser.follow(dict(what))
        elif kind == "type":
            entries = len(browser.addresses)
            browser.type(what)
            assert len(browser.addresses) == entries
            browser.click({})  # the keys have paused
        else:
            browser.click(what)
        selection = browser.page.selection
        address = browser.addresses[browser.at]
        assert address == to_query(selection)
        assert from_query(address, selection) == (selection, ())  # beside the place that no address names


@given(CHANGES)
def test_back_after_a_click_is_the_page_before(change: dict[str, Any]) -> None:
    browser = Browser.open({})
    browser.click(change)
    after = browser.page.selection
    browser.go(-1)
    assert to_query(browser.page.selection) == {}
    browser.go(len(browser.addresses))
    assert to_query(browser.page.selection) == to_query(after)


def test_typing_is_one_entry_of_the_history_when_it_pauses() -> None:
    browser = Browser.open({"layer": "2"})
    for text in ("d", "do", "dog"):
        browser.type({"a": text})
        assert browser.addresses == [{"layer": "2"}]
    browser.click({})
    assert [address.get("a") for address in browser.addresses] == [None, "dog"]
    browser.go(-1)
    assert browser.page.selection == from_query({"layer": "2"})[0]


def test_a_click_during_typing_puts_both_into_the_address() -> None:
    browser = Browser.open({})
    browser.type({"a": "dog"})
    browser.click({"layer": 3})
    assert browser.addresses[1:] == [{"a": "dog", "b": DEFAULT.texts.b, "mode": "separate", "layer": "3", "tags": "6"}]


def test_the_way_back_counts_while_an_address_is_held() -> None:
    browser = Browser.open({})
    browser.click({"layer": 3})
    browser.type({"a": "dog"})
    browser.go(-1)
    assert browser.page.selection == DEFAULT
    browser.go(1)
    assert browser.page.selection == with_values(DEFAULT, {"layer": 3})


@given(CHANGES, CHANGES)
def test_the_linked_selection_is_known_before_the_address_is_written(
    first: dict[str, Any], typed: dict[str, Any]
) -> None:
    browser = Browser.open({})
    browser.click(first)
    before = browser.page.selection.texts
    browser.type(typed)
    assert history.linked(browser.page).texts == before
    assert history.linked(history.changed(browser.page, {})).texts == browser.page.selection.texts


def test_problems_of_a_link_are_shown_until_the_first_change() -> None:
    page = history.written(history.opened({"layer": "x"}))
    assert len(page.problems) == 1
    assert len(history.arrived(page, page.address).problems) == 1
    assert page.address == {"mode": "pair"}
    assert history.changed(page, {"layer": 1}).problems == ()


def test_going_back_shows_the_problems_of_that_address() -> None:
    page = history.written(history.changed(history.opened({}), {"layer": 3}))
    assert history.arrived(page, {"layer": "x"}).problems == history.opened({"layer": "x"}).problems != ()
    assert history.arrived(page, {}).problems == ()
    assert history.arrived(page, {"layer": "4"}).address == {"layer": "4"}
    assert history.arrived(history.changed(page, {"layer": 5}, held=True), {}).held is False


@pytest.mark.parametrize("view", ["norms", "decoder"])
@pytest.mark.parametrize("name", ["a", "b", "typed", "source"])
def test_a_text_that_no_address_holds_survives_the_way_back(name: str, view: str) -> None:
    long = "x" * LONGEST_LINK
    browser = Browser.open({"layer": "1", "view": view})
    browser.click({name: long})
    browser.click({"layer": 2})
    browser.go(-1)
    selection: Selection = browser.page.selection
    assert selection.shown_place.layer == 1
    assert long in (selection.texts.a, selection.texts.b, selection.word_lens.typed, selection.decoder.source)
    assert name in left_out(selection)
    browser.follow({"a": "dogs bark"})
    assert (browser.page.selection.texts.a, browser.page.selection.texts.b) == ("dogs bark", "")


def test_another_address_stands_above_what_the_browsers_widgets_say() -> None:
    """`session.finish` reads the widgets only where the page was not drawn yet."""
    page = history.opened({"layer": "2"})
    assert not page.drawn
    assert history.arrived(page, {"layer": "2"}).drawn is False
    assert history.arrived(page, {"layer": "3"}).drawn is True
