"""Explanations on slides: words' values, the test of their order, and the terms of a score, as the page has them."""

from __future__ import annotations

import numpy as np
import pytest

from encoder import Backend
from encoder.attribution.explaining import explain, removal_game
from encoder.attribution.questions import Question
from encoder.attribution.removal_curves import random_curves, removal_curve
from encoder.attribution.target import resolve_target
from encoder.measures.near_ties import largest_first
from tests.viz.slides.stops import models_of, slide_at
from viz.answers.answer import Answer, Sentence
from viz.figures.axes import RING
from viz.slides import why
from viz.theme import THEMES
from viz.wording.numbers import written

TEXT = "nobody could call this film boring"
BLOCK = f"view: why\na: {TEXT}\nb: ''\nwhy_method: decompx\n"
ABOUT_TEST = "claims:\n  - faithfulness(by=decompx, removal=delete) < 10\n"


def sentences(answer: Answer) -> str:
    return "\n".join(part.text for part in answer.parts if isinstance(part, Sentence))


def test_a_slide_shows_the_words_or_the_test_of_their_order(tuned: Backend) -> None:
    models, state = models_of(tuned), f"{BLOCK}why_removal: delete\nremoved: 2\n"
    slide, tested = slide_at(models, state), slide_at(models, f"{state}{ABOUT_TEST}")
    [(heading, answer)], [(_, test_answer)] = slide.answers, tested.answers
    assert heading == "DecompX, biases shared; words are removed by Deletion"
    number = resolve_target(tuned, Question(kind="class", texts=(TEXT, None)))
    found = explain(tuned, number, "decompx")
    [picture], [test] = ([chart.figure(THEMES["light"]) for chart in each.charts] for each in (answer, test_answer))
    assert list(picture.data[1].text) == [written(float(value), "+.2f") for value in found.values]
    game = removal_game(tuned, number, level="wordpieces", removal="delete")
    curves = {trace.name: trace.y for trace in test.data}
    np.testing.assert_allclose(curves["this order"], removal_curve(game, largest_first(found.values)), atol=1e-6)
    np.testing.assert_allclose(curves["their mean"], random_curves(game).mean(axis=0), atol=1e-6)
    assert {"greedy search", "guided search"} < set(curves)
    assert "**What is left:**" in sentences(test_answer)
    assert slide.remark == tested.remark == ""


def test_the_words_that_a_stop_points_at_are_ringed(tuned: Backend) -> None:
    [(_, answer)] = slide_at(models_of(tuned), f'{BLOCK}points:\n  - token("boring")\n  - token("nobody")\n').answers
    shapes = answer.charts[0].figure(THEMES["light"]).layout.shapes
    boxes, rings = shapes[: len(TEXT.split())], [shape for shape in shapes if shape.name == RING]
    assert [[box.x0 < ring.x0 < box.x1 for box in boxes].index(True) for ring in rings] == [0, 5]


def test_a_search_that_takes_too_long_for_a_slide_is_named(tuned: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(why, "MOST_TOKENS", 0)
    [(_, answer)] = slide_at(models_of(tuned), f"{BLOCK}{ABOUT_TEST}").answers
    assert why.NO_SEARCH in sentences(answer)
    assert "greedy search" not in {trace.name for trace in answer.charts[0].figure(THEMES["light"]).data}


def test_a_test_that_takes_too_long_says_so(tuned: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("viz.slides.static_slide.MOST_TOKENS", 0)
    [(_, answer)] = slide_at(models_of(tuned), f"{BLOCK}{ABOUT_TEST}").answers
    assert not answer.charts
    assert "slides run at most 0" in sentences(answer)


def test_a_number_that_the_model_lacks_is_reported_and_claims_stay(bundled: Backend) -> None:
    claim = 'weight(layer=0, head=4, A:"time" → "flies") < 1'
    slide = slide_at(models_of(bundled), f"view: why\nwhy: shift\na: time flies\nb: ''\nclaims:\n  - {claim}")
    assert slide.remark == "There is no picture here. This compares two sentences: type a second one."
    assert slide.claims[0].holds


def test_a_score_comes_first_and_then_its_terms_and_their_proof(tuned: Backend) -> None:
    pinned = "layer: 4\nhead: 7\nquery: 6\nkey: 1\n"
    slide = slide_at(models_of(tuned), f"view: why here\na: {TEXT}\nb: ''\n{pinned}")
    [(_, answer)] = slide.answers
    assert sentences(answer).partition("\n")[0].endswith(" in layer 4, head 7")
    assert [chart.name for chart in answer.charts] == ["score-terms-query", "score-terms-key", "score-proof"]
    assert "subtracting its bar alone would give" in sentences(answer)
    assert slide.remark == ""


def test_a_slide_says_how_a_cell_was_found_and_that_its_test_is_too_long(
    tuned: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("viz.slides.static_slide.MOST_TOKENS", 0)
    [(_, answer)] = slide_at(models_of(tuned), f"view: why here\na: {TEXT}\nb: ''\n").answers
    assert "You have not chosen a pair of words" in sentences(answer)
    assert "slides run at most 0" in sentences(answer)
    assert len(answer.charts) == 2


def test_a_score_belongs_to_one_head(tuned: Backend) -> None:
    slide = slide_at(models_of(tuned), f"view: why here\na: {TEXT}\nb: ''\nhead: mean")
    assert "mean over heads" in slide.remark
    assert not slide.answers
