"""How the page's sentences write numbers."""

import pytest

from viz.wording.atlas_words import points, short_place
from viz.wording.numbers import p_in_words, percent, percent_counted, written


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


def test_a_counted_share_is_all_or_none_only_if_it_is() -> None:
    shares = (0, 1, 299 / 300, 1 / 400, 0.926, 1e-6)
    assert [percent_counted(share) for share in shares] == ["0 %", "100 %", "99.7 %", "0.2 %", "93 %", "0.000 %"]


def test_a_p_below_the_level_is_written_as_below_it() -> None:
    assert [p_in_words(p) for p in (0.0004, 0.03, 0.0496, 0.05, 0.054)] == [
        "p < 0.001",
        "p = 0.03",
        "p < 0.05",
        "p = 0.05",
        "p = 0.054",
    ]


def test_offsets_and_changes_have_it_too() -> None:
    assert (short_place(-3), short_place(3)) == ("−3", "+3")
    assert (points(-0.012), points(0.012)) == ("−1.2", "+1.2")
