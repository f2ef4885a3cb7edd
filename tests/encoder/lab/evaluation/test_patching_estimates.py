"""The command that compares estimates from gradients with exact runs."""

import json
from pathlib import Path

import pytest

from encoder.errors import ArgumentError
from encoder.lab.evaluation import patching_estimates
from encoder.lab.evaluation.patching_estimates import evaluate
from tests.encoder.lab.training.small_corpus import write_reviews


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = [(text, 0.9, "positive") for text in ("a lovely film", "so moving")]
    return write_reviews(tmp_path_factory.mktemp("sst") / "sst.tsv", rows)


@pytest.mark.parametrize("more", [[], ["--second-gradient"], ["--tokens"]])
def test_the_class_is_measured_on_sentences(file: Path, more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert patching_estimates.main(["--model", "scratch", "--sst", str(file), *more]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["model"], figures["quantity"], figures["n"]) == ("scratch", "class", 2)
    assert figures["changed"] == ("tokens" if more == ["--tokens"] else "heads")
    assert -1 <= figures["lowest_tenth"] <= figures["median"] <= 1
    assert figures["times_faster"] > 0


@pytest.mark.parametrize("quantity", ["part of speech", "shift"])
def test_words_are_measured_on_the_shipped_sentences(quantity: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert patching_estimates.main(["--model", "bundled", "--quantity", quantity, "--limit", "1"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["n"], figures["quantity"]) == (1, quantity)
    assert figures["median"] > 0.8


def test_errors_are_explained_in_a_sentence(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert patching_estimates.main(["--model", "scratch", "--sst", str(tmp_path / "none.tsv")]) == 1
    assert "There is no file" in capsys.readouterr().err
    wrong = (
        [],
        ["--sst", str(file), "--limit", "0"],
        ["--sst", str(file), "--quantity", "shift"],
        ["--quantity", "shift", "--tokens"],
    )
    for arguments in wrong:
        with pytest.raises(SystemExit):
            patching_estimates.main(["--model", "scratch", *arguments])
    with pytest.raises(ArgumentError, match="no text"):
        evaluate([])
