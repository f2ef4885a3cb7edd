"""The text fields alone, without a server."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.pages.component_page import ComponentPage
from tests.browser.pages.offline import Offline


class Fields:
    """Fields for two sentences; `sent` are the changes of which the page is told."""

    def __init__(self, offline: Offline) -> None:
        self.at = ComponentPage(offline, "text_fields", width=280, classes="fields")

    def show(
        self,
        a: str,
        *,
        linked: str | None = None,
        answered: int | None = None,
        held: bool = False,
        visit: str = "v1",
    ) -> Fields:
        self.told = {
            "texts": {"a": a, "b": ""},
            "linked": {"a": a if linked is None else linked, "b": ""},
            "held": held,
            "answered": answered,
            "visit": visit,
        }
        labels = [{"name": "a", "label": "Sentence A"}, {"name": "b", "label": "Sentence B (optional)"}]
        self.at.page.evaluate("show", self.told | {"scope": "encoder", "key": "texts_a_b", "fields": labels})
        return self

    def know(self, *, slow: float | None = None, **marks: Any) -> None:
        """What comes after the run."""
        known = self.told | {"marks": marks, "slow": slow, "direct": None}
        receive = "async (known) => (await load('shared/host.mjs')).hostOf('encoder').receiveRuns(known, null)"
        self.at.page.evaluate(receive, known)

    def field(self, name: str = "Sentence A") -> Locator:
        return self.at.page.get_by_role("textbox", name=name, exact=True)

    @property
    def sent(self) -> list[dict[str, Any]]:
        changes: list[dict[str, Any]] = self.at.page.evaluate(
            "sent.map(({ number, changes, held }) => ({ number, ...changes, held }))"
        )
        return changes

    def wait_for(self, count: int) -> dict[str, Any]:
        """The last of so many messages."""
        self.at.page.wait_for_function("count => sent.length >= count", arg=count)
        return self.sent[count - 1]


@pytest.fixture
def fields(offline: Offline) -> Fields:
    return Fields(offline).show("time flies")


def test_each_field_is_found_by_its_label(fields: Fields) -> None:
    for name in ("Sentence A", "Sentence B (optional)"):
        fields.at.page.get_by_text(name, exact=True).click()
        expect(fields.field(name)).to_be_focused()


def test_a_text_is_held_and_then_settled(fields: Fields) -> None:
    fields.field().press("End")
    fields.at.page.keyboard.type("!")
    held = fields.wait_for(1)
    fields.show("time flies!", linked="time flies", answered=held["number"], held=True)
    settled = fields.wait_for(2)
    assert settled["number"] > held["number"]
    texts = {"a": "time flies!", "b": ""}
    assert [change | {"number": 0} for change in (held, settled)] == [
        texts | {"held": is_held, "number": 0} for is_held in (True, False)
    ]


def test_nothing_is_sent_between_the_keys_where_runs_take_long(fields: Fields) -> None:
    fields.know(slow=0.84)
    expect(fields.at.page.get_by_role("status")).to_have_text(
        "A run takes 0.8 s, so the text runs on Ctrl+Enter or when you leave the field."
    )
    fields.field().press("End")
    fields.at.page.keyboard.type("!")
    fields.field().press("Control+Enter")
    assert [change["held"] for change in fields.sent] == [False]
    fields.at.page.keyboard.type("?")
    fields.field("Sentence B (optional)").focus()
    assert [change["a"] for change in fields.sent] == ["time flies!", "time flies!?"]
    fields.know()
    expect(fields.at.locator(".note")).to_be_hidden()


def test_leaving_a_field_or_ctrl_enter_without_a_change_sends_nothing(fields: Fields) -> None:
    fields.field().press("Control+Enter")
    fields.field("Sentence B (optional)").focus()
    assert fields.sent == []


def test_a_draft_outlives_the_server_and_the_view(fields: Fields) -> None:
    fields.field().press("End")
    fields.at.page.keyboard.type("!")
    fields.field().press("Control+Enter")
    fields.show("time flies", visit="v2")
    expect(fields.field()).to_have_value("time flies!")
    assert fields.sent[-1]["a"] == "time flies!"
    fields.at.page.evaluate("remove()")
    before = len(fields.sent)
    fields.show("time flies", visit="v3")
    expect(fields.field()).to_have_value("time flies!")
    assert len(fields.sent) == before + 1


def test_markup_stays_text(fields: Fields) -> None:
    text = "</script><img src=x onerror=alert(1)>"
    fields.show(text).know(a={"read": text[:9], "cut": True, "pieces": [[2, 4], [4, 8]]})
    expect(fields.field()).to_have_value(text)
    expect(fields.at.locator(".cut")).to_have_text(text[9:])
    expect(fields.at.locator("img")).to_have_count(0)


def test_a_field_shows_whole_lines_and_grows_to_three(fields: Fields) -> None:
    """Its padding is outside of what scrolls, so that no line is cut in half, at the end as at the start."""
    heights, text = [], " ".join(["word"] * 60)
    for shown in (text[:9], text[:39], text):
        fields.show(shown).know(a={"read": shown[:-4], "cut": True, "pieces": []})
        heights.append(fields.field().evaluate("field => field.clientHeight"))
    assert heights == [20, 40, 60]
    end = fields.field().evaluate("field => { field.scrollTop = 1e6; return field.scrollTop; }")
    assert end > 0
    assert end % 20 == 0
    expect(fields.at.locator(".marks").first).to_have_js_property("clientHeight", 60)
    expect(fields.at.locator(".marks").first).to_have_js_property("scrollTop", end)
