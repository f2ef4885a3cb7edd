"""Effects of changes on words against loops, and the control that they have to beat."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder.errors import SelectionError, ShapeError
from encoder.measures.head_effects import (
    HeadEffects,
    classes_of_two_texts,
    control_from_other_words,
    exceeds_control,
    first_state_nearer_to_a,
    head_effects,
    log_odds,
    select_words,
    two_likeliest_classes,
)

SEEDS = st.integers(0, 2**32 - 1)


def effects_of(*distances: float, log_odds: tuple[float, ...] | None = None) -> HeadEffects:
    """Words of a model with one head."""
    return HeadEffects(
        distance=np.array(distances, np.float32).reshape(-1, 1, 1),
        log_odds=None if log_odds is None else np.array(log_odds, np.float32).reshape(-1, 1, 1),
        classes=() if log_odds is None else ((0, 1),) * len(log_odds),
    )


@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 4), SEEDS)
def test_effects_are_what_a_loop_finds(layers: int, heads: int, words: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    vectors, scores = (random.normal(size=(1 + layers * heads, words, size)).astype(np.float32) for size in (6, 5))
    other = random.normal(size=6).astype(np.float32)
    found = head_effects(vectors, (layers, heads), scores=scores, other=other)
    assert found.distance.shape == found.log_odds.shape == found.shift.shape == (words, layers, heads)
    for word in range(words):
        second, first = np.argsort(scores[0, word])[-2:]
        assert found.classes[word] == (first, second)
        for layer in range(layers):
            for head in range(heads):
                run = 1 + layer * heads + head
                x, y = vectors[0, word].astype(float), vectors[run, word].astype(float)
                cosine = x @ y / np.linalg.norm(x) / np.linalg.norm(y)
                assert found.distance[word, layer, head] == pytest.approx(1 - cosine, abs=1e-5)
                to_other = [each @ other / np.linalg.norm(each) / np.linalg.norm(other) for each in (x, y)]
                assert found.shift[word, layer, head] == pytest.approx(to_other[0] - to_other[1], abs=1e-5)
                before, after = scores[[0, run], word, first] - scores[[0, run], word, second]
                assert found.log_odds[word, layer, head] == pytest.approx(after - before, abs=1e-5)


def test_an_idle_head_has_no_effect_and_distances_stay_in_their_range() -> None:
    plain = np.random.default_rng(0).normal(size=(200, 30)).astype(np.float32)
    found = head_effects(np.stack([plain, plain, -plain]), (1, 2))
    np.testing.assert_allclose(found.distance, np.tile([[[0, 2]]], (200, 1, 1)), atol=1e-6)
    assert (found.distance.min(), found.distance.max()) == (0, 2)
    assert (found.log_odds, found.classes, found.shift) == (None, (), None)


def test_a_shift_needs_a_vector_of_the_same_width_and_has_a_control() -> None:
    vectors = np.array([[[1, 0], [1, 0]], [[0, 1], [1, 0]]], np.float32)
    found = head_effects(vectors, (1, 1), other=np.array([0, 2], np.float32))
    assert found.shift.ravel().tolist() == pytest.approx([-1, 0])
    word, other_word = select_words(found, [0]), select_words(found, [1])
    assert word.shift.shape == (1, 1, 1)
    control = control_from_other_words([other_word, word])
    assert control.shift == pytest.approx(0.95)
    assert (control_from_other_words([effects_of(0.5)]) or control).shift is None
    with pytest.raises(ShapeError, match="2 wide"):
        head_effects(vectors, (1, 1), other=np.ones(3, np.float32))


def test_log_odds_are_those_of_the_probabilities() -> None:
    scores = np.array([1.0, 3.0, 2.5], np.float32)
    probabilities = np.exp(scores) / np.exp(scores).sum()
    assert two_likeliest_classes(scores[None]) == ((1, 2),)
    assert two_likeliest_classes(scores[None, :2]) == ((1, 0),)
    assert log_odds(scores, (1, 2)) == pytest.approx(np.log(probabilities[1] / probabilities[2]), abs=1e-6)
    with pytest.raises(ShapeError, match="at least two classes"):
        two_likeliest_classes(np.ones((1, 1), np.float32))


def test_arrays_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ShapeError, match=r"^2 layers of 2 heads give 5 runs, not 4\.$"):
        head_effects(np.ones((4, 2, 3), np.float32), (2, 2))


def test_the_control_is_the_95th_percentile_over_all_texts() -> None:
    distances = np.linspace(0, 1, 21)
    first = effects_of(*distances[:11], log_odds=tuple(-distances[:11]))
    second = effects_of(*distances[11:], log_odds=tuple(distances[11:]))
    control = control_from_other_words([first, second])
    assert control.distance == pytest.approx(0.95)
    assert control.log_odds == pytest.approx(0.95), "in size, whatever the sign"
    assert (control.n_words, control.n) == (21, 21)
    assert control.expected == pytest.approx(0.05)
    marked = exceeds_control(np.array([control.log_odds, 0.96, -0.96]), control.log_odds)
    assert marked.tolist() == [False, True, True]


def test_without_other_words_nothing_is_beyond_the_control() -> None:
    assert control_from_other_words([]) is None
    assert control_from_other_words([effects_of()]) is None
    assert not exceeds_control(np.array([1e9]), None).any()


def test_a_control_needs_one_model_and_probes_for_odds() -> None:
    control = control_from_other_words([effects_of(0.5)])
    assert control.log_odds is None
    other = HeadEffects(distance=np.zeros((1, 2, 2), np.float32), log_odds=None, classes=())
    with pytest.raises(ShapeError, match="one model's"):
        control_from_other_words([effects_of(0.5), other])


def test_some_words_keep_their_effects() -> None:
    effects = effects_of(0.1, 0.2, 0.3, log_odds=(1, 2, 3))
    some = select_words(effects, [2, 0])
    assert some.distance[:, 0, 0].tolist() == pytest.approx([0.3, 0.1])
    assert some.log_odds[:, 0, 0].tolist() == [3, 1]
    assert len(some.classes) == 2
    assert select_words(effects_of(0.1), []).distance.shape == (0, 1, 1)
    with pytest.raises(SelectionError, match="0 to 2"):
        select_words(effects, [3])


@pytest.mark.parametrize(
    ("to_a", "entry"),
    [([0.1, 0.2, 1], 2), ([0.1, 0.6, 1], 1), ([0.6, 0.1, 1], 2), ([0.6, 0.6, 1], 0), ([0.5, 0.5, 0.5], None)],
)
def test_meaning_travels_from_the_first_entry_after_which_it_always_does(to_a: list[float], entry: int | None) -> None:
    assert first_state_nearer_to_a(np.array(to_a, np.float32), np.full(3, 0.5, np.float32)) == entry


@pytest.mark.parametrize(
    ("a", "b", "classes"),
    [
        ([0.1, 2.0, 1.0], [3.0, 0.0, 1.0], (1, 0)),
        ([0.1, 2.0, 1.0], [3.0, 4.0, 1.0], (1, 0)),  # both likeliest: B's two, whatever comes second in A
        ([2.0] * 40, [2.0] * 40, (0, 1)),
    ],
)
def test_classes_of_two_texts_are_never_the_same(a: list[float], b: list[float], classes: tuple[int, int]) -> None:
    assert classes_of_two_texts(np.array(a), np.array(b)) == classes
