"""Explanations on slides: words' values, the test of their order, and the terms of a score, as the page has them."""

from __future__ import annotations

import numpy as np
import pytest

import encoder
from encoder import Backend
from encoder.attribution.explaining import explain, removal_game
from encoder.attribution.orders import largest_first
from encoder.attribution.questions import Question
from encoder.attribution.removal_curves import random_curves, removal_counts, removal_curve, verdict
from encoder.attribution.score_terms import Cell, score_terms
from encoder.attribution.target import resolve_target
from tests.viz.slides.stops import models_of, slide_at
from viz.figures.removal_curves import removal_curves
from viz.panels.why.testing import in_words
from viz.panels.why.words import shown_in_words, sum_in_words
from viz.theme import THEMES
from viz.wording.numbers import written

TEXT = "nobody could call this film boring"
BLOCK = f"view: why\na: {TEXT}\nb: ''\nwhy_method: decompx\n"


@pytest.fixture(scope="module")
def sentiment() -> Backend:
    return encoder.load("bundled-sentiment")


def test_words_have_their_values_and_what_they_add_up_to(sentiment: Backend) -> None:
    words, _ = slide_at(models_of(sentiment), f'{BLOCK}points:\n  - token("boring")\n').charts
    number = resolve_target(sentiment, Question(kind="class", texts=(TEXT, None)))
    found = explain(sentiment, number, "decompx")
    assert words.look == "signed bars"
    assert words.grid.columns == TEXT.split()
    np.testing.assert_allclose(words.grid.values[0], found.values, atol=1e-5)
    assert words.value == "log odds"
    assert words.said == sum_in_words(found).replace("**", "")
    assert "completeness error" in words.said
    assert words.grid.caption == f"“negative” rather than “{number.against}”, by DecompX, biases shared"
    assert words.rings == [(0, 5, 1, 1)]
    assert words.grid.low < 0 < words.grid.high


def test_the_test_has_the_curves_of_the_page_and_its_verdict(sentiment: Backend) -> None:
    _, test = slide_at(models_of(sentiment), f"{BLOCK}why_removal: delete\nremoved: 2\n").charts
    number = resolve_target(sentiment, Question(kind="class", texts=(TEXT, None)))
    order = largest_first(explain(sentiment, number, "decompx").values)
    player = removal_game(sentiment, number, level="wordpieces", removal="delete")
    own, random = removal_curve(player, order), random_curves(player)
    mean, greedy, drawn = test.grid.values
    page = removal_curves(own, removal_counts(6), unit=number.unit, random=random, greedy=greedy, theme=THEMES["light"])
    by_name = {trace.name: trace.y for trace in page.data}
    np.testing.assert_allclose(drawn, by_name["this order"], atol=1e-6)
    np.testing.assert_allclose(mean, by_name["their mean"], atol=1e-6)
    area = test.series[0].area
    assert area is not None
    np.testing.assert_allclose(area, [random.min(axis=0), random.max(axis=0)], atol=1e-6)
    said = in_words(verdict(own, random, units=6, greedy=greedy), number.unit, model_name="bundled-sentiment")
    assert test.said == said.replace("**", "")
    assert "The area between this order and the mean of the random ones" in test.said
    assert test.lines == [(2.0, "2 taken away")]
    assert test.grid.caption.endswith(f"those first that add most: {shown_in_words(number)}")
    assert "are compared" in test.grid.caption
    assert test.grid.columns == [str(count) for count in range(7)]


def test_of_many_words_the_largest_have_bars_and_the_others_one_together(
    sentiment: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("viz.slides.why.MOST_BARS", 2)
    words, _ = slide_at(models_of(sentiment), BLOCK).charts
    values = explain(sentiment, resolve_target(sentiment, Question(kind="class", texts=(TEXT, None))), "decompx").values
    assert len(words.grid.columns) == 3
    assert words.grid.columns[-1] == "4 others"
    assert float(words.grid.values.sum()) == pytest.approx(float(values.sum()), abs=1e-4)
    assert float(np.abs(values).max()) in np.abs(words.grid.values)


def test_a_number_that_the_model_does_not_have_says_so_and_keeps_the_claims(bundled: Backend) -> None:
    claim = 'weight(layer=0, head=4, A:"time" → "flies") < 1'
    slide = slide_at(models_of(bundled), f"view: why\nwhy: shift\na: time flies\nb: ''\nclaims:\n  - {claim}")
    assert slide.remark == "There is no picture here. This compares two sentences: type a second one."
    assert slide.claims[0].holds


def test_a_score_is_the_sum_of_its_terms(sentiment: Backend) -> None:
    pinned = "layer: 4\nhead: 7\nquery: 6\nkey: 1\n"
    slide = slide_at(models_of(sentiment), f"view: why here\na: {TEXT}\nb: ''\n{pinned}")
    terms = score_terms(sentiment, sentiment.trace(TEXT), Cell(4, 7, 6, 1))
    for chart, side in zip(slide.charts, (terms.query, terms.key), strict=True):
        np.testing.assert_allclose(chart.grid.values.sum(), side.values.sum(), atol=1e-3)
        np.testing.assert_allclose(chart.grid.values[0, :12], side.values[list(side.largest_first[:12])], atol=1e-4)
        assert chart.said == f"Sum: {written(side.values.sum(), '+.2f')}"
    assert slide.charts[0].grid.low == slide.charts[1].grid.low
    assert f"L4 H7: “boring” (6) looks at “nobody” (1) with a score of {written(terms.score, '+.2f')}" in slide.remark


def test_a_score_belongs_to_one_head(sentiment: Backend) -> None:
    slide = slide_at(models_of(sentiment), f"view: why here\na: {TEXT}\nb: ''\nhead: mean")
    assert "mean over heads" in slide.remark
    assert not slide.charts
