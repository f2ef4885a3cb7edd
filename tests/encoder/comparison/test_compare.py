"""Two runs compared: the same as naive loops on tiny models, and what must hold for any two."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from encoder import Backend, Trace
from encoder.comparison.compare import PERMUTATIONS, compare, head_p_values, others_as_near
from encoder.comparison.run_differences import (
    attention_difference,
    cosines_between,
    furthest_from_zero,
    most_similar_heads,
    pooled_differences,
    shared_word_states,
)
from encoder.comparison.text_vectors import text_vectors
from encoder.errors import ShapeError
from encoder.measures.units import Special
from tests.encoder.random_models import Zoo, backend_of

A, B = "time flies like an arrow", "fruit flies like a big arrow"
SHARED = ("flies", "like", "arrow")


def runs(backend: Backend, a: str = A, b: str = B) -> tuple[Trace, Trace]:
    return backend.trace(a), backend.trace(b)


def pieces(trace: Trace, word: str) -> list[int]:
    """The positions of a word's tokens."""
    return [at for at, own in enumerate(trace.tokens.word_ids) if own is not None and trace.tokens.words[own] == word]


def naive(trace: Trace, layer: int, head: int, query: str, key: str, special: Special) -> float:
    """Clark's rule by loops, scaled over all words of the text where special tokens are left out."""
    weights, queries = trace.weights(layer)[head], pieces(trace, query)

    def to(keys: list[int]) -> float:
        return sum(float(weights[one, other]) for one in queries for other in keys) / len(queries)

    whole = to([at for at, own in enumerate(trace.tokens.word_ids) if own is not None])
    return to(pieces(trace, key)) / (whole if special == "renormalise" else 1)


@pytest.mark.parametrize("special", ["hide", "renormalise"])
@pytest.mark.parametrize("family", ["scratch", "roberta"])
def test_differences_are_those_of_naive_loops(zoo: Zoo, family: str, special: Special) -> None:
    a, b = runs(backend_of(zoo, family))
    found = compare(a, b, special=special)
    assert [found.runs.alignment.a.labels[word] for word, _ in found.runs.alignment.shared] == list(SHARED)
    expected = np.array(
        [
            [
                [[naive(b, *at, q, k, special) - naive(a, *at, q, k, special) for k in SHARED] for q in SHARED]
                for at in [(layer, head) for head in range(a.num_heads)]
            ]
            for layer in range(a.num_layers)
        ]
    )
    for layer in range(a.num_layers):
        assert_allclose(attention_difference(found.runs, layer), expected[layer], atol=1e-6)
    assert_allclose(found.heads.distances, np.abs(expected).sum(-1).mean(-1) / 2, atol=1e-6)
    layer, head = found.largest_heads(1)[0]
    assert found.largest_heads(0) == ()
    assert found.heads.distances[layer, head] == found.heads.distances.max()


