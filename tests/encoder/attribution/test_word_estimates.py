"""A word in one text, while heads are silenced, or tokens' states are those of another."""

import numpy as np
import pytest

from encoder import Backend
from encoder.attribution.patching_estimates import agreement
from encoder.attribution.word_estimates import estimate_shift_effects, patched_shift, patched_tag
from encoder.errors import ArgumentError, SelectionError
from encoder.experiments.silencing import sweep_heads
from encoder.measures.ranks import rank_correlation
from encoder.models.interventions import Intervention, Patch
from encoder.models.labels import TAGS
from encoder.shipped.probes import load_probes
from tests.encoder.random_models import Zoo

A, B = "time flies like an arrow", "fruit flies like a banana"


def test_patched_tokens_are_estimated_and_measured(bundled: Backend) -> None:
    probes, word = load_probes("bundled"), (2,)
    in_a, in_b = bundled.trace(A), bundled.trace(B)
    patched = patched_tag(bundled, (in_a, word), (in_b, word), probes)
    assert [TAGS[index] for index in patched.classes] == ["VERB", "NOUN"]
    exact = patched.effects(bundled)
    assert exact.shape == (7, 7)

    def log_odds(state: np.ndarray) -> float:
        scores = probes.scores(state[None], 6)[0]
        return float(scores[patched.classes[0]] - scores[patched.classes[1]])

    patch = Patch(state_index=2, positions=(1,), state=in_a.hidden_states[2, 1])
    (states,) = bundled.hidden_states([in_b.tokens], [Intervention(patches=(patch,))])
    assert exact[2, 1] == pytest.approx(log_odds(states[-1, 2]) - log_odds(in_b.hidden_states[-1, 2]), abs=1e-3)
    whole = log_odds(in_a.hidden_states[-1, 2]) - log_odds(in_b.hidden_states[-1, 2])
    assert exact[6, 2] == pytest.approx(whole, abs=1e-3)
    assert np.abs(np.delete(exact[6], 2)).max() < 1e-4  # nothing reads them any more
    estimates = patched.estimates(bundled)
    assert estimates[6, 2] == pytest.approx(whole, abs=1e-3)  # the probe is linear
    assert agreement(estimates, exact) > 0.7
    assert agreement(exact, exact) == pytest.approx(1)
    assert agreement(np.zeros_like(exact), exact) == 0


def test_a_text_patched_into_itself_changes_nothing(bundled: Backend) -> None:
    trace = bundled.trace(A)
    with pytest.raises(ArgumentError, match="the same tokens"):
        patched_tag(bundled, (trace, (2,)), (trace, (2,)), load_probes("bundled"))
    with pytest.raises(ArgumentError, match="the same tokens"):
        patched_shift((trace, (2,)), (trace, (2,)))


@pytest.mark.parametrize(("text", "word"), [("fruit flies like bananas a lot", (2,)), ("all fruit flies ate it", (3,))])
def test_texts_whose_tokens_have_no_counterpart_are_an_error(bundled: Backend, text: str, word: tuple[int]) -> None:
    a, b = (bundled.trace(A), (2,)), (bundled.trace(text), word)
    with pytest.raises(ArgumentError, match="every token can be patched where both are the same"):
        patched_tag(bundled, a, b, load_probes("bundled"))
    with pytest.raises(ArgumentError, match="every token can be patched where both are the same"):
        patched_shift(a, b)


@pytest.mark.parametrize(("text", "other", "least"), [(A, B, 0.95), (B, A, 0.85)])
def test_what_silencing_heads_does_to_a_shift_is_estimated(
    bundled: Backend, text: str, other: str, least: float
) -> None:
    trace, held_against = bundled.trace(text), bundled.trace(other).hidden_states[-1, 2]
    estimates = estimate_shift_effects(bundled, trace, (2,), held_against)
    exact = sweep_heads(bundled, trace.tokens, [(2,)], other=held_against).shift
    assert estimates.shape == exact[0].shape == (6, 12)
    assert rank_correlation(estimates, exact[0]) > least


def test_a_word_that_has_not_shifted_has_no_gradient(bundled: Backend) -> None:
    trace = bundled.trace(A)
    with pytest.raises(ArgumentError, match="a distance of 0 is minimal"):
        estimate_shift_effects(bundled, trace, (2,), trace.hidden_states[-1, 2] * 3)  # the length does not matter
    estimate_shift_effects(bundled, trace, (2,), trace.hidden_states[-1, 3])


def test_a_model_with_attention_code_of_its_own_has_no_estimate(zoo: Zoo) -> None:
    own = zoo.backend("deberta")
    a, b = own.trace(A), own.trace(B)
    with pytest.raises(SelectionError, match="can be changed: it has its own code"):
        estimate_shift_effects(own, a, (2,), b.hidden_states[-1, 2])


def test_tokens_carry_the_shift_of_a_word(bundled: Backend) -> None:
    a, b = bundled.trace(A), bundled.trace(B)
    patched = patched_shift((a, (2,)), (b, (2,)))
    in_a, in_b = patched.values(bundled)
    assert (in_a, in_b) == (pytest.approx(0, abs=1e-6), pytest.approx(0.369, abs=1e-3))
    exact, estimates = patched.effects(bundled), patched.estimates(bundled)
    assert exact[6, 2] == pytest.approx(-in_b, abs=1e-5)  # the final vector of A in place of that of B
    assert np.abs(np.delete(exact[6], 2)).max() < 1e-6
    patch = Patch(state_index=3, positions=(1,), state=a.hidden_states[3, 1])
    (states,) = bundled.hidden_states([b.tokens], [Intervention(patches=(patch,))])
    one, other = states[-1, 2], a.hidden_states[-1, 2]
    distance = 1 - one @ other / np.linalg.norm(one) / np.linalg.norm(other)
    assert exact[3, 1] == pytest.approx(distance - in_b, abs=1e-5)
    assert agreement(estimates, exact) > 0.6
