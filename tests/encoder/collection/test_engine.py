"""A model over a whole table: what is written, what continues, and which engines agree."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import encoder
from encoder import Backend
from encoder.collection import engine as engines
from encoder.collection.engine import Job, RowWorker, run_texts
from encoder.collection.shipped_sets import shipped_collection
from encoder.engines.choice import choose_engine
from encoder.engines.local import Engine, this_process
from encoder.errors import AtlasError, DataError

JOB = Job(model="bundled-sentiment", what=("predictions", "vectors"), text="text", label="label", device="cpu")
ROWS = 20


@pytest.fixture(scope="module")
def sentiment() -> Backend:
    return encoder.load("bundled-sentiment")


@pytest.fixture
def reviews(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sentiment: Backend) -> Path:
    """The first reviews in a file; a shard has eight rows, and the model is loaded once."""
    monkeypatch.setattr(engines, "SHARD", 8)
    monkeypatch.setattr(engines, "load", lambda name, device=None: sentiment)
    path = tmp_path / "reviews.parquet"
    pq.write_table(shipped_collection("reviews").table.slice(0, ROWS), path)
    return path


def tables(files: Iterable[Path]) -> list[Any]:
    return [pq.read_table(file) for file in files]


def test_results_are_those_of_the_python_api(reviews: Path, tmp_path: Path, sentiment: Backend) -> None:
    predictions, vectors = tables(run_texts(reviews, JOB, tmp_path / "out", this_process(partial(RowWorker, JOB))))
    texts = shipped_collection("reviews").column("text", range(ROWS))
    own = sentiment.predict(texts)
    assert predictions["prediction"].to_pylist() == [own.labels[best] for best in own.logits.argmax(axis=1)]
    shares = np.stack([predictions[f"p({label})"].to_numpy() for label in own.labels], axis=1)
    np.testing.assert_allclose(shares, own.probabilities, atol=2e-5)
    np.testing.assert_allclose(np.stack(vectors["vector"].to_numpy()), sentiment.embed(texts), atol=2e-5)
    assert predictions["text"].to_pylist() == texts


def test_an_interrupted_run_continues_with_the_missing_shards(reviews: Path, tmp_path: Path) -> None:
    measured: list[int] = []

    @contextmanager
    def engine(most: int) -> Iterator[Engine]:
        worker = RowWorker(JOB)

        def measure(shards: Iterable[Any]) -> Iterator[Any]:
            for shard in shards:
                if len(measured) == most:
                    raise KeyboardInterrupt
                measured.append(shard.index)
                yield worker.measure(shard)

        yield measure

    with pytest.raises(KeyboardInterrupt):
        run_texts(reviews, JOB, tmp_path / "out", engine(2))
    files = run_texts(reviews, JOB, tmp_path / "out", engine(9))
    assert measured == [0, 1, 2]
    whole = run_texts(reviews, JOB, tmp_path / "whole", this_process(partial(RowWorker, JOB)))
    assert all(one.equals(other) for one, other in zip(tables(files), tables(whole), strict=True))


def test_a_folder_with_other_settings_is_refused(reviews: Path, tmp_path: Path) -> None:
    start = this_process(partial(RowWorker, JOB))
    run_texts(reviews, JOB, tmp_path / "out", start)
    other = Job(model="bundled-sentiment", what=("vectors",), text="text", device="cpu")
    with pytest.raises(AtlasError, match="was started with other settings"):
        run_texts(reviews, other, tmp_path / "out", start)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").touch()
    with pytest.raises(AtlasError, match="is not empty and holds no results"):
        run_texts(reviews, JOB, tmp_path / "full", start)


def test_a_missing_column_is_named(reviews: Path, tmp_path: Path) -> None:
    job = Job(model="bundled-sentiment", what=("predictions",), text="body", device="cpu")
    with pytest.raises(DataError, match="no column 'body': it has text, label"):
        run_texts(reviews, job, tmp_path / "out", this_process(partial(RowWorker, job)))


def test_an_address_needs_the_engine_for_it() -> None:
    with pytest.raises(AtlasError, match="add --engine ray"):
        choose_engine("local", partial(RowWorker, JOB), 1, "auto", on_gpu=False)


def test_ray_and_two_processes_give_the_same_tables(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="encoder/engines/requirements.txt is not installed")
    path = tmp_path / "reviews.parquet"
    pq.write_table(shipped_collection("reviews").table.slice(0, ROWS), path)
    found = [
        run_texts(path, JOB, tmp_path / name, choose_engine(name, partial(RowWorker, JOB), 2, None, on_gpu=False))
        for name in ("local", "ray")
    ]
    assert all(one.equals(other) for one, other in zip(*map(tables, found), strict=True))
