"""What a text field marks: pieces of split words, and what is cut off."""

from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from encoder.shipped.bundled import bundled_folder
from encoder.text.tokenizer import Tokenizer
from viz.payloads.text_marks import text_marks

LETTERS = "ab un believable é\u0301🙂👩\u200d👩שلΩ\n\t.,'☃\U0001f1e9\U0001f1ea"
TEXTS = st.text(st.sampled_from(LETTERS), min_size=1)


@cache
def tokenizer(max_length: int = 512) -> Tokenizer:
    return Tokenizer.from_folder(bundled_folder(), max_length=max_length)


def marked(text: str, pieces: list[list[int]]) -> list[str]:
    """The pieces as a browser cuts them out."""
    units = text.encode("utf-16-le")
    return [units[2 * start : 2 * end].decode("utf-16-le") for start, end in pieces]


def test_pieces_of_split_words_alone_are_marked() -> None:
    marks = text_marks(tokenizer()("an unbelievable 🙂 embedding", "two embeddings"), 0)
    assert marked(marks["read"], marks["pieces"]) == ["em", "bed", "ding"]
    assert (marks["read"], marks["cut"]) == ("an unbelievable 🙂 embedding", False)


def test_each_sentence_of_a_pair_has_its_own() -> None:
    tokens = tokenizer()("embedding", "two embeddings")
    assert [marked(tokens.sentences[at], text_marks(tokens, at)["pieces"])[0] for at in (0, 1)] == ["em", "em"]
    assert text_marks(tokens, 1)["pieces"][0] == [4, 6]


def test_what_is_cut_off_begins_after_the_last_token() -> None:
    tokens = tokenizer(8)("🙂 one two three four five six seven eight", "fly")
    marks = text_marks(tokens, 0)
    assert marks["cut"]
    assert marks["read"] == "🙂 one two three"
    assert not text_marks(tokens, 1)["cut"]


@given(TEXTS, st.sampled_from([6, 512]))
def test_marks_lie_in_the_read_part_one_after_the_other(text: str, max_length: int) -> None:
    tokens = tokenizer(max_length)(f"word {text}")
    marks = text_marks(tokens, 0)
    assert tokens.sentences[0].startswith(marks["read"])
    assert marks["cut"] == (tokens.truncated[0] > 0)
    assert marks["cut"] or marks["read"] == tokens.sentences[0]
    places = [place for piece in marks["pieces"] for place in piece]
    assert places == sorted(places)
    assert all(place <= len(marks["read"].encode("utf-16-le")) // 2 for place in places)
    spans = {tokens.sentences[0][slice(*span)] for span in tokens.spans if span}
    assert set(marked(marks["read"], marks["pieces"])) <= spans
