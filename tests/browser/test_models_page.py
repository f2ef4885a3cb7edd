"""“Models side by side” in Chromium: the pictures of several models move together."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from tests.browser.pages.app_page import AppPage, Open

LINK = {"view": "models", "a": "time flies like an arrow", "b": "", "head": "2"}


def picture(at: AppPage, name: str) -> Locator:
    return at.page.locator(f".st-key-models_cells_{name} .view")


def middle_of(at: AppPage, name: str, across: float, down: float) -> tuple[float, float]:
    """A point of a picture, in shares of its width and height."""
    box = picture(at, name).locator("canvas.over").bounding_box()
    return box["x"] + across * box["width"], box["y"] + down * box["height"]


def test_the_pointer_marks_the_same_words_in_every_model(visit_app: Open) -> None:
    at = visit_app(**LINK)
    at.page.mouse.move(*middle_of(at, "scratch", 0.5, 0.7))
    expect(picture(at, "scratch")).not_to_have_attribute("data-hovered", "-1,-1")
    cell = picture(at, "scratch").get_attribute("data-hovered")
    for name in ("own", "scratch-untrained"):
        expect(picture(at, name)).to_have_attribute("data-hovered", cell)
    at.page.mouse.move(5, 5)
    expect(picture(at, "own")).to_have_attribute("data-hovered", "-1,-1")
    row, column = cell.split(",")
    at.page.mouse.click(*middle_of(at, "scratch", 0.5, 0.7))
    at.selected(query=row, key=column).assert_sound()


def test_the_slider_of_the_training_redraws_its_model_alone(visit_app: Open) -> None:
    at = visit_app(**LINK)
    own = picture(at, "own").get_attribute("data-painted")
    trained = picture(at, "scratch").get_attribute("data-painted")
    assert own is not None
    assert trained is not None
    at.page.get_by_role("slider").press("ArrowLeft")
    at.selected(trained="1810")
    expect(picture(at, "scratch")).not_to_have_attribute("data-painted", trained)
    expect(picture(at, "own")).to_have_attribute("data-painted", own)


def test_a_head_that_is_clicked_on_one_map_is_framed_on_all(visit_app: Open) -> None:
    at = visit_app(**LINK, pictured="all heads")
    maps = {name: at.page.locator(f".st-key-models_map_{name} canvas") for name in ("own", "scratch")}
    maps["scratch"].focus()
    for key in "L3":
        at.page.keyboard.press(key)
    at.selected(layer="3")
    for each in maps.values():
        label = each.get_attribute("aria-label")
        assert label is not None
        assert "L3 H2 is chosen" in label
