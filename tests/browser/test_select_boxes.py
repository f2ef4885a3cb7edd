"""Lists of tokens and words, whose names change under them while somebody types."""

import re

import pytest
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


@pytest.mark.parametrize(
    ("view", "boxes", "title"),
    [
        ({"view": "why here"}, ("Query (from)", "Key (to)"), "“{word}” ({position})"),
        ({"view": "anatomy", "walk": "scores", "row": "3", "column": "2"}, ("Row", "Column"), "{position} · {word}"),
        ({"view": "why", "why": "part of speech"}, ("Word",), "{word} · {position}"),
    ],
    ids=["why here", "anatomy", "why"],
)
def test_boxes_name_the_tokens_of_the_text_that_was_typed_last(
    visit_app: Open, view: dict[str, str], boxes: tuple[str, ...], title: str
) -> None:
    at = visit_app(a="time flies like an arrow", b="", **view)
    type_texts(at)
    titles = [title.format(word=word, position=number) for number, word in enumerate(TEXTS[-1].split(), 1)]
    for name in boxes:
        box = at.page.get_by_role("combobox", name=name, exact=True)
        expect(box).to_have_value(re.compile("|".join(map(re.escape, titles))))
    at.assert_sound()


def test_a_cell_is_chosen_from_the_boxes(visit_app: Open) -> None:
    at = visit_app(a="time flies like an arrow", b="", view="why here")
    at.pick("Query (from)", "“arrow” (5)").selected(query="5")
    at.pick("Key (to)", "“time” (1)").selected(query="5", key="1")
    expect(
        at.page.get_by_role("heading", name=re.compile("“arrow” .5. gives .* of its attention to “time” .1."))
    ).to_be_visible()
