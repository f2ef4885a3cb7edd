"""Texts aligned by words: against a search of all subsequences, and what must hold for any two."""

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder import Backend
from encoder.comparison.alignment import align, align_words
from encoder.text.tokens import PER_TOKEN
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


def test_words_that_a_list_cuts_differently_make_one_unit(zoo: Zoo) -> None:
    pieces = backend_of(zoo, "bert").tokenize("Time flies ... like 2 fruit")
    bytes_ = backend_of(zoo, "roberta").tokenize(["Time", "flies", "...", "like", "2 fruit"])
    assert pieces.words == ("Time", "flies", ".", ".", ".", "like", "2", "fruit")
    found = align(pieces, bytes_)
    assert found.labels == ("[CLS]", "Time", "flies", "...", "like", "2 fruit", "[SEP]")
    assert found.a.labels == ("[CLS]", *found.labels[1:-1], "[SEP]")
    assert found.b.labels == ("<s>", *found.labels[1:-1], "</s>")
    assert sorted(member for unit in found.a.members for member in unit) == list(range(len(pieces)))


@given(st.text("ab1.,' ", min_size=1).filter(lambda text: bool(text.strip())), st.booleans())
def test_one_text_is_aligned_without_gaps_whatever_the_tokenizers(zoo: Zoo, text: str, is_pair: bool) -> None:
    texts = (text, "time flies.") if is_pair else (text,)
    found = align(backend_of(zoo, "bert").tokenize(*texts), backend_of(zoo, "roberta").tokenize(*texts), special="hide")
    assert [None not in column for column in found.columns] == [True] * len(found.columns)
    for in_a, in_b in found.shared:
        assert "".join(found.a.labels[in_a].split()) == "".join(found.b.labels[in_b].split())
    start = len(found.columns) - 3 if is_pair else None
    assert (found.a.sentence_b_start, found.b.sentence_b_start) == (start, start)


def test_words_beyond_the_end_of_a_cut_text_stay_alone(zoo: Zoo) -> None:
    text = "fruit " * 30 + "flies..."
    pieces, bytes_ = backend_of(zoo, "bert").tokenize(text), backend_of(zoo, "roberta").tokenize(text)
    assert sum(bytes_.truncated)
    found = align(pieces, bytes_)
    assert len(found.a) - len(found.shared) == sum(in_b is None for _, in_b in found.columns) > 0
    assert [found.a.labels[word] for word, _ in found.shared_words] == ["fruit"] * len(found.shared_words)


def test_words_before_the_start_of_a_cut_text_stay_alone(zoo: Zoo) -> None:
    pieces, bytes_ = (backend_of(zoo, name).tokenize("fruit flies... like") for name in ("bert", "roberta"))
    without_start = replace(
        bytes_,
        **{name: (getattr(bytes_, name)[0], *getattr(bytes_, name)[-5:]) for name in PER_TOKEN},
    )
    found = align(pieces, without_start)
    assert found.labels == ("[CLS]", "−fruit", "−flies", "−.", "−.", "−.", "like", "[SEP]")