def test_pooled_differences_keep_the_one_furthest_from_zero_with_its_sign(zoo: Zoo) -> None:
    a, b = runs(backend_of(zoo, "scratch"))
    compared = compare(a, b).runs
    whole = np.stack([attention_difference(compared, layer) for layer in range(a.num_layers)])  # (L, H, P, P)
    count, size = whole.shape[-1], 2
    assert count > size
    parts = [range(count * part // size, count * (part + 1) // size) for part in range(size)]

    def furthest(head: tuple[int, int], rows: range, columns: range) -> float:
        return max((float(whole[head][row, column]) for row in rows for column in columns), key=abs)

    heads = [(layer, head) for layer in range(a.num_layers) for head in range(a.num_heads)]
    expected = np.array([[[furthest(head, rows, columns) for columns in parts] for rows in parts] for head in heads])
    pooled = pooled_differences(compared, size)
    assert_allclose(pooled.reshape(-1, size, size), expected, atol=1e-7)
    assert_allclose(furthest_from_zero(pooled).ravel(), [furthest(head, range(count), range(count)) for head in heads])
    assert (pooled < 0).any()
    assert (pooled > 0).any()
    assert_allclose(pooled_differences(compared, count), whole)


def test_word_distances_are_cosine_distances_of_mean_states(zoo: Zoo) -> None:
    a, b = runs(backend_of(zoo, "bert"))
    found = compare(a, b)
    for index, word in enumerate(SHARED):
        for state in range(a.num_layers + 1):
            one, other = (run.hidden_states[state][pieces(run, word)].mean(0) for run in (a, b))
            cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
            assert found.words.by_state[state, index] == pytest.approx(1 - cosine, abs=1e-5)
    assert_allclose(found.words.distances, found.words.by_state[1:].mean(0), atol=1e-6)
    assert found.largest_words(3)[0] == int(found.words.distances.argmax())


def test_structure_distances_match_naive_loops_under_rotation(zoo: Zoo) -> None:
    a, b = runs(backend_of(zoo, "bert"))
    found = compare(a, b, measure="structure")
    assert found.text_cosines is None

    def cosine(run: Trace, state: int, one: str, other: str) -> float:
        first, second = (run.hidden_states[state][pieces(run, word)].mean(0) for word in (one, other))
        return float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))

    for state in range(a.num_layers + 1):
        for index, word in enumerate(SHARED):
            gaps = [abs(cosine(a, state, word, k) - cosine(b, state, word, k)) for k in SHARED if k != word]
            assert found.words.by_state[state, index] == pytest.approx(np.mean(gaps), abs=1e-5)
    rotation, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(a.hidden_states.shape[-1],) * 2))
    rotated = replace(a, hidden_states=(a.hidden_states @ rotation).astype(np.float32))
    itself = compare(a, rotated, measure="structure")
    assert_allclose(itself.words.by_state, 0, atol=1e-5)


def test_the_last_text_cosine_is_that_of_the_text_vectors(zoo: Zoo) -> None:
    backend = backend_of(zoo, "bert")
    found = compare(*runs(backend))
    first, second = text_vectors(backend, [backend.tokenize(A), backend.tokenize(B)])
    assert found.text_cosines[-1] == pytest.approx(first @ second, abs=1e-5)


def test_a_run_compared_with_itself_has_no_difference(zoo: Zoo) -> None:
    a = backend_of(zoo, "bert").trace(A)
    found = compare(a, a)
    assert found.is_without_difference
    assert (found.heads.p_values == 1).all()
    assert not compare(*runs(backend_of(zoo, "bert"))).is_without_difference


def test_models_of_other_sizes_have_no_comparable_heads(bundled: Backend, zoo: Zoo) -> None:
    tiny = backend_of(zoo, "scratch")
    found = compare(bundled.trace(A), tiny.trace(A), measure="structure")
    assert found.heads is None
    assert found.largest_heads(3) == ()
    assert found.words.by_state.shape == (1, 5)
    with pytest.raises(ShapeError, match=r"6 × 12 and 3 × 4"):
        attention_difference(found.runs, 0)
    with pytest.raises(ShapeError, match="only those of one model"):
        compare(bundled.trace(A), tiny.trace(A))


@pytest.mark.parametrize("special", ["show", "hide"])
def test_texts_that_share_no_word_are_not_compared_by_their_special_tokens(zoo: Zoo, special: Special) -> None:
    found = compare(*runs(backend_of(zoo, "bert"), "time", "fruit"), special=special)
    assert found.words is None
    assert found.heads is None
    assert not found.is_without_difference
    assert found.largest_words(3) == ()


def test_a_head_that_differs_in_every_row_stands_out_and_others_do_not() -> None:
    distances = np.random.default_rng(1).uniform(0, 0.2, (3, 4, 12)).astype(np.float32)
    distances[1, 2] += 0.3
    p_values = head_p_values(distances)
    assert p_values[1, 2] == pytest.approx(1 / (PERMUTATIONS + 1))
    assert np.delete(p_values.ravel(), 6).min() > 0.5


def test_one_row_tells_no_head_apart() -> None:
    assert head_p_values(np.array([[[0.1], [0.9]]])).max() == pytest.approx(1)
    with pytest.raises(ShapeError, match="share no word"):
        head_p_values(np.zeros((2, 2, 0)))


def test_a_word_is_compared_with_the_others_and_not_with_itself() -> None:
    between = np.ones((5, 5))
    between[0, 0] = between[1, 2] = between[1, 1] = 0
    assert others_as_near(between).tolist() == [0, 0.25, 1, 1, 1]
    assert np.isnan(others_as_near(np.zeros((1, 1)))).all()


