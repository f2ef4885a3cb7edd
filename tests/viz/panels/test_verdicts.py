"""The verdict on an order in words."""

import pytest

from encoder.attribution.removal_test import Verdict
from viz.panels.verdicts import in_words


def verdict(beaten: int, *, area: float = 0.5, units: int = 6, greedy_area: float | None = None) -> Verdict:
    return Verdict(area=area, random_area=0.4, beaten=beaten, of=20, units=units, greedy_area=greedy_area)


@pytest.mark.parametrize(
    ("beaten", "sentence"),
    [
        (20, "**Better than random orders 20 times of 20.**"),
        (19, "**Better than random orders 19 times of 20.**"),
        (18, "**Not clearly better than chance: do not rely on it here**"),
        (15, "**Not clearly better than chance: do not rely on it here**"),
        (14, "**No better than chance: do not believe it here**"),
    ],
)
def test_a_verdict_says_how_many_random_orders_are_beaten(beaten: int, sentence: str) -> None:
    said = in_words(verdict(beaten), "probability")
    assert said.startswith(sentence)
    assert said.endswith("is +0.100 (probability).")


def test_too_few_words_are_not_tested() -> None:
    assert "Too short to test" in in_words(verdict(20, units=3), "score")
    assert "A text of 1 word has" in in_words(verdict(20, units=1), "score")


def test_the_way_to_the_greedy_search_is_told_where_an_order_is_on_it() -> None:
    assert "50% of the way from random orders to the greedy search" in in_words(verdict(20, greedy_area=0.6), "score")
    worse = in_words(verdict(3, area=0.35, greedy_area=0.6), "score")
    assert worse.endswith("is −0.050 (score).")
    assert "of the way" not in worse
