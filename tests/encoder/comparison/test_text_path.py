"""What words add to a text's vector, forward and by passes back."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from encoder.attribution.removals import removable_units
from encoder.comparison.text_path import points_of_path, products_of_parts, text_parts, text_path
from encoder.errors import ArgumentError
from tests.encoder.random_models import A, B, Zoo, backend_of


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


def test_points_lie_around_the_turn_of_a_vector_and_integrate_what_is_smooth() -> None:
    places, weights = points_of_path(12)
    assert np.all(np.diff(places) > 0)
    assert 0 < places[0] < places[-1] < 1
    assert np.sum(np.abs(places - 0.3) < 0.2) >= 6
    assert_allclose([weights.sum(), weights @ places, weights @ np.exp(places)], [1, 0.5, np.e - 1], atol=1e-4)
