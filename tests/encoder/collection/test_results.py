"""What a model says of every row: as its own runs say, for every kind of head, and row by row."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn import metrics

from encoder.collection.files import open_collection
from encoder.collection.kinds.base import Results
from encoder.collection.kinds.span import normalised_words
from encoder.collection.results import GrowingResults, read_first, read_rows, results_of_all, seconds_of_rows
from encoder.collection.row_tables import table_of
from encoder.collection.table import Collection
from encoder.collection.tag_scores import scores_of_tags
from encoder.errors import InputError, UnsupportedModelError
from encoder.measures.word_tags import best_spans, word_tags
from encoder.models.base import Backend
from encoder.models.loading import load_folder
from encoder.runs.trace import TokenPrediction
from encoder.text.tokens import Tokens
from tests.encoder.random_models import A, B, bert_folder

Model = Callable[..., Backend]
TEXTS = [A, B, "the arrow", "a banana flies over the fruit", "time"]
TAGS = ("NOUN", "VERB", "X")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """Makes a small random model of a class of `transformers`."""

    def make(model_class: str, **settings: Any) -> Backend:
        folder: Path = tmp_path_factory.mktemp("model")
        return load_folder("tiny", bert_folder(folder, model_class, **settings))

    return make


def names(*labels: str) -> dict[str, Any]:
    return {"id2label": dict(enumerate(labels)), "label2id": {label: index for index, label in enumerate(labels)}}


def table(texts: list[str], labels: list[str] | None = None, second: list[str] | None = None) -> Collection:
    columns = {"text": texts} | ({"label": labels} if labels else {}) | ({"second": second} if second else {})
    return Collection.of(
        "table", pa.table(columns), text="text", text_b="second" if second else None, label="label" if labels else None
    )


def read(backend: Backend, collection: Collection) -> Results:
    return results_of_all(backend, collection)


def test_classes_are_those_of_each_text_alone(model: Model) -> None:
    backend = model("BertForSequenceClassification", **names("bad", "good", "so-so"))
    found = read(backend, table(TEXTS, ["Good", "bad", "2", "awful", ""]))
    assert (found.kind, found.labels) == ("classes", ("bad", "good", "so-so"))
    for row, text in enumerate(TEXTS):
        alone = backend.trace(text).prediction
        np.testing.assert_allclose(found.logits[row], alone.logits, atol=1e-5)
    assert found.gold.tolist() == [1, 0, -1, -1, -1]  # names win
    assert found.unknown_labels == {"2": 1, "awful": 1}
    expected = metrics.log_loss([1, 0], found.probabilities[:2], labels=[0, 1, 2])
    assert found.losses[:2].mean() == pytest.approx(expected, rel=1e-4)
    assert np.isnan(found.losses[2:]).all()
    assert not found.correct[2:].any()
    assert list(found.columns()) == [
        *("prediction", "probability", "p(bad)", "p(good)", "p(so-so)", "loss", "tokens", "cut off", "no known word")
    ]


def test_several_labels_are_compared_as_a_set(model: Model) -> None:
    backend = model(
        "BertForSequenceClassification", problem_type="multi_label_classification", **names("red", "round", "ripe")
    )
    first = read(backend, table(TEXTS))
    said = first.predictions
    own = [said[0], "none", "red; ROUND", "blue, red", ""]
    found = read(backend, table(TEXTS, own))
    assert found.kind == "labels"
    assert found.gold[2:].tolist() == [[1, 1, 0], [-1, -1, -1], [-1, -1, -1]]
    assert found.correct[0]
    assert found.unknown_labels == {"blue": 1}
    expected = metrics.log_loss(found.gold[2], found.probabilities[2], labels=[0, 1])
    assert found.losses[2] == pytest.approx(expected, rel=1e-4)


def test_reranker_of_pairs_is_compared_with_yes_and_no(model: Model) -> None:
    backend = model("BertForSequenceClassification", num_labels=1)
    found = read(backend, table(TEXTS, ["yes", "no", "Yes", "no", "maybe"], TEXTS[::-1]))
    assert (found.kind, found.is_binary, found.correct) == ("score", True, None)
    score = found.logits[:4, 0]
    expected = metrics.log_loss([1, 0, 1, 0], 1 / (1 + np.exp(-score)))
    assert found.losses[:4].mean() == pytest.approx(expected, rel=1e-4)
    assert np.isnan(found.losses[4])
    assert found.unknown_labels == {"maybe": 1}


def test_score_has_squared_differences(model: Model) -> None:
    backend = model("BertForSequenceClassification", num_labels=1, problem_type="regression")
    found = read(backend, table(TEXTS, ["1.5", "2", "-1", "nan", "inf"]))
    assert not found.is_binary
    np.testing.assert_allclose(found.losses[:3], (found.logits[:3, 0] - [1.5, 2, -1]) ** 2, rtol=1e-5)
    np.testing.assert_array_equal(found.columns()["prediction"], found.logits[:, 0])
    assert found.unknown_labels == {"nan": 1, "inf": 1}


def test_tags_are_compared_word_by_word(model: Model) -> None:
    backend = model("BertForTokenClassification", **names(*TAGS))
    first = read(backend, table(TEXTS))
    assert first.correct is None
    tags = word_tags(backend.trace(A))
    assert first.predictions[0].split() == list(tags.likeliest)
    own = [first.predictions[0], "NOUN", "NOUN ODD", first.predictions[3], ""]
    wrong = next(tag for tag in TAGS if tag != first.predictions[3].split()[0])
    own[3] = " ".join([wrong, *first.predictions[3].split()[1:]])
    found = read(backend, table(TEXTS, own))
    assert found.answers.partly[[0, 3]].tolist() == pytest.approx([1, 5 / 6])
    assert found.correct.tolist() == [True, False, False, False, False]
    assert found.has_gold.tolist() == [True, False, False, True, False]
    assert found.unknown_labels == {"NOUN": 1, "NOUN ODD": 1}
    assert found.answers.counts.tolist() == [5, 5, 2, 6, 1]


def test_tags_of_parts_between_spaces_and_numbers_of_all_tags_are_read(model: Model) -> None:
    backend = model("BertForTokenClassification", **names("O", "B-PER", "I-PER"))
    texts = ["fruit-flies like time.", "the arrow"]  # two words, and a full stop, in parts of their own
    said = [each.split() for each in read(backend, table(texts)).predictions]
    assert [len(each) for each in said] == [6, 2]
    parts = [said[0][0], said[0][3], said[0][4]]
    collection = table(texts, [json.dumps(parts), " ".join(said[1])])
    found = read(backend, collection)
    assert (found.answers.exact.tolist(), found.answers.counts.tolist()) == ([1, 1], [3, 2])
    by_tag = scores_of_tags(collection, found)
    assert sum(each.n for each in by_tag.scores.recall) == 5
    assert {each.value for each in by_tag.scores.f1} == {1}
    numbers = ["[0, 1, 2]", "[1, 0]"]
    assert read(backend, table(texts, numbers)).has_gold.all()
    assert not read(backend, table(texts, ["[0, 1, 0]", "[1, 0]"])).has_gold.any()  # of other tags, perhaps


def test_answers_are_compared_as_squad_does(model: Model) -> None:
    backend = model("BertForQuestionAnswering")
    trace = backend.trace(A, TEXTS[3])
    assert trace.token_prediction is not None
    best = best_spans(trace.token_prediction, trace.tokens)[0]
    pairs = [TEXTS[3], TEXTS[3], "", TEXTS[3], TEXTS[3]]
    own = [f"The {best.text.upper()}!", f"{best.text} zebra", "x", "zebra", ""]
    found = read(backend, table([A] * 5, own, pairs))
    words = len(normalised_words(best.text))
    assert found.answers.exact[:2].tolist() == [1, 0]
    assert found.answers.partly[1] == pytest.approx(2 * words / (2 * words + 1))
    assert found.answers.partly[3] == 0
    assert found.has_gold.tolist() == [True, True, False, True, False]
    assert found.predictions[2] == ""


def test_answers_of_squad_are_right_if_one_of_their_texts_is(model: Model, tmp_path: Path) -> None:
    backend = model("BertForQuestionAnswering")
    best = best_spans(*_span(backend))[0]
    answers = [{"text": ["zebra", best.text], "answer_start": [0, 1]}, {"text": [], "answer_start": []}]
    pq.write_table(
        pa.table({"question": [A] * 2, "context": [TEXTS[3]] * 2, "answers": answers}), tmp_path / "s.parquet"
    )
    found = read(backend, open_collection(tmp_path / "s.parquet"))
    np.testing.assert_array_equal(found.answers.exact, [1, np.nan])
    np.testing.assert_array_equal(found.answers.partly, [1, np.nan])


def _span(backend: Backend) -> tuple[TokenPrediction, Tokens]:
    trace = backend.trace(A, TEXTS[3])
    assert trace.token_prediction is not None
    return trace.token_prediction, trace.tokens


def test_labels_of_a_whole_table_decide_how_each_is_read(model: Model, tmp_path: Path) -> None:
    backend = model("BertForSequenceClassification", **names("a", "b", "c"))
    labels = [1.0] * 40 + [0.0, 2.0, None]  # the first rows alone would not be read
    frame = pa.table({"text": [A] * 43, "label": labels})
    pq.write_table(frame, tmp_path / "t.parquet")
    collection = open_collection(tmp_path / "t.parquet")
    found = read(backend, collection)
    assert (found.label_rule, found.gold.tolist()) == ("numbers", [1] * 40 + [0, 2, -1])
    written = table_of(backend, collection, "predictions")
    assert written.num_rows == 43
    chosen = read(backend, collection.with_classes({1: "c", 2.0: 0, "0": None}))
    assert (chosen.label_rule, chosen.gold.tolist()) == ("names", [2] * 40 + [-1, 0, -1])
    several = model("BertForSequenceClassification", problem_type="multi_label_classification", **names("a", "b", "c"))
    pq.write_table(pa.table({"text": [A] * 3, "labels": [[2, 0], [1], []]}), tmp_path / "l.parquet")
    assert read(several, open_collection(tmp_path / "l.parquet")).gold.tolist() == [[1, 0, 1], [0, 1, 0], [0, 0, 0]]


def test_masked_words_are_right_first_or_among_five(model: Model) -> None:
    backend = model("BertForMaskedLM")
    text = "time [MASK] like an arrow"
    trace = backend.trace(text)
    candidates = trace.token_prediction.candidates[0]
    own = [candidates[0].upper(), candidates[3], candidates[9], "zebra", ""]
    found = read(backend, table([text] * 4 + [A], own))
    np.testing.assert_array_equal(found.answers.exact, [1, 0, 0, 0, np.nan])
    np.testing.assert_array_equal(found.answers.partly, [1, 1, 0, 0, np.nan])
    shares = trace.token_prediction.probabilities[0]
    np.testing.assert_allclose(found.losses[:3], -np.log(shares[[0, 3, 9]]), rtol=1e-4)


def test_choices_are_compared_by_row(model: Model) -> None:
    backend = model("BertForMultipleChoice")
    second = ["fruit | an arrow", "banana | time | flies", "no choice", "a | b", "a | b"]
    traces = [backend.trace(A, second[row]).prediction for row in (0, 1)]
    assert traces[0] is not None
    assert traces[1] is not None
    best = traces[0].labels[int(traces[0].logits.argmax())]
    found = read(backend, table([A] * 5, [best, "2", "0", "c", ""], second))
    assert found.kind == "choices"
    assert found.predictions[0] == best
    assert found.answers.counts.tolist() == [2, 3, 0, 2, 2]
    assert found.answers.exact.tolist()[:2] == [1, float(traces[1].logits.argmax() == 2)]
    assert found.has_gold.tolist() == [True, True, False, False, False]
    assert found.unknown_labels == {"c": 1}


def test_model_without_a_head_is_refused(model: Model) -> None:
    with pytest.raises(UnsupportedModelError, match="tiny predicts nothing"):
        read(model("BertModel"), table(TEXTS))
    with pytest.raises(UnsupportedModelError, match="predicts nothing for these texts"):
        read(model("BertModel"), table(["[MASK]"]))


def test_rows_are_known_while_the_rest_is_read(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("encoder.collection.results.FIRST_ROWS", 2)
    monkeypatch.setattr("encoder.collection.results.ROWS_AT_ONCE", 3)
    backend = model("BertForSequenceClassification", num_labels=2)
    collection = table(TEXTS * 2, ["0", "1"] * 5)
    growing = GrowingResults(collection=collection, model_name="tiny")
    assert growing.so_far() is None
    steps: list[tuple[int, int | None]] = []

    def stop_after_five(done: int, _: int) -> None:
        so_far = growing.so_far()
        steps.append((done, None if so_far is None else len(so_far)))
        if done == 5:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        read_rows(backend, collection, growing, progress=stop_after_five)
    assert steps == [(0, None), (2, 2), (5, 5)]
    found = read_rows(backend, collection, growing)
    assert len(found) == 10
    np.testing.assert_allclose(found.logits, read(backend, collection).logits, atol=1e-6)
    first = GrowingResults(collection=collection, model_name="tiny", most=4)
    assert read_first(backend, collection, first) is None
    rows, some = first.first() or (None, None)
    assert first.first()[0] is rows
    assert rows.column("text") == collection.column("text", range(4))
    np.testing.assert_allclose(some.logits, found.logits[:4], atol=1e-6)
    first.most = None
    assert len(read_first(backend, collection, first)) == 10
    assert seconds_of_rows(backend, collection) > 0


def test_row_that_cannot_be_read_ends_the_job_with_a_sentence(model: Model) -> None:
    choices = " | ".join("abcdefghijklmnopqrstuvw")
    with pytest.raises(InputError, match="at most 20 are compared"):
        read(model("BertForMultipleChoice"), table([A], None, [choices]))


def test_cut_off_texts_are_marked(model: Model) -> None:
    found = read(model("BertForSequenceClassification"), table([A, "time " * 300]))
    assert found.truncated.tolist() == [False, True]
    assert found.lengths[1] == 64


def test_texts_without_a_known_word_are_marked(model: Model) -> None:
    found = read(model("BertForSequenceClassification"), table([A, "😂 ฉัน", f"{A} 😂"]))
    assert found.unread.tolist() == [False, True, False]


def test_results_of_no_label_have_no_loss(model: Model) -> None:
    found = read(model("BertForSequenceClassification"), table(TEXTS))
    assert found.correct is None
    assert np.isnan(found.losses).all()
    assert "loss" not in found.columns()
    assert replace(found, gold=np.zeros(5, np.int32)).correct is not None
