"""`headlight.texts`: tables of texts as pandas frames."""

import ast
import re
import warnings
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.metrics.pairwise import cosine_similarity

import encoder
import headlight
from encoder import Backend
from encoder.collection.growing_table import Bounds
from encoder.collection.names import What
from encoder.collection.row_tables import table_of
from encoder.collection.search import GrowingVectors, max_sim
from encoder.comparison.similarity_map import similarity_map
from encoder.errors import ArgumentError, DataError, SelectionError, UnsupportedModelError
from encoder.measures.inference import FEWEST
from tests.encoder.collection.made_results import scores
from tests.encoder.random_models import BERT_SIZES, bert_folder, build, save, wordpiece_tokenizer
from viz.answers.answer import Answer, Table
from viz.frames import Texts
from viz.frames.table_errors import TableErrors
from viz.views.texts.answer import details
from viz.views.texts.answer.summary import summary

pytestmark = pytest.mark.usefixtures("each_text_is_read_once")

TEXTS = ["a lovely film", "a dull, long film"]


@pytest.fixture(scope="module")
def sentiment() -> Backend:
    return encoder.load("scratch")


class Features:
    """Of a stand-in for a data set of `datasets`, which is not installed here."""

    arrow_schema = pa.schema([], {"huggingface": '{"info": {"features": {"label": {"names": ["bad", "good"]}}}}'})


class DataSet:
    features, column_names = Features(), ("text", "label")

    def __len__(self) -> int:
        return 2

    def with_format(self, kind: str) -> pa.Table:
        return pa.table({"text": ["a", "b"], "label": [1, 0]})[:] if kind == "arrow" else None


class Stream:
    """A stand-in for a streaming data set, which has no length and perhaps no features."""

    features, column_names = None, None

    def with_format(self, kind: str | None) -> Iterator[dict[str, Any]]:
        return ({"text": f"a {row}", "label": row} for row in count())


def test_arrow_tables_and_data_sets_are_tables_and_several_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"text": ["a", None, "b"], "label": [1, 2, 3]})
    assert headlight.texts(table).collection.labels() == ["1", "3"]
    assert headlight.texts(table.to_batches()[0]).collection.texts() == ["a", "b"]
    found = headlight.texts(DataSet())
    assert found.collection.labels() == ["good", "bad"]
    assert "names that the file has for them: bad, good" in repr(found)
    monkeypatch.setattr("viz.frames.sources.UNBOUNDED", Bounds(rows=3))
    assert headlight.texts(Stream()).collection.texts() == ["a 0", "a 1", "a 2"]
    assert "The first 3 rows of the stream are read." in repr(headlight.texts(Stream()))
    with pytest.raises(DataError, match=r"several tables: take one, such as source\['train'\]"):
        headlight.texts({"train": DataSet(), "test": DataSet()})


