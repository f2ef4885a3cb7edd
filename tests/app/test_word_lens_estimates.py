"""The word lens while heads are silenced one by one, and what it says of the estimate afterwards."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from numpy.testing import assert_allclose

from encoder import Backend
from encoder.attribution.word_estimates import estimate_shift_effects
from encoder.experiments.silencing import sweep_heads
from tests.app.app_script import click, figure, open_page, run, unfold
from tests.app.app_script import sentences_of as text
from tests.app.jobs import settled
from tests.app.word_lens import unfolded
from viz.caches.memo import JOBS
from viz.computing.job import Job
from viz.widgets import jobs

pytestmark = pytest.mark.usefixtures("jobs_begin_at_once")

FLIES, FRUIT = "time flies like an arrow", "fruit flies like a banana"


@contextmanager
def sweeps_that_do_not_end(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    JOBS.clear()
    with monkeypatch.context() as patch:
        patch.setattr(Job, "running", property(lambda _: True))
        patch.setattr(Job, "start", lambda *_, **__: None)
        yield


def test_an_effect_is_estimated_until_the_sweep_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """In place of the final vector the shift is, because the vector's distance from itself has no gradient."""
    with sweeps_that_do_not_end(monkeypatch):
        at = unfolded(open_page(view="word lens", model="scratch", a=FLIES, b=FRUIT, effect="final vector"))
        assert "**An estimate from gradients**" in text(at)
        assert "so it cannot be estimated" in text(at)
        assert "the control is strict" not in text(at)
        title = figure(at, "estimates-A")["data"][1]["colorbar"]["title"]["text"]
        assert "distance from A to B" in title
    settled(run(at))
    assert "An estimate from gradients" not in text(at)
    assert "One backward pass estimated the effects on the shift; rank correlation" in text(at)
    agreements = re.findall(r"that can change anything: (\S+) in A, (\S+) in B", text(at))
    assert all(float(number) > 0.5 for pair in agreements for number in pair)


def test_the_shift_is_that_from_the_other_sentence_of_the_page(
    scratch: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    traces = [scratch.trace(sentence) for sentence in (FLIES, FRUIT)]
    others = [trace.hidden_states[-1, 2] for trace in traces][::-1]
    with sweeps_that_do_not_end(monkeypatch):
        at = unfolded(open_page(view="word lens", model="scratch", a=FLIES, b=FRUIT, effect="shift"))
        for letter, trace, other in zip("AB", traces, others, strict=True):
            estimates = estimate_shift_effects(scratch, trace, (2,), other)
            assert_allclose(
                figure(at, f"estimates-{letter}")["data"][0]["marker"]["color"], estimates.ravel(), atol=1e-6
            )
    settled(run(at))
    for letter, trace, other in zip("AB", traces, others, strict=True):
        exact = sweep_heads(scratch, trace.tokens, [(2,)], other=other).shift
        assert exact is not None
        assert_allclose(figure(at, f"heads-{letter}")["data"][0]["marker"]["color"], exact.ravel(), atol=1e-5)


def test_one_sentence_has_no_shift_and_no_probes_mean_no_part_of_speech() -> None:
    at = settled(unfolded(open_page(view="word lens", model="scratch", a=FLIES, b="", effect="shift")))
    assert "The shift needs the word in both sentences: the final vector is shown." in text(at)
    assert figure(at, "heads-A")["data"][1]["colorbar"]["title"]["text"] == "cosine distance"
    at = settled(
        unfolded(open_page(view="word lens", a=FLIES, b=FRUIT, effect="part of speech", model="scratch-untrained"))
    )
    assert "no probe that reads parts of speech: the final vector is shown." in text(at)
    assert "Which tokens carry the shift?" in text(at)
    assert "rank correlation where a patch can change anything" in text(at)


def test_without_a_gradient_the_final_vector_is_not_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    with sweeps_that_do_not_end(monkeypatch):
        at = unfolded(open_page(view="word lens", a=FLIES, b="", model="scratch-untrained"))
        assert "no gradient where nothing is changed, so it cannot be estimated." in text(at)
        assert "An estimate from gradients" not in text(at)


def test_patched_tokens_are_estimated_first_and_then_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    JOBS.clear()
    monkeypatch.setattr(jobs, "MAX_TOKENS_UNASKED", 0)
    at = settled(unfold(open_page(view="word lens", model="scratch", a=FLIES, b=FRUIT), "lens_parts_of_model"))
    at.button_group(key="carried").set_value("shift")
    settled(run(at))
    assert at.query_params["carried"] == "shift"
    assert "Which tokens carry the shift?" in text(at)
    assert "An estimate from the gradients" in text(at)
    settled(click(at, "lens_patched_begin"))
    assert "An estimate from the gradients" not in text(at)
