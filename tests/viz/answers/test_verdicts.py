"""The verdict on an order in words."""

import pytest

from encoder import Backend
from encoder.attribution.removal_curves import Verdict
from viz.answers.verdicts import area_in_words, in_words, untrained_caveat


def verdict(beaten: int, *, area: float = 0.5, units: int = 6, greedy_area: float | None = None) -> Verdict:
    return Verdict(area=area, random_area=0.4, beaten=beaten, of=20, units=units, greedy_area=greedy_area)


@pytest.mark.parametrize(
    ("beaten", "sentence"),
    [
        (20, "**Yes: this order is better than 20 of 20 random orders** (p = 0.048)."),
        (19, "**Not clearly: this order is better than 19 of 20 random orders** (p = 0.095)."),
        (15, "**Not clearly: this order is better than 15 of 20 random orders** (p = 0.29)."),
        (14, "**No: this order is better than 14 of 20 random orders** (p = 0.33)."),
    ],
)
def test_a_verdict_says_how_many_random_orders_are_beaten(beaten: int, sentence: str) -> None:
    said = in_words(verdict(beaten), model_name="bundled")
    assert said.startswith(sentence)
    assert said.endswith("Do not rely on it here.") == (beaten < 20)
    assert area_in_words(verdict(beaten), "probability").endswith("is +0.100 (probability).")


def test_too_few_words_are_not_tested() -> None:
    assert "Too short to test" in in_words(verdict(20, units=3), model_name="bundled")
    assert "A text of 1 word has" in in_words(verdict(20, units=1), model_name="bundled")


def test_an_order_is_compared_with_the_greedy_search() -> None:
    said = area_in_words(verdict(20, greedy_area=0.6), "score")
    assert "50 % of the way from random orders to the greedy search" in said
    worse = area_in_words(verdict(3, area=0.35, greedy_area=0.6), "score")
    assert worse.endswith("is −0.050 (score).")
    assert "of the way" not in worse
    better = area_in_words(verdict(20, area=0.9, greedy_area=0.5), "score")
    assert better.endswith("is +0.500 (score), more than that of the order that the greedy search found.")


@pytest.mark.parametrize("name", ["scratch-untrained", "scratch:step=0"])
def test_an_untrained_model_gets_no_verdict(name: str) -> None:
    said = in_words(verdict(20), model_name=name)
    assert said.startswith("**This model is untrained:**")
    assert "better than" not in said.casefold()


def test_a_comparison_says_which_of_its_models_are_untrained() -> None:
    assert untrained_caveat("bundled", "scratch") == ""
    assert untrained_caveat("scratch", "scratch:step=0").startswith("**One of these models is untrained:**")
    assert untrained_caveat("scratch-untrained", "scratch-untrained").startswith("**This model is untrained:**")


@pytest.mark.parametrize(
    ("texts", "verdict_of"),
    [
        (["私は猫が好きです。", "a dog"], "The model knows 4 of 7 words"),
        (["Der Hund, den ich gestern sah, bellte laut. 😀🎉"], "The model knows 11 of 12 words"),
        (["😀 🎉"], "The model knows 0 of 2 words"),
        (["that was fun"], "**Yes: this order"),
    ],
)
def test_an_order_of_words_that_the_model_cannot_read_gets_no_verdict(
    texts: list[str], verdict_of: str, bundled: Backend
) -> None:
    said = in_words(verdict(20), model_name="bundled", texts=[bundled.tokenize(text) for text in texts])
    assert said.startswith(verdict_of)
    assert ("Yes" in said) == ("no verdict" not in said)
