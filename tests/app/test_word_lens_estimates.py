"""The word lens while heads are silenced one by one, and what it says of the estimate afterwards."""

import re

import pandas as pd
import pytest
from numpy.testing import assert_allclose

from encoder import Backend
from encoder.attribution.patched_texts import agreement
from encoder.attribution.word_estimates import estimate_tag_effects, patched_tag
from encoder.experiments.silencing import sweep_heads
from encoder.measures.ranks import rank_correlation
from encoder.shipped.probes import load_probes
from tests.app.app_script import Offered, click, figure, numbers, open_page, run, unfold
from tests.app.app_script import sentences_of as text
from tests.app.jobs import settled
from viz.caches import experiment_cache
from viz.computing.sweep import Sweep
from viz.panels import jobs

pytestmark = pytest.mark.usefixtures("jobs_begin_at_once")

FLIES, FRUIT = "time flies like an arrow", "fruit flies like a banana"
A, B = "bats fly at night", "wooden bats break often"


def test_estimates_are_shown_until_the_sweep_is_done(bundled: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    probes = load_probes("bundled")
    traces = [bundled.trace(sentence) for sentence in (A, B)]
    estimates = [
        estimate_tag_effects(bundled, trace, (position,), probes)
        for trace, position in zip(traces, (1, 2), strict=True)
    ]
    with monkeypatch.context() as patch:
        patch.setattr(Sweep, "running", property(lambda _: True))
        at = open_page(view="word lens", a=A, b=B)
        assert "An estimate from gradients" in text(at)
        for letter, each in zip("AB", estimates, strict=True):
            colours = figure(at, f"estimates-{letter}")["data"][0]["marker"]["color"]
            assert_allclose(colours, each.log_odds.ravel(), atol=1e-4)
    settled(run(at))
    assert "An estimate from gradients" not in text(at)
    exact = [
        sweep_heads(bundled, trace.tokens, [(position,)], probes=probes)
        for trace, position in zip(traces, (1, 2), strict=True)
    ]
    for each, effects in zip(estimates, exact, strict=True):
        assert effects.log_odds is not None
        assert each.classes == effects.classes[0]
        assert rank_correlation(each.log_odds, effects.log_odds[0]) > 0.8
    said = re.search(r"rank correlation with them: (\S+) in A, (\S+) in B\.", text(at))
    assert said is not None
    expected = [
        rank_correlation(a.log_odds, b.log_odds[0])
        for a, b in zip(estimates, exact, strict=True)
        if b.log_odds is not None
    ]
    assert_allclose([float(number) for number in said.groups()], expected, atol=0.02)


def test_patched_tokens_are_estimated_first_and_then_exact(bundled: Backend, offered: Offered) -> None:
    traces = [bundled.trace(sentence) for sentence in (FLIES, FRUIT)]
    patched = patched_tag(bundled, (traces[0], (2,)), (traces[1], (2,)), load_probes("bundled"))
    experiment_cache.patching_effects.clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "MAX_TOKENS_UNASKED", 0)
        at = settled(open_page(view="word lens", a=FLIES, b=FRUIT))
    assert "An estimate from the slopes" in text(at)
    estimates = patched.estimates(bundled)
    assert_allclose(numbers(figure(at, "patched-tokens")["data"][0]["z"]), estimates, atol=1e-3)
    settled(click(at, "lens_patched_begin"))
    drawn, exact = figure(at, "patched-tokens"), patched.effects(bundled)
    assert_allclose(numbers(drawn["data"][0]["z"]), exact, atol=1e-3)
    assert drawn["layout"]["xaxis"]["labelalias"]["1"] == "time → fruit"
    assert drawn["layout"]["xaxis"]["labelalias"]["2"] == "flies"
    assert f"can change anything: {agreement(estimates, exact):.2f}" in text(at)
    unfold(at, "lens_patched_table")
    table = pd.read_csv(pd.io.common.BytesIO(offered["patched-tokens.csv"]()))
    assert_allclose(table["exact_change"], exact.ravel(), atol=1e-3)
    assert table["token"][1] == "1: time → fruit"


def test_texts_whose_tokens_have_no_counterpart_say_so() -> None:
    at = settled(open_page(view="word lens", a="a bat flew", b="the wooden bat broke"))
    assert "every token can be patched where both are the same" in text(at)
