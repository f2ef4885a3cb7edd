"""The tokenizer that ships gives the same tokens whether `transformers` opens it or its file is read."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from encoder.errors import CheckpointError, InputError
from encoder.text.tokenizer import Tokenizer
from encoder.text.tokens import Text, Tokens

words = st.lists(st.text(max_size=8), max_size=6)


@pytest.fixture(scope="module", params=[16, 512], ids="at most {} tokens".format)
def both(request: pytest.FixtureRequest, bundled_folder: Path) -> tuple[Tokenizer, Tokenizer]:
    length: int = request.param
    return (
        Tokenizer.from_file(bundled_folder, max_length=length),
        Tokenizer.from_folder(bundled_folder, max_length=length),
    )


def read(tokenizer: Tokenizer, *texts: Text) -> Tokens | str:
    try:
        return tokenizer(*texts)
    except InputError as error:
        return str(error)


@pytest.mark.parametrize("other", [None, "fruit flies like a banana", "one " * 700])
@pytest.mark.parametrize(
    "text",
    [
        "time flies like an arrow",
        "Don't [MASK] the [SEP] café — naïve Ünïcödé 漢字 🙂, 3.14!",
        "word " * 700,
        "unbelievableness " * 90,
        "☃" * 40,
    ],
    ids=["plain", "marks", "long", "pieces", "unknown"],
)
def test_texts_and_pairs_give_the_same_tokens(both: tuple[Tokenizer, Tokenizer], text: str, other: str | None) -> None:
    ours, theirs = (tokenizer(text, other) for tokenizer in both)
    assert ours == theirs


@given(st.tuples(st.text()) | st.tuples(st.text(), st.text()) | st.tuples(words) | st.tuples(words, words))
@example(("time", ""))
@example(("", "time"))
def test_any_texts_and_words_give_the_same_tokens_or_the_same_error(
    both: tuple[Tokenizer, Tokenizer], texts: tuple[Text, ...]
) -> None:
    ours, theirs = (read(tokenizer, *texts) for tokenizer in both)
    assert ours == theirs


def test_a_vocabulary_has_the_same_special_ids(both: tuple[Tokenizer, Tokenizer]) -> None:
    ours, theirs = (tokenizer.inner for tokenizer in both)
    assert sorted(ours.all_special_ids) == sorted(theirs.all_special_ids) == [0, 100, 101, 102, 103]
    for name in ("cls", "sep", "pad", "unk", "bos", "eos"):
        assert getattr(ours, f"{name}_token_id") == getattr(theirs, f"{name}_token_id"), name


@pytest.mark.parametrize("damaged", ["tokenizer.json", "tokenizer_config.json"])
@pytest.mark.parametrize("content", [None, "{"], ids=["missing", "cut off"])
def test_a_damaged_file_is_one_clear_error(
    bundled_folder: Path, tmp_path: Path, damaged: str, content: str | None
) -> None:
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).write_bytes((bundled_folder / name).read_bytes())
    if content is None:
        (tmp_path / damaged).unlink()
    else:
        (tmp_path / damaged).write_text(content)
    with pytest.raises(CheckpointError, match="cannot be loaded"):
        Tokenizer.from_file(tmp_path)
