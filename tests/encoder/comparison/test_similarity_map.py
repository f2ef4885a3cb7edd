"""The cosine split over pairs: complete, right where the answer is known, and the same as the slow way."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from encoder import Backend
from encoder.attribution.gradients import Path, masked_ends
from encoder.attribution.quantities import SimilarityQuantity, measure
from encoder.attribution.removals import removable_units
from encoder.comparison import text_path as module
from encoder.comparison.similarity_map import goes_first, map_of_paths, similarity_map, tokens_to_run
from encoder.comparison.text_path import points_of_path, products_of_parts, text_parts, text_path
from encoder.comparison.text_vectors import text_vectors
from encoder.errors import ArgumentError, SelectionError
from encoder.models.hooks import Point
from tests.encoder.random_models import A, B, Zoo, backend_of

FAMILIES = ("scratch", "bert", "distilbert", "electra")


@pytest.mark.parametrize("family", FAMILIES)
def test_pairs_and_references_sum_to_the_cosine(zoo: Zoo, family: str) -> None:
    backend = backend_of(zoo, family)
    a, b = backend.tokenize(A), backend.tokenize(B)
    found = similarity_map(backend, a, b, points=12)
    assert found.values.shape == (len(found.units_a), len(found.units_b))
    assert found.completeness_error < 0.01
    other = backend.run(b).hidden_states[-1].mean(0)
    assert found.cosine == pytest.approx(measure(backend, [a], SimilarityQuantity(other))[0], abs=1e-5)
    assert text_vectors(backend, [a]) @ text_vectors(backend, [b]).T == pytest.approx(found.cosine, abs=1e-5)


def test_the_bundled_model_is_complete_to_one_percent_of_the_cosine(bundled: Backend) -> None:
    a, b = bundled.tokenize(A), bundled.tokenize(B)
    found = similarity_map(bundled, a, b, level="words")
    assert found.completeness_error < 0.01 * found.cosine
    assert similarity_map(bundled, a, b, level="words", points=1).completeness_error > 100 * found.completeness_error


def test_the_same_as_the_whole_jacobian_by_backward_passes(zoo: Zoo) -> None:
    backend = backend_of(zoo, "scratch")
    texts = backend.tokenize(A), backend.tokenize(B)
    sides = []
    for tokens in texts:
        ends = masked_ends(backend, tokens)
        way, parts = ends.text - ends.baseline, 0.0

        def vector(states: torch.Tensor, ends=ends) -> torch.Tensor:
            mean = backend.run_batch(ends.batch, {Point("embedding"): (lambda _, __: states[None],)})
            whole = mean.hidden_states[-1][0].mean(0)
            return whole / whole.norm()

        for node, weight in zip(*points_of_path(3), strict=True):
            jacobian = torch.autograd.functional.jacobian(vector, ends.baseline + float(node) * way)  # (D, T, D)
            parts = parts + float(weight) * torch.einsum("dte,te->td", jacobian, way)
        sides.append(parts[[unit[0] for unit in removable_units(tokens)]])
    expected = (sides[0] @ sides[1].T).detach().numpy()
    assert_allclose(similarity_map(backend, *texts, points=3).values, expected, atol=1e-4)


def test_words_add_what_their_pieces_add(zoo: Zoo) -> None:
    backend = backend_of(zoo, "scratch")
    a, b = backend.tokenize("times flies"), backend.tokenize(B)
    pieces, words = (similarity_map(backend, a, b, level=level, points=4) for level in ("wordpieces", "words"))
    assert pieces.units_a[:2] == ((1,), (2,))
    assert words.units_a[0] == (1, 2)
    assert_allclose(words.values[0], pieces.values[:2].sum(0), atol=1e-5)


def test_the_cheaper_text_is_taken_forward(zoo: Zoo) -> None:
    assert tokens_to_run((3, 1), (7, 5), points=2) == tokens_to_run((7, 5), (3, 1), points=2) == 2 * (2 * 3 * 1 + 7 * 2)
    backend = backend_of(zoo, "scratch")
    a, b = backend.tokenize(A), backend.tokenize("banana")
    assert_allclose(
        similarity_map(backend, a, b, points=2).values, similarity_map(backend, b, a, points=2).values.T, atol=1e-6
    )


def test_many_words_are_run_in_parts_with_progress(zoo: Zoo, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = backend_of(zoo, "scratch")
    a, b = backend.tokenize(A), backend.tokenize("fruit flies banana")
    whole = similarity_map(backend, a, b, points=2)
    monkeypatch.setattr(module, "ROW_TOKENS", 2 * len(b))
    monkeypatch.setattr(module, "KEPT_TOKENS", len(a))
    seen: list[tuple[int, int]] = []
    parted = similarity_map(backend, a, b, points=2, progress=lambda done, total: seen.append((done, total)))
    # Two batches for each point of B, and for each point of A a pass back for each of B's three words.
    assert seen == [(done, 10) for done in range(1, 11)]
    assert_allclose(parted.values, whole.values, atol=1e-6)


def test_what_cannot_be_split_is_an_error(zoo: Zoo) -> None:
    bert, deberta = (backend_of(zoo, name) for name in ("bert", "deberta"))
    with pytest.raises(ArgumentError, match="at least 1"):
        similarity_map(bert, bert.tokenize(A), bert.tokenize(B), points=0)
    with pytest.raises(SelectionError, match="its own code"):
        similarity_map(deberta, deberta.tokenize(A), deberta.tokenize(B))
    assert np.isfinite(similarity_map(bert, bert.tokenize("😀"), bert.tokenize(B), points=1).values).all()


def test_two_at_once_are_as_right_as_one_after_the_other(zoo: Zoo) -> None:
    backend = backend_of(zoo, "scratch")
    pairs = [(backend.tokenize(a), backend.tokenize(b)) for a, b in ((A, B), (B, A), (A, A), (B, B))]
    alone = [similarity_map(backend, *pair).values for pair in pairs]
    with ThreadPoolExecutor(len(pairs)) as pool:
        together = list(pool.map(lambda pair: similarity_map(backend, *pair).values, pairs))
    for one, other in zip(alone, together, strict=True):
        assert_allclose(other, one, atol=1e-5)


def test_four_points_beat_six_evenly_spaced_ones(bundled: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = bundled.tokenize(A), bundled.tokenize(B)
    exact, four = (similarity_map(bundled, a, b, level="words", points=points).values for points in (24, 4))
    monkeypatch.setattr(module, "points_of_path", lambda count: Path(count).nodes())
    even = similarity_map(bundled, a, b, level="words", points=6).values
    assert np.abs(four - exact).max() < np.abs(even - exact).max()


def test_the_parts_of_one_text_serve_for_many_others(zoo: Zoo) -> None:
    backend = backend_of(zoo, "scratch")
    first, *others = (
        text_path(backend, tokens, removable_units(tokens), points=3)
        for tokens in map(backend.tokenize, ("banana", A, B))
    )
    parts = text_parts(backend, first)
    for text, other in zip((A, B), others, strict=True):
        assert goes_first(first, other)
        expected = similarity_map(backend, backend.tokenize(text), backend.tokenize("banana"), points=3)
        found = map_of_paths(backend, other, first, parts)
        assert_allclose(found.values, expected.values, atol=1e-6)
        assert (found.cosine, found.points) == (expected.cosine, 3)


@pytest.mark.parametrize("family", ["scratch", "bert", "distilbert", "electra"])
def test_passes_back_give_the_products_of_the_words_parts(zoo: Zoo, family: str) -> None:
    backend = backend_of(zoo, family)
    one, other = (
        text_path(backend, tokens, removable_units(tokens), points=4) for tokens in map(backend.tokenize, (A, B))
    )
    parts = text_parts(backend, one)
    assert_allclose(products_of_parts(backend, other, parts), parts @ text_parts(backend, other).T, atol=1e-5)
    assert_allclose(parts.sum(0), one.vector - one.reference, atol=0.1)


def test_a_text_without_words_has_no_parts(zoo: Zoo) -> None:
    backend = zoo.backend("bert")
    with pytest.raises(ArgumentError, match="no word"):
        text_path(backend, backend.tokenize(A), (), points=1)


def test_points_cluster_at_the_turn_and_integrate_smooth_functions() -> None:
    places, weights = points_of_path(12)
    assert np.all(np.diff(places) > 0)
    assert 0 < places[0] < places[-1] < 1
    assert np.sum(np.abs(places - 0.3) < 0.2) >= 6
    assert_allclose([weights.sum(), weights @ places, weights @ np.exp(places)], [1, 0.5, np.e - 1], atol=1e-4)
