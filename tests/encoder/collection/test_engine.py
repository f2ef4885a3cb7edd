"""A model over a whole table: what is written, what continues, and which engines agree."""

import pickle
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, get_args
from unittest.mock import Mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import headlight
from encoder import Backend
from encoder.collection import engine as engines
from encoder.collection import files, row_tables
from encoder.collection.command import duration_in_words
from encoder.collection.engine import RemainingShards, RowWorker, TableRun, prepare, run_texts
from encoder.collection.files import open_collection
from encoder.collection.names import What
from encoder.collection.results import results_of_all
from encoder.collection.row_tables import ShardPlan
from encoder.engines.choice import choose_engine
from encoder.engines.local import Engine, this_process
from encoder.errors import AtlasError, DataError, UnsupportedModelError
from encoder.models.loading import load_folder
from tests.encoder.collection.shortcut import reviews as short_reviews
from tests.encoder.random_models import bert_folder

ALL: tuple[What, ...] = get_args(What)
ROWS = 20


def random_model(folder: Path, *labels: str, kind: str = "BertForSequenceClassification", **config: str) -> Backend:
    """A model of three layers with four heads, with random weights."""
    names = {"id2label": dict(enumerate(labels)), "label2id": {label: index for index, label in enumerate(labels)}}
    return load_folder("mine", bert_folder(folder, kind, **names if labels else {}, **config))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Backend:
    return random_model(tmp_path_factory.mktemp("model"), "bad", "good")


@pytest.fixture
def reviews(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: Backend) -> Path:
    """Reviews in a file; a shard has eight rows, and the model is loaded once."""
    for size in ("SHARD", "SHARD_WITH_HEADS"):
        monkeypatch.setattr(row_tables, size, 8)
    monkeypatch.setattr(engines, "load", lambda name, device=None: model)
    path = tmp_path / "reviews.parquet"
    pq.write_table(short_reviews(seed=1).table.slice(0, ROWS), path)
    return path


def here(run: TableRun) -> AbstractContextManager[Engine]:
    return this_process(partial(RowWorker, run.job))


def written(path: Path, out: Path, what: Sequence[What] = ALL) -> dict[str, pa.Table]:
    """The tables that a run writes, by the names of their files."""
    run = prepare(path, "mine", what, device="cpu")
    return {file.stem: pq.read_table(file) for file in run_texts(run, out, here(run))}


def test_predictions_and_vectors_are_those_of_the_python_api(reviews: Path, tmp_path: Path, model: Backend) -> None:
    tables = written(reviews, tmp_path / "out", ["predictions", "vectors"])
    texts = open_collection(reviews).column("text")
    predictions, own = tables["predictions"], model.predict([*texts])
    assert own.probabilities is not None
    assert predictions["prediction"].to_pylist() == [own.labels[best] for best in own.logits.argmax(axis=1)]
    shares = np.stack([predictions[f"p({label})"].to_numpy() for label in own.labels], axis=1)
    np.testing.assert_allclose(shares, own.probabilities, atol=2e-5)
    np.testing.assert_allclose(np.stack(tables["vectors"]["vector"].to_numpy()), model.embed(texts), atol=2e-5)
    assert predictions["text"].to_pylist() == texts


def test_words_are_written_with_their_class_and_place(reviews: Path, tmp_path: Path, model: Backend) -> None:
    words = written(reviews, tmp_path / "out", ["words"])["words"].to_pandas()
    collection = open_collection(reviews)
    predictions = results_of_all(model, collection).predictions
    for row, text in enumerate(collection.column("text")):
        of_row = words[words["row"] == row]
        assert of_row["position"].tolist() == list(range(len(text.split())))
        assert set(of_row["class"]) == {predictions[row]}


def test_an_interrupted_run_continues_with_the_missing_shards(reviews: Path, tmp_path: Path) -> None:
    measured: list[int] = []

    @contextmanager
    def engine(run: TableRun, most: int) -> Iterator[Engine]:
        worker = RowWorker(run.job)

        def measure(shards: Iterable[Any]) -> Iterator[Any]:
            for shard in shards:
                if len(measured) == most:
                    raise KeyboardInterrupt
                measured.append(shard.index)
                yield worker.measure(shard)

        yield measure

    run = prepare(reviews, "mine", ALL, device="cpu")
    with pytest.raises(KeyboardInterrupt):
        run_texts(run, tmp_path / "out", engine(run, 2))
    found = {file.stem: pq.read_table(file) for file in run_texts(run, tmp_path / "out", engine(run, 9))}
    assert measured == [0, 1, 2]
    whole = written(reviews, tmp_path / "whole")
    assert all(found[name].equals(whole[name]) for name in ALL)