def test_others_as_near_by_structure_are_those_of_a_slow_loop(bundled: Backend) -> None:
    a, b = bundled.trace("time flies like an arrow"), bundled.trace("fruit flies like an arrow today")
    found = compare(a, b, measure="structure")
    states = shared_word_states(found.runs)
    first, second = (cosines_between(each, each)[1:] for each in states)  # (L, W, W)
    count = first.shape[-1]
    for word in range(count):
        distances = []
        for other in range(count):
            order = list(range(count))
            order[word], order[other] = other, word
            exchanged = second[:, order][:, :, order]
            distances.append(np.abs(first - exchanged).sum(-1).mean(0)[word] / (count - 1))
        near = sum(distances[other] <= distances[word] + 1e-6 for other in range(count) if other != word)
        assert found.words.others_as_near[word] == pytest.approx(near / (count - 1))


def test_two_words_whose_cosine_has_changed_cannot_be_told_apart(bundled: Backend) -> None:
    found = compare(bundled.trace("cats sleep"), bundled.trace("cats sleep now"), measure="structure")
    assert (found.words.others_as_near == 1).all()  # their one cosine is the same in any order, but for rounding


def test_most_similar_heads_are_those_of_naive_loops(zoo: Zoo) -> None:
    a, other = (zoo.backend(family).trace(A) for family in ("bert", "distilbert"))
    b = replace(other, layers=other.layers[:2], hidden_states=other.hidden_states[:3])  # of another size
    found = compare(a, b, special="hide", measure="structure", matching="likeness")
    words = tuple(A.split())

    def distance(one: tuple[int, int], other: tuple[int, int]) -> float:
        return sum(
            abs(naive(b, *other, query, key, "hide") - naive(a, *one, query, key, "hide")) / 2
            for query in words
            for key in words
        ) / len(words)

    of_b = [(layer, head) for layer in range(b.num_layers) for head in range(b.num_heads)]
    for layer in range(a.num_layers):
        difference = attention_difference(found.runs, layer)
        for head in range(a.num_heads):
            distances = [distance((layer, head), other) for other in of_b]
            partner = found.partner(layer, head)
            assert distances[of_b.index(partner)] == pytest.approx(min(distances), abs=1e-6)
            assert found.heads.distances[layer, head] == pytest.approx(min(distances), abs=1e-6)
            expected = [
                [naive(b, *partner, q, k, "hide") - naive(a, layer, head, q, k, "hide") for k in words] for q in words
            ]
            assert_allclose(difference[head], expected, atol=1e-6)
    assert_allclose(
        furthest_from_zero(pooled_differences(found.runs, len(words)))[2],
        furthest_from_zero(attention_difference(found.runs, 2)),
        atol=1e-6,
    )


def test_a_run_is_most_like_itself_in_every_head(zoo: Zoo) -> None:
    trace = zoo.backend("bert").trace(A)
    found = compare(trace, trace, matching="likeness")
    assert [found.partner(*head) for head in np.ndindex(3, 4)] == list(np.ndindex(3, 4))
    assert found.is_without_difference


def test_heads_in_another_order_are_found_and_are_a_difference(zoo: Zoo) -> None:
    trace = zoo.backend("bert").trace(A)
    swapped = replace(trace, layers=(trace.layers[1], trace.layers[0], trace.layers[2]))
    found = compare(trace, swapped, matching="likeness")
    assert [found.partner(layer, 2) for layer in range(3)] == [(1, 2), (0, 2), (2, 2)]
    assert found.heads.distances.max() == 0
    assert not found.is_without_difference


def test_long_texts_are_matched_by_some_rows(zoo: Zoo, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = zoo.backend("bert").trace(A)
    expected = compare(trace, trace, matching="likeness").runs.partners
    monkeypatch.setattr("encoder.comparison.run_differences.MOST_ROWS", 2)
    assert expected is not None
    assert_allclose(most_similar_heads(compare(trace, trace).runs), expected)


def test_texts_without_a_shared_word_have_no_most_similar_heads(zoo: Zoo) -> None:
    backend = zoo.backend("bert")
    found = compare(backend.trace("time"), backend.trace("fruit"), special="hide", matching="likeness")
    assert found.heads is None
    with pytest.raises(ShapeError, match="share no word"):
        most_similar_heads(found.runs)
