"""The view Swaps: shifts, one template as a matrix, and tables without slots."""

from typing import Any

import numpy as np
import pytest

import encoder
from encoder.collection.shipped_sets import shipped_collection
from encoder.collection.swaps import parse_template, run_swaps
from tests.app.app_script import alerts, click, figure, numbers, open_page, unfold
from tests.app.app_script import sentences_of as text
from tests.app.jobs import open_settled, settled

pytestmark = pytest.mark.usefixtures("jobs_begin_at_once", "each_text_is_read_once")

VIEW = {"view": "swaps", "collection": "swaps", "model": "bundled-sentiment", "part": "negation and typos"}


def test_shifts_are_those_of_the_python_api() -> None:
    at = open_settled(**VIEW)
    table = shipped_collection("swaps")
    rows = [row for row, name in enumerate(table.column("set")) if name == VIEW["part"]]
    templates = [parse_template(source) for source in table.column("template", rows)]
    found = run_swaps(encoder.load("bundled-sentiment"), templates, "class", 2)
    means = found.means[:15]
    shown = {y: (x, low) for data in figure(at, "swaps")["data"] for y, x, low in _dots(data)}
    assert sorted(shown) == list(range(15))
    for row, mean in enumerate(means):
        low = 0 if np.isnan(mean.mean.low) else mean.shift - mean.mean.low
        assert shown[row] == pytest.approx((100 * mean.shift, 100 * low), abs=0.01)
    leading = next(mean for mean in found.means if mean.is_clear)
    changed, count = sum(swap.changed for swap in found.swaps), sum(swap.of for swap in found.swaps)
    said = text(at)
    assert f"“{leading.before}” → “{leading.after}” moves the probability of “positive” by" in said
    assert f"by **{100 * found.sizes.mean():.1f} points** on average" in said
    assert f"turns the class in **{changed} of {count}** cases" in said
    unfold(at, "swaps_fillings")
    mean_of = np.mean([found.values[number] for number in found.groups[0]], axis=0)
    matrix = np.asarray(numbers(figure(at, "swaps-template")["data"][0]["z"]))
    np.testing.assert_allclose(matrix.ravel(), mean_of, atol=1e-3)


def _dots(data: dict[str, Any]) -> list[tuple[int, float, float]]:
    """The row of each dot, its place, and how far its interval reaches below it."""
    return list(zip(*map(numbers, (data["y"], data["x"], data["error_x"]["arrayminus"])), strict=True))


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
