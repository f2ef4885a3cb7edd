"""The view One word: the sentence and charts, what can be chosen, chosen points, and words that do not occur."""

from collections import Counter
from typing import Any
from unittest import mock

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from encoder import Backend
from encoder.collection.shipped_sets import shipped_collection
from encoder.collection.word_map import find_word, map_word
from tests.app.app_script import alerts, click, figure, open_page, run
from tests.app.app_script import sentences_of as text
from tests.app.jobs import open_settled, settled
from viz.views.word_map import widgets as word_map

pytestmark = pytest.mark.usefixtures("jobs_begin_at_once")

VIEW = {"view": "word map", "model": "scratch", "collection": "words", "word": "bank"}
PLOTLY_CHART = st.plotly_chart


def with_points(at: AppTest, *points: tuple[int, int]) -> AppTest:
    """Rerun the page with chosen points, each of a trace; AppTest cannot choose any."""
    chosen = [{"curve_number": curve, "point_index": index} for curve, index in points]

    def draw(figure: Any, *, key: str, on_select: Any, **options: Any) -> Any:
        if key.endswith("_word-map"):
            with mock.patch.object(st, "rerun"), mock.patch.object(word_map, "_picked_points", return_value=chosen):
                on_select()
        return PLOTLY_CHART(figure, key=key, on_select=on_select, **options)

    with mock.patch.object(st, "plotly_chart", draw):
        return run(at)


def test_sentence_and_charts_are_those_of_the_python_api(scratch: Backend) -> None:
    at = open_settled(**VIEW)
    words = shipped_collection("words")
    found = map_word(scratch, words, find_word(words, "bank"))
    accuracy = found.accuracies["sense"]
    state = int(accuracy.neighbour.argmax())
    said = text(at)
    assert f"After layer {state - 1}, the nearest neighbour of “bank” has the same sense in" in said
    assert f"**{100 * accuracy.neighbour[state]:.0f} %** of 38 occurrences" in said
    assert "38 occurrences in 38 texts." in said
    lines = figure(at, "word-map-accuracy")["data"]
    np.testing.assert_allclose(lines[0]["y"], accuracy.neighbour, atol=1e-6)
    np.testing.assert_allclose(lines[1]["y"], accuracy.centroid, atol=1e-6)
    points = figure(at, "word-map")
    assert [len(trace["x"]) for trace in points["data"]] == [19, 19]
    assert len(points["layout"]["sliders"][0]["steps"]) == scratch.num_layers + 1


def test_word_colour_forms_and_layer_are_in_the_address() -> None:
    at = open_settled(**VIEW, colour="tag", map_state="1")
    assert "No two labels of “tag” have two texts with “bank” each" in text(at)
    at.selectbox(key="word_map_suggested").set_value("light")
    settled(at.run())
    assert at.query_params["word"] == "light"
    assert "the nearest neighbour of “light” has the same tag" in text(at)
    at.selectbox(key="word_map_colour").set_value("Clusters")
    settled(at.run())
    assert at.query_params["colour"] == "~clusters"
    assert "After the last layer, the occurrences of “light” fall into" in text(at)
    at.selectbox(key="word_map_forms").set_value("Any English inflection")
    settled(at.run())
    assert at.query_params["forms"] == "inflections"
    at.selectbox(key="word_map_forms").set_value("Any German inflection")
    settled(at.run())
    assert at.query_params["forms"] == "German"
    at = open_settled(**VIEW, map_state="0")
    assert "In the embeddings, before any layer, the nearest neighbour of “bank”" in text(at)
    at = open_settled(**VIEW, map_state="99")
    assert "After layer 3, the nearest neighbour of “bank”" in text(at)


def test_tags_that_the_model_predicts_colour_the_points_and_are_scored(scratch: Backend) -> None:
    at = open_settled(**VIEW | {"word": "flies"}, colour="~tags", map_state="3")
    words = shipped_collection("words")
    found = map_word(scratch, words, find_word(words, "flies"))
    accuracy = found.accuracies["~tags"].neighbour[3]
    assert at.selectbox(key="word_map_colour").value == "Predicted tags"
    said = text(at)
    assert f"the nearest neighbour of “flies” has the same predicted tag in **{100 * accuracy:.0f} %**" in said
    assert "The model itself predicts these tags" in said
    assert {trace["name"]: len(trace["x"]) for trace in figure(at, "word-map")["data"]} == Counter(found.tags)
    at = open_settled(**VIEW | {"model": "bundled", "word": "match"}, colour="~tags")
    assert "The model tags “match” as **NOUN** in 38 of 38 occurrences." in text(at)
    at = open_settled(**VIEW | {"model": "bundled-sentiment"}, colour="~tags")
    assert "the nearest neighbour of “bank” has the same sense" in text(at)


def test_chosen_points_are_a_table_and_open_in_another_view() -> None:
    at = with_points(open_settled(**VIEW), (0, 0), (0, 1), (1, 0))
    assert "3 of 38 occurrences are chosen." in text(at)
    rows = at.dataframe[0].value
    assert rows["sense"].tolist() == ["bank:money", "bank:money", "bank:river"]
    assert all("bank" in each.lower() for each in rows["text"])
    [nearest] = [name for name in rows.columns if name.startswith("nearest in another text after layer")]
    assert len(rows[nearest]) == 3
    run(at)  # the slider removes the choice in the browser
    assert "3 of 38 occurrences are chosen." in text(at)
    click(at, "word_map_open_word lens")
    first, second = rows["text"][0], rows["text"][2]
    assert (at.query_params["view"], at.query_params["a"], at.query_params["b"]) == ("word lens", first, second)
    for letter, each in (("a", first), ("b", second)):
        words = each.replace(".", " .").replace(",", " ,").lower().split()
        assert words[int(at.query_params[f"at_{letter}"])] == "bank"
    click(at, "back_to_table")
    assert (at.query_params["view"], at.query_params["word"]) == ("word map", "bank")


def test_a_single_point_opens_with_its_nearest_neighbour() -> None:
    at = with_points(open_settled(**VIEW), (1, 3))
    rows = at.dataframe[0].value
    [nearest] = [rows[name][0] for name in rows.columns if name.startswith("nearest in another text")]
    click(at, "word_map_open_compare")
    assert nearest.strip("…") in at.query_params["b"]


@pytest.mark.parametrize(
    ("word", "message"),
    [("qqqq", "No text of this table has “qqqq”"), ("   ", "Type a word"), ("<b>", "No text of this table has “<b>”")],
)
def test_a_word_that_cannot_be_mapped_is_explained(word: str, message: str) -> None:
    at = open_page(**VIEW | {"word": word})
    assert message in alerts(at)[0].replace("\\", "")


def test_without_a_word_a_suggested_one_is_mapped() -> None:
    at = open_settled(view="word map", collection="negations")
    assert "“with”" in text(at)
