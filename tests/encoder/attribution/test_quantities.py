"""Numbers of hidden states: equal to what numpy makes of a trace, also where words before them were deleted."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from encoder import Backend
from encoder.attribution.gradients import Path, integrated_gradients
from encoder.attribution.quantities import (
    ScoreQuantity,
    ShiftQuantity,
    SimilarityQuantity,
    TagQuantity,
    WordQuantity,
    measure,
)
from encoder.attribution.removals import RemovalGame, removable_units
from encoder.errors import SelectionError, ShapeError, UnsupportedModelError
from encoder.measures.similarity import cosines_by_layer
from encoder.models.base import BatchOutput
from encoder.models.labels import TAG_IDS
from encoder.shipped.probes import load_probes
from tests.encoder.random_models import Zoo, backend_of

TEXT, OTHER = "time flies like an arrow", "fruit flies like a banana"
FLIES = (2,)
NOUN, VERB = TAG_IDS["NOUN"], TAG_IDS["VERB"]
WIDTH = 384


def verb_rather_than_noun(positions: tuple[int, ...] = FLIES, *, state_index: int = 4) -> TagQuantity:
    return TagQuantity.of_probes(load_probes("bundled"), positions, state_index, (VERB, NOUN))


def test_a_part_of_speech_is_what_the_probe_says(bundled: Backend) -> None:
    trace = bundled.trace(TEXT)
    scores = load_probes("bundled").scores(trace.hidden_states[4, 2], 4)  # (C,)
    odds = measure(bundled, [trace.tokens], verb_rather_than_noun())[0]
    assert odds == pytest.approx(scores[VERB] - scores[NOUN], abs=1e-4)
    probability = measure(bundled, [trace.tokens], replace(verb_rather_than_noun(), unit="probability"))[0]
    assert probability == pytest.approx(1 / (1 + np.exp(-odds)), abs=1e-5)
    mean = load_probes("bundled").scores(trace.hidden_states[-1, [2, 3]].mean(0), bundled.num_layers)  # (C,)
    of_two_pieces = verb_rather_than_noun((2, 3), state_index=bundled.num_layers)
    assert measure(bundled, [trace.tokens], of_two_pieces)[0] == pytest.approx(mean[VERB] - mean[NOUN], abs=1e-4)


def test_a_shift_and_a_similarity_are_cosines_of_states(bundled: Backend) -> None:
    a, b = bundled.trace(TEXT), bundled.trace(OTHER)
    shift = ShiftQuantity(positions=FLIES, state_index=3, other=b.hidden_states[3, 2])
    cosines = cosines_by_layer(a.hidden_states[:, 2], b.hidden_states[:, 2])
    assert measure(bundled, [a.tokens], shift)[0] == pytest.approx(1 - cosines[3], abs=1e-5)
    vectors = [trace.hidden_states[-1].mean(0)[None] for trace in (a, b)]  # (1, D) each
    similarity = SimilarityQuantity(vectors[1][0])
    assert measure(bundled, [a.tokens], similarity)[0] == pytest.approx(cosines_by_layer(*vectors)[0], abs=1e-5)


@pytest.mark.parametrize(("gone", "left"), [((0,), "flies like an arrow"), ((1, 2), "time flies arrow")])
def test_a_word_is_read_where_it_stands_when_others_are_deleted(
    bundled: Backend, gone: tuple[int, ...], left: str
) -> None:
    tokens = bundled.tokenize(TEXT)
    units = removable_units(tokens, kept=FLIES)
    assert units == ((1,), (3,), (4,), (5,))
    game = RemovalGame(bundled, tokens, units, verb_rather_than_noun(), "delete")
    place = 1 + left.split().index("flies")
    wanted = measure(bundled, [bundled.tokenize(left)], verb_rather_than_noun((place,)))[0]
    assert game.values([gone])[0] == pytest.approx(wanted, abs=1e-4)
    assert game.typed_without(gone) == (left, None)


def test_a_word_keeps_its_place_when_others_are_masked(bundled: Backend) -> None:
    tokens = bundled.tokenize(TEXT)
    game = RemovalGame(bundled, tokens, removable_units(tokens, kept=FLIES), verb_rather_than_noun(), "mask")
    masked = bundled.tokenize("[MASK] flies like [MASK] arrow")
    wanted = measure(bundled, [masked], verb_rather_than_noun())[0]
    assert game.values([(0, 2)])[0] == pytest.approx(wanted, abs=1e-4)
    assert game.typed_without((0, 2)) == ("[MASK] flies like [MASK] arrow", None)


def test_what_is_linear_in_the_embeddings_is_decomposed_exactly(bundled: Backend) -> None:
    """At the embeddings a word's state is its own: no other word adds anything."""
    tokens = bundled.tokenize(TEXT)
    quantity = verb_rather_than_noun(state_index=0)
    found = integrated_gradients(bundled, tokens, quantity, path=Path(points=1))
    text, masked = (bundled.trace(each).hidden_states[0, 2] for each in (TEXT, "[MASK] " * 5))
    assert found.values[2] == pytest.approx(float(quantity.weight @ (text - masked)), abs=1e-3)
    assert_allclose(np.delete(found.values, 2), 0, atol=1e-6)


@pytest.mark.parametrize("name", ["tag", "shift", "similarity"])
def test_gradients_sum_to_what_the_context_adds(bundled: Backend, name: str) -> None:
    other = bundled.trace(OTHER).hidden_states
    quantity = {
        "tag": verb_rather_than_noun(),
        "shift": ShiftQuantity(positions=FLIES, state_index=6, other=other[6, 2]),
        "similarity": SimilarityQuantity(other[-1].mean(0)),
    }[name]
    tokens = bundled.tokenize(TEXT)
    kept = quantity.positions if isinstance(quantity, WordQuantity) else ()
    found = integrated_gradients(bundled, tokens, quantity, path=Path(points=60), kept=kept)
    words = ["[MASK]" if 1 + index not in kept else word for index, word in enumerate(TEXT.split())]
    text, baseline = measure(bundled, [tokens, bundled.tokenize(" ".join(words))], quantity)
    assert found.total == pytest.approx(text - baseline, abs=1e-4)
    assert found.completeness_error < 0.01 * np.abs(found.values).sum()
    assert_allclose(found.values[list(kept)], 0, atol=1e-6)


def test_what_is_not_there_is_an_error(bundled: Backend, zoo: Zoo) -> None:
    tokens = bundled.tokenize(TEXT)
    for quantity, message in (
        (verb_rather_than_noun((99,)), "the text has 0 to 6"),
        (verb_rather_than_noun(()), r"Tokens \(\)"),
        (ShiftQuantity(positions=FLIES, state_index=7, other=np.ones(WIDTH, np.float32)), "there are 0 to 6"),
    ):
        with pytest.raises(SelectionError, match=message):
            measure(bundled, [tokens], quantity)
    with pytest.raises(ShapeError, match="384 wide"):
        measure(bundled, [tokens], SimilarityQuantity(np.ones(3, np.float32)))
    bert = backend_of(zoo, "bert")
    with pytest.raises(UnsupportedModelError, match="no regression head"):
        measure(bert, [bert.tokenize("time")], ScoreQuantity())


def test_a_score_is_read_with_its_sigmoid_or_without() -> None:
    output = BatchOutput((), None, torch.tensor([0.0, 2.0]))
    assert_allclose(ScoreQuantity()(output), [0, 2])
    assert_allclose(ScoreQuantity("score")(output), [0.5, 1 / (1 + np.exp(-2))], rtol=1e-6)
