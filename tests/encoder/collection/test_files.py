"""Tables from files: every kind gives the same cells, and whatever is wrong is one sentence."""

import csv
import gzip
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encoder.collection.files import Bounds, open_collection, read_pasted, read_table
from encoder.collection.table import ReadTable
from encoder.errors import DataError

CELLS = {"text": ["a, b", 'say "hi"', "ü\u2028€", "=1+1"], "label": ["x", "", "<b>y</b>", "0"]}
SMALL = Bounds(rows=3, columns=3, cell=10, nbytes=2_000)


def csv_of(columns: dict[str, list[str]], delimiter: str = ",") -> bytes:
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    writer.writerows([columns, *zip(*columns.values(), strict=True)])
    return file.getvalue().encode()


def jsonl_of(columns: dict[str, list[str]]) -> bytes:
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return "\n".join(map(json.dumps, rows)).encode()


def parquet_of(columns: Mapping[str, Sequence[object]]) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


def cells(found: ReadTable) -> dict[str, list[str]]:
    return {name: [cell or "" for cell in column] for name, column in found.table.to_pydict().items()}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("t.csv", csv_of(CELLS)),
        ("t.CSV", csv_of(CELLS, ";")),
        ("t.csv.gz", gzip.compress(csv_of(CELLS), mtime=0)),
        ("bom.csv", b"\xef\xbb\xbf" + csv_of(CELLS)),
        ("utf16.csv", csv_of(CELLS).decode().encode("utf-16")),
        ("utf16-without-mark.csv", csv_of(CELLS).decode().encode("utf-16-le")),
        ("utf32.csv", csv_of(CELLS).decode().encode("utf-32")),
        ("old-mac.csv", csv_of(CELLS).replace(b"\n", b"\r")),
        ("windows.csv", csv_of(CELLS).replace(b"\n", b"\r\n")),
        ("t.jsonl", jsonl_of(CELLS)),
        ("t.parquet", parquet_of(CELLS)),
    ],
)
def test_every_kind_of_file_gives_the_same_cells(name: str, data: bytes) -> None:
    assert cells(read_table(data, name)) == CELLS


def test_a_text_has_any_line_ends() -> None:
    assert cells(read_table(b"one\r\ntwo\rthree\n\nfour", "t.txt")) == {"text": ["one", "two", "three", "four"]}


def test_numbers_of_parquet_and_json_are_text() -> None:
    assert cells(read_table(parquet_of({"text": ["a"], "n": [2]}), "t.parquet")) == {"text": ["a"], "n": ["2"]}
    data = b'{"text": "a", "n": 2.5, "ok": true}\n\n{"n": "two", "more": [1, "b"]}'
    assert cells(read_table(data, "t.jsonl")) == {
        "text": ["a", ""],
        "n": ["2.5", "two"],
        "ok": ["true", ""],
        "more": ["", '[1,"b"]'],
    }


@settings(max_examples=10)  # each opens a connection
@given(
    st.lists(
        st.lists(
            st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n"), max_size=20), min_size=2, max_size=2
        ),
        min_size=1,
        max_size=8,
    )
)
def test_cells_survive_a_csv_file(rows: list[list[str]]) -> None:
    columns = {"text": [row[0] for row in rows], "other": [row[1] for row in rows]}
    assert cells(read_table(csv_of(columns), "t.csv")) == columns


@given(st.binary(max_size=300), st.sampled_from(["t.csv", "t.tsv", "t.jsonl", "t.parquet", "t.txt", "t.csv.gz"]))
def test_any_bytes_give_a_table_or_one_sentence(data: bytes, name: str) -> None:
    said = ""
    try:
        read_table(data, name)
    except DataError as error:
        said = str(error)
    assert len(said) < 400


