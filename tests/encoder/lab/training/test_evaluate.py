"""The evaluation command, on a few rows and, where the data is there, against the cards that ship."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import encoder
from encoder.lab.training.evaluate import main, predictions
from encoder.lab.training.figures import sentiment_figures
from encoder.shipped.names import TUNED
from tests.encoder.lab.training.small_corpus import write_reviews
from tests.rounding import rounding

ROWS = (
    ("a gorgeous, witty, seductive movie", 0.9, "positive"),
    ("a dull, lifeless mess", 0.1, "negative"),
    ("It opens on Friday.", 0.5, "neutral"),
)


@pytest.fixture
def sst(tmp_path: Path) -> Path:
    return write_reviews(tmp_path / "sst.tsv", ROWS)


@pytest.fixture
def ewt(tmp_path: Path) -> Path:
    path = tmp_path / "ewt.jsonl.gz"
    row = {"words": ["Dogs", "bark", "."], "upos": ["NOUN", "VERB", "PUNCT"]}
    path.write_bytes(gzip.compress((json.dumps(row) + "\n").encode() * 2))
    return path


@pytest.fixture
def noun_verb(tmp_path: Path) -> Path:
    path = tmp_path / "noun_verb.jsonl"
    rows = [
        {"words": ["They", "walk", "home", "."], "index": 1, "form": "walk", "label": "VERB"},
        {"words": ["A", "long", "walk", "helps", "."], "index": 2, "form": "walk", "label": "NON-VERB"},
        {"words": ["I", "want", "to", "walk", "."], "index": 3, "form": "walk", "label": "VERB"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def printed(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    assert main([str(argument) for argument in arguments]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("model", ["bundled", TUNED])
def test_sentiment_comes_with_n_and_baselines(model: str, sst: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = printed(capsys, "--model", model, "--sst", sst)
    assert set(figures) == {"model", "sst"}
    assert figures["sst"]["sst2"] == {"accuracy": 1.0, "n": 2, "majority_baseline": 0.5, "majority": "always negative"}
    assert figures["sst"]["three_class"]["n"] == 3
    assert figures["sst"]["score"]["n"] == 3
    assert figures["sst"]["score"]["mae"] < 0.4
    assert figures["sst"]["score"]["pearson_r"] > 0.8


def test_parts_of_speech_come_per_layer(ewt: Path, noun_verb: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = printed(capsys, "--model", "bundled", "--ewt", ewt, "--noun-verb", noun_verb)
    assert set(figures) == {"model", "tags", "noun_verb"}
    assert [row["n"] for row in figures["tags"]["per_layer"]] == [6] * 7
    assert figures["tags"]["combined"]["accuracy"] == 1.0
    assert figures["tags"]["combined"]["majority_baseline"] == pytest.approx(1 / 3)
    assert figures["noun_verb"]["combined"] == {
        "accuracy": 1.0,
        "n": 3,
        "majority_baseline": pytest.approx(2 / 3),
        "majority": "always VERB",
    }


def test_a_model_without_a_head_is_refused(sst: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--model", "scratch-bert", "--sst", str(sst)]) == 1
    assert "has no sentiment head" in capsys.readouterr().err


def test_a_model_without_probes_is_refused(ewt: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--model", TUNED, "--ewt", str(ewt)]) == 1
    assert "No probes were trained" in capsys.readouterr().err


def test_a_malformed_file_is_named_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.tsv"
    path.write_text("text\tscore\tlabel3\nfine\t0.5\tneutral\nbad\t7\tneutral\n")
    assert main(["--model", "bundled", "--sst", str(path)]) == 1
    assert f"{path}, line 3" in capsys.readouterr().err


def test_no_file_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--model", "bundled"])
    assert "at least one file" in capsys.readouterr().err


def test_two_classes_leave_neutral_out() -> None:
    logits = np.array([[2.0, 3.0, 1.0], [0.0, 3.0, 1.0], [0.0, 0.0, 1.0]])
    figures = sentiment_figures(logits, np.array([0.2, 0.5, 0.9]), np.array([0, 1, 2]), np.array([0.1, 0.5, 0.9]))
    assert (figures["sst2"]["accuracy"], figures["sst2"]["n"]) == (1.0, 2)
    assert figures["three_class"]["accuracy"] == pytest.approx(2 / 3)
    assert figures["score"]["mae"] == pytest.approx(0.1 / 3)


def test_batched_predictions_equal_those_of_the_traces() -> None:
    texts = ["a long and winding but in the end quite gorgeous movie", "dull", "a dull, lifeless mess", "fine"]
    backend = encoder.load("bundled")
    for text, predicted in zip(texts, predictions(backend, texts), strict=True):
        alone = backend.trace(text).prediction
        np.testing.assert_allclose(predicted.logits, alone.logits, atol=1e-4)
        assert predicted.score == pytest.approx(alone.score, abs=rounding(384))
