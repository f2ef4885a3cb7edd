"""A stop before an audience: its view shows the picture that the stop is about, without words of its own."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.app_script import figure, open_folds, open_page, sentences_of, titles_of_folds
from tests.app.test_stage import ask
from viz.widgets.answer import LEAST_ROW, TABLE_BORDER, TABLE_ROW
from viz.widgets.room import CAPTION, HEADING, STOP_HEIGHT

pytestmark = pytest.mark.usefixtures("no_work_beside_the_page", "each_text_is_read_once")
LENS = ("How far apart", "What it looks at", "Verb or noun?", "Which heads", "Which layers", "Sense map")


def titles_of(at: AppTest) -> list[str]:
    """The titles of the lens's pictures that are drawn, from top to bottom."""
    return [title for element in at.markdown for title in LENS if element.value.startswith(f"### {title}")]


def keys_of_figures(at: AppTest) -> list[str]:
    """Of “Why this prediction?”, from top to bottom."""
    return [chart.proto.id.rpartition("-")[2] for chart in at.get("plotly_chart")]


def test_the_lens_shows_what_the_stop_is_about() -> None:
    at = open_page(stage="1", tour="time-flies", stop="11")
    assert titles_of(at) == ["Which layers"]
    assert "The model reads" not in sentences_of(at)
    assert not at.multiselect


def test_the_lens_opens_with_its_answer_unless_presented_at_its_own_stop() -> None:
    for link in ({}, {"tour": "time-flies", "stop": "3"}):
        at = open_page(stage="1", view="word lens", **link)
        assert titles_of(at) == ["Verb or noun?"]
        assert len(titles_of_folds(at)) == 4
    at = open_page(stage="1", tour="time-flies", stop="6")
    assert figure(at, "parting")["layout"]["height"] == STOP_HEIGHT - HEADING  # the tokens of A and B are one row
    assert titles_of_folds(at) == []
    ask(at, stage=False)
    assert titles_of(at) == ["Verb or noun?"]
    assert open_folds(at) == ["lens_divergence"]
    assert figure(at, "parting")["layout"]["height"] > STOP_HEIGHT


def test_a_legend_below_the_axes_leaves_the_bars_their_room() -> None:
    at = open_page(stage="1", tour="twelve-steps", stop="12", walk="numbers")
    layout = figure(at)["layout"]
    assert layout["height"] - layout["margin"]["t"] - layout["margin"]["b"] > 70  # five bars; 30 before
    assert layout["margin"]["t"] >= 7 * 20


def test_a_stop_about_two_occurrences_says_if_one_is_missing() -> None:
    at = open_page(stage="1", tour="time-flies", stop="11", view="word lens", a="time flies", b="")
    assert "Use “time” in both sentences" in sentences_of(at)  # the least sure word
    assert titles_of(at) == []


def test_a_stop_shows_the_words_of_an_explanation_or_its_test() -> None:
    at = open_page(stage="1", tour="trust", stop="7")
    assert keys_of_figures(at) == ["why_removals"]
    assert figure(at, "removals")["layout"]["height"] == STOP_HEIGHT - HEADING
    ask(at, stage=False)
    assert keys_of_figures(at) == ["why_words", "why_removals"]
    assert keys_of_figures(open_page(stage="1", tour="trust", stop="8")) == ["why_words"]


def test_a_stop_about_a_score_shows_its_parts_without_the_test() -> None:
    at = open_page(stage="1", tour="trust", stop="3")
    assert keys_of_figures(at) == ["query_pair", "key_pair"]


def test_a_step_shows_its_worked_square_or_two_bands_and_names_the_others() -> None:
    at = open_page(stage="1", tour="twelve-steps", stop="7")
    assert len(at.get("plotly_chart")) == 1
    assert figure(at)["layout"]["height"] == STOP_HEIGHT - CAPTION
    at = open_page(stage="1", tour="twelve-steps", stop="3")
    assert len(at.get("plotly_chart")) == 2
    assert "Left out here: positions; " in sentences_of(at)


def test_a_stop_about_a_prediction_shows_its_bars_alone() -> None:
    at = open_page(stage="1", tour="trust", stop="1")
    assert keys_of_figures(at) == ["predictions_probabilities_pair"]
    assert not at.dataframe


def test_a_stop_shows_all_rows_of_its_table() -> None:
    at = open_page(stage="1", tour="twelve-steps", stop="2")
    [table] = at.dataframe
    heading = TABLE_ROW + TABLE_BORDER
    assert table.proto.row_height * len(table.value) + heading <= STOP_HEIGHT
    assert table.proto.row_height >= LEAST_ROW
