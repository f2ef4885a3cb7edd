"""What is said of words that a model does not know."""

from pathlib import Path

import pytest

from encoder.text.tokenizer import Tokenizer
from viz.wording.unknown_words import knows_no_word, unknown_words


@pytest.fixture(scope="module")
def bundled(bundled_folder: Path) -> Tokenizer:
    return Tokenizer.from_file(bundled_folder)


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["time flies"], ""),
        (["😂 😂 ฉัน"], r"The model knows 0 of 3 words: what it says is its answer to \[UNK\]."),
        (["I love it👩‍💻"], r"The model knows 2 of 3 words: it reads \[UNK\] for the other."),
        (["so 😂", "😂"], r"The model knows 1 of 3 words: it reads \[UNK\] for the others."),
    ],
)
def test_the_number_of_known_words_is_said_unless_all_are(bundled: Tokenizer, texts: list[str], said: str) -> None:
    tokens = [bundled(text) for text in texts]
    assert unknown_words(tokens) == said
    assert knows_no_word(tokens) == (" 0 of " in said)
