"""Nearest centroids against loops, and what must hold for them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder.errors import ShapeError
from encoder.measures.senses import commonest, leave_one_out, leave_one_out_accuracy, nearest_senses, sense_accuracy
from encoder.runs.arrays import FloatArray

SEEDS = st.integers(0, 2**32 - 1)
SENSES = st.lists(st.sampled_from("abc"), min_size=1, max_size=9)


def states_of(count: int, seed: int) -> FloatArray:
    states = np.random.default_rng(seed).normal(size=(count, 3, 6)).astype(np.float32)
    states.flags.writeable = False
    return states


def naive(train: FloatArray, senses: list[str], states: FloatArray) -> np.ndarray:
    """(L + 1, N) by loops in double precision."""
    answers = np.empty((states.shape[1], len(states)), dtype="<U9")
    for entry in range(states.shape[1]):
        unit = [row[entry].astype(float) / np.linalg.norm(row[entry]) for row in train]
        centroids = {
            name: np.mean([x for x, sense in zip(unit, senses, strict=True) if sense == name], axis=0)
            for name in dict.fromkeys(senses)
        }
        for at, state in enumerate(states):
            cosine = {name: state[entry] @ c / np.linalg.norm(c) for name, c in centroids.items()}
            answers[entry, at] = max(cosine, key=lambda name: cosine[name])
    return answers


@given(SENSES, SEEDS, st.integers(0, 5))
def test_the_nearest_sense_is_what_a_loop_finds(senses: list[str], seed: int, count: int) -> None:
    train, states = states_of(len(senses), seed), states_of(count, seed + 1)
    np.testing.assert_array_equal(nearest_senses(train, senses, states), naive(train, senses, states))


@given(SENSES, SEEDS)
def test_leaving_one_out_equals_learning_from_all_others(senses: list[str], seed: int) -> None:
    states = states_of(len(senses), seed)
    found = leave_one_out(states, senses)
    for at in range(len(senses)):
        others = [other for other in range(len(senses)) if other != at]
        if others:
            expected = nearest_senses(states[others], [senses[other] for other in others], states[[at]])
            np.testing.assert_array_equal(found[:, [at]], expected)
        else:
            assert (found == "").all()


def test_accuracy_counts_rows_and_senses_of_each_word() -> None:
    senses = [("bank", "river"), ("bank", "river"), ("bank", "money"), ("bat", "money")]
    right = np.array([[True, False, True, False], [True, True, True, True]])
    found = sense_accuracy(right, [True, True, False, True], senses)
    assert found.macro is not None
    assert found.micro.tolist() == [0.5, 1]
    np.testing.assert_allclose(found.macro, [0.5, 1])
    assert (found.n, found.n_senses) == (4, 3)
    assert found.majority_micro == 0.75
    assert found.majority_macro == pytest.approx(2 / 3)


def test_no_occurrences_have_no_accuracy() -> None:
    found = sense_accuracy(np.zeros((3, 0), bool), [], [])
    assert (found.micro, found.macro, found.majority_micro, found.n) == (None, None, None, 0)


@given(st.lists(SENSES, min_size=1, max_size=3), SEEDS)
def test_words_are_distinguished_among_their_own_senses(senses: list[list[str]], seed: int) -> None:
    words = [word for word, of_word in zip("uvw", senses, strict=False) for _ in of_word]
    every = [sense for of_word in senses for sense in of_word]
    states = states_of(len(words), seed)
    found = leave_one_out_accuracy(states, words, every)
    starts = np.cumsum([0, *map(len, senses)])
    rows = [leave_one_out(states[at : at + len(own)], own) == own for at, own in zip(starts, senses, strict=False)]
    right = np.concatenate(rows, axis=1)  # (L + 1, N)
    np.testing.assert_allclose(found.micro, right.mean(axis=1), rtol=1e-5)
    kinds = [(word, sense) for word, sense in zip(words, every, strict=True)]
    of_each = [right[:, [each == kind for each in kinds]].mean(axis=1) for kind in dict.fromkeys(kinds)]
    np.testing.assert_allclose(found.macro, np.mean(of_each, axis=0), rtol=1e-5)
    assert found.macro.dtype == np.float32
    assert (found.n, found.n_senses) == (len(words), len(set(kinds)))
    guesses = sum(own.count(commonest(own)) for own in senses)
    assert found.majority_micro == pytest.approx(guesses / len(words))


def test_counts_that_differ_are_refused() -> None:
    with pytest.raises(ShapeError, match="3 states have 2 senses"):
        leave_one_out(states_of(3, 0), ["a", "b"])
    with pytest.raises(ShapeError, match="0 states have 0 senses"):
        leave_one_out(states_of(0, 0), [])
    with pytest.raises(ShapeError, match=r"\(1, 2, 6\).*\(2, 3, 6\)"):
        nearest_senses(states_of(2, 0), ["a", "b"], states_of(1, 0)[:, :2])
    with pytest.raises(ShapeError, match="2 answers for 1 guesses and 2 senses"):
        sense_accuracy(np.ones((1, 2), bool), [True], [("w", "a")] * 2)
    with pytest.raises(ShapeError, match="3 states have 2 words and 3 senses"):
        leave_one_out_accuracy(states_of(3, 0), ["w"] * 2, ["a"] * 3)