def test_queries_that_fail_are_first_and_a_table_is_embedded_once(
    bundled: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = {"query": ["a pet", "a pet", "food"], "text": ["A dog.", "Stocks fell.", "A pet dog."]}
    texts = headlight.texts(rows | {"label": ["no", "yes", "yes"]})
    found = texts.queries(bundled)
    assert found["place"].tolist() == sorted(found["place"], reverse=True)
    assert found.loc[found["query"] == "a pet", ["place", "relevant text", "first text"]].values.tolist() == [
        [3, "Stocks fell.", "A pet dog."]
    ]
    monkeypatch.setattr(GrowingVectors, "append", None)  # nothing is embedded again
    assert len(texts.search(bundled, "a dog")) == 3
    assert len(texts.test_hit(bundled, "a pet")) > 2


def test_labels_of_other_classes_are_refused_until_a_user_names_them(sentiment: Backend) -> None:
    """0 and 1 of a model with three classes: read as numbers, a lovely film would be neutral."""
    frame = pd.DataFrame({"text": ["a lovely film", "a dull film"] * 3, "label": [1.0, 0.0] * 3})
    with pytest.raises(SelectionError, match=r"The labels 0, 1 are neither .* give texts\(…, labels="):
        headlight.texts(frame).errors(sentiment)
    with pytest.warns(UserWarning, match="no row has a loss"):
        headlight.texts(frame).run(sentiment)
    for labels in ({0: "negative", 1: 2}, {"0": 0, 1.0: "positive"}):
        assert headlight.texts(frame, labels=labels).errors(sentiment).summary.loc["right", "value"] == 1
    with pytest.raises(DataError, match="'5' is not in the column: it has 1, 0"):
        headlight.texts(frame, labels={"5": "positive"})
    with pytest.warns(UserWarning, match="that the model does not have are not counted: 3, with “good”"):
        headlight.texts(frame, labels={0: "negative", 1: "good"}).errors(sentiment)


def test_another_order_of_the_classes_is_one_argument(sentiment: Backend) -> None:
    """The labels are by name, and swapped."""
    frame = pd.DataFrame({"text": ["a lovely film", "a dull film"] * 12, "label": ["Negative", "positive"] * 12})
    with pytest.warns(UserWarning, match="100% of the rows are right, not 0%, with") as warned:
        headlight.texts(frame).errors(sentiment)
    labels = ast.literal_eval(re.findall(r"labels=(\{.*\})", str(warned[0].message))[0])
    assert headlight.texts(frame, labels=labels).errors(sentiment).summary.loc["right", "value"] == 1


def test_every_row_gets_a_prediction_and_the_loss_of_its_label(sentiment: Backend) -> None:
    frame = pd.DataFrame({"text": ["a lovely film", "  ", "a dull film"], "label": ["Positive", "negative", "unknown"]})
    found = headlight.texts(frame).run(sentiment).dropna(subset="text").reset_index(drop=True)
    assert found["text"].tolist() == ["a lovely film", "a dull film"]
    own = sentiment.predict(["a lovely film", "a dull film"])
    np.testing.assert_allclose(found["p(positive)"], own.probabilities[:, 2], atol=2e-5)
    assert found["loss"][0] == pytest.approx(-np.log(own.probabilities[0, 2]), abs=1e-4)
    assert np.isnan(found["loss"][1])
    assert found["tokens"].tolist() == [5, 5]


def test_a_missing_label_makes_no_fractions_of_the_others(sentiment: Backend) -> None:
    frame = pd.DataFrame(
        {"text": ["a lovely film", "a dull film"] * 2, "label": [1, None, 0, 2], "part": [0.5, None, 1, 2]}
    )
    found = headlight.texts(frame).run(sentiment)
    assert found["label"].dropna().tolist() == ["1", "0", "2"]
    assert found["part"].tolist()[2:] == ["1.0", "2.0"]
    assert found["loss"].isna().tolist() == [False, True, False, False]


def test_two_rows_are_no_pair_of_a_model_that_reads_pairs(tmp_path: Path) -> None:
    model = encoder.load(str(bert_folder(tmp_path / "pairs", "BertForNextSentencePrediction")))
    assert model.reads == "pairs"
    assert headlight.texts(["time flies", "a banana"]).embed(model).shape == (2, 32)


def test_every_result_says_which_texts_are_cut_off(tmp_path: Path) -> None:
    tokenizer = wordpiece_tokenizer()
    tokenizer.model_max_length = 12
    made = build("BertForSequenceClassification", "BertConfig", vocab_size=len(tokenizer), **BERT_SIZES)
    model = encoder.load(str(save(made, tmp_path / "short", tokenizer)))
    long = "time flies like an arrow " * 4
    values, ranking = headlight.explain(model, long), headlight.rank_heads(model, long)
    assert values.cut_off == ranking.cut_off == values.rest["cut off"] == 10
    assert all("without the last 10 tokens, which are cut off" in repr(found) for found in (values, ranking))
    texts = headlight.texts({"query": ["a banana", "an arrow"], "text": [long, "the fruit"], "label": ["yes", "no"]})
    of_rows = [texts.queries, texts.relevant_among, texts.missed, lambda model: texts.test_hit(model, "fruit")]
    for function, cut in (
        *((function, "1 of 2") for function in of_rows),
        (texts.pairs, "1 of 4"),
        (lambda model: texts.two_rankings(model, model, "fruit"), "1 of 2"),
        (lambda model: headlight.similar_because(model, long, "fruit"), "1 of 2"),
        (lambda model: headlight.pair_differences(model, model, long, "fruit"), "2 of 4"),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            function(model)
        said = {str(each.message) for each in caught if each.filename == __file__}
        assert said == {f"Cut off, because longer than the model reads: {cut} texts."}
    for function in (texts.search, texts.test_hit, lambda model, query: texts.why_not(model, query, 0)):
        with pytest.warns(UserWarning, match=r"1 of 2 texts\. Cut off, .* reads: 1 of 1 queries\."):
            function(model, long)


BLANKS = pd.DataFrame(
    {
        "text": ["good film", None, "  ", "bad film"],
        "text_b": ["a film", "x", "x", "bad film"],
        "label": ["negative"] * 4,
    },
    index=pd.Index([40, 10, 10, 20], name="id"),
)


def test_results_have_the_rows_of_the_callers_frame(sentiment: Backend, bundled: Backend) -> None:
    texts, frame = headlight.texts(BLANKS, text="text"), BLANKS.copy()
    assert repr(texts) == "<Texts 'texts': 2 of 4 rows, read from text, label>"
    frame["said"] = texts.run(sentiment)["prediction"]
    assert frame["said"].fillna("").tolist() == ["positive", "", "", "negative"]
    assert frame["said"].isna().tolist() == [False, True, True, False]
    pairs = headlight.texts(BLANKS, text="text", text_b="text_b").pairs(bundled)
    assert pairs.index.equals(BLANKS.index)
    assert pairs["cosine"].isna().tolist() == [False, True, True, False]
    assert pairs["cosine"].iloc[3] == pytest.approx(1)
    vectors = texts.embed(bundled)
    np.testing.assert_array_equal(np.isnan(vectors).all(axis=1), [False, True, True, False])
    np.testing.assert_allclose(vectors[[0, 3]], bundled.embed(["good film", "bad film"]), atol=1e-5)
    assert texts.search(bundled, "bad film").index.tolist() == [20, 40]
    assert texts.errors(sentiment).rows.index.tolist() == [40]
    assert texts.two_rankings(bundled, sentiment, "bad film").index.isin([20, 40]).all()


def test_rows_are_numbered_as_in_the_callers_frame(sentiment: Backend, bundled: Backend) -> None:
    texts = headlight.texts(BLANKS, text="text")
    for what in ("words", "heads"):
        assert texts.run(sentiment, what)["row"].unique().tolist() == [0, 3]
    assert (
        texts.words(sentiment, [3])["word"].tolist()
        == texts.words(sentiment, "rows 3")["word"].tolist()
        == ["bad", "film"]
    )
    assert texts.order_quality(sentiment, [3])["row"].tolist() == [3]
    assert texts.one_word(bundled, "film").frame()["row"].unique().tolist() == [0, 3]
    assert texts.test_hit(bundled, "bad film", row=3)["place"][0] == 1
    with pytest.raises(SelectionError, match="Row 1 has no text"):
        texts.words(sentiment, [0, 1])


def test_a_file_keeps_the_numbers_of_its_rows(sentiment: Backend, tmp_path: Path) -> None:
    BLANKS.to_csv(tmp_path / "rows.csv", index=False)
    found = headlight.texts(tmp_path / "rows.csv", text="text")
    assert "2 of 4 rows" in repr(found)
    assert found.run(sentiment)["prediction"].isna().tolist() == [False, True, True, False]


@pytest.mark.parametrize(
    ("source", "columns"),
    [
        ({"text": ["a", "b"]}, {"text": ["a", "b"]}),
        (BLANKS["text"], {"text": ["good film", "bad film"]}),
        ([("a", "b"), ("c", "d")], {"text": ["a", "c"], "text_b": ["b", "d"]}),
        ([{"text": "a", "label": "x"}], {"text": ["a"], "label": ["x"]}),
        (["a", None, "b"], {"text": ["a", "b"]}),
        (pa.table({"text": ["a"]}), {"text": ["a"]}),
        (pa.array(["a", "b"]), {"text": ["a", "b"]}),
        ([{"data": {"text": "a"}, "label": 1}, {"data": {"text": "b"}}], {"data.text": ["a", "b"], "label": ["1", ""]}),
        (["a", "b\ud800"], {"text": ["a", "b?"]}),
    ],
    ids=["dict", "series", "pairs", "rows", "missing", "arrow", "array", "records", "half a character"],
)
def test_tables_come_as_people_have_them(source: Any, columns: dict[str, list[str]]) -> None:
    found = headlight.texts(source).collection
    assert {name: found.column(name) for name in found.columns} == columns


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ([("a", "b"), ("c",)], r"Row 1, counted from 0, is \('c',\)"),
        ([1, 2], "Row 0, counted from 0, is 1"),
        ({"text": ["a"], "label": [1, 2]}, "make no table"),
        (7, "not from a int"),
        ("reviws", "Did you mean 'reviews'"),
    ],
    ids=str,
)
def test_what_is_no_table_is_refused(source: Any, sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        headlight.texts(source)


@pytest.mark.parametrize(
    ("source", "how", "sentence"),
    [
        ("t.parquet", {"header": False}, r"header=False was given, but the file \(Parquet\) has no header"),
        ("t.xlsx", {"encoding": "cp1252"}, "has no encoding"),
        ("t.json", {"delimiter": ";"}, "has no delimiter"),
        (["a"], {"header": True}, "which only a file has"),
        ("passages", {"text": "text"}, "ships with its columns"),
    ],
    ids=str,
)
def test_how_a_table_is_read_is_refused_where_it_is_not_read_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: Any, how: Any, sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"text": ["a"]})
    frame.to_parquet("t.parquet")
    frame.to_excel("t.xlsx", index=False)
    frame.to_json("t.json", orient="records")
    with pytest.raises(DataError, match=sentence):
        headlight.texts(source, **how)