def _gzip_bomb() -> bytes:
    return gzip.compress(b"text,label\n" + b"a,b\n" * 100_000, mtime=0)


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("t.doc", b"PK", "a table ends in .csv, .tsv, .txt, .json"),
        ("t.csv", b" \n ", "t.csv is empty"),
        ("t.csv", b"text,label\n", "names of columns and no rows"),
        ("t.jsonl", b'{"text": "a"}\n{"text": }\n', "line 2: this cannot be read as a JSON object"),
        ("t.csv", b"\xff\xfea", "line 1: a character is not UTF-16. The file begins as UTF-16, and perhaps not all"),
        ("t.csv.gz", gzip.compress(b"text\na\n", mtime=0)[:-9], "truncated or damaged"),
        ("t.csv.gz", _gzip_bomb(), "larger than 0 MB"),
        ("t.jsonl", b'{"text": "a", "text": "b"}\n', "line 1: this cannot be read as a JSON object"),
        ("t.jsonl", b"[1]\n", "line 1: this cannot be read as a JSON object"),
        ("t.jsonl", jsonl_of({f"{number}": ["a"] for number in range(9)}), "more than 3 columns"),
        ("t.parquet", parquet_of({}), "t.parquet has no columns"),
        ("t.parquet", b"PAR1 no", "not a Parquet file, or is damaged"),
        ("t.csv", b"a,b,c,d\n1,2,3,4\n", "more than 3 columns"),
        ("t.parquet", parquet_of({name: ["a"] for name in "abcd"}), "4 columns; at most 3"),
    ],
)
def test_fault_is_one_sentence(name: str, data: bytes, sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        read_table(data, name, bounds=SMALL)


def test_parquet_bomb_takes_no_more_than_its_bounds() -> None:
    """A cell of 5,000 characters, 100 columns, 100,000 rows: 64 kB in the file, 50 GB as text."""
    rows = pa.DictionaryArray.from_arrays(pa.array(np.zeros(100_000, np.int32)), pa.array(["a" * 5_000]))
    data = parquet_of({f"c{number}": rows for number in range(100)})
    before = pa.total_allocated_bytes()
    found = read_table(data, "t.parquet")
    assert 0 < found.table.nbytes < 60_000_000
    assert pa.default_memory_pool().max_memory() - before < 400_000_000
    assert "of 100,000 rows are read" in " ".join(found.remarks)


@given(st.lists(st.tuples(st.integers(0), st.integers(0, 255)), min_size=1, max_size=4))
def test_damaged_parquet_is_a_table_or_one_sentence(changes: list[tuple[int, int]]) -> None:
    data = bytearray(parquet_of({"text": ["a film"] * 3, "label": ["good"] * 3}))
    for place, byte in changes:
        data[place % len(data)] = byte
    said = ""
    try:
        read_table(bytes(data), "t.parquet")
    except DataError as error:
        said = str(error)
    assert "\n" not in said


def test_names_of_json_lines_are_counted_before_they_are_read() -> None:
    """In 20,000 lines of two names, one of them new, all names are columns."""
    data = "\n".join(json.dumps({"text": "a", f"c{number}": "b"}) for number in range(20_000)).encode()
    with pytest.raises(DataError, match="more than 200 columns, the most that are read"):
        read_table(data, "t.jsonl")


def test_many_columns_are_refused_and_a_cell_of_a_million_characters_is_cut() -> None:
    with pytest.raises(DataError, match="more than 200 columns"):
        read_table((b"a," * 50_000 + b"\n") * 2, "t.csv")
    for data in (b"text,b\n" + b"a" * 1_000_000 + b",b\n", parquet_of({"text": ["a" * 1_000_000]})):
        found = read_table(data, "t.parquet" if data[:3] == b"PAR" else "t.csv")
        assert len(cells(found)["text"][0]) == 100_000
        assert "1 cell of more than 100,000 characters cut there (row 1)." in found.remarks


def test_pasted_texts_are_never_empty() -> None:
    with pytest.raises(DataError, match="empty"):
        read_pasted("  \n")
    assert cells(read_pasted("a lone \ud800")) == {"text": ["a lone ?"]}


def test_columns_without_a_name_get_one_and_repeated_names_a_number() -> None:
    assert read_table(b"text,,text\na,b,c\n", "t.csv").table.column_names == ["text", "column 2", "text 3"]
    assert read_table(b"a,A,a 3,A,a\n1,2,3,4,5\n", "t.csv").table.column_names == ["a", "A 2", "a 3", "A 4", "a 5"]


def test_file_is_opened_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(csv_of(CELLS))
    found = open_collection(path)
    assert (found.text, found.label, len(found)) == ("text", "label", 4)
    assert open_collection(path, text="label").text == "label"
    with pytest.raises(DataError, match="has no column 'words': it has “text”, “label”"):
        open_collection(path, text="words")
    with pytest.raises(DataError, match="cannot be read: No such file"):
        open_collection(tmp_path / "none.csv")


def test_nothing_of_a_file_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    read_table(csv_of(CELLS), "t.csv")
    assert not list(tmp_path.iterdir())
