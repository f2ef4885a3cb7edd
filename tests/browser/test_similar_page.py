"""“Similar because” in Chromium: a cell of the map says which two words it is about."""

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.pages.app_page import AppPage


def test_a_cell_says_both_words_their_positions_and_what_they_add(visit_app: Callable[..., AppPage]) -> None:
    at = visit_app(view="similar because", a="the <b>dogs</b> bark", b="puppies bark", level="words")
    expect(at.page.get_by_text(re.compile("from 12 points"))).to_be_visible()  # no other map will take this one's place
    picture = at.page.locator(".st-key-similar_similar-because-pairs")
    expect(picture.locator(".xaxislayer-above .xtick")).to_have_text(["puppies", "bark"])
    rows = picture.locator(".yaxislayer-above .ytick").all_text_contents()
    assert rows[-1] == "bark"
    cells = picture.locator(".nsewdrag").bounding_box()
    at.page.mouse.move(cells["x"] + 0.75 * cells["width"], cells["y"] + cells["height"] * (1 - 0.5 / len(rows)))
    said = picture.locator(".hoverlayer")
    expect(said).to_contain_text(f"A: bark · position {len(rows) - 1}")
    expect(said).to_contain_text("B: bark · position 1")
    expect(said).to_contain_text("adds to the cosine +0.")
    at.assert_sound()
