"""What a model says of one text, while tokens' states are those of another."""

from pathlib import Path

import numpy as np
import pytest

import encoder
from encoder import Backend
from encoder.attribution.patching_estimates import agreement, silencing_effects, silencing_estimates
from encoder.attribution.quantities import measure
from encoder.comparison.patched_output import output_kinds, output_pair, patched_output
from encoder.errors import ArgumentError
from encoder.models.interventions import Intervention, Patch
from tests.encoder.attribution.classifiers import classifier
from tests.encoder.random_models import Zoo, backend_of

GOOD, BAD = "the film was good", "the film was bad"


def test_classes_that_differ_are_held_against_each_other() -> None:
    sentiment = encoder.load("bundled-sentiment")
    a, b = sentiment.trace(GOOD), sentiment.trace(BAD)
    patched = patched_output(a, b)
    assert patched.name == "log-odds, positive against negative"
    values = patched.values(sentiment)
    for run, value in zip((a, b), values, strict=True):
        logits = dict(zip(run.prediction.labels, run.prediction.logits, strict=True))
        assert value == pytest.approx(logits["positive"] - logits["negative"], abs=1e-4)
    changes = patched.effects(sentiment)
    assert changes[0, 4] == pytest.approx(values[0] - values[1], abs=1e-3)  # "bad" becomes "good" altogether
    assert np.abs(np.delete(changes[0], 4)).max() < 1e-4  # the other words are the same before the first layer


def test_without_a_head_the_vector_turns_towards_that_of_a(zoo: Zoo) -> None:
    backend = backend_of(zoo, "bert")
    a, b = (backend.trace(text) for text in ("time flies like an arrow", "fruit flies like an arrow"))
    patched = patched_output(a, b)
    assert patched.name == "cosine to A"

    def cosine(states: np.ndarray) -> float:
        mine, other = states.mean(0), a.hidden_states[-1].mean(0)
        return float(mine @ other / np.linalg.norm(mine) / np.linalg.norm(other))

    patch = Patch(state_index=1, positions=(1,), state=a.hidden_states[1, 1])
    (states,) = backend.hidden_states([b.tokens], [Intervention(patches=(patch,))])
    expected = cosine(states[-1]) - cosine(b.hidden_states[-1])
    assert patched.effects(backend)[1, 1] == pytest.approx(expected, abs=1e-5)


def test_what_has_no_counterpart_is_an_error(bundled: Backend) -> None:
    good = bundled.trace(GOOD)
    with pytest.raises(ArgumentError, match="the same tokens"):
        patched_output(good, good)
    with pytest.raises(ArgumentError, match="6 tokens and B 7"):
        patched_output(good, bundled.trace("the film was not good"))
    with pytest.raises(ArgumentError, match="two models"):
        patched_output(encoder.load("scratch").trace(GOOD), bundled.trace(BAD))
    with pytest.raises(ArgumentError, match="the same tokens"):
        output_pair(good, good, "similarity")


@pytest.mark.parametrize("longer", [BAD, "the film was not good"])  # heads need no counterpart of each token
def test_every_number_of_two_texts_can_be_chosen(longer: str) -> None:
    sentiment = encoder.load("bundled-sentiment")
    a, b = sentiment.trace(GOOD), sentiment.trace(longer)
    assert output_kinds(a, b) == ("class", "score", "similarity")
    assert output_pair(a, b).names == output_pair(a, b, "class").names
    score, cosine = output_pair(a, b, "score"), output_pair(a, b, "similarity")
    assert (score.names, cosine.names) == (("score", "score"), ("cosine to B", "cosine to A"))
    for run, of_score, of_cosine in zip((a, b), score.quantities, cosine.quantities, strict=True):
        assert measure(sentiment, [run.tokens], of_score)[0] == pytest.approx(run.prediction.score, abs=1e-5)
        one, other = (each.hidden_states[-1].mean(0) for each in (a, b))
        expected = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
        assert measure(sentiment, [run.tokens], of_cosine)[0] == pytest.approx(expected, abs=1e-5)
    for pair in (score, cosine):
        estimates = silencing_estimates(sentiment, a.tokens, pair.quantities[0])
        assert agreement(estimates, silencing_effects(sentiment, a.tokens, pair.quantities[0])) > 0.5


def test_a_number_without_a_trained_head_is_an_error(zoo: Zoo, tmp_path: Path) -> None:
    backend = backend_of(zoo, "bert")
    a, b = backend.trace(GOOD), backend.trace(BAD)
    assert output_kinds(a, b) == ("similarity",)
    with pytest.raises(ArgumentError, match="no trained head for a score; there is: similarity"):
        output_pair(a, b, "score")
    classes = classifier(zoo, tmp_path, "bert")
    assert output_kinds(classes.trace(GOOD), classes.trace(BAD)) == ("class", "similarity")