def test_a_column_that_a_result_is_called_like_keeps_its_name(sentiment: Backend) -> None:
    found = headlight.texts(pd.DataFrame({"text": ["good"], "tokens": ["own"]})).run(sentiment)
    assert (found["tokens"][0], found["tokens (model)"][0]) == ("own", 3)


@pytest.fixture(scope="module")
def errors(sentiment: Backend) -> TableErrors:
    return Texts(headlight.texts("reviews").collection.select(range(80))).errors(sentiment)


def on_page(answer: Answer | None) -> pd.DataFrame:
    """The first table of an answer."""
    table = next(part for part in answer.parts if isinstance(part, Table))
    return pd.DataFrame(dict(table.columns()))


def test_errors_have_the_numbers_of_the_page(errors: TableErrors) -> None:
    shown = summary(errors.collection, errors.results)
    right = errors.summary.loc["right"]
    assert f"**{right['value'] * right['n']:.0f} of {right['n']:.0f}** rows" in str(shown.parts[0])
    f1 = errors.classes["F1"]
    assert errors.summary.loc["F1", "value"] == pytest.approx(f1.mean())
    pd.testing.assert_frame_equal(errors.classes, on_page(details.classes(errors.results)))
    pd.testing.assert_frame_equal(errors.calibration, on_page(details.calibration_of(errors.results)))
    pd.testing.assert_frame_equal(errors.slices, on_page(details.slices_of(errors.collection, errors.results)))
    assert len(errors.rows) == right["n"] - right["value"] * right["n"]
    assert errors.rows["loss"].is_monotonic_decreasing
    assert (errors.rows["label"] != errors.rows["prediction"]).all()
    cells = errors.confusions
    assert cells["rows"].sum() == right["n"]
    assert cells[cells["own label"] == cells["predicted"]]["rows"].sum() == right["value"] * right["n"]


