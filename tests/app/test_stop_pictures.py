"""A stop before an audience: its view shows the pictures that the stop is about, and shows them first."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.app_script import figure, open_page, sentences_of
from tests.app.test_stage import ask
from viz.panels.room import HEADING, ROW_OF_TOKENS, STOP_HEIGHT

pytestmark = pytest.mark.usefixtures("no_work_beside_the_page")
ALL = ["1", "2", "3", "4", "5", "6"]


def numbers_of(at: AppTest) -> list[str]:
    """The numbers of the lens's pictures that are drawn, from top to bottom."""
    return [element.value[4] for element in at.markdown if element.value.startswith("### ")]


def keys_of_figures(at: AppTest) -> list[str]:
    """Of “Why this prediction?”, from top to bottom."""
    return [chart.proto.id.rpartition("-")[2] for chart in at.get("plotly_chart")]


@pytest.mark.parametrize(
    ("tour", "stop", "drawn"),
    [
        ("time-flies", "5", ["1"]),
        ("time-flies", "6", ["3"]),
        ("time-flies", "8", ["4"]),
        ("time-flies", "9", ["5"]),
        ("explanation", "7", ["2", "4"]),
    ],
)
def test_the_lens_shows_what_the_stop_is_about_and_then_its_words(tour: str, stop: str, drawn: list[str]) -> None:
    at = open_page(stage="1", tour=tour, stop=stop)
    assert numbers_of(at) == drawn
    said = [element.value for element in at.markdown]
    (summary,) = (index for index, each in enumerate(said) if each.startswith("**In short:**"))
    assert summary > max(index for index, each in enumerate(said) if each.startswith("### "))
    assert f"The lens has {6 - len(drawn)} more of its 6 pictures on the full page." in said[summary]


def test_the_lens_is_complete_unless_presented_at_its_own_stop() -> None:
    assert numbers_of(open_page(stage="1", view="word lens")) == ALL
    assert numbers_of(open_page(stage="1", tour="time-flies", stop="3", view="word lens")) == ALL
    at = open_page(stage="1", tour="time-flies", stop="5")
    assert figure(at, "parting")["layout"]["height"] == STOP_HEIGHT - ROW_OF_TOKENS - HEADING
    ask(at, stage=False)
    assert numbers_of(at) == ALL
    assert figure(at, "parting")["layout"]["height"] > STOP_HEIGHT
    assert "of its 6 pictures" not in sentences_of(at)


def test_a_stop_about_two_occurrences_says_if_one_is_missing() -> None:
    at = open_page(stage="1", tour="time-flies", stop="9", view="word lens", a="time flies", b="")
    assert "Pictures 1 and 5 compare two occurrences" in sentences_of(at)
    assert numbers_of(at) == []


def test_the_test_of_an_explanation_comes_first_if_the_stop_claims_it() -> None:
    at = open_page(stage="1", tour="trust", stop="7")
    assert keys_of_figures(at) == ["why_removals", "why_words"]
    assert figure(at, "removals")["layout"]["height"] == STOP_HEIGHT - HEADING
    ask(at, stage=False)
    assert keys_of_figures(at) == ["why_words", "why_removals"]
    assert keys_of_figures(open_page(stage="1", tour="trust", stop="8")) == ["why_words", "why_removals"]
