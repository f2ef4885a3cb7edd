"""The selection in the running app: it changes in the browser at once, and Python hears of it a moment later."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages.app_page import AppPage, Open

LONG = "time flies " * 100
# Every message to the server from now on, and every run of the script, is held until `release` is called.
HOLD = """() => {
    const { send } = WebSocket.prototype;
    const held = [];
    window.messages = 0;
    WebSocket.prototype.send = function (...data) {
        window.messages += 1;
        held.push(() => send.apply(this, data));
    };
    window.release = () => {
        WebSocket.prototype.send = send;
        for (const message of held.splice(0)) message();
    };
}"""


@pytest.fixture
def opened(visit_app: Open) -> AppPage:
    at: AppPage = visit_app(mode="pair")
    at.heat_map("L0 H4")
    return at


@pytest.fixture
def unheard(opened: AppPage) -> Iterator[AppPage]:
    """A page whose messages do not reach the server until `release()`."""
    opened.page.evaluate(HOLD)
    yield opened
    opened.page.evaluate("release()")


def tile_of(page: Page, layer: int, head: int) -> dict[str, float]:
    """The middle of a head's tile on the small map."""
    place = """([layer, head]) => {
        const canvas = [...document.querySelectorAll("*")].map((node) => node.shadowRoot?.querySelector(".map canvas"))
            .find(Boolean) ?? document.querySelector(".map canvas");
        const { clientWidth: width, clientHeight: height } = canvas;
        const step = (height - 24) / 6;
        return { x: width - step * (12 - head) + step / 2 - 1, y: 24 + step * layer + step / 2 - 1 };
    }"""
    found: dict[str, float] = page.evaluate(place, [layer, head])
    return found


def test_a_click_on_the_map_changes_the_picture_without_the_server_which_draws_nothing_anew(unheard: AppPage) -> None:
    mark = "document.querySelector('[data-testid=stMain] [data-testid=stCaptionContainer]')"
    unheard.page.evaluate(f"{mark}.dataset.mark = 'kept'")
    unheard.map.click(position=tile_of(unheard.page, 3, 7))
    unheard.heat_map("L3 H7")
    unheard.assert_chosen("L3 H7")
    assert "layer" not in unheard.selection
    unheard.page.evaluate("release()")
    unheard.selected(layer="3", head="7")
    assert unheard.page.evaluate(f"{mark}.dataset.mark") == "kept"
    unheard.assert_sound()


def test_a_choice_while_a_run_is_under_way_is_the_newer_one(opened: AppPage) -> None:
    opened.option("Show the text as", "Whole words").click()
    opened.type_on_map("L4H2")
    opened.selected(level="words", layer="4", head="2")
    opened.heat_map("L4 H2")
    opened.assert_chosen("L4 H2")


def test_what_is_clicked_next_comes_after_the_choice(opened: AppPage) -> None:
    opened.type_on_map("L4H2")
    opened.view("Neuron view").selected(layer="4", head="2").painted(".neuron", "L4|H2")


def test_pointing_at_a_head_previews_it_and_leaving_restores(opened: AppPage) -> None:
    opened.page.evaluate(HOLD)
    opened.map.hover(position=tile_of(opened.page, 5, 2))
    opened.heat_map("L5 H2")
    opened.page.mouse.move(5, 5)
    opened.heat_map("L0 H4")
    assert opened.page.evaluate("window.messages") == 0
    opened.page.evaluate("release()")


def test_held_arrow_keys_walk_and_python_receives_the_last_head(opened: AppPage) -> None:
    opened.page.evaluate(HOLD)
    opened.map.focus()
    for _ in range(7):
        opened.page.keyboard.down("ArrowRight")  # again and again without a release: the key repeats
    opened.page.keyboard.up("ArrowRight")
    opened.heat_map("L0 H11")
    opened.page.wait_for_function("window.messages > 0")
    opened.page.evaluate("release()")
    opened.selected(head="11")
    opened.page.go_back()
    opened.selected(head=None)  # one entry of the browser's history for all of them
    opened.heat_map("L0 H4")


def test_the_address_follows_and_a_reload_restores(opened: AppPage) -> None:
    opened.type_on_map("L3M")
    opened.option("From → to", "A→B").click()
    opened.selected(layer="3", head="mean", sentences="A→B")
    opened.page.reload()
    opened.heat_map("L3, mean over heads")
    expect(opened.option("From → to", "A→B")).to_be_checked()
    opened.assert_sound()


def test_an_unsent_layer_of_a_long_text_comes_without_a_new_page(open_app: Open) -> None:
    at: AppPage = open_app(a=LONG, b="")
    at.heat_map("L0 H4")
    at.type_on_map("L4")
    at.heat_map("L4 H4")
    expect(at.page.locator(".notice").first).to_be_hidden()
    at.selected(layer="4")
    kept = "[...window[Symbol.for('headlight.store')].messages.keys()].filter((id) => /-L\\d+$/.test(id)).length"
    at.page.wait_for_function(f"{kept} >= 5")  # both, and the neighbours of both
    at.type_on_map("L5")
    at.heat_map("L5 H4")
    at.assert_sound()


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
