"""The same word in another sentence: its form first, then another inflection of it."""

import pytest

from encoder import Backend
from encoder.text.common_words import common_words, find_word, has_letters, suggest_word


def test_forms_are_compared_without_case(bundled: Backend) -> None:
    tokens = bundled.tokenize("Flies fly when FLIES flew")
    assert find_word(tokens, "flies") == ((0, 3), True)


def test_another_inflection_counts_where_the_form_is_missing(bundled: Backend) -> None:
    tokens = bundled.tokenize("a kite can fly, and flies well")
    assert find_word(tokens, "flying") == ((3, 6), False)
    assert [tokens.words[at] for at in (3, 6)] == ["fly", "flies"]
    assert find_word(bundled.tokenize("the bird flew"), "flies") == ((2,), False)
    assert find_word(bundled.tokenize("the university"), "universe") == ((), False)


def test_punctuation_has_no_inflections(bundled: Backend) -> None:
    tokens = bundled.tokenize("well, well!")
    assert find_word(tokens, ",") == ((1,), True)
    assert find_word(tokens, "?") == ((), True)
    assert not has_letters("?!")
    assert not has_letters("😀")
    assert has_letters("3")


def test_words_that_were_cut_off_do_not_occur(bundled: Backend) -> None:
    tokens = bundled.tokenize(" ".join(["time"] * 300 + ["flies"]))
    assert find_word(tokens, "flies") == ((), False)
    assert len(find_word(tokens, "time")[0]) == 254


def test_common_words_stand_in_the_order_of_a_and_inflections_behind(bundled: Backend) -> None:
    a, b = bundled.tokenize("He banks where the bank, the old bank, is"), bundled.tokenize("The bank where he bats, is")
    words = common_words(a, b)
    assert [word.name for word in words] == ["he", "where", "the", "bank", "is", "banks / bank"]
    bank = words[3]
    assert (bank.a, bank.b, bank.same_form) == ((4, 8), (1,), True)
    assert not words[-1].same_form
    assert words[-1].b == (1,)


@pytest.mark.parametrize(
    ("a", "b", "name"),
    [
        ("time flies like an arrow", "fruit flies like a banana", "flies"),
        ("he flies", "they fly a kite", "flies / fly"),
        ("one two", "three four", None),
        ("?!", "?!", None),
        ("a [MASK] flies", "the [MASK] flies", "flies"),
        ("one [MASK]", "two [MASK]", None),
        ("مرحبا world", "hello مرحبا", "مرحبا"),
    ],
)
def test_the_longest_common_word_is_suggested(bundled: Backend, a: str, b: str, name: str | None) -> None:
    found = suggest_word(common_words(bundled.tokenize(a), bundled.tokenize(b)))
    assert (found.name if found else None) == name
