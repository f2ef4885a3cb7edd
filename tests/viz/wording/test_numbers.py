"""How the page's sentences write numbers."""

import pytest

from viz.wording.atlas_words import points, short_place
from viz.wording.numbers import percent, written


@pytest.mark.parametrize(
    ("value", "number_format", "text"),
    [(-0.25, "+.2f", "−0.25"), (0.25, "+.2f", "+0.25"), (-1.5, ".3f", "−1.500"), (-3, "+d", "−3"), (2.0, ".1f", "2.0")],
)
def test_negative_numbers_have_a_minus_sign_and_no_hyphen(value: float, number_format: str, text: str) -> None:
    assert written(value, number_format) == text


@pytest.mark.parametrize("value", [-0.004, -0.0, 0.0, 0.004])
def test_what_rounds_to_zero_has_no_sign(value: float) -> None:
    assert (written(value, "+.2f"), written(value, ".2f")) == ("0.00", "0.00")
    assert written(100 * value, "+.2f") == {-0.004: "−0.40", 0.004: "+0.40"}.get(value, "0.00")


def test_a_share_is_written_in_percent_with_a_space() -> None:
    assert [percent(0.926), percent(1), percent(0.0051, 1), percent(-0.05, 1)] == ["93 %", "100 %", "0.5 %", "−5.0 %"]


def test_offsets_and_changes_have_it_too() -> None:
    assert (short_place(-3), short_place(3)) == ("−3", "+3")
    assert (points(-0.012), points(0.012)) == ("−1.2", "+1.2")
