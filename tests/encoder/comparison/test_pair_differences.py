"""Pairs of words in two models: shares of each model's own split, over words that both tokenizers cut."""

import numpy as np
import pytest

from encoder import Backend
from encoder.comparison.pair_differences import SplitCosine, pair_differences
from encoder.comparison.similarity_map import similarity_map
from encoder.measures.units import Level
from tests.encoder.random_models import Zoo, backend_of

TEXTS = "time flies, like 2,000.", "an arrow flies"


def split(model: Backend, texts: tuple[str, str] = TEXTS, *, level: Level = "words") -> SplitCosine:
    a, b = map(model.tokenize, texts)
    return similarity_map(model, a, b, level=level, points=2), (a, b)


def test_shares_are_those_of_each_model_and_the_furthest_apart_come_first(zoo: Zoo, bundled: Backend) -> None:
    splits = split(bundled), split(backend_of(zoo, "bert"))
    found = pair_differences(*splits)
    for shares, (own, _) in zip(found.shares, splits, strict=True):
        np.testing.assert_allclose(shares, own.values / np.abs(own.values).sum(), atol=1e-6)
    columns = found.columns
    apart = np.abs(columns["share"] - columns["other_share"])
    assert len(apart) == found.shares[0].size
    assert (np.diff(apart) <= 0).all()
    row, column = found.largest[0]
    assert (columns["a"][0], columns["b"][0]) == (found.a[row], found.b[column])
    assert columns["share"][0] == found.shares[0, row, column]


def test_wordpieces_and_words_that_only_one_model_cuts_are_summed(zoo: Zoo) -> None:
    bert, other = backend_of(zoo, "bert"), backend_of(zoo, "roberta")
    pieces, of_bytes = split(bert, level="wordpieces"), split(other)
    found = pair_differences(pieces, of_bytes)
    words = pair_differences(split(bert), of_bytes)
    assert found.a == words.a
    np.testing.assert_allclose(found.shares, words.shares, atol=1e-4)
    assert len(found.b) == 3
    np.testing.assert_allclose(np.abs(found.shares).sum(axis=(1, 2)), 1, atol=1e-5)


def test_a_word_that_one_model_does_not_read_adds_nothing_there(zoo: Zoo, bundled: Backend) -> None:
    long = " ".join(["time flies"] * 33)  # the small model reads 62 tokens
    found = pair_differences(split(bundled, (long, "time")), split(backend_of(zoo, "bert"), (long, "time")))
    assert found.shares.shape == (2, 66, 1)
    assert found.a[-1] == "flies"
    assert not found.shares[1, 62:].any()
    assert found.shares[0, 62:].any()


def test_the_same_model_twice_has_no_differences(bundled: Backend) -> None:
    found = pair_differences(split(bundled), split(bundled))
    assert found.shares[0].tolist() == found.shares[1].tolist()
    assert found.largest[0] == (0, 0)


@pytest.mark.parametrize("text", ["+5", "−"])
def test_labels_keep_their_own_signs(bundled: Backend, text: str) -> None:
    assert pair_differences(split(bundled, (text, "time")), split(bundled, (text, "time"))).a[0] == text[:1]