def test_labels_that_are_probably_wrong_have_their_texts_and_rates(errors: TableErrors) -> None:
    found = errors.label_errors
    assert (found["text"] == errors.texts.collection.table.to_pandas()["text"].loc[found.index]).all()
    assert (found["label"] != found["probably"]).all()
    assert 0 < found.attrs["others"] < found.attrs["found"] < 1


def test_second_model_is_compared_over_the_same_rows(errors: TableErrors, sentiment: Backend, bundled: Backend) -> None:
    found = errors.against(bundled)
    assert found.rows["difference"].is_monotonic_decreasing
    names = sentiment.name, bundled.name
    assert (found.rows[names[0]] != found.rows[names[1]]).all()
    texts = errors.collection.column("text")
    assert [texts[row] for row in found.rows["row"]] == found.rows["text"].tolist()
    assert found.measure == "right"
    assert found.difference.difference.n == errors.summary.loc["right", "n"]
    same = errors.against(sentiment)
    assert not len(same.rows)
    assert same.difference.p == 1


def test_a_table_is_compared_with_the_same_rows_after_a_change(sentiment: Backend) -> None:
    before = headlight.texts("reviews").collection.table.to_pandas().iloc[:40].set_index(np.arange(100, 140))
    after = before.iloc[::-1].iloc[:30].copy()
    after.loc[139, "text"] = "Terrible."
    first, second = (headlight.texts(frame).errors(sentiment) for frame in (before, after))
    found = first.against(second)
    assert set(found.rows["row"]) <= {39}
    assert found.difference.difference.n == 30
    assert {"before", "after"} <= set(found.rows)
    with pytest.raises(SelectionError, match="no row in common"):
        first.against(headlight.texts(after.reset_index(drop=True)).errors(sentiment))


def test_rows_of_the_same_number_with_other_texts_are_said(sentiment: Backend) -> None:
    rows = ({"text": [text, "so bad"], "label": ["positive", "negative"]} for text in ("good", "great"))
    one, other = (headlight.texts(pd.DataFrame(each)) for each in rows)
    with pytest.warns(UserWarning, match="1 of the 2 rows that both tables have differ in text"):
        one.errors(sentiment).against(other.errors(sentiment))


