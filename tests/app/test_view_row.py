"""The choice of a view, and links to views."""

import re
from collections.abc import Mapping
from typing import get_args

import pytest
from streamlit.testing.v1.element_tree import AlertBase, Block, Markdown

from tests.app.app_script import choose, open_page, sentences_of
from tests.app.jobs import settled
from viz.state.selection import View
from viz.views.registered import LISTED, PANELS, Group, view_title, views_of

pytestmark = pytest.mark.usefixtures("each_text_is_read_once", "forty_reviews")

MOST_WORDS = 150
HOLDS = "**Yes: this order is better than 20 of 20 random orders**"
STARTS_SAY: Mapping[View, str] = {
    "predictions": "89.6 % right on negative or positive",
    "why": HOLDS,
    "routes": "links (0.4 %) are enough for 90 % of “positive”** in this text",
    "similar because": HOLDS,
    "compare": "**Layer 4, head 0 differs most**",
    "texts": "The model is right in **28 of 40** rows",
    "driving words": "**No word pushes these 40 rows to the predicted class beyond chance**",
    "search": "this pair matters more (p = 0.048)",
    "swaps": "2 of 3 swaps in at least 5 templates are clearly not 0.",
    "word map": "**Yes: the states of “bank” tell one sense from another**",
}


def test_every_view_is_registered_once_and_in_its_order() -> None:
    assert tuple(PANELS) == get_args(View)
    assert tuple(view for group in get_args(Group) for view in views_of(group)) == get_args(View)


def test_no_group_has_more_views_than_there_are_keys() -> None:
    assert all(1 <= len(views_of(group)) <= 9 for group in get_args(Group))


@pytest.mark.parametrize("view", ["norms", "texts"])
def test_a_link_opens_its_view(view: View) -> None:
    at = open_page(view=view)
    box = at.menu_button(key="view")
    assert box.label == f"View: {PANELS[view].title}"
    assert box.options == [view_title(other) for other in get_args(View) if other not in views_of("export")]


@pytest.mark.usefixtures("jobs_begin_at_once")
@pytest.mark.parametrize("view", LISTED)
def test_a_view_begins_with_its_start_and_few_words(view: View) -> None:
    at = settled(choose(open_page(), view=view))
    said = sentences_of(at)
    assert STARTS_SAY.get(view, "") in said
    assert len(words_of(at.main)) <= MOST_WORDS


def words_of(block: Block) -> list[str]:
    """The words of sentences, buttons and titles of folds, but for quoted ones; without the menus and the texts."""
    found = []
    for part in block.children.values():
        if isinstance(part, Block):
            is_menu = part.type == "popover" or re.search(r"-(bar|views|inputs)$", getattr(part.proto, "id", ""))
            found += [] if is_menu else [*str(getattr(part, "label", "")).split(), *words_of(part)]
        elif part.type == "button":
            found += part.label.split()
        elif isinstance(part, (Markdown, AlertBase)):
            found += re.sub(r"<span popover.*?</span>|<[^>]*>|“[^”]*”", "", part.value).split()
    return [word for word in found if re.search(r"\w", word)]
