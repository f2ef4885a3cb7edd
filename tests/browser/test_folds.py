"""The long views in Chromium: their answers are short, and links between the folds open them and scroll to them."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.pages.app_page import SMALL, App, AppPage, Open
from tests.browser.pages.window import Window

TALLEST = 1400  # pixels from the top of the page to the end of a view's folds, at 1440 by 900
MONEY, RIVER = "The bank raised its rates", "We sat on the bank of the river"


@pytest.fixture(scope="module")
def unopened(browser: Window, app: App) -> Iterator[AppPage]:
    """A page in which nobody has opened a fold, which the tests send from view to view."""
    at = AppPage(browser.new_page(viewport=SMALL, reduced_motion="reduce"), app.url)
    yield at.open()
    at.page.close()


@pytest.mark.parametrize(
    ("view", "folds", "link"),
    [
        ("word lens", 4, {"a": MONEY, "b": RIVER}),
        ("compare", 4, {"a": MONEY, "b": RIVER}),
        ("compare", 3, {"compare": "heads", "silenced": "0.4"}),
        ("norms", 2, {"a": MONEY, "b": RIVER, "mode": "separate"}),
    ],
)
def test_a_long_view_opens_with_an_answer_of_one_screen_and_a_half(
    unopened: AppPage, view: str, folds: int, link: dict[str, str]
) -> None:
    at = unopened.front().go(view=view, **link)
    expect(at.page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    last = at.page.locator("[class*='_folds'] .stExpander").nth(folds - 1)
    expect(last).to_be_visible()
    at.idle()
    expect(at.page.locator("[class*='_folds'] details[open]")).to_have_count(0)
    box = last.bounding_box()
    assert box["y"] + box["height"] <= TALLEST
    at.assert_sound()


def test_a_link_between_the_folds_opens_one_and_scrolls_to_it(open_app: Open) -> None:
    at = open_app(view="norms")
    at.page.locator(".st-key-norms_turns_folded summary").click()
    expect(at.page.locator(".st-key-norms_cosines_pair .main-svg").first).to_be_visible()
    contents = at.page.locator(".st-key-norms_contents")
    expect(contents).to_be_in_viewport()
    contents.get_by_role("link", name="How long are the parts of an embedding?").click()
    expect(at.page.locator(".st-key-norms_embedding_pair .main-svg").first).to_be_visible()
    fold = at.page.locator(".st-key-norms_embedding_folded")
    expect(fold).to_be_in_viewport()
    at.page.wait_for_function("(fold) => fold.getBoundingClientRect().y < 200", arg=fold.element_handle())
    contents.get_by_role("link", name=re.compile("turn a vector")).click()
    expect(at.page.locator(".st-key-norms_turns_folded details")).to_have_attribute("open", "")
    at.assert_sound()
