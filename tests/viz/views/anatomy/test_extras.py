"""What steps of the anatomy show besides their tensors, with the numbers of the run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from encoder import Backend
from encoder.experiments.anatomy.changes import changed, masked
from encoder.experiments.anatomy.parameter_counts import count_model, count_preset
from encoder.experiments.anatomy.record import Record, ours, record
from encoder.experiments.anatomy.step_examples import activation_curves
from encoder.measures.cost import add_up_quadratic_parts, count_operations
from encoder.measures.head_profiles import mean_entropy_bits
from encoder.measures.operations import activity, similarity_by_distance, total_variation
from encoder.measures.similarity import successive_cosines
from encoder.runs.arrays import softmax
from tests.viz.answers.parts import said
from tests.viz.views.anatomy.conftest import answer_of
from viz.answers.answer import Answer, Table
from viz.theme import THEMES
from viz.views.anatomy.answer.step import RecordedRun
from viz.views.anatomy.answer.steps import feed_forward, inputs, mask, model
from viz.views.anatomy.answer.tensors import Opened

TEXT = "time flies like an arrow"
LAYER, HEAD = 1, 2


@pytest.fixture(scope="module")
def run(scratch_bert: Backend) -> Record:
    return record(ours(scratch_bert).encoder, scratch_bert.tokenize(TEXT), layer=LAYER)


def figures(answer: Answer) -> dict[str, Any]:
    return {chart.name: chart.figure(THEMES["light"]) for chart in answer.charts}


def test_similarity_of_positions_is_that_of_both_tables(scratch_bert: Backend) -> None:
    tables = inputs.tables_of_positions(ours(scratch_bert).encoder, None)
    assert [table.name for table in tables] == ["learned", "sines and cosines"]
    answer = inputs.similar_positions(tables)
    for line, table in zip(figures(answer)["positions-by-distance"].data, tables, strict=True):
        np.testing.assert_allclose(line.y, similarity_by_distance(table.array, longest=inputs.FARTHEST), rtol=1e-5)
    assert f"over all {len(tables[0].array)} positions" in said(answer)


def test_a_model_with_computed_positions_borrows_learned_ones(scratch_bert: Backend) -> None:
    encoder = ours(scratch_bert).encoder
    learned, own = inputs.tables_of_positions(encoder, encoder)
    assert learned.name == "learned, by all-MiniLM-L6-v2"
    np.testing.assert_array_equal(learned.array, own.array)


def test_scaling_makes_the_rows_less_sharp(flies: RecordedRun) -> None:
    caption = said(answer_of("scaling", flies).picture)
    for weights in (softmax(flies.record.products[flies.head]), flies.record.weights[flies.head]):
        assert f"**{weights.max(axis=-1).mean():.2f}**" in caption
        assert f"{mean_entropy_bits(weights[None])[0]:.2f}" in caption


def test_activations_and_active_units_are_those_of_the_text(run: Record) -> None:
    answer = feed_forward.active_units(run, None)
    drawn = figures(answer)
    _, *lines = drawn["activations"].data
    assert [line.name for line in lines] == list(activation_curves())
    active = activity(run.inner, run.activated)
    np.testing.assert_allclose(drawn["active-units"].data[0].y, active.open, rtol=1e-5)
    assert f"{100 * float(active.leaking.mean()):.1f} %" in said(answer)


def test_the_chosen_token_is_followed_through_all_layers(run: Record) -> None:
    shown, names = model.states_of_token(run, None)
    assert (shown.name, names[:2]) == ("0 · [CLS], layer by layer", ("embeddings", "after L0"))
    third, _ = model.states_of_token(run, Opened(shown, (3, 0)))
    np.testing.assert_array_equal(third.array, np.stack(run.hidden_states)[:, 3])
    cosines = figures(model.turned_tokens(run, None))["cosines"].data[0].z
    np.testing.assert_allclose(np.asarray(cosines), successive_cosines(np.stack(run.hidden_states)), atol=1e-5)


def test_a_mask_says_how_much_attention_moves(run: Record, scratch_bert: Backend) -> None:
    found = masked(ours(scratch_bert).encoder, run.tokens, layer=LAYER, mask="causal")
    (scores, hidden), (weights, moved) = mask.tensors_of_mask(found, "causal", HEAD)
    np.testing.assert_array_equal(hidden.array, found.scores[HEAD])
    np.testing.assert_array_equal(scores.array, found.free_scores[HEAD])
    change = float(total_variation(weights.array, moved.array).mean())
    assert f"{100 * change:.0f} % of the attention moves" in said(mask.effect_of_mask(found, "causal", HEAD))
    assert [len(row) for row in mask.tensors_of_mask(found, "none", HEAD)] == [2]
    assert "Nothing is masked" in said(mask.effect_of_mask(found, "none", HEAD))


def test_a_change_says_what_it_does(run: Record, scratch_bert: Backend) -> None:
    found = changed(ours(scratch_bert).encoder, run.tokens, layer=LAYER, what_ifs=("no-positions", "shuffled"))
    own, other = model.tensors_of_change(run, found, HEAD)
    np.testing.assert_array_equal(own.array, run.weights[HEAD])
    (moved,) = model.attention_moved(own, other).parts
    assert f"**{100 * total_variation(own.array, other.array).mean():.1f} %**" in moved.text
    meaning = said(model.meaning_of_change(("no-positions", "shuffled"), run.tokens.labels, found))
    assert "The position embeddings are left out." in meaning
    assert "The model reads:" in meaning
    assert "the order makes no difference" in meaning
    assert "Nothing is changed yet" in said(model.meaning_of_change((), run.tokens.labels, found))


def test_parameters_and_operations_are_those_of_the_model(run: Record, scratch_bert: Backend) -> None:
    models = [count_model(ours(scratch_bert)), count_preset("bert-base")]
    answer = model.parameters_and_operations(models, run.config, len(run.tokens))
    (table,) = [part for part in answer.parts if isinstance(part, Table)]
    columns = table.columns()
    rows = dict(zip(columns["parameters of"], columns["bert-base"], strict=True))
    assert (rows["encoder, in all"], rows["published"]) == (f"{models[1].encoder:,}", "110 M")
    assert rows["layers × heads × width"] == "12 × 12 × 768"
    parts = add_up_quadratic_parts(count_operations(run.config, model.LENGTHS))
    for line, operations in zip(figures(answer)["operations"].data, parts.values(), strict=True):
        np.testing.assert_allclose(line.y, operations, rtol=1e-6)
    assert f"Your text of {len(run.tokens)} tokens" in said(answer)
