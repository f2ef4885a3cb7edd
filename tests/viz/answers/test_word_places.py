"""Which word the lens is about."""

import pytest

from encoder import Backend
from viz.answers.word_places import place_word
from viz.examples import EXAMPLES

A, B = "time flies like an arrow", "fruit flies like a banana"


def found(
    backend: Backend, a: str, b: str | None, at_a: int | None = None, at_b: int | None = None, **more: str
) -> tuple:
    second = None if b is None else backend.tokenize(b)
    place = place_word(backend.tokenize(a), second, at_a, at_b, **more)
    return place.a, place.b, place.note


def test_the_longest_common_word_is_chosen_unless_another_is_preferred(bundled: Backend) -> None:
    assert found(bundled, A, B) == (1, 1, "")
    assert found(bundled, A, B, preferred="like") == (2, 2, "")


def test_every_example_begins_with_its_word(bundled: Backend) -> None:
    examples = [example for example in EXAMPLES if example.word]
    assert len(examples) == len(EXAMPLES) - 1  # two masks are no shared word
    for example in examples:
        a, b, note = found(bundled, example.a, example.b, preferred=example.word)
        assert (example.a.split()[a], example.b.split()[b], note) == (example.word, example.word, "")


def test_a_clicked_word_is_looked_for_in_the_other_sentence(bundled: Backend) -> None:
    assert found(bundled, A, B, at_b=2) == (2, 2, "")
    assert found(bundled, "he flies", "they fly", at_a=1) == (1, 1, "")
    a, b, note = found(bundled, A, B, at_a=4)
    assert (a, b) == (4, None)
    assert "“arrow” is not in sentence B" in note


def test_two_clicked_words_need_not_be_alike(bundled: Backend) -> None:
    assert found(bundled, A, B, at_a=4, at_b=4) == (4, 4, "")


def test_sentences_without_a_common_word_say_so(bundled: Backend) -> None:
    a, b, note = found(bundled, "one two", "three four")
    assert (a, b) == (0, None)
    assert "share no word" in note


def test_one_sentence_alone_has_its_longest_word(bundled: Backend) -> None:
    assert found(bundled, A, None) == (1, None, "")
    assert found(bundled, "a , banana", None) == (2, None, "")


@pytest.mark.parametrize(("words", "why"), [(600, "was cut off"), (200, "is not there")])
def test_a_word_that_is_not_read_is_named(bundled: Backend, words: int, why: str) -> None:
    a, b, note = found(bundled, " ".join(["time"] * words), B, at_a=599)
    assert note.startswith(f"Word 600 of sentence A {why}: choose another one.")
    assert (a, b) == (0, None)


def test_emoji_and_punctuation_can_be_chosen(bundled: Backend) -> None:
    assert found(bundled, "😀 ?", "? 😀", at_a=0) == (0, 1, "")
