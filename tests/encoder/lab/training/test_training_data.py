"""Readers of the public data: what they give, and that every fault is named with its file and line."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from encoder.errors import DataError
from encoder.lab.training.data import (
    CLASS_SCORES,
    SOURCES,
    find_file,
    read_homographs,
    read_noun_verb,
    read_reviews,
    read_tagged,
)
from encoder.models.labels import TAG_IDS

DATA = Path(__file__).parents[5] / "shared" / "data"
REVIEWS = "text\tscore\tlabel3\tclass5\tnatural\n"
GOOD_REVIEW = "It ca n't miss .\t0.75\tpositive\t3\tIt can't miss.\n"
TAGGED = {"sent_id": "a", "words": ["Time", "flies"], "upos": ["NOUN", "VERB"], "space_after": "10"}
HOMOGRAPH = {"words": ["Time", "flies"], "index": 1, "upos": "VERB", "split": "train", "balanced": True}
NOUN_VERB = {"words": ["Time", "flies"], "index": 1, "label": "VERB"}


def lines(*rows: dict[str, object]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_reviews_have_their_text_as_people_type_it(tmp_path: Path) -> None:
    path = tmp_path / "sst_dev.tsv"
    path.write_text(REVIEWS + GOOD_REVIEW)
    (review,) = read_reviews(path)
    assert (review.text, review.treebank_text) == ("It can't miss.", "It ca n't miss .")
    assert (review.sentiment, review.fine_class, review.score) == (2, 3, 0.75)


def test_phrases_take_the_published_score_or_the_mean_of_their_class(tmp_path: Path) -> None:
    path = tmp_path / "phrases.tsv"
    header = "text\tscore\tlabel3\tclass5\tnatural\tscore_exact\tis_held_out_sentence\n"
    path.write_text(
        header
        + "good\t0.75\tpositive\t3\tgood\t0.71\t0\nbad\t0.25\tnegative\t1\tbad\t\t0\nx\t0.5\tneutral\t2\tx\t\t1\n"
    )
    assert [review.score for review in read_reviews(path)] == [0.71, CLASS_SCORES[1]]


def test_tagged_sentences_homographs_and_the_challenge_are_read(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(lines(TAGGED))
    (sentence,) = read_tagged(path)
    assert sentence.words == ("Time", "flies")
    assert sentence.tags == (TAG_IDS["NOUN"], TAG_IDS["VERB"])
    assert sentence.space_after == (True, False)
    path.write_text(lines(HOMOGRAPH))
    (row,) = read_homographs(path)
    assert (row.index, row.tag, row.split, row.balanced) == (1, TAG_IDS["VERB"], "train", True)
    path.write_text(lines(NOUN_VERB, NOUN_VERB | {"label": "NON-VERB"}))
    assert [row.is_verb for row in read_noun_verb(path)] == [True, False]


def test_a_file_is_found_gzipped_or_plain_and_read_by_what_is_in_it(tmp_path: Path) -> None:
    (tmp_path / "sst_dev.tsv").write_text(REVIEWS + GOOD_REVIEW)
    plain = read_reviews(find_file(tmp_path, "sst_dev.tsv"))
    (tmp_path / "sst_dev.tsv.gz").write_bytes(gzip.compress((REVIEWS + GOOD_REVIEW * 2).encode()))
    assert find_file(tmp_path, "sst_dev.tsv").suffix == ".gz"
    assert read_reviews(find_file(tmp_path, "sst_dev.tsv")) == plain * 2
    (tmp_path / "misnamed.gz").write_text(REVIEWS + GOOD_REVIEW)
    assert read_reviews(tmp_path / "misnamed.gz") == plain


@pytest.mark.parametrize("name", SOURCES)
def test_where_a_file_is_missing_its_public_source_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match=rf"neither {name} nor {name}.gz.*https://"):
        find_file(tmp_path, name)


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (read_reviews, "", r"line 1: the header has no column text, score, label3; it has nothing"),
        (read_reviews, "text\tscore\n", r"line 1: the header has no column label3; it has text, score"),
        (read_reviews, REVIEWS, r"holds no rows"),
        (read_reviews, REVIEWS + GOOD_REVIEW + "It ca n't mi", r"line 3: 1 columns; the header has 5"),
        (read_reviews, REVIEWS + GOOD_REVIEW.replace("0.75", "1.5"), r"line 2: score is '1.5'; a number from 0 to 1"),
        (read_reviews, REVIEWS + GOOD_REVIEW.replace("0.75", "nan"), r"line 2: score is 'nan'"),
        (read_reviews, REVIEWS + GOOD_REVIEW.replace("0.75", "good"), r"line 2: score is 'good'"),
        (read_reviews, REVIEWS + GOOD_REVIEW.replace("positive", "fine"), r"line 2: label3 is 'fine'; .*negative, neu"),
        (read_reviews, REVIEWS + GOOD_REVIEW.replace("\t3\t", "\t9\t"), r"line 2: class5 is '9'"),
        (read_reviews, REVIEWS + GOOD_REVIEW.replace("It ca n't miss .", " "), r"line 2: the text is empty"),
        (read_tagged, lines(TAGGED) + lines(TAGGED)[:30], r"line 2: this is not a complete JSON object"),
        (read_tagged, "[1]\n", r"line 1: a JSON object is needed, this is a list"),
        (read_tagged, lines({"upos": ["NOUN"]}), r"line 1: 'words' must be a list"),
        (read_tagged, lines(TAGGED | {"words": ["a", ""]}), r"line 1: '' among the words is not a word"),
        (read_tagged, lines(TAGGED | {"upos": ["NOUN"]}), r"line 1: 2 words have 1 tags"),
        (read_tagged, lines(TAGGED | {"upos": ["NOUN", "NN"]}), r"line 1: upos is 'NN'; it must be one of ADJ"),
        (read_tagged, lines(TAGGED | {"space_after": "1"}), r"line 1: 'space_after' must be a string of 2 digits"),
        (read_homographs, lines(HOMOGRAPH, HOMOGRAPH | {"index": 2}), r"line 2: 'index' is 2; .* 0 to 1"),
        (read_homographs, lines(HOMOGRAPH | {"split": "test"}), r"line 1: split is 'test'; .* train, dev"),
        (read_noun_verb, lines(NOUN_VERB | {"label": "NOUN"}), r"line 1: label is 'NOUN'; .* NON-VERB, VERB"),
        (read_noun_verb, lines(NOUN_VERB | {"index": True}), r"line 1: 'index' is True"),
    ],
)
def test_a_malformed_line_is_named(tmp_path: Path, read: Callable[[Path], object], text: str, message: str) -> None:
    path = tmp_path / "rows"
    path.write_text(text)
    with pytest.raises(DataError, match=message) as caught:
        read(path)
    assert str(path) in str(caught.value)


def test_a_truncated_or_damaged_gzip_file_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.gz"
    rows = "".join(lines(TAGGED | {"sent_id": str(number * 7919 % 10007)}) for number in range(5000))
    whole = gzip.compress(rows.encode())
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"rows.gz, line \d{3,}: the compressed file is truncated or damaged"):
        read_tagged(path)
    path.write_bytes(whole[:200] + bytes(200) + whole[400:])
    with pytest.raises(DataError, match=r"rows.gz, line \d+: "):
        read_tagged(path)


def test_text_that_is_no_utf8_and_a_folder_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_bytes((REVIEWS + GOOD_REVIEW).encode() + b"caf\xe9\n")
    with pytest.raises(DataError, match=r"line 3: byte 3 is not UTF-8"):
        read_reviews(path)
    with pytest.raises(DataError, match="cannot be read"):
        read_reviews(tmp_path)
    with pytest.raises(DataError, match="There is no file"):
        read_reviews(tmp_path / "nothing")


@pytest.mark.skipif(not DATA.is_dir(), reason="the public data are not beside this checkout")
def test_the_public_files_have_the_published_numbers_of_rows() -> None:
    assert len(read_reviews(find_file(DATA, "sst_dev.tsv"))) == 1101
    assert len(read_reviews(find_file(DATA, "sst_train.tsv"))) == 8544
    assert sum(len(sentence.words) for sentence in read_tagged(find_file(DATA, "ewt_dev.jsonl"))) == 25147
    assert len(read_noun_verb(find_file(DATA, "noun_verb_challenge_dev.jsonl"))) == 2367