def test_the_table_is_parsed_once(reviews: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = Mock(wraps=files.read_table)
    monkeypatch.setattr(files, "read_table", read)
    written(reviews, tmp_path / "out", ["predictions"])
    read.assert_called_once()


def test_shards_are_sent_by_the_path_of_the_file_and_alone(reviews: Path) -> None:
    collection = open_collection(reviews)
    shards = RemainingShards(reviews, collection, ShardPlan(what=("vectors",), size=3), frozenset({1}))
    sent = pickle.dumps(shards)
    assert collection.column("text")[0].encode() not in sent
    found = list(pickle.loads(sent))
    assert [(shard.index, shard.first, len(shard.rows)) for shard in found[:2]] == [(0, 0, 3), (2, 6, 3)]
    assert found[1].rows.table.equals(collection.table.slice(6, 3))
    assert found[0].rows.nbytes < collection.nbytes / 4


def test_every_shard_has_the_columns_of_the_first(tmp_path: Path, reviews: Path) -> None:
    labels = ["good"] * 8 + [None] * 8 + ["unknown"] * 4
    table = pa.table({"text": ["a good film"] * ROWS, "label": labels, "Prediction": ["mine"] * ROWS})
    pq.write_table(table, reviews)
    found = written(reviews, tmp_path / "out", ["predictions"])["predictions"].to_pandas()
    assert found["loss"].isna().tolist() == [False] * 8 + [True] * 12
    assert set(found["Prediction"]) == {"mine"}
    assert set(found["prediction (model)"]) <= {"bad", "good"}


def test_scores_are_compared_with_yes_and_no_as_all_labels_say(
    reviews: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scoring = random_model(tmp_path / "scoring", "score")
    monkeypatch.setattr(engines, "load", lambda name, device=None: scoring)
    pq.write_table(pa.table({"text": ["a film", "the banana"] * 10, "label": ["yes"] * 10 + ["no"] * 10}), reviews)
    found = written(reviews, tmp_path / "out", ["predictions"])["predictions"]
    own = results_of_all(scoring, open_collection(reviews))
    assert own.is_binary
    np.testing.assert_allclose(found["loss"].to_numpy(), own.losses, atol=1e-5)


def test_a_folder_with_other_settings_is_refused(reviews: Path, tmp_path: Path) -> None:
    written(reviews, tmp_path / "out", ["predictions"])
    with pytest.raises(AtlasError, match="was started with other settings"):
        written(reviews, tmp_path / "out", ["vectors"])
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").touch()
    with pytest.raises(AtlasError, match="is not empty and holds no results"):
        written(reviews, tmp_path / "full", ["predictions"])
    with pytest.raises(AtlasError, match="cannot be created: File exists"):
        written(reviews, reviews, ["predictions"])


def test_a_missing_column_is_named(reviews: Path) -> None:
    with pytest.raises(DataError, match="no column 'body': it has “text”, “label”"):
        prepare(reviews, "mine", ["predictions"], text="body", device="cpu")


@pytest.mark.parametrize("kind", ["BertModel", "BertForTokenClassification"])
def test_words_and_heads_need_a_head_for_the_whole_text(
    kind: str, reviews: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = random_model(tmp_path / "other", kind=kind)
    monkeypatch.setattr(engines, "load", lambda name, device=None: other)
    for what in get_args(What)[1:3]:
        with pytest.raises(UnsupportedModelError, match="mine predicts nothing"):
            prepare(reviews, "mine", [what], device="cpu")


def test_a_long_run_says_how_long_it_takes(reviews: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = prepare(reviews, "mine", ALL, device="cpu")
    assert (run.passes, run.heads, run.seconds) == (1 + 3 + 12, 12, 0)
    monkeypatch.setattr(engines, "TIMED_PASSES", 1)
    assert prepare(reviews, "mine", ALL, device="cpu").seconds > 0
    assert duration_in_words(replace(run, seconds=7_200), 2) == (
        "Each of 20 rows takes as long as 16 forward passes, 12 of them with one head silenced: about 60 minutes "
        "with 2 models at once, at the speed of this machine. Ctrl+C stops the run, and the same command continues "
        "it.\n"
    )


def test_the_command_refuses_a_file_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "t.csv", tmp_path / "out"
    path.write_text("text,label\na,b\nc,d,e\n")
    assert headlight.main(["texts", "run", str(path), "--model", "bundled", "--out", str(out)]) == 2
    said = capsys.readouterr().err
    assert "t.csv, line 3: 3 cells, and the table has 2 columns." in said
    assert said.count("\n") == 1
    assert not out.exists()


def test_the_command_says_which_rows_and_labels_are_not_compared(
    reviews: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("text,label\na,pos\nb,oops\n ,neg\nc,neg\n")
    command = ["texts", "run", str(path), "--model", "mine", "--workers", "1", "--out", str(tmp_path / "out")]
    assert headlight.main([*command, "--labels", "pos=good,pos=bad"]) == 2
    assert "--labels gives a label two classes" in capsys.readouterr().err
    assert headlight.main([*command, "--labels", "pos=good,neg=bad"]) == 0
    assert capsys.readouterr().err.splitlines()[:2] == [
        "Rows without a text, which are left out: 1.",
        "Labels that the model does not have: “oops”.",
    ]


def test_unknown_tables_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["texts", "run", "t.csv", "--model", "bundled", "--out", str(tmp_path), "--what", "words, noise"]
    assert headlight.main(command) == 2
    assert "--what takes predictions, words, heads, vectors, not noise." in capsys.readouterr().err


def test_an_address_needs_the_engine_for_it() -> None:
    with pytest.raises(AtlasError, match="add --engine ray"):
        choose_engine("local", Mock(), 1, "auto", on_gpu=False)


def test_ray_and_two_processes_give_the_same_tables(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="encoder/engines/requirements.txt is not installed")
    path = tmp_path / "reviews.parquet"
    pq.write_table(short_reviews(seed=1).table.slice(0, ROWS), path)
    random_model(tmp_path / "model", "bad", "good")
    run = prepare(path, str(tmp_path / "model"), ALL, device="cpu")
    engine = {
        name: choose_engine(name, partial(RowWorker, run.job), 2, None, on_gpu=False) for name in ("local", "ray")
    }
    found = [list(map(pq.read_table, run_texts(run, tmp_path / name, engine[name]))) for name in engine]
    assert all(one.equals(other) for one, other in zip(*found, strict=True))
