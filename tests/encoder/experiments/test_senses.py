"""Labelled occurrences: how they are read, what ships, and how a model is measured on them."""

import gzip
import json
import runpy
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from encoder import Backend
from encoder.errors import DataError
from encoder.experiments.senses.rows import SenseRow, read_senses, shipped_senses
from encoder.experiments.senses.states import band_of_model, states_of_rows
from encoder.lab.senses import evaluate_senses, main
from encoder.measures.senses import leave_one_out_accuracy

HEADER = "split\tword\tindex\tsense\ttext"
ROWS = (
    "train\tbank\t2\triver\tthe muddy bank of the river",
    "train\tbank\t1\tmoney\tThe bank raised its rates.",
    "test\tbank\t4\triver\tWe sat on the bank.",
    "test\tbank\t4\tmoney\tHe works at the bank.",
)


def write(folder: Path, *rows: str, header: str = HEADER) -> Path:
    path = folder / "senses.tsv"
    path.write_text("\n".join((header, *rows)) + "\n", encoding="utf-8")
    return path


def row(split: str, word: str, index: int, sense: str, text: str) -> SenseRow:
    return SenseRow(split=split, word=word, index=index, sense=sense, text=text, where=f"here, {text}")


# Reading -------------------------------------------------------------------------------------------------------------


def test_rows_are_read_whatever_the_order_of_the_columns(tmp_path: Path) -> None:
    first = read_senses(write(tmp_path, *ROWS))[0]
    assert (first.split, first.word, first.index, first.sense) == ("train", "bank", 2, "river")
    assert first.text[slice(*first.span)] == "bank"
    assert first.where.endswith("senses.tsv, line 2")
    turned = write(tmp_path, "a bank\tNOUN\tmoney\t1\tbank\ttest", header="text\tpos\tsense\tindex\tword\tsplit")
    [found] = read_senses(turned)
    assert (found.text, found.sense, found.split) == ("a bank", "money", "test")


def test_a_gzipped_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "senses.tsv.gz"
    path.write_bytes(gzip.compress("\n".join((HEADER, *ROWS)).encode()))
    assert len(read_senses(path)) == 4


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("dev\tbank\t1\tmoney\ta bank", "split is 'dev'; it must be one of train, test"),
        ("test\tbank\t2\tmoney\ta bank", r"index is 2.*its words are 0 to 1"),
        ("test\tbank\t1\tmoney\ta  bank", "index is 1.*There is no word 1"),
        ("test\tbank\t-1\tmoney\ta bank", "index is '-1'; the word's index"),
        ("test\tbank\tone\tmoney\ta bank", "index is 'one'"),
        ("test\tbank\t1000000\tmoney\ta bank", "index is '1000000'"),
        ("test\tbank\t²\tmoney\ta bank", "index is '²'"),
        ("test\tbank\t\tmoney\ta bank", "index is ''"),
        ("test\t \t1\tmoney\ta bank", "the column word is empty"),
        ("test\tbank\t1\t\ta bank", "the column sense is empty"),
        ("test\tbank\t0\tmoney\t ", "the column text is empty"),
        ("test\tbank\t1\tmoney", "4 columns; the header has 5"),
        ("test\tbank\t1\tmoney\ta bank\tmore", "6 columns; the header has 5"),
    ],
)
def test_a_malformed_row_names_file_and_line(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(DataError, match=rf"senses\.tsv, line 3: {message}"):
        read_senses(write(tmp_path, ROWS[0], line))


def test_a_missing_file_column_or_row_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="There is no file"):
        read_senses(tmp_path / "none.tsv")
    with pytest.raises(DataError, match="has no column sense, text"):
        read_senses(write(tmp_path, header="split\tword\tindex"))
    with pytest.raises(DataError, match="holds no rows"):
        read_senses(write(tmp_path))


# What ships ----------------------------------------------------------------------------------------------------------


def test_eight_words_ship_with_six_sentences_for_either_of_two_senses() -> None:
    rows = shipped_senses()
    words = dict.fromkeys(row.word for row in rows)
    assert list(words) == ["flies", "bank", "bat", "light", "match", "spring", "bark", "watch"]
    counts = Counter((row.word, row.sense) for row in rows)
    assert list(counts.values()) == [6] * 16
    assert len({row.text for row in rows}) == len(rows)
    for row in rows:
        assert row.text[slice(*row.span)].lower() == row.word
        assert 5 <= len(row.text.split(" ")) <= 15
    for word in words:
        assert len({row.index for row in rows if row.word == word}) >= 5, "its place must not give the sense away"
    splits = Counter((row.word, row.sense, row.split) for row in rows)
    assert {count for (*_, split), count in splits.items() if split == "test"} == {2}


def test_the_bundled_models_last_layers_tell_the_shipped_senses_apart(bundled: Backend) -> None:
    rows = shipped_senses()
    kept, states = states_of_rows(bundled, rows)
    assert kept == list(range(96))
    figures = leave_one_out_accuracy(states, [row.word for row in rows], [row.sense for row in rows])
    assert (figures.n, figures.n_senses, figures.majority_micro) == (96, 16, 0.5)
    assert figures.micro[0] < 0.6, "the embeddings know no context"
    # Measured: .479 .865 .927 .938 .938 .938 .938
    assert (figures.micro[2:] > 0.9).all()


