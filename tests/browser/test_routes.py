"""Routes alone on an empty page: what the picture says and sends."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from encoder.measures.units import Units
from tests.browser.pages.component_page import ComponentPage
from tests.browser.pages.offline import Offline
from tests.browser.pages.saved_page import SavedPage
from tests.browser.pages.window import Window
from tests.viz.made_up import tokens_of
from viz.notebooks.views import routes as routes_of
from viz.payloads.routes import cut_message, routes_message

LAYERS, HEADS, TOKENS = 2, 3, 4
LINK, SECOND = (1, 2, 1, 2), (0, 0, 2, 3)  # layer, head, query, key
KEPT = np.array([0.2, 0.5, 0.9, 0.95], np.float32)


@pytest.fixture
def routes(offline: Offline) -> ComponentPage:
    values = np.full((LAYERS, HEADS, TOKENS, TOKENS), 0.001, np.float32)
    values[1, :, [0, 2, 3]] = 0  # the output is read at token 1
    values[LINK], values[SECOND] = 0.4, 0.2
    labels, special = ("[CLS]", "time", "flies", "[SEP]"), (True, False, False, True)
    units = Units(labels, ((0,), (1,), (2,), (3,)), special, None, TOKENS)
    message = routes_message(
        values,
        np.full_like(values, 0.25),
        units,
        counts=(0, 1, 2, int(np.count_nonzero(values))),
        kept=KEPT,
        opens=2,
        name="“good”",
        unit="probability",
        adds="log odds",
    )
    component = ComponentPage(offline, "routes", classes="routes")
    component.receive(cut_message(message, KEPT[::-1]))
    component.receive(message)
    component.show(extra={"layers": None, "texts": ["A"], "cuts": {"run": "A", "shown": ""}})
    return component


def test_a_notebook_shows_the_routes_without_a_server(browser: Window, tmp_path: Path) -> None:
    target = SimpleNamespace(tokens=tokens_of([1, 1]), label="good", unit="probability", additive_unit="log odds")
    values = np.full((LAYERS, HEADS, TOKENS, TOKENS), 0.001, np.float32)
    values[LINK] = 0.4
    links: Any = SimpleNamespace(target=target, values=values, size=values.size, weights=np.full_like(values, 0.25))
    links.search = lambda share: ([0, 1, values.size], KEPT[1:], 1)
    path = routes_of(links).save(tmp_path / "routes.html")
    with browser.tab() as page:
        saved = SavedPage(page, path)
        expect(page.get_by_role("heading", level=1)).to_have_text("1 of 96 links are enough for 90 % of “good”.")
        expect(page.locator(".routes .kept")).to_contain_text("1 of 96 links kept: “good” 90 % (95 % with all)")
        expect(page.locator(".routes[data-lines='1']")).to_be_visible()
        saved.close()


def middle_of(routes: ComponentPage, link: tuple[int, int, int, int]) -> dict[str, float]:
    """The middle of a line on the canvas."""
    layer, _, query, key = link
    width = routes.page.evaluate("document.querySelector('.view').clientWidth")
    room = routes.call("routes/scene.mjs", "roomOnPage", routes.page.evaluate("window.innerHeight"))
    layout = routes.call("routes/scene.mjs", "layoutOf", width, room, TOKENS, LAYERS, 40)
    ends = [routes.call("routes/scene.mjs", "placeOf", layout, *place) for place in ((layer, key), (layer + 1, query))]
    return {axis: (ends[0][axis] + ends[1][axis]) / 2 for axis in "xy"}


def test_lines_and_tokens_say_what_they_are(routes: ComponentPage) -> None:
    tip, over = routes.page.get_by_role("tooltip"), routes.locator("canvas.over")
    over.hover(position=middle_of(routes, LINK))
    expect(tip).to_contain_text("In layer 1, head 2, “time” (1) looks at “flies” (2) (weight 0.250): raises “good”")
    over.hover(position={**middle_of(routes, LINK), "y": 4, "x": middle_of(routes, (0, 0, 1, 1))["x"]})
    expect(tip).to_contain_text("“time” (1): 2 lines lead here, together +0.60 log odds.")


def test_the_slider_keeps_links_without_a_message(routes: ComponentPage) -> None:
    bar, slider = routes.locator(".kept"), routes.page.get_by_role("slider")
    expect(bar).to_contain_text("2 of 60 links kept: “good” 90 % (95 % with all, 50 % without these)")
    expect(routes.locator(".routes")).to_have_attribute("data-lines", "2")
    slider.press("ArrowLeft")
    expect(bar).to_contain_text("1 of 60 links kept: “good” 50 %")
    expect(routes.locator(".routes")).to_have_attribute("data-lines", "1")
    slider.press("End")
    routes.page.get_by_role("button", name="Heads summed").click()
    expect(routes.locator(".routes")).to_have_attribute("data-lines", "20")
    assert routes.sent == []


def test_a_click_selects_a_line_which_can_be_cut(routes: ComponentPage) -> None:
    routes.locator("canvas.over").click(position=middle_of(routes, LINK))
    layer, head, query, key = LINK
    place = {"layer": layer, "head": head, "heads": "", "query": query, "key": key, "pinned_in": "A"}
    assert routes.sent == [place]
    picked = routes.page.get_by_role("group", name="The selected line")
    expect(picked).to_contain_text("“time” (1) looks at “flies” (2)")
    picked.get_by_role("button", name="here", exact=True).click()
    assert routes.sent[1] == {"cut": "A1-2@1.2", "view": "heat map"}


def test_keys_choose_lines_and_tokens(routes: ComponentPage) -> None:
    over, spoken = routes.locator("canvas.over"), routes.locator(".spoken")
    over.press("ArrowDown")
    over.press("ArrowDown")
    said = "In layer 0, head 0, “flies” (2) looks at “[SEP]” (3)"
    expect(spoken).to_contain_text(said)
    expect(routes.page.get_by_role("tooltip")).to_contain_text(said)
    over.press("Enter")
    assert (routes.sent[0]["query"], routes.sent[0]["key"]) == SECOND[2:]
    over.press("ArrowRight")
    expect(spoken).to_contain_text("“[CLS]” (0): no kept link leads here.")
    over.press("Escape")
    assert routes.sent[1]["query"] == -1
