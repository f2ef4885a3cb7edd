"""The word lens in Chromium: what clicks choose and open, and that its folds have all other pictures."""

import re

from playwright.sync_api import Locator, expect

from tests.browser.pages.app_page import AppPage, Open

MAPS_OF_B = ("lens_estimates-B", "lens_heads-B")


def unfold(at: AppPage, title: str) -> None:
    fold = at.page.locator(".st-key-lens_folds .stExpander", has_text=title)
    fold.locator("summary").click()
    expect(fold.locator("details").first).to_have_attribute("open", "")


def token(at: AppPage, letter: str, word: str) -> Locator:
    return at.page.locator(".strip").nth("AB".index(letter)).locator(".token", has_text=re.compile(f"^{word}"))


def distance_below(upper: Locator, lower: Locator) -> float:
    """In pixels, between the upper edges of two elements."""
    expect(lower.locator(".main-svg").first).to_be_visible()
    boxes = upper.bounding_box(), lower.bounding_box()
    assert boxes[0] is not None
    assert boxes[1] is not None
    return round(boxes[1]["y"] - boxes[0]["y"])


def test_a_click_on_a_word_of_the_strip_chooses_it(visit_app: Open) -> None:
    at = visit_app(view="word lens")
    expect(token(at, "A", "flies")).to_have_class(re.compile("chosen"))
    token(at, "B", "like").click()
    expect(at.page.locator(".stExpander", has_text="“like” in other sentences")).to_be_visible()
    at.selected(at_b="2", view="word lens")
    expect(token(at, "A", "like")).to_have_class(re.compile("chosen"))
    expect(token(at, "A", "flies")).not_to_have_class(re.compile("chosen"))
    token(at, "A", "arrow").focus()
    at.page.keyboard.press("Enter")
    expect(at.page.get_by_text("“arrow” is not in sentence B")).to_be_visible()
    token(at, "A", r"\[CLS\]").click()
    at.idle()
    at.selected(at_a="4", view="word lens")
    at.assert_sound()


def test_a_click_on_a_head_chooses_it_and_a_button_opens_it(open_app: Open) -> None:
    at = open_app(view="word lens")
    unfold(at, "Which part of the model")
    at.click_cell("lens_heads-A", row=5, column=7).selected(layer="5", head="7", view="word lens")
    expect(at.page.get_by_text("Open layer 5, head 7 in the")).to_be_visible()
    at.page.get_by_role("button", name="head view", exact=True).click()
    at.painted(".head-view", "L5|H7")
    at.assert_sound()


def test_the_shift_is_estimated_at_once_where_its_exact_map_comes(open_app: Open) -> None:
    at = open_app(view="word lens", a="time flies like an arrow in the wind", b="fruit flies like a ripe banana")
    unfold(at, "Which part of the model")
    choice, _, exact = (at.page.locator(f".st-key-{key}") for key in ("effect", *MAPS_OF_B))
    choice.get_by_role("radio", name="shift").click()
    at.selected(effect="shift", view="word lens")
    expect(at.page.get_by_text(re.compile("estimated the effects on the shift; rank correlation"))).to_be_visible()
    place = distance_below(choice, exact)
    words = " ".join(f"fruit flies number {n}" for n in range(80))  # so long that its sweep waits for a click
    at = open_app(view="word lens", a=words, b=f"{words} again", effect="shift", model="all-positions:bundled")
    choice, estimated, exact = (at.page.locator(f".st-key-{key}") for key in ("effect", *MAPS_OF_B))
    expect(at.page.get_by_text("An estimate from gradients")).to_be_visible()
    expect(exact).to_have_count(0)
    assert distance_below(choice, estimated) == place
    at.assert_sound()
