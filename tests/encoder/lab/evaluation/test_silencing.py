"""What each head's silence does to a model's outputs, against runs one at a time."""

from pathlib import Path

import numpy as np
import pytest

import encoder
from encoder import Backend
from encoder.atlas import plan
from encoder.atlas.__main__ import main as atlas
from encoder.atlas.build import shipping
from encoder.atlas.tables import read_table
from encoder.lab.evaluation.silencing import main, silencing_rows
from tests.encoder.atlas.small_corpus import write_corpus
from tests.encoder.lab.training.small_corpus import review, write_reviews

REVIEWS = (
    ("a lovely and moving film", 2),
    ("dull , stupid and far too long", 0),
    ("good", 2),
    ("it is bad", 0),
    ("not good at all", 0),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An atlas of a small model over a small corpus."""
    root = tmp_path_factory.mktemp("silencing")
    corpus = write_corpus(root / "small.jsonl", 6)
    given = ["build", "--model", "scratch", "--corpus", str(corpus), "--out", str(root / "atlas"), "--workers", "1"]
    assert atlas(given) == 0
    return root / "atlas"


def test_every_head_is_silenced_in_every_sentence(scratch: Backend) -> None:
    texts = [
        scratch.tokenize(text) for text in ("time flies like an arrow", "fruit flies", "go home", "go", "an arrow")
    ]
    reviews = [review(*one) for one in REVIEWS]
    rows = list(silencing_rows(scratch, texts, reviews))
    assert len(rows) == scratch.num_layers * scratch.num_heads
    for row in rows[::5]:
        silenced = [(row["layer"], row["head"])]
        shifts, changes = [], []
        for tokens in texts:
            with_head, without = (scratch.run(tokens, silenced_heads=heads) for heads in ((), silenced))
            one, other = (run.hidden_states[-1].mean(0) for run in (with_head, without))
            shifts.append(1 - one @ other / np.linalg.norm(one) / np.linalg.norm(other))
        right_before = []
        for text, sentiment in REVIEWS:
            right = []
            for heads in ((), silenced):
                logits = scratch.trace(text, silenced_heads=heads).prediction.logits
                right.append((logits[2] > logits[0]) == (sentiment == 2))
            right_before.append(right[0])
            changes.append(float(right[1]) - float(right[0]))
        assert row["shift"] == pytest.approx(np.mean(shifts), abs=1e-5)
        assert row["low"] <= row["shift"] <= row["high"]
        assert row["accuracy"] == np.mean(right_before)
        assert row["accuracy_change"] == pytest.approx(np.mean(changes), abs=1e-9)
        assert (row["n"], row["num_reviews"]) == (5, 5)


def test_the_table_is_added_to_the_atlas_and_ships_with_it(folder: Path, tmp_path: Path) -> None:
    labels = ("negative", "neutral", "positive")
    reviews = [(text, 0.5, labels[sentiment]) for text, sentiment in (*REVIEWS, ("so so", 1))]
    sst = write_reviews(tmp_path / "some_reviews.tsv", reviews)
    assert main([str(folder), "--sentences", "5", "--sst", str(sst), "--device", "cpu"]) == 0
    rows = read_table(folder / "silencing.parquet").to_pylist()
    assert {(row["reviews"], row["num_reviews"], row["n"]) for row in rows} == {("some_reviews", 5, 5)}
    found = shipping._silencing(folder)
    assert found.keys() == {(row["layer"], row["head"]) for row in rows}
    assert sorted(one.larger_than for one in found.values()) == list(range(len(rows)))


def test_without_reviews_only_the_vectors_are_compared(folder: Path) -> None:
    assert main([str(folder), "--sentences", "5"]) == 0
    (one, *_) = shipping._silencing(folder).values()
    assert (one.accuracy, one.accuracy_change, one.reviews, one.num_reviews) == (None, None, None, None)


def test_what_cannot_be_done_is_one_sentence(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path)]) == 1
    assert "holds no finished atlas" in capsys.readouterr().err
    monkeypatch.setattr(plan, "model_checksum", lambda backend: "others")
    assert main([str(folder)]) == 1
    assert "was built from other weights than scratch has now" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([str(folder), "--sentences", "4"])
    assert "at least 5" in capsys.readouterr().err


def test_a_model_without_a_sentiment_head_is_refused() -> None:
    backend = encoder.load("scratch-bert")
    texts = [backend.tokenize(text) for text in ("go home", "go away")]
    with pytest.raises(encoder.errors.UnsupportedModelError, match="has no sentiment head"):
        next(silencing_rows(backend, texts, [review("good", 2)]))
