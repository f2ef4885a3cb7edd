"""The view Swaps: shifts, one template as a matrix, and tables without slots."""

import numpy as np
import pytest

import encoder
from encoder.collection.shipped_sets import shipped_collection
from encoder.collection.swaps import parse_template, run_swaps
from tests.app.app_script import alerts, click, figure, numbers, open_page
from tests.app.app_script import sentences_of as text
from tests.app.jobs import open_settled, settled

pytestmark = pytest.mark.usefixtures("jobs_begin_at_once")

VIEW = {"view": "swaps", "collection": "swaps", "model": "bundled-sentiment", "part": "negation and typos"}


def test_shifts_are_those_of_the_python_api() -> None:
    at = open_settled(**VIEW)
    table = shipped_collection("swaps")
    rows = [row for row, name in enumerate(table.column("set")) if name == VIEW["part"]]
    templates = [parse_template(source) for source in table.column("template", rows)]
    found = run_swaps(encoder.load("bundled-sentiment"), lambda done, total: None, templates, "class", 2)
    largest = sorted((swap.shift for swap in found.swaps), key=lambda shift: -abs(shift))[:15]
    np.testing.assert_allclose(figure(at, "swaps")["data"][0]["x"], [100 * shift for shift in largest], atol=0.01)
    changed, count = sum(swap.changed for swap in found.swaps), sum(swap.of for swap in found.swaps)
    said = text(at)
    assert f"by **{100 * found.sizes.mean():.1f} points** on average" in said
    assert f"turns the class in **{changed} of {count}** cases" in said
    number = max(found.swaps, key=lambda swap: abs(swap.shift)).template
    shown = np.asarray(numbers(figure(at, "swaps-template")["data"][0]["z"]))
    np.testing.assert_allclose(shown.ravel(), found.values[number], atol=1e-3)


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
    assert "ADJ" in text(at)


def test_two_fillings_open_in_another_view() -> None:
    at = open_settled(**VIEW)
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
