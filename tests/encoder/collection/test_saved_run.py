"""The results of `headlight texts run`, opened from their folder: the numbers that a model gives."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from encoder import Backend
from encoder.atlas.plan import PLAN
from encoder.collection import engine as engines
from encoder.collection import row_tables, saved_run
from encoder.collection.driving_heads import silence_heads
from encoder.collection.driving_words import row_words
from encoder.collection.engine import RowWorker, prepare, run_texts
from encoder.collection.files import open_collection
from encoder.collection.kinds.base import Answered, Results, RowAnswers
from encoder.collection.names import What
from encoder.collection.results import results_of_all
from encoder.collection.saved_run import SavedRun, folder_of_run, open_run
from encoder.collection.search import GrowingVectors, embed_rows
from encoder.engines.local import this_process
from encoder.errors import AtlasError, DataError, SelectionError
from tests.encoder.collection.shortcut import reviews as short_reviews
from tests.encoder.collection.test_engine import ALL, random_model

ROWS = 20
Table = dict[str, Sequence[str | None]]
Ran = Callable[..., Path]
ARRAYS = ("logits", "probabilities", "lengths", "truncated", "gold", "losses")
KINDS: dict[str, tuple[str, tuple[str, ...], Table]] = {
    "classes": (
        "BertForSequenceClassification",
        ("bad", "good"),
        {"text": ["a banana", "the arrow", "time", "fruit"], "label": ["good", "bad", "odd", None]},
    ),
    "labels": (
        "BertForSequenceClassification",
        ("bad", "good"),
        {"text": ["time", "a banana", "fruit"], "label": ["bad, good", "none", "odd"]},
    ),
    "score": ("BertForSequenceClassification", ("score",), {"text": ["a", "the"], "label": ["yes", "no"]}),
    "tags": (
        "BertForTokenClassification",
        ("N", "V"),
        {"text": ["time flies", "a banana", "fruit"], "label": ["N V", "N", None]},
    ),
    "span": (
        "BertForQuestionAnswering",
        (),
        {"question": ["what flies", "what"], "context": ["time flies", "a banana"], "answer": ["time", ""]},
    ),
    "mask": ("BertForMaskedLM", (), {"text": ["time [MASK]", "a [MASK]"], "label": ["flies", "banana"]}),
}


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ran:
    """Writes the results of a model over a table, in shards of eight rows; returns their folder."""
    for size in ("SHARD", "SHARD_WITH_HEADS"):
        monkeypatch.setattr(row_tables, size, 8)

    def run(model: Backend, table: pa.Table, what: Sequence[What] = ("predictions",)) -> Path:
        monkeypatch.setattr(engines, "load", lambda name, device=None: model)
        path = tmp_path / "table.parquet"
        pq.write_table(table, path)
        run = prepare(path, "mine", what, device="cpu")
        run_texts(run, tmp_path / "results", this_process(partial(RowWorker, run.job)))
        return tmp_path / "results"

    return run


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Backend:
    return random_model(tmp_path_factory.mktemp("model"), "bad", "good")


@pytest.fixture
def whole(ran: Ran, model: Backend) -> SavedRun:
    """A run with all tables."""
    return open_run(ran(model, short_reviews(seed=1).table.slice(0, ROWS), ALL))


def results_in(run: SavedRun) -> Results:
    assert run.results is not None
    return run.results


@pytest.mark.parametrize("kind", KINDS)
def test_results_are_those_of_the_model(kind: str, ran: Ran, tmp_path: Path) -> None:
    head, labels, table = KINDS[kind]
    several = {"problem_type": "multi_label_classification"} if kind == "labels" else {}
    model = random_model(tmp_path / "model", *labels, kind=head, **several)
    run = open_run(ran(model, pa.table(table)))
    found, own = results_in(run), results_of_all(model, open_collection(tmp_path / "table.parquet"))
    for name in ARRAYS:
        expected, actual = getattr(own, name, None), getattr(found, name, None)
        assert (expected is None) == (actual is None)
        if expected is not None and not (name == "logits" and kind == "classes"):
            np.testing.assert_allclose(actual, expected, atol=1e-5, err_msg=name)
    for name in ("kind", "labels", "unknown_labels", "trained", "note", "is_binary", "predictions"):
        assert getattr(found, name, None) == getattr(own, name, None), name
    if isinstance(own, Answered) and isinstance(found, Answered):
        for name in RowAnswers._fields[1:]:
            np.testing.assert_allclose(getattr(found.answers, name), getattr(own.answers, name), atol=1e-5)
    assert run.collection.columns == tuple(table)
    assert found.kind == kind
    assert (run.model, run.what, run.collection.name) == ("mine", ("predictions",), "results")


@pytest.mark.parametrize("what", ["predictions", "vectors"])
def test_rows_keep_their_numbers_in_the_file(what: What, ran: Ran, model: Backend) -> None:
    texts = ["time", "", "a banana", " ", *["fruit"] * 9]
    folder = ran(model, pa.table({"text": texts, "row of the file": ["x"] * 13}), (what,))
    written = pq.read_table(folder / f"{what}.parquet").column("row of the file (model)")
    assert written.to_pylist() == [1, 3, *range(5, 14)]
    run = open_run(folder)
    assert run.collection.numbers([0, 1, 2]).tolist() == [0, 2, 4]
    assert "row of the file (model)" not in run.collection.columns
    if what == "vectors":
        assert run.vectors()[0].shape == (11, 32)


def test_columns_of_classes_are_the_labels_of_a_model(ran: Ran, tmp_path: Path) -> None:
    model = random_model(tmp_path / "model", "joy", "anger", "fear", problem_type="multi_label_classification")
    table = {"text": ["time", "a banana"], "joy": [1, 0], "anger": [0, 0], "fear": [1, 0]}
    found = results_in(open_run(ran(model, pa.table(table))))
    assert found.gold.tolist() == [[1, 0, 1], [0, 0, 0]]
    assert not found.unknown_labels


def test_spans_are_the_tags_of_a_model(ran: Ran, tmp_path: Path) -> None:
    model = random_model(tmp_path / "model", "O", "B-X", "I-X", kind="BertForTokenClassification")
    spans = ['[[0, 10, "X"]]', "[]"]
    found = results_in(open_run(ran(model, pa.table({"text": ["time flies.", "fruit"], "entities": spans}))))
    assert found.has_gold.all()
    assert found.answers.counts.tolist() == [3, 1]


def test_own_columns_with_the_names_of_results_stay_the_tables(ran: Ran, model: Backend) -> None:
    table = pa.table(
        {"text": ["time", "fruit"], "label": ["bad", "good"], "Loss": ["x", "y"], "prediction": ["1", "2"]}
    )
    run = open_run(ran(model, table))
    assert run.collection.columns == ("text", "label", "Loss", "prediction")
    assert run.collection.column("prediction") == ["1", "2"]
    assert set(results_in(run).predictions) <= {"bad", "good"}


@pytest.mark.parametrize("label", [None, "good"])
def test_words_of_some_rows_are_those_of_the_model(label: str | None, whole: SavedRun, model: Backend) -> None:
    results = results_in(whole)
    rows = np.array([1, 2, 5, 9, 10, 19])
    assert whole.has_words(label)
    found = whole.words(results, rows, label)
    every = row_words(model, whole.collection, results, label=label)
    chosen = np.isin(every.row, rows)
    assert [rows[place] for place in found.row] == every.row[chosen].tolist()
    assert [found.forms[form] for form in found.form] == [every.forms[form] for form in every.form[chosen]]
    np.testing.assert_allclose(found.values, every.values[chosen], atol=1e-4)
    assert len(found.forms) == len(set(found.form.tolist()))


def test_heads_of_some_rows_are_those_of_the_model(whole: SavedRun, model: Backend) -> None:
    results, rows = results_in(whole), np.array([0, 3, 4, 17])
    found, own = whole.heads(results, rows), silence_heads(model, whole.collection, results)
    assert own.flipped.any()
    assert found.num_wrong == int((~results.correct[rows]).sum())
    np.testing.assert_allclose(found.shifts, own.shifts[..., rows], atol=1e-5)
    for name in ("flipped", "repaired", "broken"):
        np.testing.assert_array_equal(getattr(found, name), getattr(own, name)[..., rows])
    written = pq.read_table(whole.folder / "heads.parquet")
    for name, axis in zip(("row", "layer", "head"), np.indices((ROWS, *found.changes.shape)), strict=True):
        assert written[name].to_pylist() == axis.ravel().tolist()


def test_vectors_are_those_that_search_ranks(ran: Ran, model: Backend, tmp_path: Path) -> None:
    table = pa.table({"query": ["time", "fruit", "😂"], "passage": ["time flies", "a banana " * 300, "😂"]})
    run = open_run(ran(model, table, ("vectors",)))
    collection = open_collection(tmp_path / "table.parquet")
    own = embed_rows(model, into := GrowingVectors(collection))
    found, unread = run.vectors()
    np.testing.assert_allclose(found / np.linalg.norm(found, axis=1, keepdims=True), own, atol=1e-5)
    assert (run.results, run.has_vectors, run.has_words(None)) == (None, True, False)
    assert run.collection.column("passage")[::2] == ["time flies", "😂"]
    assert (unread, unread.cut_off, unread.no_known_word) == (into.unread, [False, True, False], [False, False, True])


def test_a_blank_text_is_named_before_vectors_are_computed(ran: Ran, model: Backend) -> None:
    with pytest.raises(DataError, match="Row 2 has no text in column 'passage'"):
        ran(model, pa.table({"query": ["a", "b"], "passage": ["a", " "]}), ("vectors",))


def test_large_tables_give_words_and_heads_of_their_first_rows(
    whole: SavedRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved_run, "MOST_ROWS", 8)
    results = results_in(whole)
    assert whole.words(results, np.arange(ROWS), None).rows.tolist() == list(range(8))
    assert whole.heads(results, np.array([2, 7, 8])).rows.tolist() == [2, 7]
    assert not whole.has_vectors
    with pytest.raises(SelectionError, match="None of these rows is among the first 8"):
        whole.heads(results, np.array([9, 12]))


def test_a_run_is_named_by_its_folder_or_by_one_of_its_tables(whole: SavedRun, tmp_path: Path) -> None:
    folder = whole.folder
    assert folder_of_run(folder) == folder_of_run(folder / "words.parquet") == folder
    assert folder_of_run(tmp_path) is None
    assert folder_of_run(tmp_path / "table.parquet") is None
    assert folder_of_run(folder / "none\0") is None


def test_a_run_of_another_version_is_refused_and_started_anew_elsewhere(ran: Ran, model: Backend) -> None:
    table = pa.table({"text": ["time", "fruit"]})
    folder = ran(model, table)
    plan = folder / PLAN
    plan.write_text(plan.read_text().replace('"schema": 6', '"schema": 5'))
    with pytest.raises(DataError, match=r"has schema 5; this version reads 6\. Build the results again"):
        open_run(folder)
    with pytest.raises(AtlasError, match="Build the results again, in an empty folder"):
        ran(model, table)


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("plan.json", b"{", "plan.json is missing or damaged"),
        ("plan.json", b'{"schema": 6, "what": ["predictions"], "model": 1}', "the results are damaged"),
        ("predictions.parquet", b"PAR1", "not a Parquet file, or is damaged"),
        ("predictions.parquet", None, "has no table with the texts"),
    ],
)
def test_damaged_results_are_one_sentence(
    name: str, data: bytes | None, sentence: str, ran: Ran, model: Backend
) -> None:
    folder = ran(model, pa.table({"text": ["time", "fruit"]}))
    (folder / name).unlink() if data is None else (folder / name).write_bytes(data)
    with pytest.raises(DataError, match=sentence):
        open_run(folder)


def test_damaged_words_and_heads_are_one_sentence(whole: SavedRun) -> None:
    results = results_in(whole)
    for name in ("words", "heads", "vectors"):
        pq.write_table(pa.table({"row": ["x"]}), whole.folder / f"{name}.parquet")
    some = np.arange(3)
    for read in (lambda: whole.words(results, some, None), lambda: whole.heads(results, some), whole.vectors):
        with pytest.raises(DataError, match="the results are damaged"):
            read()