def test_a_report_of_a_table_without_errors_has_rows_without_a_label(sentiment: Backend, tmp_path: Path) -> None:
    rows = {"text": ["a lovely film", "an awful film", "a film"], "label": ["positive", "negative", None]}
    table = headlight.texts(pd.DataFrame(rows))
    assert table.report(sentiment, tmp_path / "report.html").exists()


def test_classes_to_name_grow_with_the_rows_that_are_to_be_right(errors: TableErrors) -> None:
    found = errors.prediction_sets
    assert found["wanted"].tolist() == [0.8, 0.9, 0.95, 0.99]
    assert found["classes"].is_monotonic_increasing
    assert (found["right to"] >= found["wanted"]).all()


def test_errors_of_a_table_without_labels_are_refused(sentiment: Backend) -> None:
    texts = headlight.texts(TEXTS)
    for refused in (lambda: texts.errors(sentiment), lambda: texts.words(sentiment, "errors")):
        with pytest.raises(SelectionError, match=r"none is right or wrong. No column is read as labels: name the one"):
            refused()


def test_errors_of_a_score_have_no_classes() -> None:
    gold = np.arange(12, dtype=np.float32)
    rows = headlight.texts(pd.DataFrame({"text": ["a"] * 12, "label": gold}))
    found = TableErrors(rows, scores(gold[::-1], gold))
    assert list(found.summary.index) == ["mean absolute error", "rank correlation", "calibration error"]
    assert found.rows["loss"].is_monotonic_decreasing
    assert list(found.calibration) == ["from", "to", "rows", "mean score", "label", "label from", "label to"]
    for table in ("classes", "confusions"):
        with pytest.raises(UnsupportedModelError, match="tiny has no classes"):
            getattr(found, table)


def test_driving_words_are_those_of_the_errors(sentiment: Backend) -> None:
    texts = headlight.texts("reviews")
    found = headlight.driving_words(sentiment, texts.collection, "negative>positive")
    pd.testing.assert_frame_equal(texts.words(sentiment, "negative>positive"), pd.DataFrame(found.columns))


def test_a_table_of_some_rows_keeps_the_index_of_the_callers_frame(sentiment: Backend) -> None:
    frame = headlight.texts("reviews").collection.table.to_pandas().iloc[:60].set_index(np.arange(100, 160))
    frame.iloc[5, frame.columns.get_loc("text")] = None
    texts = headlight.texts(frame)
    run, hotel = texts.run(sentiment), frame["topic"] == "hotel"
    wrong = frame.index[hotel & run["loss"].notna() & (run["prediction"] != run["label"])]
    found = texts.where(sentiment, "errors & topic=hotel")
    assert len(found)
    assert found.run(sentiment).index.tolist() == wrong.tolist()
    assert found.errors(sentiment).summary.loc["right", "value"] == 0
    assert texts.where(sentiment, "rows 6-9 & topic=hotel").index.tolist() == [
        row for row in range(106, 110) if hotel[row]
    ]


def test_words_of_any_rows_are_removed_and_their_order_is_tested(sentiment: Backend) -> None:
    words = re.compile(r"\b(best|worse)\b", re.IGNORECASE)
    reviews = headlight.texts("reviews").collection
    having = [row for row, text in enumerate(reviews.texts()) if words.search(text)]
    texts, rows = Texts(reviews.select([*range(12), *having])), [3, 7, 11]
    chosen = headlight.driving_words(sentiment, texts.collection, "rows 3,7,11")
    pd.testing.assert_frame_equal(texts.words(sentiment, rows), pd.DataFrame(chosen.columns))
    removed = texts.remove_words(sentiment, ["Worse", "best", "no such word"])
    assert removed["low"].isna().tolist() == (removed["rows"] < FEWEST).tolist()
    assert removed["words"].tolist() == ["worse", "best", "best, worse"]
    pd.testing.assert_frame_equal(texts.remove_words(sentiment, "worse"), removed[:1])
    without = [text.replace(" best", "") for text in texts.collection.column("text") if " best " in text]
    assert removed["rows"][1] >= len(without) > 0
    assert (removed["change"] < removed["high"])[removed["high"].notna()].all()
    order = texts.order_quality(sentiment, rows)
    assert order["row"].tolist() == rows
    assert order["naopc"].isna().tolist() == order["random_naopc"].isna().tolist()


