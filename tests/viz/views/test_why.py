"""Why this prediction? as answers: the words' values and their sum, the test of their order, and what remains."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from encoder import Backend
from encoder.attribution.exact_orders import exact_orders, subset_values
from encoder.attribution.explaining import WordValues, explain, removal_game
from encoder.attribution.questions import Question
from encoder.attribution.removal_curves import random_curves, removal_curve, verdict
from encoder.attribution.removals import RemovalGame
from encoder.attribution.target import Target, resolve_target
from encoder.lab.evaluation.orders import ORDERS
from encoder.measures.near_ties import largest_first
from tests.viz.answers.parts import sentences, table
from viz.answers.answer import Sentence
from viz.answers.verdicts import area_in_words, in_words
from viz.state.selection import DEFAULT
from viz.theme import THEMES
from viz.views.why.answer.measured import measured, measured_methods, measured_of
from viz.views.why.answer.removals import Curves, remainder, removal_test
from viz.views.why.answer.words import shown_in_words, sum_in_words, unreliable_in_words, words, words_heading
from viz.wording.numbers import percent, written

FILM = "this film is not good"
QUESTION = Question(kind="class", texts=(FILM, None))


@pytest.fixture(scope="module")
def target(tuned: Backend) -> Target:
    return resolve_target(tuned, QUESTION)


@pytest.fixture(scope="module")
def found(tuned: Backend, target: Target) -> WordValues:
    return explain(tuned, target, "integrated-gradients")


@pytest.fixture(scope="module")
def game(tuned: Backend, target: Target) -> RemovalGame:
    return removal_game(tuned, target, level="wordpieces", removal="mask")


@pytest.fixture(scope="module")
def curves(game: RemovalGame, found: WordValues) -> Curves:
    own = removal_curve(game, largest_first(found.values))
    return Curves(units=5, own=own, random=random_curves(game), greedy=own, guided=own)


def test_words_come_with_their_values_their_sum_and_a_table(target: Target, found: WordValues) -> None:
    selection = replace(DEFAULT, why=replace(DEFAULT.why, removed=2))
    chart, said, _ = words(target, found, selection).parts
    assert words_heading(QUESTION, target) == Sentence(f"“negative” rather than “{target.against}”", "heading")
    figure = chart.figure(THEMES["light"])
    assert [label.strip("</b>") for label in figure.data[0].text] == FILM.split()
    assert list(figure.data[1].text) == [written(float(value), "+.2f") for value in found.values]
    assert sum(shape.type == "line" for shape in figure.layout.shapes) == 2
    assert said == Sentence(sum_in_words(found), "caption")
    np.testing.assert_array_equal(table(words(target, found, selection)).columns()["adds"], found.values)


def test_an_output_that_is_compared_with_nothing_says_so(target: Target) -> None:
    assert "are compared" in shown_in_words(target)
    assert shown_in_words(replace(target, label="anger", against="", unit="logit")) == "logit of “anger”"


def test_a_word_that_is_asked_about_has_no_value(bundled: Backend) -> None:
    question = Question(kind="part of speech", texts=("time flies like an arrow", None), word=1, layer=3)
    target = resolve_target(bundled, question)
    answer = words(target, explain(bundled, target, "decompx"), DEFAULT)
    title = f"“flies” after layer 3: “{target.label}” rather than “{target.against}”"
    assert words_heading(question, target).text == title
    assert np.isnan(np.asarray(table(answer).columns()["adds"], dtype=float)).tolist() == [
        False,
        True,
        False,
        False,
        False,
    ]


def test_the_verdict_compares_with_random_orders_above_the_curves(target: Target, curves: Curves) -> None:
    answer = removal_test(target, curves, model_name="bundled-sentiment", removed=2)
    said, chart, caption, _ = answer.parts
    assert curves.random is not None
    result = verdict(curves.own, curves.random, units=5, greedy=curves.greedy)
    assert said == Sentence(in_words(result, model_name="bundled-sentiment"))
    assert table(answer).note.startswith(area_in_words(result, "probability"))
    assert f"its AOPC was {measured_of('guided')['aopc']:.3f}" in table(answer).note
    figure = chart.figure(THEMES["light"])
    assert {trace.name for trace in figure.data} == {
        "20 random orders",
        "their mean",
        "greedy search",
        "guided search",
        "this order",
    }
    assert {trace.name for trace in figure.data if trace.visible == "legendonly"} == {"greedy search", "guided search"}
    np.testing.assert_allclose(figure.data[-1].y, curves.own, atol=1e-6)
    assert figure.layout.shapes[0].x0 == 2
    assert caption.text == f"The curves show P(negative) compared with {target.against} only."
    assert len(table(answer).columns()) == 24


def test_a_test_that_still_runs_shows_the_curves_that_there_are(target: Target, curves: Curves) -> None:
    waiting = Curves(units=5, own=curves.own)
    answer = removal_test(target, waiting, model_name="bundled-sentiment", removed=0)
    chart, *_ = answer.parts
    assert [trace.name for trace in chart.figure(THEMES["dark"]).data] == ["this order"]
    assert list(table(answer).columns()) == ["words_removed", "this_order"]


def test_before_an_audience_the_test_is_its_curves(target: Target, curves: Curves) -> None:
    answer = removal_test(target, curves, model_name="bundled-sentiment", removed=2)
    assert answer.as_picture().parts == answer.charts


def test_the_order_of_a_short_text_has_a_place_among_all_orders(
    target: Target, curves: Curves, game: RemovalGame
) -> None:
    exact = exact_orders(subset_values(game))
    answer = removal_test(target, replace(curves, exact=exact), model_name="bundled-sentiment", removed=0)
    assert curves.random is not None
    own = verdict(curves.own, curves.random, units=5)
    place, of_random = exact.place(own.area), exact.place(exact.mean)
    assert place is not None
    assert of_random is not None
    assert (
        "**Of all 120 orders of these 5 words**, with the worst at 0 % and the best at 100 %, this one is at "
        f"{percent(place)}; a random order is at {percent(of_random)} on average."
    ) in table(answer).note
    assert place > of_random


def test_an_untrained_model_gets_no_verdict(target: Target, curves: Curves) -> None:
    answer = removal_test(target, curves, model_name="scratch-untrained", removed=0)
    said = " ".join(sentences(answer))
    assert "**This model is untrained:**" in said
    assert "random orders" not in said
    assert table(answer).note == ""


def test_what_remains_is_shown_as_it_was_typed_with_what_the_model_says(target: Target, game: RemovalGame) -> None:
    left = game.remainder((3,))
    title, text, said = remainder(target, "class", left).parts
    assert title == Sentence("**What is left:**")
    assert text == Sentence("this film is [MASK] good", "plain")
    likeliest = percent(float(left.prediction.probabilities.max()))
    assert re.fullmatch(rf"\*\*The model's output for it:\*\* \w+ {likeliest}, \w+ \d+ %, \w+ \d+ %\.", said.text)
    assert sentences(remainder(target, "shift", left))[-1].endswith(f": {left.value:.3f}.")


def test_measured_methods_stand_next_to_those_of_another_model() -> None:
    methods = table(measured_methods("bundled"))
    for name, value in measured()["published"]["aopc"].items():
        assert f"{name} {value:.3f}" in methods.note
    assert set(methods.columns()["method"]) == {row["method"] for row in measured()["methods"]} == set(ORDERS)


def values(total: float) -> WordValues:
    """Words that add 0.43 to a baseline of −0.57."""
    added = np.array([1.29, 0.18, -1.04], np.float32)
    return WordValues(
        words=("a", "lovely", "film"),
        units=((1,), (2,), (3,)),
        values=added,
        unit="log odds",
        total=total,
        baseline=-0.57,
    )


def test_the_sum_is_the_arithmetic_of_its_numbers() -> None:
    said = sum_in_words(values(-0.14))
    assert said.startswith("Baseline **−0.570**, words **+0.430**: together **−0.140**.")
    assert said.endswith("The model says **−0.140** log odds; completeness error below 0.001.")


def test_a_reader_who_adds_the_rounded_numbers_gets_the_same() -> None:
    found = WordValues(
        words=("film",),
        units=((1,),),
        values=np.array([0.4324], np.float32),
        unit="log odds",
        total=0.1,
        baseline=-0.5654,
        framing=0.0004,
    )
    assert "Baseline **−0.565**, words **+0.432**: together **−0.133**." in sum_in_words(found)


@pytest.mark.parametrize(
    ("total", "error", "start"),
    [
        (-0.15, "0.010", ""),
        (-0.2, "0.060", "The numbers miss 30 % of the answer, so"),
        (0.1, "0.240", "The numbers miss more than the whole answer, so"),
        (0.0, "0.140", "The numbers miss more than the whole answer, so"),
    ],
)
def test_a_large_completeness_error_is_a_warning(
    total: float, error: str, start: str, target: Target, found: WordValues
) -> None:
    incomplete = values(total)
    assert sum_in_words(incomplete).endswith(f"completeness error {error}.")
    said = unreliable_in_words(incomplete)
    assert said.startswith(start)
    assert ("try DecompX" in said) == bool(start)
    shown = replace(found, total=total, baseline=total - float(found.values.sum()) - 0.2 * bool(start))
    roles = [part.role for part in words(target, shown, DEFAULT).parts if isinstance(part, Sentence)]
    assert ("warning" in roles) == bool(start)
