"""Lists of tokens and words, whose names change under them while somebody types."""

import re

from playwright.sync_api import expect

from tests.browser.pages.app_page import AppPage, Open

TEXTS = ("fruit grows near big mountains", "dogs bark at every stranger")


def type_texts(at: AppPage) -> None:
    """Two other texts of as many tokens, typed one after the other and looked at."""
    for text in TEXTS:
        at.text("A").fill(text)
        at.text("A").press("Control+Enter")
        at.selected(a=text)
        expect(at.strip.locator(".token:not(.special) .label")).to_have_text(text.split())


def test_boxes_name_the_tokens_of_the_text_that_was_typed_last(visit_app: Open) -> None:
    at = visit_app(a="time flies like an arrow", b="", view="why here")
    type_texts(at)
    titles = [f"“{word}” ({position})" for position, word in enumerate(TEXTS[-1].split(), 1)]
    for name in ("Query (from)", "Key (to)"):
        box = at.page.get_by_role("combobox", name=name, exact=True)
        expect(box).to_have_value(re.compile("|".join(map(re.escape, titles))))
    at.assert_sound()
