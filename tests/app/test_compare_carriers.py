"""What carries the difference of two texts in Compare: tokens and heads, estimated first and then exact."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import encoder
from encoder import Backend
from encoder.attribution.patching_estimates import silencing_effects, silencing_estimates
from encoder.comparison.patched_output import output_pair, patched_output
from tests.app.app_script import Offered, cell_numbers, click, figure, open_page, pick_model, run, unfold
from tests.app.app_script import sentences_of as text
from tests.app.jobs import settled
from tests.encoder.random_models import Zoo
from viz.caches.memo import JOBS
from viz.widgets import jobs


def test_carrier_tokens_are_estimated_first_and_then_exact(
    scratch: Backend, offered: Offered, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = "time flies like an arrow", "fruit flies like a banana"
    patched = patched_output(scratch.trace(a), scratch.trace(b))
    estimates, exact = patched.estimates(scratch), patched.effects(scratch)
    JOBS.clear()
    monkeypatch.setattr(jobs, "MAX_TOKENS_UNASKED", 0)
    at = unfold(open_page(view="compare", model="scratch", a=a, b=b), "compare_carriers")
    assert "An estimate from the gradients" in text(at)
    np.testing.assert_allclose(cell_numbers(figure(at, "patched-tokens")), estimates, atol=1e-3)
    settled(click(at, "compare_patched_begin"))
    np.testing.assert_allclose(cell_numbers(figure(at, "patched-tokens")), exact, atol=1e-3)
    unfold(at, "compare_patched-tokens_table")
    assert "patched-tokens.csv" in offered


def test_carriers_need_texts_of_equally_many_tokens() -> None:
    at = unfold(open_page(view="compare", a="the film was good", b="the film was not good"), "compare_carriers")
    assert "A has 6 tokens and B 7" in text(at)
    at = unfold(open_page(view="compare", compare="heads", silenced="0.0"), "compare_carriers")
    assert "carry the difference" not in text(at)


def assert_maps(at: AppTest, what: str, effects: Sequence[np.ndarray], names: Sequence[str]) -> None:
    for letter, each, name in zip("AB", effects, names, strict=True):
        points, tiles = figure(at, f"silenced-heads-{letter}")["data"]
        np.testing.assert_allclose(points["marker"]["color"], each.ravel(), atol=1e-4)
        assert tiles["colorbar"]["title"]["text"] == f"{what}, {name}"


def test_effects_of_silencing_are_estimated_first_and_then_exact(
    offered: Offered, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = "the film was good", "the film was not good"
    scratch = encoder.load("scratch")
    runs = scratch.trace(a), scratch.trace(b)
    found = output_pair(*runs, "similarity")
    estimates, exact = (
        [of_text(scratch, run.tokens, each) for run, each in zip(runs, found.quantities, strict=True)]
        for of_text in (silencing_estimates, silencing_effects)
    )
    JOBS.clear()
    monkeypatch.setattr(jobs, "MAX_TOKENS_UNASKED", 0)
    at = unfold(
        open_page(view="compare", model="scratch", a=a, b=b, compared_number="similarity"),
        "compare_carriers",
    )
    assert "An estimate from gradients." in text(at)
    assert_maps(at, "estimate", estimates, found.names)
    settled(click(at, "compare_silencing_begin"))
    assert_maps(at, "change", exact, found.names)
    assert "rank correlation of the heads that can change anything" in text(at)
    unfold(at, "compare_silenced-heads_table")
    assert "silenced-heads.csv" in offered


def test_another_number_is_chosen_and_one_that_is_not_there_gives_way() -> None:
    at = unfold(
        open_page(view="compare", model="scratch", a="the film was good", b="the film was bad"), "compare_carriers"
    )
    assert "(log-odds, positive against negative)" in text(at)
    in_order = [each for each in at.main if each.type in ("markdown", "button_group")]
    heading = next(
        place for place, each in enumerate(in_order) if "carry the difference" in str(getattr(each, "value", ""))
    )
    assert getattr(in_order[heading + 1], "key", None) == "compared_number"
    at.button_group(key="compared_number").set_value("similarity")
    settled(run(at))
    assert at.query_params["compared_number"] == "similarity"
    assert "(cosine to A)" in text(at)
    at = unfold(
        open_page(view="compare", model="scratch-untrained", a="the film was good", b="the film was bad"),
        "compare_carriers",
    )
    assert "(cosine to A)" in text(at)
    assert "compared_number" not in [group.key for group in at.button_group]


def test_a_model_that_cannot_be_changed_says_why_nothing_is_estimated(tmp_path: Path) -> None:
    folder = Zoo(tmp_path).folder("deberta")
    at = pick_model(open_page(view="compare", a="time flies like an arrow", b="fruit flies like an arrow"), str(folder))
    settled(unfold(click(at, "load_model"), "compare_carriers"))
    assert text(at).count("can be changed: it has its own code.") == 2  # tokens, and heads
