"""The graphs of measures: their numbers are those of the measures that they stand for."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import encoder
from encoder.experiments.senses.states import band_of_model
from encoder.export.graph import Graphs
from encoder.export.measures import COLOURS, STEPS, _first_largest, _largest_first
from encoder.measures.head_profiles import head_profiles
from encoder.measures.near_ties import first_largest, largest_first
from encoder.measures.similarity import ReferenceBand, cosines_by_layer, l2_norms, successive_cosines
from encoder.measures.unit_attention import shown_attention
from encoder.measures.units import Level, Special, units_of
from encoder.models.scratch import ScratchBackend
from encoder.runs.trace import Trace
from encoder.shipped.probes import word_classes
from tests.encoder.exported_measures import Measures, indices
from tests.rounding import NEAR_TIES, Values, is_largest, rounding

pytestmark = pytest.mark.usefixtures("operators_read_once")

CLOSE = rounding(128)  # the longest sums are over the width of the model
TEXTS = ("time flies like an arrow", "ok", "unbelievably, Ça va ? 漢字 🙂 don't", "one two three four " * 60)


@pytest.fixture(scope="module")
def model(scratch: ScratchBackend) -> ScratchBackend:
    return scratch


@pytest.fixture(scope="module")
def band(model: ScratchBackend) -> ReferenceBand:
    return band_of_model(model)


@pytest.fixture(scope="module")
def graphs() -> Graphs:
    return {}


@pytest.fixture(scope="module")
def measures(model: ScratchBackend, band: ReferenceBand, graphs: Graphs) -> Measures:
    return Measures(model, band, graphs)


@pytest.fixture(scope="module")
def traces(model: ScratchBackend) -> list[Trace]:
    return [*map(model.trace, TEXTS), model.trace(TEXTS[0], TEXTS[2])]


@pytest.mark.parametrize("level", ["words", "wordpieces"])
@pytest.mark.parametrize("special", ["show", "hide", "renormalise"])
def test_attention_between_units(measures: Measures, traces: list[Trace], level: Level, special: Special) -> None:
    for trace in traces:
        units = units_of(trace.tokens, level=level, special=special)
        separators = np.array(trace.tokens.special, np.float32)
        separators[0] = 0
        given = {"separators": separators, "scaled": np.array(special == "renormalise", np.float32), **indices(units)}
        found = measures.run("attention", weights=trace.weights(1), **given)
        weights, removed = shown_attention(trace.weights(1), units, special)
        assert found["roots"].dtype == np.uint16
        np.testing.assert_allclose(found["roots"], np.rint(np.sqrt(weights) * STEPS), rtol=0, atol=1)
        np.testing.assert_allclose(found["removed"], removed, rtol=0, atol=CLOSE)
        profiles = head_profiles(trace.weights(1), trace.tokens.special)
        wanted = [getattr(profiles, name) for name in profiles.__dataclass_fields__]
        np.testing.assert_allclose(found["profiles"].T, wanted, rtol=CLOSE, atol=CLOSE)


def test_norms_and_cosines(measures: Measures, traces: list[Trace]) -> None:
    for trace in traces:
        found = measures.norms(trace)
        norms = l2_norms(trace.hidden_states)
        np.testing.assert_allclose(found["norms"], norms, rtol=CLOSE)
        np.testing.assert_allclose(found["cosines"], successive_cosines(trace.hidden_states), rtol=0, atol=CLOSE)
        np.testing.assert_allclose(
            found["span"], [norms.min(), (norms.min() + norms.max()) / 2, norms.max()], rtol=CLOSE
        )
        means, room = norms.mean(axis=1), CLOSE * float(norms.max())
        for name, values in (("longest", norms[-1]), ("shortest", -norms[-1]), ("highest", means)):
            assert is_largest(found[name], values, room)
        ends = [found[f"{name}"] for name in ("longest_norm", "shortest_norm", "highest_mean")]
        np.testing.assert_allclose(ends, [norms[-1].max(), norms[-1].min(), means.max()], rtol=CLOSE)


def test_words_are_the_means_of_their_states_and_what_probes_read_there(
    measures: Measures, traces: list[Trace]
) -> None:
    for trace in traces:
        found, wanted = measures.words(trace), word_classes(trace)
        words = found["read"].shape[1]  # without those that were cut off
        np.testing.assert_allclose(found["read"], wanted.probabilities[:, :words], rtol=0, atol=CLOSE)
        for tags, state in zip(found["tags"], (*range(trace.num_layers + 1), None), strict=True):
            assert tuple(wanted.tags[tag] for tag in tags) == wanted.likeliest(state)[:words]


@pytest.mark.parametrize("values", NEAR_TIES)
def test_near_ties_break_as_on_the_page(values: Values) -> None:
    array = np.array([*values, 0, 0, 0], np.float32)
    assert int(_first_largest(torch.tensor(array))) == first_largest(array)
    assert tuple(_largest_first(torch.tensor(array), COLOURS).tolist()) == largest_first(array, COLOURS)


def test_the_word_that_moves_most(measures: Measures, model: ScratchBackend) -> None:
    before, after = model.trace(TEXTS[0]), model.trace(TEXTS[0], silenced_heads=[(0, 1), (2, 3)])
    means = [measures.words(trace)["means"] for trace in (before, after)]
    found = measures.run("moved", before=means[0], after=means[1])
    distances = 1 - cosines_by_layer(*means)[-1]
    assert is_largest(found["word"], distances, CLOSE)
    assert found["distance"] == pytest.approx(distances.max(), abs=CLOSE)


def expect_predictions(measures: Measures, traces: list[Trace]) -> None:
    for trace in traces:
        wanted = trace.prediction
        found = measures.run("predicted", states=trace.hidden_states)
        np.testing.assert_allclose(found["probabilities"], wanted.probabilities, rtol=0, atol=CLOSE)
        assert (np.diff(wanted.probabilities[found["order"]]) <= CLOSE).all()
        assert found["share"] == pytest.approx(wanted.probabilities.max(), abs=CLOSE)
        assert found["score"] == pytest.approx(wanted.score, abs=rounding(128, 4))  # of logits up to 4


def test_what_the_head_predicts(measures: Measures, traces: list[Trace]) -> None:
    expect_predictions(measures, traces)


def test_a_step_of_a_training_has_heads_but_no_probes(measures: Measures, graphs: Graphs) -> None:
    step = encoder.load("scratch:step=28")
    own = Measures(step, band_of_model(step), graphs)
    traces = [step.trace(text) for text in TEXTS]
    expect_predictions(own, traces)
    assert "read" in measures.words(traces[0])
    assert "read" not in own.words(traces[0])
