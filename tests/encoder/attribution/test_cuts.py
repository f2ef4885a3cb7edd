"""What cutting a link changes: the figures of the first example, runs by hand, and random links of similar weight."""

import numpy as np
import pytest

from encoder import Backend
from encoder.attribution.cuts import DRAWS, Output, cut
from encoder.measures.units import occurrence_states
from encoder.runs.arrays import softmax
from encoder.runs.links import Link
from encoder.shipped.probes import load_probes
from tests.encoder.random_models import A, B, Zoo

VERB, NOUN = Output("part of speech", "flies", "VERB"), Output("part of speech", "flies", "NOUN")


def by_output(backend: Backend, text: str, query: str, key: str, **place: int) -> dict[Output, tuple[float, float]]:
    found = cut(backend, text, query, key, **place)
    return dict(zip(found.outputs, zip(found.before.tolist(), found.after.tolist(), strict=True), strict=True))


@pytest.mark.parametrize(("place", "verb"), [({"layer": 0, "head": 4}, 0.70), ({"layer": 0}, 0.70), ({}, 0.06)])
def test_flies_needs_time_to_be_a_verb(bundled: Backend, place: dict[str, int], verb: float) -> None:
    found = by_output(bundled, A, "flies", "time", **place)
    assert found[VERB] == pytest.approx((0.93, verb), abs=0.006)


def test_without_any_look_at_time_flies_is_a_noun(bundled: Backend) -> None:
    assert by_output(bundled, A, "flies", "time")[NOUN] == pytest.approx((0.05, 0.88), abs=0.006)
    found = cut(bundled, A, "flies", "time")
    row = found.outputs.index(VERB)
    assert len(found.random) == DRAWS
    assert found.random[:, row].min() > found.after[row] + 0.2


def test_flies_stays_a_noun_without_fruit(bundled: Backend) -> None:
    before, after = by_output(bundled, B, "flies", "fruit")[NOUN]
    assert min(before, after) > 0.9


def test_outputs_are_those_of_single_runs(bundled: Backend) -> None:
    found = cut(bundled, A, "flies", "time", layer=2)
    changed = bundled.trace(A, links=[Link(query="flies", key="time", layer=2)])
    probes = load_probes(bundled.name)
    shares = softmax(probes.scores(occurrence_states(changed.hidden_states[-1], [2]), bundled.num_layers))
    assert found.after[found.outputs.index(VERB)] == pytest.approx(float(shares.max()), abs=2e-5)
    prediction = changed.prediction
    assert prediction is not None
    assert prediction.probabilities is not None
    labels = {output.label: row for row, output in enumerate(found.outputs) if output.what == "class"}
    for label, row in labels.items():
        share = prediction.probabilities[prediction.labels.index(label)]
        assert found.after[row] == pytest.approx(float(share), abs=2e-5)


def test_random_links_are_others_of_similar_weight(bundled: Backend) -> None:
    text = "The old man fished alone in a small boat, and he had gone many days without taking a fish."
    found = cut(bundled, text, "boat", "small", layer=3)
    assert len(found.random_weights) == DRAWS
    assert np.abs(np.log(found.random_weights / found.weight)).max() < np.log(3)
    shift = next(row for row, output in enumerate(found.outputs) if output.what == "shift")
    assert found.before[shift] == pytest.approx(0, abs=1e-6)
    assert found.after[shift] > 0


def test_a_model_without_heads_and_probes_says_how_far_the_word_moved(zoo: Zoo) -> None:
    found = cut(zoo.backend("bert"), A, "flies", "time")
    assert [output.what for output in found.outputs] == ["shift"]
    frame = found.frame()
    assert frame["random_lowest"][0] <= frame["random_highest"][0]
    assert frame.attrs["weight"] == found.weight
    assert repr(found).startswith("<LinkEffects The attention of “flies” (2) to “time” (1) was cut in all layers.")


def test_masked_words_are_followed(bundled: Backend) -> None:
    found = cut(bundled, "Time [MASK] like an arrow.", "[MASK]", "time")
    masks = [output for output in found.outputs if output.what == "word at mask"]
    assert {output.of for output in masks} == {"[MASK]"}
    assert found.before[found.outputs.index(masks[0])] > 0
