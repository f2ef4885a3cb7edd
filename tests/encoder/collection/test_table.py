"""A collection: its rows, and which of the columns hold texts and labels."""

import unicodedata
from collections.abc import Sequence

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder.collection.table import Collection, guessed
from encoder.errors import DataError


def table(**columns: Sequence[str | None]) -> pa.Table:
    return pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()})


def test_rows_without_a_text_are_left_out_and_counted() -> None:
    found = Collection.of(
        "t", table(text=["a", None, " \u200b", "b"], label=["1", "2", "3", None]), text="text", label="label"
    )
    assert (len(found), found.num_blank) == (2, 2)
    assert found.texts() == ["a", "b"]
    assert found.labels() == ["1", ""]


def test_table_whose_rows_all_have_a_text_is_not_copied() -> None:
    whole = table(text=["a", "b"])
    assert Collection.of("t", whole, text="text").table is whole


def test_pairs_are_alone_where_the_second_text_is_blank() -> None:
    found = Collection.of("t", table(a=["x", "y"], b=["z", " \u200b"]), text="a", text_b="b")
    assert found.texts() == [("x", "z"), "y"]
    assert found.texts([1]) == ["y"]
    assert found.labels() is None


def test_some_rows_are_a_collection_of_their_own() -> None:
    found = Collection.of("t", table(text=["a", "b", "c"]), text="text")
    assert found.select([2, 0]).texts() == ["c", "a"]
    assert found.column("text", [1]) == ["b"]
    assert found != found.select([0, 1, 2])


def test_missing_column_and_empty_texts_are_named() -> None:
    with pytest.raises(DataError, match="has no column 'x': it has “text”"):
        Collection.of("t", table(text=["a"]), text="x")
    with pytest.raises(DataError, match="and 3 more"):
        Collection.of("t", table(**{f"c{index}": ["a"] for index in range(15)}), text="x")
    with pytest.raises(DataError, match="no rows with a text in column 'text'"):
        Collection.of("t", table(text=[None]), text="text")


@pytest.mark.parametrize(
    ("names", "columns"),
    [
        (["id", "Text", "Label"], ("Text", None, "Label")),
        (["premise", "hypothesis", "gold"], ("premise", "hypothesis", "gold")),
        (["question", "context", "answer"], ("question", "context", "answer")),
        (["question", "context", "answers"], ("question", "context", "answers")),
        (["question", "answer", "label"], ("question", "answer", "label")),
        (["question", "answer"], ("question", "answer", None)),
        (["query", "document", "score"], ("query", "document", "score")),
        (["document", "target"], ("document", None, "target")),
        (["question1", "question2", "is_duplicate"], ("question1", "question2", "is_duplicate")),
        (["sentence_A", "sentence_B", "relatedness_score"], ("sentence_A", "sentence_B", "relatedness_score")),
        (["anchor", "positive", "negative"], ("anchor", "positive", None)),
        (["premise", "hypothesis", "gold_label"], ("premise", "hypothesis", "gold_label")),
        (["sentence1", "sentence2", "score"], ("sentence1", "sentence2", "score")),
        (["id", "question", "sentence", "label"], ("question", "sentence", "label")),
        (["id", "tweet", "airline_sentiment"], ("tweet", None, "airline_sentiment")),
        (["long url", "title", "body", "sentiment_label"], ("body", None, "sentiment_label")),
        (["data.text", "choices"], ("data.text", None, "choices")),
        (["short", "long"], ("long", None, None)),
    ],
)
def test_columns_are_guessed_by_name_else_by_length(names: list[str], columns: tuple[str | None, ...]) -> None:
    found = guessed("t", table(**{name: [name * (3 if "long" in name else 1)] for name in names}))
    assert (found.text, found.text_b, found.label) == columns


def test_numbers_and_labels_are_no_texts() -> None:
    found = guessed("t", table(row=["0"], word=["film"], value=["0.12345678"], **{"class": ["positive"]}))
    assert (found.text, found.label) == ("word", "class")


def is_visible(text: str) -> bool:
    return any(unicodedata.category(character)[0] not in "ZC" for character in text)


@given(st.lists(st.text(max_size=5), min_size=1, max_size=6, unique=True), st.data())
def test_any_columns_are_guessed_or_refused(names: list[str], data: st.DataObject) -> None:
    texts = st.text(st.characters(exclude_categories=["Cs", "Cn"]), max_size=5)
    cells = st.lists(st.one_of(st.none(), texts), min_size=3, max_size=3)
    columns = {name: data.draw(cells) for name in names}
    rows = table(**columns)
    if not any(cell and is_visible(cell) for cells_of in columns.values() for cell in cells_of):
        with pytest.raises(DataError, match="no rows with a text"):
            guessed("t", rows)
        return
    found = guessed("t", rows)
    assert all(map(is_visible, found.column(found.text)))
    assert len({found.text, found.text_b, found.label} - {None}) == 1 + (found.text_b is not None) + (
        found.label is not None
    )
