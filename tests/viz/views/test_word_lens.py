"""The word lens as answers: the numbers of charts and tables, and what is said of them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from encoder import Backend
from encoder.attribution.word_estimates import patched_shift, patched_tag
from encoder.experiments.patching import patch_word
from encoder.experiments.senses.sentence_search import SentenceSearch, shipped_sentences, typed_sentences
from encoder.experiments.senses.states import band_of_model
from encoder.experiments.silencing import WordSweep, sweep_heads, sweep_word
from encoder.measures.head_effects import control_from_other_words
from encoder.measures.similarity import ReferenceBand, cosines_by_layer, divergence_layer
from encoder.runs.arrays import FloatArray
from encoder.shipped.probes import load_probes, word_classes
from tests.viz.answers.parts import columns_of, said
from viz.answers.answer import Answer, Row, Sentence
from viz.answers.word_places import Occurrence, WordPlaces, occurrences_of
from viz.theme import THEMES
from viz.views.word_lens.answer.divergence import divergence
from viz.views.word_lens.answer.heads import (
    DISTANCE,
    LOG_ODDS,
    SHIFT,
    Estimates,
    effects_of_heads,
    estimated_effects,
    estimated_map,
)
from viz.views.word_lens.answer.parts_of_speech import parts_of_speech
from viz.views.word_lens.answer.patching import patching, words_of_patching
from viz.views.word_lens.answer.profiles import profiles
from viz.views.word_lens.answer.senses import senses
from viz.views.word_lens.answer.silencing import silenced_together
from viz.views.word_lens.answer.summary import TO_TRY, leading_picture, short_answer, stays_close, summary

A, B = "time flies like an arrow", "fruit flies like a banana"


@pytest.fixture(scope="module")
def flies(bundled: Backend) -> list[Occurrence]:
    return occurrences_of({"A": bundled.trace(A), "B": bundled.trace(B)}, WordPlaces(1, 1))


@pytest.fixture(scope="module")
def band(bundled: Backend) -> ReferenceBand:
    return band_of_model(bundled)


@pytest.fixture(scope="module")
def sweeps(flies: list[Occurrence], bundled: Backend) -> list[WordSweep]:
    probes = load_probes("bundled")
    return [sweep_word(bundled, each.trace.tokens, each.positions, probes=probes) for each in flies]


def traces(answer: Answer, name: str) -> dict[str, Any]:
    """What a chart hands to Plotly, by name."""
    [chart] = [chart for chart in answer.charts if chart.name == name]
    return {trace.name: trace for trace in chart.figure(THEMES["light"]).data}


def test_divergence_has_the_cosines_of_the_two_runs(flies: list[Occurrence], band: ReferenceBand) -> None:
    curve = cosines_by_layer(*(each.states for each in flies))
    answer = divergence(*flies, band, {})
    np.testing.assert_allclose(traces(answer, "parting")["this word in A and B"].y, curve, atol=1e-6)
    np.testing.assert_array_equal(columns_of(answer)["one_sense_90"], band.same[:, 2])
    assert f"The two uses diverge from layer {divergence_layer(curve, band)} on" in said(answer)


def test_silenced_heads_have_a_curve_and_a_sentence(
    flies: list[Occurrence], band: ReferenceBand, bundled: Backend
) -> None:
    silenced = {each.letter: bundled.trace(each.text, silenced_heads=((3, 1), (5, 7))) for each in flies}
    changed = cosines_by_layer(*(run.hidden_states[:, 2] for run in silenced.values()))
    answer = divergence(*flies, band, silenced)
    np.testing.assert_allclose(traces(answer, "parting")["with the chosen heads silenced"].y, changed, atol=1e-6)
    np.testing.assert_allclose(columns_of(answer)["cosine_silenced"], changed, atol=1e-6)
    said = summary(flies, band, silenced)
    cosine = f"the cosine of the two after the last layer is {changed[-1]:.2f}"
    assert f"With layer 3, head 1 and layer 5, head 7 silenced, {cosine}" in said
    unknown = replace(flies[0], trace=replace(flies[0].trace, model_name="unknown"))
    alone = summary([unknown], None, {"A": silenced["A"]})
    assert "silenced, the cosine of the word's final vector to its own with all heads is" in alone


def test_one_occurrence_is_summed_up_by_the_probe_alone(flies: list[Occurrence]) -> None:
    assert summary(flies[:1], None, {}).startswith("The model reads “flies” as a verb in A (")
    assert "Use “flies” in both sentences" in said(short_answer(flies[:1], None, {}, layer=0, head=4))


def test_parts_of_speech_that_differ_are_the_answer_and_its_picture(flies: list[Occurrence]) -> None:
    assert leading_picture(flies) == "parts of speech"
    answer = said(short_answer(flies, None, {}, layer=0, head=4))
    assert re.match(r"The model reads “flies” as a verb in A \(\d+ %\) and as a noun in B \(\d+ %\)\.", answer)
    in_a, in_b = (f"({100 * each.trace.weights(0)[4, 2, 1]:.0f} %)" for each in flies)
    looks = f"at “time” in A {in_a} and at “fruit” in B {in_b}"
    assert f"In layer 0, head 4, “flies” looks most {looks}." in answer
    assert said(parts_of_speech(flies)) == "Verb or noun?"


def test_uses_of_one_part_of_speech_are_compared_by_their_cosine(bundled: Backend, band: ReferenceBand) -> None:
    texts = {"A": "The bank raised its rates", "B": "We sat on the bank of the river"}
    close = occurrences_of({letter: bundled.trace(text) for letter, text in texts.items()}, WordPlaces(1, 4))
    assert leading_picture(close) == "divergence"
    assert stays_close(close, band)
    answer = said(short_answer(close, band, {}, layer=0, head=4))
    assert "**The two uses do not diverge**" in answer
    assert "a missing full stop changes every vector; the word has another position in A than in B" in answer
    assert "“bank: river or money?”" in answer
    apart = occurrences_of({"A": bundled.trace(TO_TRY.a), "B": bundled.trace(TO_TRY.b)}, WordPlaces(4, 7))
    assert "diverge from layer" in summary(apart, band, {})
    assert not stays_close(apart, band)


def test_parts_of_speech_are_those_of_the_probes(flies: list[Occurrence]) -> None:
    classes = word_classes(flies[0].trace)
    verb = classes.probabilities[:, 1, classes.tags.index("VERB")]
    answer = parts_of_speech(flies)
    np.testing.assert_allclose(traces(answer, "belief-A")["VERB"].y, verb)
    found = columns_of(answer)
    assert list(found["sentence"]) == ["A"] * len(verb) + ["B"] * len(verb)
    np.testing.assert_array_equal(found["VERB"][: len(verb)], verb)
    np.testing.assert_array_equal(found["accuracy"][len(verb) :], classes.accuracy)


def test_a_model_without_probes_says_so(flies: list[Occurrence]) -> None:
    unknown = replace(flies[0], trace=replace(flies[0].trace, model_name="unknown"))
    assert "No classifier was trained for this model's parts of speech." in said(parts_of_speech([unknown]))
    assert leading_picture([unknown]) == "profiles"
    assert "choose “all-MiniLM-L6-v2, a small BERT”" in said(short_answer([unknown], None, {}, layer=0, head=4))


def test_profiles_are_rows_and_columns_of_the_weights(flies: list[Occurrence], bundled: Backend) -> None:
    weights = bundled.trace(A).weights(0)[4]
    answer = profiles(flies, layer=0, head=4)
    column, row, _ = answer.charts[0].figure(THEMES["light"]).data
    np.testing.assert_allclose([column.x, row.x], [weights[:, 2], weights[2]], atol=1e-6)
    [sides] = [part for part in answer.parts if isinstance(part, Row)]
    looks_at, looked_at_by, _ = sides.columns[0]
    assert looks_at.words[looks_at.marked] == "flies"
    np.testing.assert_allclose(looked_at_by.weights, weights[:, 2], atol=1e-6)
    found = columns_of(answer)
    assert len(found["unit"]) == len(found["looks_at"]) == 14
    assert list(np.flatnonzero(found["is_the_word"])) == [2, 9]


def test_what_a_stop_points_at_is_ringed_in_the_profile(flies: list[Occurrence]) -> None:
    points = [
        {"kind": "cell", "run": "A", "query": [2], "key": [1]},
        {"kind": "cell", "run": "A", "query": [4], "key": [2]},
        {"kind": "token", "run": "B", "token": [1]},
        {"kind": "head", "layer": 0, "head": 4},
    ]
    in_a, in_b = (chart.figure(THEMES["light"]) for chart in profiles(flies, layer=0, head=4, points=points).charts)
    right, left = in_a.layout.shapes
    assert {shape.name for shape in (right, left)} == {"ring"}
    assert (right.x0, right.x1, right.y0) == (pytest.approx(0.68), 1, 0.5)  # “flies” looks at “time”
    assert (left.x0, left.x1, left.y0) == (0, pytest.approx(0.32), 3.5)  # “an” looks at “flies”
    [both] = in_b.layout.shapes
    assert (both.x0, both.x1, both.y0) == (0, 1, 0.5)


def test_patching_has_both_cosines_and_the_probe(flies: list[Occurrence], bundled: Backend) -> None:
    words = [(each.trace.tokens, each.positions) for each in flies]
    found = patch_word(bundled, *words, probes=load_probes("bundled"))
    answer = patching(flies[0], found)
    np.testing.assert_array_equal(traces(answer, "patching")["final vector, cosine to that of A"].y, found.to_a)
    assert list(traces(answer, "patching-belief")) == ["VERB", "NOUN"]
    np.testing.assert_array_equal(list(columns_of(answer).values())[3], found.probabilities[:, 0])
    assert f"From layer {(found.first_state_nearer_to_a or 0) - 1} on A's state prevails" in said(answer)
    assert [chart.name for chart in patching(flies[0], patch_word(bundled, *words, probes=None)).charts] == ["patching"]


def company_of(backend: Backend, sentences: SentenceSearch) -> FloatArray:
    return backend.states_of_words([(each.tokens, each.positions) for each in sentences.occurrences])


def test_senses_are_points_with_their_neighbours_and_their_accuracy(flies: list[Occurrence], bundled: Backend) -> None:
    sentences = shipped_sentences(bundled, "flies")
    states = company_of(bundled, sentences)
    answer = senses(flies, sentences, states, name="flies", layer=5)
    points = traces(answer, "sense-map")
    assert list(points) == ["fly:insect", "fly:verb", "sentence A", "sentence B"]
    a, b = (np.array([points[f"sentence {letter}"].x[0], points[f"sentence {letter}"].y[0]]) for letter in "AB")
    distance = float(np.linalg.norm(flies[0].states[-1] - flies[1].states[-1]))
    assert 0 < np.linalg.norm(a - b) <= distance * 1.001  # a projection brings nothing apart
    hover = points["sentence A"].customdata[0]
    assert hover.startswith(f"<b>A · {A}</b><br>nearest by cosine:<br>")
    assert hover.count("<br>") == 4
    assert "of 12 labelled sentences" in said(answer)
    found = columns_of(answer)
    assert len(found["sense"]) == len(found["entry"]) == 14 + 7
    np.testing.assert_allclose(
        found["leave_one_out_accuracy"][14:], traces(answer, "sense-accuracy")["nearest centroid, leave one out"].y
    )


def test_sentences_without_the_word_are_named(flies: list[Occurrence], bundled: Backend) -> None:
    sentences = typed_sentences(bundled, "insect | flies buzz\nno such word", "flies")
    answer = senses(flies, sentences, company_of(bundled, sentences), name="own", layer=5)
    assert "does not read “flies” in them: “no such word”." in said(answer)
    assert "Label two senses or more" in said(answer)
    assert [chart.name for chart in answer.charts] == ["sense-map"]


def test_effects_of_heads_have_one_scale_and_frames_beyond_the_control(
    flies: list[Occurrence], sweeps: list[WordSweep]
) -> None:
    answer = effects_of_heads(flies, sweeps, DISTANCE, {}, chosen=(0, 4))
    in_a, in_b = (chart.figure(THEMES["light"]) for chart in answer.charts)
    np.testing.assert_allclose(in_a.data[1].z, sweeps[0].word.distance[0])
    assert np.unravel_index(np.argmax(in_a.data[1].z), (6, 12)) == (0, 4)
    assert in_a.data[1].zmax == in_b.data[1].zmax == np.max(in_a.data[1].z)
    control = control_from_other_words([each.others for each in sweeps])
    beyond = int((sweeps[0].word.distance > control.distance).sum())
    [maps] = [part for part in answer.parts if isinstance(part, Row)]
    said_of_a = str(maps.columns[0][1])
    assert f"**{beyond} of 72 heads stand out**" in said_of_a
    assert (beyond < 8) == ("so do not read anything into this" in said_of_a)  # 8 or more of 72 come in 3 % by chance
    found = columns_of(answer)
    assert set(found["sentence"]) == {"A", "B"}
    np.testing.assert_allclose(found["cosine_distance"][72:], sweeps[1].word.distance.ravel())
    np.testing.assert_allclose(found["control_95_cosine_distance"], control.distance)
    assert found["log_odds_of"][0] == "VERB against NOUN"


def test_shifts_are_those_from_the_other_sentence(
    flies: list[Occurrence], sweeps: list[WordSweep], bundled: Backend
) -> None:
    answer = effects_of_heads(flies, sweeps, SHIFT, {}, chosen=(0, 4), ringed=[(2, 3), (40, 0)])
    rings = [shape for shape in answer.charts[0].figure(THEMES["light"]).layout.shapes if shape.name == "ring"]
    assert [(ring.x0 + 0.45, ring.y0 + 0.45) for ring in rings] == [(3, 2)]
    finals = [each.states[-1] for each in flies]
    for chart, each, other in zip(answer.charts, flies, reversed(finals), strict=True):
        exact = sweep_heads(bundled, each.trace.tokens, [each.positions], other=other).shift
        np.testing.assert_allclose(chart.figure(THEMES["light"]).data[1].z, exact[0], atol=1e-3)
    assert "the control is strict for a word that has shifted little" in said(answer)


def test_estimates_are_compared_with_the_exact_effects(flies: list[Occurrence], sweeps: list[WordSweep]) -> None:
    maps = [
        estimated_map(each, log_odds[0], "change")
        for each, log_odds in zip(flies, [result.word.log_odds for result in sweeps], strict=True)
        if log_odds is not None
    ]
    estimates: Estimates = {LOG_ODDS: maps, SHIFT: "The word has the same state in both texts."}
    exact = said(effects_of_heads(flies, sweeps, DISTANCE, estimates, chosen=(0, 4)))
    assert "These are exact. One backward pass estimated the effects on the part of speech; rank correlation" in exact
    assert "1.00 in A, 1.00 in B. The word has the same state in both texts." in exact


def test_estimates_stand_where_the_exact_maps_will_be(flies: list[Occurrence]) -> None:
    effects = np.eye(6, 12, dtype=np.float32)
    maps = [
        estimated_map(each, size * effects, name) for each, size, name in zip(flies, (1, 2), ("a", "b"), strict=True)
    ]
    answer = estimated_effects(maps, LOG_ODDS, wanted=DISTANCE, chosen=(0, 4))
    assert [chart.name for chart in answer.charts] == ["estimates-A", "estimates-B"]
    assert "so it cannot be estimated: the effect on the part of speech is." in said(answer)
    found = columns_of(answer)
    for letter, size, name in (("A", 1, "estimated a"), ("B", 2, "estimated b")):
        rows = np.array(found["sentence"]) == letter
        assert set(np.array(found["effect"])[rows]) == {name}
        np.testing.assert_array_equal(np.array(found["estimated_change"])[rows], size * effects.ravel())
    why = estimated_effects("It cannot be changed.", LOG_ODDS, wanted=LOG_ODDS, chosen=(0, 4))
    assert why.parts == (Sentence("It cannot be changed.", "caption"),)


def test_silenced_heads_change_vectors_probe_and_prediction(flies: list[Occurrence], bundled: Backend) -> None:
    silenced = {each.letter: bundled.trace(each.text, silenced_heads=((3, 1),)) for each in flies}
    found = columns_of(silenced_together(flies, silenced))
    row = list(found["what"]).index("cosine of the final vectors")
    expected = cosines_by_layer(*(run.hidden_states[-1:, 2] for run in silenced.values()))[0]
    assert found["silenced"][row] == pytest.approx(expected, abs=1e-6)
    assert found["change"][row] == pytest.approx(found["silenced"][row] - found["all heads"][row])
    assert silenced_together(flies, {}).parts == ()


def test_a_part_of_speech_names_both_classes(flies: list[Occurrence], bundled: Backend) -> None:
    patched = patched_tag(bundled, *((each.trace, each.positions) for each in flies), load_probes("bundled"))
    words = words_of_patching(flies[1], patched)
    assert words["unit"] == "log-odds, VERB against NOUN"
    assert "how “flies” in B moves from NOUN towards VERB, as the last layer's probe reads it," in words["what"]


def test_a_shift_names_its_unit_and_its_missing_gradient(flies: list[Occurrence]) -> None:
    words = words_of_patching(flies[1], patched_shift(*((each.trace, each.positions) for each in flies)))
    assert words["unit"] == "distance from A to B"
    assert words["what"].endswith("the estimate uses the gradient in B.")
