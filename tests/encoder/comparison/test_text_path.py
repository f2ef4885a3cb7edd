"""What words add to a text's vector, forward and by passes back."""

import pytest
from numpy.testing import assert_allclose

from encoder.attribution.removals import removable_units
from encoder.comparison.text_path import products_of_parts, text_parts, text_path
from encoder.errors import ArgumentError
from tests.encoder.random_models import A, B, Zoo, backend_of


@pytest.mark.parametrize("family", ["scratch", "bert", "distilbert", "electra"])
def test_passes_back_give_the_products_of_the_words_parts(zoo: Zoo, family: str) -> None:
    backend = backend_of(zoo, family)
    one, other = (
        text_path(backend, tokens, removable_units(tokens), points=3) for tokens in map(backend.tokenize, (A, B))
    )
    parts = text_parts(backend, one)
    assert_allclose(products_of_parts(backend, other, parts), parts @ text_parts(backend, other).T, atol=1e-5)
    assert_allclose(parts.sum(0), one.vector - one.reference, atol=0.1)


def test_a_text_without_words_has_no_parts(zoo: Zoo) -> None:
    backend = zoo.backend("bert")
    with pytest.raises(ArgumentError, match="no word"):
        text_path(backend, backend.tokenize(A), (), points=1)
