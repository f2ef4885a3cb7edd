"""Cosines of two occurrences, the band of usual ones, and where they part."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder.errors import ShapeError
from encoder.measures.similarity import ReferenceBand, cosines_by_layer, divergence_layer, reference_band
from encoder.runs.arrays import FloatArray

SEEDS = st.integers(0, 2**32 - 1)


def states_of_noise(*shape: int, seed: int = 0) -> FloatArray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def cosine(x: FloatArray, y: FloatArray) -> float:
    return float(x @ y / np.linalg.norm(x) / np.linalg.norm(y))


def band_of(same: list[float], different: list[float]) -> ReferenceBand:
    """A band of which only the means matter."""
    nothing = np.zeros((len(same), 3), np.float32)
    return ReferenceBand(
        same=nothing,
        different=nothing,
        same_mean=np.array(same, np.float32),
        different_mean=np.array(different, np.float32),
        pair_accuracy=np.zeros(len(same), np.float32),
        n_same=1,
        n_different=1,
        words=("w",),
    )


@given(SEEDS, st.integers(1, 6))
def test_cosines_equal_a_loop_do_not_depend_on_length_and_commute(seed: int, entries: int) -> None:
    a, b = states_of_noise(2, entries, 9, seed=seed)
    cosines = cosines_by_layer(a, b)
    np.testing.assert_allclose(cosines, [cosine(x, y) for x, y in zip(a, b, strict=True)], atol=1e-5)
    np.testing.assert_allclose(cosines_by_layer(3 * b, a), cosines, atol=1e-6)
    np.testing.assert_allclose(cosines_by_layer(a, a), 1, atol=1e-6)
    assert np.abs(cosines_by_layer(a, -a)).max() <= 1


def test_states_of_two_models_cannot_be_compared() -> None:
    with pytest.raises(ShapeError, match=r"\(7, 384\) and \(13, 768\)"):
        cosines_by_layer(np.ones((7, 384), np.float32), np.ones((13, 768), np.float32))


@given(SEEDS)
def test_the_band_is_that_of_all_pairs_within_a_word(seed: int) -> None:
    states = states_of_noise(9, 2, 6, seed=seed)
    words, senses = (
        ["bank"] * 5 + ["bat"] * 4,
        ["river", "river", "money", "money", "river", "x", "river", "x", "river"],
    )
    band = reference_band(states, words, senses)
    pairs = [(i, j) for i, j in combinations(range(9), 2) if words[i] == words[j]]
    for entry in range(2):
        cosines = {pair: cosine(states[pair[0], entry], states[pair[1], entry]) for pair in pairs}
        same = [cosines[i, j] for i, j in pairs if senses[i] == senses[j]]
        different = [cosines[i, j] for i, j in pairs if senses[i] != senses[j]]
        assert (len(same), len(different)) == (band.n_same, band.n_different)
        assert band.same_mean[entry] == pytest.approx(np.mean(same), abs=1e-5)
        assert band.different_mean[entry] == pytest.approx(np.mean(different), abs=1e-5)
        np.testing.assert_allclose(band.same[entry], np.quantile(same, [0.1, 0.5, 0.9]), atol=1e-5)
        np.testing.assert_allclose(band.different[entry], np.quantile(different, [0.1, 0.5, 0.9]), atol=1e-5)
    assert band.words == ("bank", "bat")
    numbers = (band.threshold, band.same, band.different, band.pair_accuracy)
    assert {array.dtype for array in numbers} == {np.dtype(np.float32)}


def test_senses_that_lie_apart_are_distinguished() -> None:
    x, y = np.eye(2, dtype=np.float32)
    states = np.stack([x, x, y, y])[:, None].repeat(2, axis=1)  # (4, 2, 2)
    states[:, 0] = 1
    band = reference_band(states, ["w"] * 4, ["a", "a", "b", "b"])
    assert band.pair_accuracy.tolist() == [0.5, 1]
    np.testing.assert_allclose(band.threshold, [1, 0.5], atol=1e-6)


@pytest.mark.parametrize(
    ("words", "senses", "message"),
    [
        (["w"] * 3, ["a"] * 3, "3 pairs of one sense and 0 of two: a band needs both.$"),
        (["w"] * 2 + ["v"], ["a", "b", "a"], "0 pairs of one sense and 1 of two"),
        (["w"] * 2, ["a"] * 3, "3 states have 2 words and 3 senses"),
    ],
)
def test_a_band_without_pairs_is_refused(words: list[str], senses: list[str], message: str) -> None:
    with pytest.raises(ShapeError, match=message):
        reference_band(states_of_noise(3, 2, 4), words, senses)
    with pytest.raises(ShapeError, match="0 occurrences"):
        reference_band(np.zeros((0, 2, 4), np.float32), [], [])


@pytest.mark.parametrize(
    ("cosines", "layer"),
    [
        ([1, 0.9, 0.9, 0.9], None),
        ([1, 0.9, 0.9, 0.1], 2),
        ([1, 0.9, 0.1, 0.1], 1),
        ([1, 0.1, 0.9, 0.1], 2),  # they meet again: only the last divergence counts
        ([1, 0.1, 0.1, 0.9], None),
        ([0, 0.1, 0.1, 0.1], 0),  # the embeddings do not count
        ([1, 0.5, 0.1, 0.1], 1),  # on the threshold is not below it
    ],
)
def test_parting_is_the_first_layer_from_which_on_they_stay_apart(cosines: list[float], layer: int | None) -> None:
    band = band_of([1, 0.75, 0.75, 0.75], [1, 0.25, 0.25, 0.25])
    assert divergence_layer(np.array(cosines, np.float32), band) == layer


def test_a_band_of_another_model_is_refused() -> None:
    with pytest.raises(ShapeError, match=r"\(3,\).*\(2,\)"):
        divergence_layer(np.ones(3, np.float32), band_of([1, 1], [1, 0]))