def test_the_band_of_a_model_comes_from_the_shipped_sentences(bundled: Backend) -> None:
    band = band_of_model(bundled)
    assert band.words == ("flies", "bank", "bat", "light", "match", "spring", "bark", "watch")
    assert (band.n_same, band.n_different) == (8 * 30, 8 * 36)  # of six sentences for either of two senses
    assert (band.same_mean > band.different_mean)[2:].all()


# Measuring -----------------------------------------------------------------------------------------------------------


def test_a_words_state_is_that_of_its_own_trace(bundled: Backend) -> None:
    texts = {'Time "flies!" like unbelievably fast arrows': 1, "time " * 600 + "flies": 600, "flies": 0}
    rows = [row("test", "flies", index, "x", text) for text, index in texts.items()]
    kept, states = states_of_rows(bundled, rows)
    assert (kept, states.shape) == ([0, 2], (2, 7, 384))  # the second word is cut off
    first, second = (bundled.trace(rows[index].text) for index in kept)
    assert first.tokens.labels[3] == "flies"
    np.testing.assert_allclose(states[0], first.hidden_states[:, 3], atol=2e-5)
    np.testing.assert_allclose(states[1], second.hidden_states[:, 1], atol=2e-5)


def test_what_cannot_be_scored_is_counted_and_named(bundled: Backend) -> None:
    rows = [
        row("train", "bank", 2, "river", "the muddy bank of the river"),
        row("train", "bank", 1, "money", "the bank raised its rates"),
        row("test", "bank", 4, "river", "We sat on the bank."),
        row("test", "bank", 2, "blood", "a blood bank"),
        row("test", "bank", 600, "river", "a " * 600 + "bank"),
        row("test", "bat", 1, "animal", "a bat"),
        row("test", "bat", 1, "animal", "the bat"),
    ]
    found = evaluate_senses(bundled, rows)
    assert list(found["words"]) == ["bank"]
    assert found["left_out"]["words_without_train_rows"] == {"n": 2, "words": {"bat": 2}}
    assert found["left_out"]["rows_not_read"]["n"] == 1
    assert found["left_out"]["rows_not_read"]["first"][0].startswith("here, a a a")
    assert found["senses_without_train_rows"] == {"n": 1, "senses": {"bank: blood": 1}}
    bank = found["words"]["bank"]
    assert (bank["n"], bank["n_senses"]) == (2, 2)
    assert max(bank["accuracy"]["micro"]) == max(bank["accuracy"]["macro"]) == 0.5, "blood can never be right"
    assert bank["senses"] == {
        "river": {"n_train": 1, "n": 1},
        "money": {"n_train": 1, "n": 0},
        "blood": {"n_train": 0, "n": 1},
    }
    assert bank["majority_baseline"] == {"micro": 0.5, "macro": 0.5}, "river, as it is the first of two"
    assert found["all_words"]["accuracy"] == bank["accuracy"]
    assert found["mean_over_words"] == bank["accuracy"]


@pytest.mark.parametrize("split", ["train", "test"])
def test_a_file_of_one_split_cannot_be_measured(bundled: Backend, split: str) -> None:
    with pytest.raises(DataError, match=rf"1 rows are \{{'{split}': 1\}}"):
        evaluate_senses(bundled, [row(split, "bank", 1, "money", "a bank")])


def test_a_word_of_which_no_test_row_is_read_has_no_accuracy(bundled: Backend) -> None:
    rows = [row("train", "bank", 1, "money", "a bank"), row("test", "bank", 600, "river", "a " * 600 + "bank")]
    found = evaluate_senses(bundled, rows)
    assert found["words"]["bank"]["accuracy"] == {"micro": None, "macro": None}
    assert found["all_words"]["n"] == 0
    assert found["mean_over_words"] == {"micro": None, "macro": None}
    assert json.loads(json.dumps(found)) == found


def test_the_command_prints_one_json_object(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, *ROWS)
    module = "encoder.measures.senses"
    for imported in (module, "encoder.lab.senses"):
        monkeypatch.delitem(sys.modules, imported)  # as `python -m` finds it: not imported yet
    monkeypatch.setattr(sys, "argv", [module, str(path), "--model", "scratch"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module(module, run_name="__main__")
    assert ended.value.code == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (found["file"], found["model"], found["all_words"]["n"]) == (str(path), "scratch", 2)
    assert len(found["layers"]) == len(found["words"]["bank"]["accuracy"]["macro"]) == 5


def test_the_command_says_what_is_wrong_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, *ROWS, "test\tbank\t9\tmoney\ta bank")
    assert main([str(path), "--model", "scratch"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "senses.tsv, line 6: index is 9" in err
    assert "Traceback" not in err
    assert main([str(write(tmp_path, *ROWS)), "--model", "/no/such/folder"]) == 1


def test_the_commands_help_says_what_it_does_and_takes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    said = capsys.readouterr().out
    for part in ("Measure a model on labelled occurrences", "columns split, word, index, sense", "such as bundled"):
        assert part in " ".join(said.split())


def test_the_command_wants_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([str(write(tmp_path, *ROWS))])
    assert ended.value.code == 2
    assert "the following arguments are required: --model" in capsys.readouterr().err
