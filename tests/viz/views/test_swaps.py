"""The answers about swaps: what leads, what has an interval, the matrix, and the heads."""

from collections.abc import Sequence

import numpy as np
import pytest

from encoder.collection.names import SwapMeasure
from encoder.collection.swap_heads import HeadShifts
from encoder.collection.swaps import Swaps, parse_template
from tests.viz.answers.parts import said as text
from tests.viz.answers.parts import tables
from viz.answers.answer import Answer
from viz.theme import THEMES
from viz.views.swaps import answer as answers

LIGHT = THEMES["light"]


def made_up(shifts: Sequence[float], *, measure: SwapMeasure = "class", more: Sequence[str] = ()) -> Swaps:
    """A swap with a shift in each of several templates, and other templates without any shift."""
    sources = [f"{{He|She}} slept {number}." for number in range(len(shifts))] + list(more)
    values = [np.array([0.5, 0.5 + shift], np.float32) for shift in shifts]
    values += [np.full(len(parse_template(source).choices), 0.5, np.float32) for source in more]
    templates = tuple(map(parse_template, sources))
    said = tuple(tuple("high" if value > 0.5 else "low" for value in each.tolist()) for each in values)
    return Swaps(measure=measure, templates=templates, values=tuple(values), said=said, skipped=0)


def test_one_template_has_no_interval() -> None:
    said = text(answers.shifts(made_up([0.3]), "positive"))
    assert "by +30.0 points** (one template: too few for an interval)" in said
    assert "An interval takes 5 templates" in said
    assert "nan" not in said


def test_the_largest_clear_shift_leads() -> None:
    found = made_up([0.1, 0.2, 0.1, 0.2, 0.15], more=["{a|b} x"])
    answer = answers.shifts(found, "positive")
    assert text(answer).startswith(
        "**“He” → “She” moves the probability of “positive” by +15.0 points** (95 % interval"
    )
    assert "5 templates; corrected p = 0.0026). No other swap is in at least 5 templates." in text(answer)
    assert "1 of 2 swaps have fewer than 5 templates" in tables(answer)[0].note
    several = made_up([0.1, 0.2, 0.1, 0.2, 0.15], more=[f"{{a|b}} {number}" for number in range(5)])
    assert "1 of 2 swaps in at least 5 templates is clearly not 0." in text(answers.shifts(several, ""))
    filled, rings = answer.charts[0].figure(LIGHT).data
    assert filled.x == pytest.approx([15])
    assert filled.error_x.arrayminus[0] == pytest.approx(15 - 100 * found.means[0].mean.low, abs=1e-4)
    assert rings.error_x.array == (0,)


def test_a_swap_that_may_do_nothing_has_no_clear_effect() -> None:
    answer = answers.shifts(made_up([0.2, -0.1, 0.1, -0.2, 0.1]), "positive")
    assert text(answer).startswith(
        "**No swap changes the probability of “positive” clearly.** “He” → “She”, the only swap in at least 5"
    )
    assert len(answer.charts[0].figure(LIGHT).data) == 1


def test_shifts_from_the_first_filling_are_not_compared_with_zero() -> None:
    said = text(answers.shifts(made_up([-0.1, -0.2, -0.1, -0.2, -0.1], measure="cosine"), ""))
    assert said.startswith(
        "“He” → “She”, the only swap in at least 5 templates, moves the cosine with the first filling"
    )
    assert "corrected" not in said
    assert "0 is no test here" in said


def test_the_matrix_shows_the_mean_of_templates_with_the_same_slots_first() -> None:
    found = made_up([0.2, -0.4], more=["{a|b} and {c|d}"])
    assert answers.choices(found) == [(0, 1), (0,), (1,), (2,)]
    assert answers.first_choice(found) == (0, 1)
    assert answers.name_of_choice(found, (0, 1)) == "Mean over 2 templates with {He|She}"
    mean = answers.of_templates(found, (0, 1), "positive")
    np.testing.assert_allclose(mean.charts[0].figure(LIGHT).data[0].z, [[0.5, 0.4]], atol=1e-6)
    assert text(mean).startswith("n = 2 templates: “")
    assert "What the model says: He → **low** 2; She → **high** 1, **low** 1" in text(mean)
    single = answers.of_templates(found, (2,), "positive")
    assert np.shape(single.charts[0].figure(LIGHT).data[0].z) == (2, 2)


def test_without_shared_slots_the_matrix_is_of_the_largest_shift() -> None:
    assert answers.first_choice(made_up([0.1], more=["{a|b} x"])) == (0,)


def heads_of(falls: Sequence[float]) -> Answer:
    """The first of two heads lowers shifts of size 1 in each template; the second does nothing."""
    sizes = np.ones(len(falls), np.float32)
    without = np.stack([sizes - np.array(falls, np.float32), sizes])[None]
    return answers.heads(HeadShifts(sizes=sizes, without=without), "score")


def test_a_head_is_measured_on_templates_that_it_was_not_chosen_on() -> None:
    said = text(heads_of([0.1, 0.38, 0.1, 0.39, 0.1, 0.4, 0.1, 0.41, 0.1, 0.42]))
    assert said.startswith("**Layer 0, head 0 carries a part of the shifts.**")
    assert "On the other 5 templates" in said
    assert "from 1.000 to **0.600**, by −0.400" in said
    assert text(heads_of([0.4, -0.1] * 5)).startswith("**No single head carries the shifts.**")


def test_heads_need_ten_templates() -> None:
    answer = heads_of([0.4] * 4)
    assert "4 templates are too few to test it on other templates: that takes at least 10" in text(answer)
    chart = answer.charts[0]
    assert not chart.figure(LIGHT).layout.shapes
