"""The head view in the running app."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.pages.app_page import AppPage

Open = Callable[..., AppPage]


def test_heads_are_toggled_without_sending_the_layer_again(open_app: Open) -> None:
    at = open_app(view="head view", a="time flies " * 100, head="7")
    expect(at.page.locator(".count")).to_have_text("808 of 40,804 lines")
    received: list[int] = []
    again = at.page.context.new_cdp_session(at.page)
    again.send("Network.enable")
    again.on("Network.webSocketFrameReceived", lambda event: received.append(len(event["response"]["payloadData"])))
    at.page.get_by_role("button", name="Head 2", exact=True).click()
    at.selected(heads="2.7")
    expect(at.page.locator(".count")).to_have_text("1,616 of 81,608 lines")
    at.head(3)
    at.selected(heads=None)
    expect(at.page.locator('.chips [aria-pressed="true"]')).to_have_text("3")
    assert received
    # The layer would be one frame of 202 · 202 · 12 · 2 bytes. (Streamlit sends a component's source with its data.)
    assert max(received) < 200_000
    at.assert_sound()


def test_a_pinned_token_stays_through_a_change_of_layer_and_of_view(visit_app: Open) -> None:
    at = visit_app(view="head view")
    expect(at.page.locator(".count")).not_to_be_empty()
    scroller = at.page.locator(".head-view .scroller")
    for _ in range(9):
        scroller.press("ArrowDown")
    scroller.press("Enter")
    at.selected(query="8")
    at.layer(2)
    expect(at.page.locator(".said")).to_contain_text("flies (8) looks at")
    at.view("Norms")
    at.view("Head view")
    expect(at.page.locator(".said")).to_contain_text("flies (8) looks at")
    at.page.locator(".head-view .scroller").press("Escape")
    at.selected(query=None)
    at.assert_sound()


def test_sentences_encoded_apart_stand_side_by_side(visit_app: Open) -> None:
    at = visit_app(view="head view", mode="separate", query="2", pinned_in="B")
    expect(at.page.locator(".head-view .count")).to_have_count(2)
    expect(at.page.locator(".said").last).to_contain_text("flies (2) looks at")
    expect(at.page.locator(".said").first).to_contain_text("Opacity")
    boxes = [box.bounding_box() for box in at.page.locator(".head-view .pane").all()]
    assert boxes[0]
    assert boxes[1]
    assert boxes[0]["y"] == boxes[1]["y"]
    assert boxes[0]["x"] + boxes[0]["width"] < boxes[1]["x"]
    at.assert_sound()
