"""Texts aligned by words: against a search of all subsequences, and what must hold for any two."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder import Backend
from encoder.comparison.alignment import align, align_words
from tests.encoder.random_models import Zoo, backend_of

FEW_WORDS = st.lists(st.sampled_from("abc"), max_size=7)
WORDS = st.lists(st.sampled_from(["the", "key", "keys", "is", "are", "😀", ""]), max_size=24)


def longest(a: list[str], b: list[str]) -> int:
    """The length of a longest common subsequence, by trying all subsequences of A."""

    def is_in_b(subsequence: tuple[str, ...]) -> bool:
        left = iter(b)
        return all(word in left for word in subsequence)

    return max(len(taken) for size in range(len(a) + 1) for taken in combinations(a, size) if is_in_b(taken))


@given(FEW_WORDS, FEW_WORDS)
def test_as_many_words_are_shared_as_can_be(a: list[str], b: list[str]) -> None:
    assert sum(None not in column for column in align_words(a, b)) == longest(a, b)


@given(WORDS, WORDS)
def test_both_texts_keep_their_order_and_lose_no_word(a: list[str], b: list[str]) -> None:
    columns = align_words(a, b)
    assert [row for row, _ in columns if row is not None] == list(range(len(a)))
    assert [column for _, column in columns if column is not None] == list(range(len(b)))
    assert all(None in (row, column) or a[row] == b[column] for row, column in columns)
    assert (None, None) not in columns


@given(WORDS)
def test_a_text_is_aligned_with_itself_without_gaps(a: list[str]) -> None:
    assert align_words(a, a) == tuple((index, index) for index in range(len(a)))


@pytest.mark.parametrize(
    ("a", "b", "labels"),
    [
        ("the film was good", "the film was not good", "[CLS] the film was +not good [SEP]"),
        ("the keys are here", "The key is here", "[CLS] the −keys −are +key +is here [SEP]"),
        ("unbelievably good", "good", "[CLS] −unbelievably good [SEP]"),
        ("x", "y", "[CLS] −x +y [SEP]"),
    ],
)
def test_gaps_stand_where_words_are_gone_or_new(bundled: Backend, a: str, b: str, labels: str) -> None:
    assert " ".join(align(bundled.tokenize(a), bundled.tokenize(b)).labels) == labels


def test_two_tokenizers_meet_at_their_words(zoo: Zoo) -> None:
    pieces = backend_of(zoo, "bert").tokenize("time flies over")
    bytes_ = backend_of(zoo, "roberta").tokenize("time over")
    found = align(pieces, bytes_)
    assert found.labels == ("[CLS]", "time", "−flies", "over", "[SEP]")
    assert [found.a.labels[word] for word, _ in found.shared_words] == ["time", "over"]
    assert "[CLS]" not in align(pieces, bytes_, special="hide").labels
