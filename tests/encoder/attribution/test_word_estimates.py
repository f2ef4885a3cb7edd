"""A word's part of speech in one text, while tokens' states are those of another."""

import numpy as np
import pytest

from encoder import Backend
from encoder.attribution.patched_texts import agreement
from encoder.attribution.word_estimates import patched_tag
from encoder.errors import ArgumentError
from encoder.models.interventions import Intervention, Patch
from encoder.shipped.labels import TAGS
from encoder.shipped.probes import load_probes

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


def test_where_both_take_the_word_for_the_same_its_two_likeliest_are_held_against_each_other(bundled: Backend) -> None:
    traces = [bundled.trace(text) for text in (B, "house flies like an apple")]
    patched = patched_tag(bundled, *((trace, (2,)) for trace in traces), load_probes("bundled"))
    assert TAGS[patched.classes[0]] == "NOUN" != TAGS[patched.classes[1]]


def test_a_text_patched_into_itself_changes_nothing(bundled: Backend) -> None:
    trace = bundled.trace(A)
    with pytest.raises(ArgumentError, match="the same text"):
        patched_tag(bundled, (trace, (2,)), (trace, (2,)), load_probes("bundled"))


@pytest.mark.parametrize(("text", "word"), [("fruit flies like bananas a lot", (2,)), ("all fruit flies ate it", (3,))])
def test_texts_whose_tokens_have_no_counterpart_are_an_error(bundled: Backend, text: str, word: tuple[int]) -> None:
    a, b = (bundled.trace(A), (2,)), (bundled.trace(text), word)
    with pytest.raises(ArgumentError, match="every token can be patched where both are the same"):
        patched_tag(bundled, a, b, load_probes("bundled"))