def test_a_search_puts_the_nearest_row_first(bundled: Backend) -> None:
    texts = headlight.texts(["The cat sleeps on the sofa.", "Stocks fell on Monday."])
    found = texts.search(bundled, "where does the cat sleep")
    assert found["text"].iloc[0] == "The cat sleeps on the sofa."
    assert found["cosine"].is_monotonic_decreasing
    assert texts.embed(bundled).shape == (2, 384)
    pairs = headlight.texts(pd.DataFrame({"query": ["a film", "a dog"], "passage": texts.collection.column("text")}))
    np.testing.assert_array_equal(pairs.embed(bundled), texts.embed(bundled))


def test_rankings_of_two_models_differ_most_in_the_first_row(bundled: Backend) -> None:
    texts, other = headlight.texts("passages"), encoder.load("scratch-untrained")
    found = texts.two_rankings(bundled, other, "how much sleep do adults need")
    places = texts.search(other, "how much sleep do adults need").index.tolist()
    assert found["other_place"].tolist() == [1 + places.index(row) for row in found.index]
    apart = (found["place"] - found["other_place"]).abs()
    assert apart.is_monotonic_decreasing
    assert ((found["place"] <= 10) | (found["other_place"] <= 10)).all()


def test_a_hit_is_tested_in_the_first_two_rows(bundled: Backend) -> None:
    texts = headlight.texts(["The cat sleeps on the sofa.", "Stocks fell on Monday.", "A dog sleeps."])
    query = "where does the cat sleep"
    found = texts.test_hit(bundled, query)
    assert found["score"][0] == pytest.approx(texts.search(bundled, query)["cosine"].iloc[0], abs=1e-5)
    strongest = headlight.similar_because(bundled, query, "The cat sleeps on the sofa.").iloc[0]
    assert (found["from_query"][1], found["from_text"][1]) == (strongest["a"], strongest["b"])
    assert found["place"][0] == 1
    assert len(found) == 22
    assert texts.test_hit(bundled, query, row=1)["place"][0] == 3


def test_texts_of_a_row_are_compared_and_relevant_ones_are_counted(bundled: Backend) -> None:
    queries, passages = ["a sleeping cat", "shares"], ["The cat sleeps on the sofa.", "Stocks fell on Monday."]
    rows = pd.DataFrame({"query": queries * 2, "passage": passages + passages[::-1], "label": ["yes", "Yes", "no", ""]})
    texts = headlight.texts(rows)
    found = headlight.texts(rows[:2]).pairs(bundled)
    cosines = cosine_similarity(bundled.embed(queries), bundled.embed(passages))
    np.testing.assert_allclose(found["cosine"], cosines.diagonal(), atol=1e-5)
    np.testing.assert_allclose(found["other_cosine"], [cosines[0, 1], cosines[1, 0]], atol=1e-5)
    assert found["nearest"].all()
    assert texts.relevant_among(bundled, [1, 4]).to_dict() == {1: 1.0, 4: 1.0}
    graded = headlight.texts(rows.assign(label=[2, 1, 0, 0]))
    assert graded.relevant_among(bundled, [1, 4]).to_dict() == texts.relevant_among(bundled, [1, 4]).to_dict()
    swapped = headlight.texts(rows.assign(label=["no", "no", "yes", "yes"]))
    # The first two hits have one text; the third has that of the relevant row.
    assert swapped.relevant_among(bundled, [1, 2, 3]).to_dict() == {1: 0.0, 2: 0.0, 3: 1.0}
    with pytest.raises(ArgumentError, match=r"first 1\.5 hits"):
        swapped.relevant_among(bundled, [1.5])  # type: ignore[list-item]
    with pytest.raises(SelectionError, match="are two columns"):
        headlight.texts(rows.drop(columns="passage")).relevant_among(bundled)
    with pytest.raises(ArgumentError, match="'BM25' is no model"):
        swapped.relevant_among("BM25")  # type: ignore[arg-type]
    with pytest.raises(SelectionError, match="No label says"):
        headlight.texts(rows.drop(columns="label")).relevant_among(bundled)


def test_second_texts_with_equal_vectors_are_equally_near(bundled: Backend) -> None:
    texts = [("capital of France", "Paris is the capital."), ("french capital", "paris is the capital.")]
    assert headlight.texts([*texts, ("colour", "Bananas are yellow.")]).pairs(bundled)["nearest"][:2].all()


