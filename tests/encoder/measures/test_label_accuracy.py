"""Leave one text out: neighbours and centroids against loops, planted labels, and labels that mean nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import normalize

from encoder.errors import ShapeError
from encoder.measures.label_accuracy import (
    NOBODY,
    SHUFFLES,
    AccuracyByState,
    LabelAccuracy,
    nearest_centroids,
    nearest_in_other_texts,
    scored_labels,
)
from encoder.measures.near_ties import TIE
from encoder.runs.arrays import FloatArray

SEEDS = st.integers(0, 2**32 - 1)
TEXTS = st.lists(st.integers(0, 6), min_size=1, max_size=12).map(np.array)


def unit_of(count: int, seed: int) -> FloatArray:
    vectors = np.random.default_rng(seed).normal(size=(count, 5)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def accuracy_of(unit: FloatArray, labels: list[str], texts: np.ndarray) -> LabelAccuracy:
    score = AccuracyByState(labels, texts, most=12)
    own = unit[score.scored]
    score.add(own, nearest_in_other_texts(own, score.texts))
    return score.result()


@given(TEXTS, SEEDS)
def test_the_nearest_in_other_texts_is_what_a_loop_finds(texts: np.ndarray, seed: int) -> None:
    unit = unit_of(len(texts), seed)
    for index, found in enumerate(nearest_in_other_texts(unit, texts).tolist()):
        others = [other for other in range(len(texts)) if texts[other] != texts[index]]
        if not others:
            assert found == NOBODY
        else:
            largest = max(float(unit[index] @ unit[other]) for other in others)
            assert found in others
            assert unit[index] @ unit[found] == pytest.approx(largest, abs=1e-6)


def test_a_long_list_is_compared_in_blocks() -> None:
    unit, texts = unit_of(1_100, 1), np.arange(1_100)
    cosines = unit @ unit.T
    np.fill_diagonal(cosines, -1)
    nearest = nearest_in_other_texts(unit, texts)
    assert (cosines[texts, nearest] >= cosines.max(axis=1) - 2 * TIE).all()


@given(TEXTS, SEEDS, st.integers(2, 3))
def test_centroids_without_a_text_are_what_a_loop_finds(texts: np.ndarray, seed: int, count: int) -> None:
    unit = unit_of(len(texts), seed).astype(np.float64)
    of_text = np.random.default_rng(seed).integers(count, size=7)
    labels = of_text[texts]
    [found] = nearest_centroids(unit.astype(np.float32), texts, labels[None], count)
    for index, answer in enumerate(found):
        cosines = np.full(count, -np.inf)
        for label in range(count):
            members = unit[(labels == label) & (texts != texts[index])]
            if len(members):
                centroid = members.sum(axis=0)
                cosines[label] = unit[index] @ centroid / max(np.linalg.norm(centroid), 1e-12)
            elif label != labels[index]:
                cosines[label] = 0  # a label without any vector
        assert cosines[answer] == pytest.approx(cosines.max(), abs=1e-4)


def test_planted_labels_are_found_and_shuffled_ones_are_not() -> None:
    generator = np.random.default_rng(0)
    labels = np.repeat(["a", "b", "c"], 40)
    centres = 3 * np.eye(6)[np.repeat([0, 1, 2], 40)]
    unit = (centres + generator.normal(size=(120, 6))).astype(np.float32)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    found = accuracy_of(unit, labels.tolist(), np.arange(120))
    for rule in ("neighbour", "centroid"):
        assert found.accuracy(rule)[0] > 0.9
        assert found.accuracy(rule).dtype == found.independent.dtype == np.float32
        assert found.shuffled[rule].shape == (SHUFFLES, 1)
        assert found.shuffled[rule].mean() == pytest.approx(1 / 3, abs=0.06)
    assert found.p(0) == 1 / (1 + SHUFFLES)
    low, high = found.interval(0)
    assert low < found.neighbour[0] < high <= 1


def impure(count: int, seed: int) -> tuple[FloatArray, list[str]]:
    """Vectors near one of two directions, 80 % of which have its label.

    The expected accuracy of a neighbour is that two labels are both right or both wrong; that of a centroid is 80 %.
    """
    generator = np.random.default_rng(seed)
    place = generator.integers(2, size=count)
    labels = np.where(generator.random(count) < 0.8, place, 1 - place)
    unit = normalize(np.eye(40)[place] + 0.05 * generator.normal(size=(count, 40))).astype(np.float32)
    return unit, [f"label {label}" for label in labels]


def test_simulated_accuracies_are_the_known_ones_and_intervals_hold() -> None:
    found = [accuracy_of(*impure(100, seed), np.arange(100)) for seed in range(200)]
    assert np.mean([each.neighbour[0] for each in found]) == pytest.approx(0.8**2 + 0.2**2, abs=0.01)
    assert np.mean([each.centroid[0] for each in found]) == pytest.approx(0.8, abs=0.01)
    for rule in ("neighbour", "centroid"):
        assert np.mean([each.shuffled[rule] for each in found]) == pytest.approx(0.5, abs=0.015)
    intervals = [each.interval(0) for each in found]
    assert 0.88 < np.mean([low <= 0.68 <= high for low, high in intervals]) <= 1


def test_meaningless_labels_are_clear_in_less_than_five_per_cent() -> None:
    clear = []
    for seed in range(200):
        unit, labels = impure(60, seed)
        found = accuracy_of(unit, np.random.default_rng(seed + 999).permutation(labels).tolist(), np.arange(60))
        clear.append(found.p(0) < 0.05)
    assert np.mean(clear) <= 0.07  # equal shares make it rarer


def test_vectors_that_share_texts_count_as_fewer_independent_ones() -> None:
    unit, labels = impure(60, 0)
    alone = accuracy_of(unit, labels, np.arange(60))
    repeated = accuracy_of(np.repeat(unit, 3, axis=0), [*np.repeat(labels, 3)], np.repeat(np.arange(60), 3))
    assert repeated.neighbour[0] == pytest.approx(alone.neighbour[0])
    assert repeated.independent[0] == pytest.approx(alone.independent[0])
    nearest = nearest_in_other_texts(unit, np.arange(60)).tolist()
    errors = (np.array(labels)[nearest] == labels) - alone.neighbour[0]
    share_one = np.array([[bool({*one} & {*two}) for one in enumerate(nearest)] for two in enumerate(nearest)])
    assert alone.independent[0] == pytest.approx(np.var(errors) / (errors @ share_one @ errors / 60**2))
    assert alone.independent[0] < 60
    sure = accuracy_of(np.eye(2, dtype=np.float32)[np.arange(60) % 2], ["a", "b"] * 30, np.arange(60))
    assert sure.independent[0] == 60


def test_labels_of_one_text_and_blank_ones_are_not_scored() -> None:
    labels, texts = ["b", "a", "a", "", "c", "c", "b", "a"], np.array([0, 1, 2, 3, 4, 4, 5, 6])
    assert scored_labels(labels, texts, most=12) == ("a", "b")
    assert scored_labels(labels, texts, most=1) == ("a",)
    score = AccuracyByState(labels, texts, most=12)
    assert score.scored.tolist() == [0, 1, 2, 6, 7]
    assert not any(AccuracyByState([label] * 8, texts, most=12).applies for label in ("a", ""))


def test_vectors_and_texts_of_different_numbers_are_rejected() -> None:
    with pytest.raises(ShapeError, match="with 3 numbers of texts"):
        nearest_in_other_texts(unit_of(2, 0), np.arange(3))
