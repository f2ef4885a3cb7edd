"""The word lens while heads are silenced one by one, and what it says of the estimate afterwards."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest
from numpy.testing import assert_allclose

from encoder import Backend
from encoder.attribution.patching_estimates import agreement
from encoder.attribution.word_estimates import estimate_shift_effects, estimate_tag_effects, patched_tag
from encoder.experiments.silencing import sweep_heads
from encoder.shipped.probes import load_probes
from tests.app.app_script import Offered, click, figure, numbers, open_page, pick_model, run, unfold
from tests.app.app_script import sentences_of as text
from tests.app.jobs import settled
from tests.encoder.random_models import BERT_SIZES, build, save, wordpiece_tokenizer
from viz.caches.memo import JOBS
from viz.computing.job import Job
from viz.panels import jobs

pytestmark = pytest.mark.usefixtures("jobs_begin_at_once")

FLIES, FRUIT = "time flies like an arrow", "fruit flies like a banana"
A, B = "bats fly at night", "wooden bats break often"


@contextmanager
def sweeps_that_do_not_end(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    JOBS.clear()
    with monkeypatch.context() as patch:
        patch.setattr(Job, "running", property(lambda _: True))
        patch.setattr(Job, "start", lambda *_, **__: None)
        yield


def test_estimates_are_shown_until_the_sweep_is_done(bundled: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    probes = load_probes("bundled")
    traces = [bundled.trace(sentence) for sentence in (A, B)]
    estimates = [
        estimate_tag_effects(bundled, trace, (position,), probes)
        for trace, position in zip(traces, (1, 2), strict=True)
    ]
    with sweeps_that_do_not_end(monkeypatch):
        at = open_page(view="word lens", a=A, b=B, effect="part of speech")
        assert "An estimate from gradients" in text(at)
        for letter, each in zip("AB", estimates, strict=True):
            colours = figure(at, f"estimates-{letter}")["data"][0]["marker"]["color"]
            assert_allclose(colours, each.log_odds.ravel(), atol=1e-4)
    settled(run(at))
    assert "An estimate from gradients" not in text(at)
    assert "of the heads that can change anything:" in text(at)


@pytest.mark.parametrize("effect", ["shift", "final vector"])
def test_the_shift_is_estimated_until_the_sweep_is_done(
    bundled: Backend, effect: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In place of the final vector, too, whose distance from itself has no gradient."""
    traces = [bundled.trace(sentence) for sentence in (FLIES, FRUIT)]
    finals = [trace.hidden_states[-1, 2] for trace in traces]
    estimates = [
        estimate_shift_effects(bundled, trace, (2,), other) for trace, other in zip(traces, finals[::-1], strict=True)
    ]
    with sweeps_that_do_not_end(monkeypatch):
        at = open_page(view="word lens", a=FLIES, b=FRUIT, effect=effect)
        assert "**An estimate from gradients**" in text(at)
        assert ("no gradient where nothing is changed, so it cannot be estimated" in text(at)) == (effect != "shift")
        assert "The shift is the cosine distance between the word's final vectors in A and in B." in text(at)
        assert "the control is strict" not in text(at)
        for letter, each in zip("AB", estimates, strict=True):
            drawn = figure(at, f"estimates-{letter}")["data"]
            assert_allclose(drawn[0]["marker"]["color"], each.ravel(), atol=1e-6)
            assert drawn[1]["colorbar"]["title"]["text"] == "estimated change of the distance from A to B"
    settled(run(at))
    assert "An estimate from gradients" not in text(at)
    assert ("the control is strict for a word that has shifted little" in text(at)) == (effect == "shift")
    exact = [
        sweep_heads(bundled, trace.tokens, [(2,)], other=other)
        for trace, other in zip(traces, finals[::-1], strict=True)
    ]
    wanted = []
    for letter, each, effects in zip("AB", estimates, exact, strict=True):
        assert effects.shift is not None
        shown = effects.shift if effect == "shift" else effects.distance
        assert_allclose(figure(at, f"heads-{letter}")["data"][0]["marker"]["color"], shown.ravel(), atol=1e-5)
        wanted.append(f"{agreement(each, effects.shift[0]):.2f} in {letter}")
    said = (
        "One backward pass estimated the effects on the shift; rank correlation of the heads that can change anything: "
    )
    assert f"{said}{', '.join(wanted)}." in text(at)
    assert ("estimated the effects on the part of speech" in text(at)) == (effect != "shift")