def test_a_column_of_losses_of_ones_own_is_not_the_models(sentiment: Backend) -> None:
    rows = {"text": ["a wonderful film", "b bad"], "label": ["positive", "negative"], "loss": [None, None]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        headlight.texts(pd.DataFrame(rows), text="text", label="label").run(sentiment)
    unknown = headlight.texts(
        pd.DataFrame(rows | {"label": ["x", "y"], "loss": ["1", "2"]}), text="text", label="label"
    )
    with pytest.warns(UserWarning, match="No label is one"):
        unknown.run(sentiment)


def test_pairs_that_differ_most_between_two_models_come_first(bundled: Backend, sentiment: Backend) -> None:
    texts = "a dog barks", "the puppy barks"
    found = headlight.pair_differences(bundled, sentiment, *texts)
    own = headlight.similar_because(bundled, *texts)
    shares = own.assign(share=own["adds"] / own["adds"].abs().sum()).set_index(["a", "b"])["share"]
    np.testing.assert_allclose(found["share"], shares.loc[list(zip(found["a"], found["b"], strict=True))], atol=1e-5)
    assert (found["share"] - found["other_share"]).abs().is_monotonic_decreasing


@pytest.mark.parametrize("what", ["words", "vectors"])
def test_every_table_of_the_command_is_a_frame(sentiment: Backend, what: What) -> None:
    table = table_of(sentiment, headlight.texts(TEXTS).collection, what)
    pd.testing.assert_frame_equal(headlight.texts(TEXTS).run(sentiment, what), table.to_pandas())


def test_heads_are_sorted_by_the_rows_that_they_flip(sentiment: Backend) -> None:
    found = headlight.texts(TEXTS).heads(sentiment)
    of_rows = headlight.texts(TEXTS).run(sentiment, "heads").groupby(["layer", "head"])
    for row in found.itertuples():
        own = of_rows.get_group((row.layer, row.head))
        assert row.flips == own["flips"].sum()
        assert row.mean_change == pytest.approx(own["change"].abs().mean(), abs=1e-6)
    assert found["flips"].is_monotonic_decreasing


def test_pairs_of_words_add_up_to_the_cosine_without_masks(bundled: Backend) -> None:
    found = headlight.similar_because(bundled, "a dog barks", "the puppy barks")
    own = similarity_map(bundled, bundled.tokenize("a dog barks"), bundled.tokenize("the puppy barks"), level="words")
    assert found["adds"].is_monotonic_decreasing
    assert found["adds"].sum() == pytest.approx(own.values.sum(), abs=1e-5)
    rest = found.attrs
    assert found["adds"].sum() + rest["references"] + rest["error"] == pytest.approx(rest["total"], abs=1e-6)
    assert abs(rest["error"]) == pytest.approx(own.completeness_error, abs=1e-5)
    row = found[(found["a"] == "dog") & (found["b"] == "puppy")]
    assert row["adds"].item() == pytest.approx(own.values[1, 1])
    late = max_sim(bundled.trace("a dog barks"), bundled.trace("the puppy barks"), level="words")
    assert row["cosine"].item() == pytest.approx(late.cosines[1, 1])


def test_occurrences_of_a_word_have_a_row_for_each_state(bundled: Backend) -> None:
    texts = headlight.texts(["the bank lends money", "a cat", "the river bank"])
    found = pd.DataFrame(texts.one_word(bundled, "bank").columns)
    assert found["row"].tolist() == [0, 2] * (bundled.num_layers + 1)
    assert found["nearest_row"].tolist() == [2, 0] * (bundled.num_layers + 1)
    assert found["state"].tolist() == sorted(found["state"])


def test_any_cells_of_a_frame_are_text() -> None:
    frame = pd.DataFrame(
        [["a", [1, 2], None, "x"], ["b", np.ones(2), pd.NA, "y"]], columns=["text", "list", "no", "TEXT"]
    )
    found = headlight.texts(frame).collection
    assert found.columns == ("text", "list", "no", "TEXT 4")
    assert found.column("list") == ["[1,2]", "[1.0,1.0]"]
    assert found.column("no") == ["", ""]
    with pytest.raises(DataError, match="no rows"):
        headlight.texts([])


def test_given_columns_are_kept_and_others_guessed() -> None:
    frame = pd.DataFrame({"body": ["a"], "text": ["b"], "label": ["c"], "stars": ["5"]})
    assert repr(headlight.texts(frame, text="body")).endswith("read from body, label>")
    assert repr(headlight.texts(frame, label="stars")).endswith("read from text, stars>")
    for column in (0, ""):
        with pytest.raises(DataError, match=f"has no column {column!r}"):
            headlight.texts(frame, text=column)  # type: ignore[arg-type]


def test_swaps_of_a_class_that_the_model_lacks_are_refused(sentiment: Backend) -> None:
    texts = headlight.texts(["{He|She} was kind."])
    assert texts.swaps(sentiment, label="negative")["to"].tolist() == ["She"]
    with pytest.raises(SelectionError, match="no class 'angry': it has negative, neutral, positive"):
        texts.swaps(sentiment, label="angry")
    with pytest.raises(ArgumentError, match="label is 'negative': the measure 'cosine' is of no class"):
        texts.swaps(sentiment, label="negative", measure="cosine")


def test_a_choice_that_there_is_not_is_named(sentiment: Backend) -> None:
    texts: Any = headlight.texts(["{He|She} was kind."])
    for said, wrong in {
        "what is 'words ': it can be 'predictions', 'words'": lambda: texts.run(sentiment, "words "),
        "forms is 'german': it can be": lambda: texts.one_word(sentiment, "kind", "german"),
        "what is 'head': it can be 'swaps'": lambda: texts.swaps(sentiment, "head"),
        "measure is 'logit': it can be 'class'": lambda: texts.swaps(sentiment, measure="logit"),
    }.items():
        with pytest.raises(ArgumentError, match=said):
            wrong()


def test_swaps_are_means_over_the_templates_of_each_set(sentiment: Backend) -> None:
    rows = {
        "set": ["he", "he", "she", "he"],
        "text": ["{He|She} was kind.", "Was {he|she} {kind|rude}?", "{She|He} was kind.", "no slot"],
    }
    texts = headlight.texts(pd.DataFrame(rows), text="text")
    found, by_template = texts.swaps(sentiment), texts.swaps(sentiment, "templates")
    assert list(zip(found["set"], found["to"], found["templates"], strict=True))[-1] == ("she", "He", 1)
    assert set(zip(found["from"], found["templates"], strict=True)) == {("He", 2), ("kind", 1), ("She", 1)}
    he = by_template[(by_template["set"] == "he") & by_template["from"].isin(["He", "he"])]
    [mean] = found[found["from"] == "He"].to_dict("records")
    assert mean["shift"] == pytest.approx(he["shift"].mean(), abs=1e-6)
    assert np.isnan(mean["low"])  # of two templates
    heads = texts.swaps(sentiment, "heads", part="he")
    assert set(heads["set"]) == {"he"}
    assert len(heads) == sentiment.num_layers * sentiment.num_heads
    assert heads["falls"].is_monotonic_decreasing
    with pytest.raises(SelectionError, match="No set of templates is called 'they': the column “set” has he, she"):
        texts.swaps(sentiment, part="they")
    with pytest.raises(DataError, match="No row has a slot"):
        headlight.texts(["no slot"]).swaps(sentiment)


def test_what_ships_is_opened_by_its_name() -> None:
    assert repr(headlight.texts("reviews")) == "<Texts 'Reviews': 240 rows, read from text, label>"
    with pytest.raises(DataError, match=r"nowhere\.csv cannot be read"):
        headlight.texts("nowhere.csv")


def test_routes_of_a_table_are_means_over_two_halves(tuned: Backend) -> None:
    texts = [*TEXTS, "not good", "a fine and funny film", "dull"]
    found = headlight.texts(texts).routes(tuned)
    sizes = [np.abs(headlight.carriers(tuned, text).values).sum((-2, -1)) for text in texts]
    shares = np.array([each / each.sum() for each in sizes])
    order = np.random.default_rng(0).permutation(len(texts))
    first, held_out = shares[order[:2]].mean(0), shares[order[2:]].mean(0)
    places = found["layer"], found["head"]
    np.testing.assert_allclose(found["share"], first[places], atol=1e-5)
    np.testing.assert_allclose(found["held_out_share"], held_out[places], atol=1e-5)
    assert found["share"].is_monotonic_decreasing
    assert found["leads"].sum() == pytest.approx(1)
    low, high = found.attrs["shuffled"]
    assert low < 1 / len(found) < high < found["held_out_share"].max()
    assert found.attrs["correlation"] > 0.5
    with pytest.raises(SelectionError, match="Two halves need 4 rows, and there are 2"):
        headlight.texts(TEXTS).routes(tuned)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([4], "Row 4 was asked for; the table has rows 0 to 3."),
        ([0, -1], "Row -1 was asked for; the table has rows 0 to 3."),
        ([1], "Row 1 has no text"),
        ([], "No row was chosen"),
    ],
)
def test_rows_that_are_not_there_are_named(bundled: Backend, rows: list[int], said: str) -> None:
    table = headlight.texts(["a fine film", "", "a bad film", "who wrote it"])
    with pytest.raises(SelectionError, match=said):
        table.where(bundled, rows)
    for row in rows[-1:]:
        with pytest.raises(SelectionError, match=said):
            table.why_not(bundled, "film", row)
