"""The view Swaps: shifts, one template as a matrix, and tables without slots."""

import pytest

from encoder.collection.shipped_sets import shipped_collection
from encoder.collection.swaps import parse_template
from tests.app.app_script import alerts, click, figure, open_page, unfold
from tests.app.app_script import sentences_of as text
from tests.app.jobs import open_settled, settled

pytestmark = pytest.mark.usefixtures("jobs_begin_at_once", "each_text_is_read_once")

VIEW = {"view": "swaps", "collection": "swaps", "model": "bundled-sentiment", "part": "negation and typos"}


def test_the_finding_comes_with_its_chart_and_the_mean_of_the_templates() -> None:
    at = open_settled(**VIEW)
    assert "moves the probability of “positive” by −70.6 points" in text(at)
    assert figure(at, "swaps")
    assert figure(unfold(at, "swaps_fillings"), "swaps-template")


def test_another_measure_and_another_set_are_in_the_address() -> None:
    at = open_settled(**VIEW | {"part": "names", "swap_measure": "masked word", "model": "bundled"})
    assert "the probability of the word that the first filler makes likeliest" in text(at)
    assert "without a [MASK] are left out" in text(at)
    at.button_group(key="swap_measure").set_value("cosine")
    settled(at.run())
    assert at.query_params["swap_measure"] == "cosine"
    assert "the cosine with the first filling" in text(at)
    at.button_group(key="swap_measure").set_value("tag")
    settled(at.run())
    assert "moves the probability of the tags of the words that stay" in text(at)
    assert "n = 5 templates: “{Emma" in text(unfold(at, "swaps_fillings")).replace("\\", "")
    [single] = [index for index, name in enumerate(at.selectbox[-1].options) if "wonderful review" in name]
    at.selectbox[-1].select_index(single)
    settled(at.run())
    assert "ADJ" in text(at)


def test_two_fillings_open_in_another_view() -> None:
    at = unfold(open_settled(**VIEW), "swaps_fillings")
    click(at, "swaps_open_compare")
    assert (at.query_params["view"], at.query_params["mode"]) == ("compare", "separate")
    assert at.query_params["a"] != at.query_params["b"]
    source = shipped_collection("swaps").column("template")[int(at.query_params["from_row"])]
    assert at.query_params["a"] in [parse_template(source).fill(choice) for choice in parse_template(source).choices]
    click(at, "back_to_table")
    assert at.query_params["view"] == "swaps"


def test_a_table_without_slots_leads_to_templates() -> None:
    at = open_page(**VIEW | {"collection": "reviews"})
    assert "Swaps needs rows with slots" in alerts(at)[0]
    click(at, "swaps_open_shipped")
    assert at.query_params["collection"] == "swaps"