def test_a_word_that_has_not_shifted_has_no_estimate() -> None:
    at = settled(open_page(view="word lens", a=FLIES, b=FLIES, effect="shift"))
    assert "The word has the same state in both texts" in text(at)
    assert "rank correlation" not in text(at)
    exact = numbers(figure(at, "heads-A")["data"][0]["marker"]["color"])
    assert exact.min() > -1e-6
    assert exact.max() > 0.01


def test_one_sentence_has_no_shift_and_no_probes_mean_no_part_of_speech() -> None:
    at = settled(open_page(view="word lens", a=FLIES, b="", effect="shift"))
    assert "The shift needs the word in both sentences: the final vector is shown." in text(at)
    assert figure(at, "heads-A")["data"][1]["colorbar"]["title"]["text"] == "cosine distance"
    at = settled(open_page(view="word lens", a=FLIES, b=FRUIT, effect="part of speech", model="scratch-untrained"))
    assert "no probe that reads parts of speech: the final vector is shown." in text(at)


def test_without_a_gradient_the_final_vector_is_not_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    with sweeps_that_do_not_end(monkeypatch):
        at = open_page(view="word lens", a=FLIES, b="", model="scratch-untrained")
        assert "no gradient where nothing is changed, so it cannot be estimated." in text(at)
        assert "An estimate from gradients" not in text(at)


def test_a_model_that_cannot_be_changed_says_why_nothing_is_estimated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = build("DebertaV2Model", "DebertaV2Config", **BERT_SIZES, relative_attention=True)
    folder = save(model, tmp_path / "own-attention", wordpiece_tokenizer())
    with sweeps_that_do_not_end(monkeypatch):
        at = click(pick_model(open_page(view="word lens"), str(folder)), "load_model")
        assert text(at).count("can be changed: it has its own code.") == 2  # heads, and tokens
        assert "An estimate" not in text(at)


def test_patched_tokens_are_estimated_first_and_then_exact(bundled: Backend, offered: Offered) -> None:
    traces = [bundled.trace(sentence) for sentence in (FLIES, FRUIT)]
    patched = patched_tag(bundled, (traces[0], (2,)), (traces[1], (2,)), load_probes("bundled"))
    JOBS.clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "MAX_TOKENS_UNASKED", 0)
        at = settled(open_page(view="word lens", a=FLIES, b=FRUIT))
    assert "An estimate from the gradients" in text(at)
    estimates = patched.estimates(bundled)
    assert_allclose(numbers(figure(at, "patched-tokens")["data"][0]["z"]), estimates, atol=1e-3)
    settled(click(at, "lens_patched_begin"))
    drawn, exact = figure(at, "patched-tokens"), patched.effects(bundled)
    assert_allclose(numbers(drawn["data"][0]["z"]), exact, atol=1e-3)
    assert drawn["layout"]["xaxis"]["ticktext"][1] == "time → fruit"
    assert drawn["layout"]["xaxis"]["ticktext"][2] == "flies"
    assert f"can change anything: {agreement(estimates, exact):.2f}" in text(at)
    unfold(at, "lens_patched-tokens_table")
    table = pd.read_csv(pd.io.common.BytesIO(offered["patched-tokens.csv"]()))
    assert_allclose(table["exact_change"], exact.ravel(), atol=1e-3)
    assert table["token"][1] == "1: time → fruit"


def test_texts_whose_tokens_have_no_counterpart_say_so() -> None:
    at = settled(open_page(view="word lens", a="a bat flew", b="the wooden bat broke"))
    assert "every token can be patched where both are the same" in text(at)


def test_without_probes_the_tokens_that_carry_the_shift_are_shown() -> None:
    at = settled(open_page(view="word lens", a=FLIES, b=FRUIT, model="scratch-untrained"))
    assert "Which tokens carry the shift?" in text(at)
    assert "rank correlation where a patch can change anything" in text(at)
