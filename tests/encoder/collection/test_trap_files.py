"""Files as spreadsheets, pandas, the hub and label tools write them: read right, said, or refused."""

import io
import json
import math
import re
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from encoder.collection.files import Bounds, read_pasted, read_table
from encoder.collection.table import Collection, HowRead, guessed
from encoder.errors import DataError

A, B = "A lovely, warm film.", 'He said "no".\nThen left.'
QUOTED = 'text,label\n"A lovely, warm film.",pos\n"He said ""no"".\nThen left.",neg\n'
ROWS = ([A, B], ["pos", "neg"])


def workbook(*sheets: Sequence[Sequence[Any]], names: Sequence[str] = ("one", "two")) -> bytes:
    book, file = openpyxl.Workbook(write_only=True), io.BytesIO()
    for name, rows in zip(names, sheets, strict=False):
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(file)
    return file.getvalue()


def hidden(data: bytes, *, sheet: bool = False, rows: Sequence[int] = (), columns: str = "") -> bytes:
    """A workbook of whose first sheet rows and columns, or all of it, are hidden."""
    book, file = openpyxl.load_workbook(io.BytesIO(data)), io.BytesIO()
    first = book.worksheets[0]
    for row in rows:
        first.row_dimensions[row].hidden = True
    for column in columns:
        first.column_dimensions[column].hidden = True
    if sheet:
        first.sheet_state, book.active = "hidden", 1
    book.save(file)
    return file.getvalue()


def merged(data: bytes, cells: str) -> bytes:
    book, file = openpyxl.load_workbook(io.BytesIO(data)), io.BytesIO()
    book.worksheets[0].merge_cells(cells)
    book.save(file)
    return file.getvalue()


def zipped(**files: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in files.items():
            archive.writestr(name.replace("_", "."), data)
    return file.getvalue()


def parquet(columns: Mapping[str, Any], metadata: Mapping[str, str] | None = None) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns).replace_schema_metadata(metadata), file)
    return file.getvalue()


def feather(columns: Mapping[str, Any]) -> bytes:
    file = io.BytesIO()
    pyarrow.feather.write_feather(pa.table(columns), file, compression="uncompressed")
    return file.getvalue()


def stream(columns: Mapping[str, Any]) -> bytes:
    table, file = pa.table(columns), io.BytesIO()
    with pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)
    return file.getvalue()


def twice() -> bytes:
    table, file = pa.table([["a"], ["b"]], names=["text", "text"]), io.BytesIO()
    with pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)
    return file.getvalue()


def features(**columns: Any) -> dict[str, str]:
    return {"huggingface": json.dumps({"info": {"features": columns}})}


CLASSES = {"names": ["bad", "good"], "_type": "ClassLabel"}
SQUAD = {
    "data": [{"paragraphs": [{"context": "c", "qas": [{"question": "q", "answers": [{"text": "a"}, {"text": "b"}]}]}]}]
}
STUDIO = [{"data": {"text": A}, "annotations": [{"result": [{"value": {"choices": ["pos"]}}]}]}]


CONLLU = (
    "".join(
        "\t".join([number, word, "_", tag, *["_"] * 6]) + "\n"
        for number, word, tag in (("1-2", "Du", "_"), ("1", "De", "ADP"), ("2", "le", "DET"), ("3", "bon", "NOUN"))
    ).encode()
    + b"\n"
)


def with_errors(data: bytes, *cells: str) -> bytes:
    book, file = openpyxl.load_workbook(io.BytesIO(data)), io.BytesIO()
    for cell in cells:
        book.worksheets[0][cell].data_type = "e"
    book.save(file)
    return file.getvalue()


def read(name: str, data: bytes) -> Collection:
    found = read_table(data, name)
    return guessed(name, found.table, remarks=found.remarks)


@pytest.mark.parametrize(
    ("name", "data", "texts", "labels", "said"),
    [
        ("comma.csv", QUOTED.encode(), *ROWS, ""),
        ("semicolon.csv", QUOTED.replace(",label", ";label").replace('",', '";').encode(), *ROWS, ""),
        ("excel.csv", ("sep=;\r\n" + QUOTED.replace(",label", ";label").replace('",', '";')).encode(), *ROWS, ""),
        ("pipe.csv", b"text|label\na, b|x\nc, d|y\n", ["a, b", "c, d"], ["x", "y"], ""),
        ("decimal.csv", b"text;score\na, b;3,5\nc;1,0\n", ["a, b", "c"], ["3.5", "1.0"],
         "commas in “score” are read as"),
        ("quoted-bom.csv", b'\xef\xbb\xbf"text","label"\n"a, b",x\n', ["a, b"], ["x"], ""),
        ("windows.csv", "text,label\ncafé “x”,1\nplain,0\n".encode("cp1252"), ["café “x”", "plain"], ["1", "0"],
         "“café “x”,1”"),
        ("stray.csv", "text,label\nétudes,1\nà côté,0\n".encode() + b"na\xefve,1\n", ["études", "à côté",
         "na\ufffdve"], ["1", "0", "1"], "1 character that is not UTF-8"),
        ("mixed.csv", b"text,label\r\nA,b\nC,d\r\n\nE,f\r", ["A", "C", "E"], ["b", "d", "f"], ""),
        ("cr-in-cell.csv", b"text,label\na\rb,x\nc,y\n", ["a\rb", "c"], ["x", "y"], ""),
        ("backslash.csv", b'text,label\n"He said \\"no\\", then left",neg\n"ok, fine",pos\n',
         ['He said "no", then left', "ok, fine"], ["neg", "pos"], ""),
        ("backslash-in-text.csv", b'text,label\nC:\\new,a\n"x, y",b\n', ["C:\\new", "x, y"], ["a", "b"], ""),
        ("single.csv", b"text,label\n'A, warm film',pos\n'Dull, long',neg\n", ["A, warm film", "Dull, long"], ["pos",
         "neg"], ""),
        ("spaced.csv", b'text, label\n"a, b", x\nc, "y"\n', ["a, b", "c"], ["x", "y"], ""),
        ("comment.csv", b"# exported, 2024\n\ntext,label\na,x\nb,y\n", ["a", "b"], ["x", "y"], "1 line above"),
        ("title.csv", b"Report of tickets\ntext,label\na,x\nb,y\n", ["a", "b"], ["x", "y"], "“Report of tickets”"),
        ("wide-title.csv", b"Report,,\n,,\ntext,label,id\na,x,1\nb,y,2\n", ["a", "b"], ["x", "y"], "2 lines above"),
        ("broken-name.csv", b'"te\nxt",label\na,x\nb,y\n', ["a", "b"], ["x", "y"], ""),
        ("no-header.csv", b'"A lovely, warm film.",pos\nDull.,neg\nFine.,pos\n', ["A lovely, warm film.", "Dull.",
         "Fine."], None, "No line names the columns"),
        ("numbered.csv", b"1,a film\n2,a play\n", ["a film", "a play"], None, "No line names"),
        ("one.csv", b'message\n"A lovely, warm film."\n"He said no.\nThen left."\n', [A, "He said no.\nThen left."],
         None, ""),
        ("other.csv", b"complaint\nThe room was far too cold\nNobody answered the bell\n",
         ["The room was far too cold", "Nobody answered the bell"], None, "as the names"),
        ("list.csv", b"one, two\nthree\n", ["one, two", "three"], None, ""),
        ("trailing.csv", b"text,label\na,x,\nb,y,,\n", ["a", "b"], ["x", "y"], ""),
        ("pandas.tsv", QUOTED.replace(",label", "\tlabel").replace('",', '"\t').encode(), *ROWS, ""),
        ("raw.tsv", b'text\tlabel\n"So it goes\tx\nhe said "no" to me\ty\n"Fine\tz\n', ['"So it goes',
         'he said "no" to me', '"Fine'], ["x", "y", "z"], ""),
        ("commas.txt", b"one, text\nanother text\na third, text, of three\n", ["one, text", "another text",
         "a third, text, of three"], None, ""),
        ("table.txt", b"text\tlabel\na\tx\nb\ty\n", ["a", "b"], ["x", "y"], ""),
        ("lines.txt", "first\u2028still\x85x\x0cy\r\nsecond\n".encode(), ["first\u2028still\x85x\x0cy", "second"],
         None, ""),
        ("ner.conll", b"-DOCSTART- -X- O\n\nEU NNP B-ORG\nrejects VBZ O\n\nPeter NNP B-PER\n", ["EU rejects",
         "Peter"], ["B-ORG O", "B-PER"], ""),
        ("ud.conllu", b"# text = Hi all\n1\tHi\thi\tINTJ\t_\t_\t0\tx\t_\t_\n2\tall\tall\tDET\t_\t_\t1\tx\t_\t_\n\n",
         ["Hi all"], ["INTJ DET"], ""),
        ("joined.csv", b"text,label\na,x\ntext,label\nb,y\n", ["a", "b"], ["x", "y"], "1 row that repeat"),
        ("marks.csv", b"\xef\xbb\xbftext,label\na,x\n\xef\xbb\xbftext,label\nb,y\n", ["a", "b"], ["x", "y"],
         "1 row that repeat"),
        ("mark.csv", b"\xef\xbb\xbftext,label\n\xe9tude,x\n", ["étude"], ["x"], "read as Windows-1252"),
        ("a.zip", zipped(a_csv=QUOTED.encode(), readme_md=b"x"), *ROWS, ""),
        ("lines.ndjson", b'{"text": "a", "label": 1}\n\n{"text": "b\xc2\x85c"}\n', ["a", "b\x85c"], ["1", ""], ""),
        ("array.json", b' [{"text": "a", "label": true},\n {"text": "b", "label": null}] ', ["a", "b"], ["true", ""],
         ""),
        ("texts.json", b'["a", "b"]', ["a", "b"], None, ""),
        ("columns.json", b'{"text": {"0": "a", "1": "b"}, "label": {"0": 1, "1": 0}}', ["a", "b"], ["1", "0"], ""),
        ("index.json", b'{"0": {"text": "a", "label": 1}, "1": {"text": "b", "label": 0}}', ["a", "b"], ["1", "0"], ""),
        ("split.json", b'{"columns": ["text", "label"], "index": [0], "data": [["a", 1]]}', ["a"], ["1"], ""),
        ("twice.json", b'{"columns": ["text", "text"], "data": [["a", "b"]]}', ["a"], None, ""),
        ("path.json", b'[{"text.a": "a", "text": {"a": "b"}, "label": 1}]', ["a"], ["1"], ""),
        ("hub.json", b'{"features": [{"name": "text"}], "rows": [{"row_idx": 0, "row": {"text": "a", "label": 1}}]}',
         ["a"], ["1"], "not “features”"),
        ("squad.json", json.dumps(SQUAD).encode(), [("q", "c")], ['["a","b"]'], ""),
        ("studio.json", json.dumps(STUDIO).encode(), [A], ["pos"], ""),
        ("doccano.jsonl", b'{"text": "EU rejects it.", "label": [[0, 2, "ORG"]]}\n{"text": "No.", "label": []}\n'
         b'{"text": "Rejects", "label": [[2, 4, "ORG"]]}', ["EU rejects it.", "No.", "Rejects"], ["B-ORG O O O", "O O",
         ""], "“label” are read as a tag of each word, as in BIO. Rows with a span that cuts a word, or overlaps"),
        ("spans.jsonl", b'{"text": "New York won", "spans": [{"start": 0, "end": 9, "label": "A PLACE"}]}',
         ["New York won"], ["B-A_PLACE I-A_PLACE O"], "a tag of each word"),
        ("studio-spans.json", json.dumps([{"data": {"text": "New York won"}, "annotations": [{"result": [{"value":
         {"start": 4, "end": 8, "text": "York", "labels": ["LOC"]}}]}]}]).encode(), ["New York won"], ["O B-LOC O"],
         "a tag of each word"),
        ("emotions.csv", b"text,id,joy,anger,fear\na,7,1,0,0\nb,8,0.0,1.0,1\nc,9,0,0,0\n", ["a", "b", "c"],
         ["joy", '["anger", "fear"]', "none"], "“joy”, “anger” and 1 more, are read as labels: “labels”"),
        ("jigsaw.csv", b"id,comment_text,toxic,severe_toxic,obscene\n1,a,1,0,1\n2,b,0,0,0\n", ["a", "b"],
         ['["toxic", "obscene"]', "none"], "columns of 0 and 1"),
        ("unsure.csv", b"text,joy,anger,fear\na,1,0,0\nb,,1,0\nc,0,0,1\n", ["a", "b", "c"], ["joy", "", "fear"],
         "“joy”, “anger” and 1 more, are read as labels: “labels”. Rows with a blank there, which have no label: 1."),
        ("sparse.csv", b"text,joy,anger,fear\na,1,,\nb,,1,1\nc,,,\n", ["a", "b", "c"], ["joy", '["anger", "fear"]',
         "none"], "are read as labels: “labels”. Blanks there are read as 0."),
        ("two.csv", b"text,up,down\na,1,0\nb,0,1\nc,,\n", ["a", "b", "c"], ["up", "down", ""],
         "“up”, “down”, are read as labels"),
        ("rude.csv", b"text,rude,spam\na,1,1\nb,0,0\nc,1,0\nd,0,1\n", ["a", "b", "c", "d"], None,
         "one of which may be it: “rude”, “spam”. “rude”, “spam” hold 0 and 1, but not one 1 in each row, so they are"),
        ("flags.csv", b"text,label,a,b,c\na,x,1,0,1\nb,y,0,0,0\n", ["a", "b"], ["x", "y"], ""),
        ("task.json", json.dumps(STUDIO[0] | {"predictions": [{"score": 1}]}).encode(), [A], ["pos"], ""),
        ("named.json", b'{"version": 2, "data": [{"text": "a"}], "by": "us"}', ["a"], None,
         "Only “data” of the document is read, and not “version”, “by”."),
        ("deep.jsonl", b'{"doc": {"by": 1, "body": {"text": "a b", "lang": "en"}}, "label": "x"}', ["a b"], ["x"], ""),
        ("half.jsonl", b'{"text": "a \\ud800"}\n', ["a ?"], None, "1 cell with half a character"),
        ("goemotions.jsonl", b'{"text": "a", "labels": [27]}\n{"text": "b", "labels": [2, 3]}\n', ["a", "b"],
         ["[27]", "[2,3]"], ""),
        ("squad.parquet", parquet({"question": ["q"], "context": ["c"], "answers": [{"text": ["a"], "answer_start":
         [3]}]}), [("q", "c")], ['{"text":["a"],"answer_start":[3]}'], ""),
        ("tokens.parquet", parquet({"tokens": [["EU", "rejects", "."]], "ner_tags": [[1, 0, 0]]}), ["EU rejects ."],
         ["[1,0,0]"], "lists of words"),
        ("bytes.parquet", parquet({"text": ["café".encode()], "label": ["x"]}), ["café"], ["x"], ""),
        ("images.parquet", parquet({"text": ["a", "b"], "image": [{"bytes": b"\xff\xd8", "path": "x"}, None]}),
         ["a", "b"], None, "1 cell of binary data that is not UTF-8 left empty"),
        ("struct.parquet", parquet({"translation": [{"en": "a film", "fr": "un film long"}]}), ["un film long"],
         None, ""),
        ("classes.parquet", parquet({"text": ["a", "b", "c"], "label": [1, 0, -1]}, features(label=CLASSES)), ["a",
         "b", "c"], ["good", "bad", ""], "names that the file has for them: bad, good"),
        ("tags.parquet", parquet({"tokens": [["a", "b"]], "ner_tags": [[1, 0]]},
         features(ner_tags={"feature": CLASSES})), ["a b"], ['["good","bad"]'], "bad, good"),
        ("record.parquet", parquet({"text": ["a"], "gold": [{"label": 1, "by": "x"}]},
         features(gold={"label": CLASSES, "by": {"dtype": "string"}})), ["a"], ["good"], "“gold.label” are read by"),
        ("factor.parquet", parquet({"text": pa.array(["a", "b", "a"]).dictionary_encode(), "label":
         [1.0, 2.0, None]}), ["a", "b", "a"], ["1", "2", ""], ""),
        ("a.feather", feather({"text": ["a"], "label": [True]}), ["a"], ["true"], ""),
        ("a.arrow", stream({"text": ["a"], "label": [1]}), ["a"], ["1"], ""),
        ("a.xlsx", workbook([["text", "label"], ["a, b", 1], [None, None], ["c\nd", 0.5]]), ["a, b", "c\nd"], ["1",
         "0.5"], ""),
        ("b.xlsx", workbook([["Report"], [], ["text", "label"], ["a", "x"]], [["other"]]), ["a"], ["x"],
         "The sheet “one” is read, and not “two”"),
        ("hidden.xlsx", hidden(workbook([["code"], ["x"]], [["text", "label"], ["a", '="pos"']]), sheet=True), ["a"],
         [""], "1 cell with a formula and no result left empty: save the file in Excel first. The sheet “two” is read"),
        ("filtered.xlsx", hidden(workbook([[], ["text", "by", "label"], ["a", "me", "x"], [], ["b", "me", "y"]]),
         rows=[3, 4, 5, 9], columns="BD"), ["a", "b"], ["x", "y"],
         "Rows that the sheet hides, and that are read as well: 2. Columns that the sheet hides, and that are read as "
         "well: “by”."),
        ("merged.xlsx", merged(workbook([["text", "label"], ["a_x000D_\nb", "x"], ["c", None], ["text", "label"]]),
         "B2:B3"), ["a\r\nb", "c"], ["x", ""],
         "Ranges of merged cells, of which only the first cell has a value: 1. 1 row that repeat the names"),
        ("errors.xlsx", with_errors(workbook([["text", "label"], ["a", "x"], ["#N/A", "y"], ["its #N/A", "y"]]), "A3"),
         ["a", "its #N/A"], ["x", "y"], "1 cell with an error, such as #N/A, left empty."),
        ("late.tsv", "\n".join(["text\tlabel", *["a\tx"] * 2_100, '"b\ty', *["a\tx"] * 9, 'c"\ty']).encode(),
         [*["a"] * 2_100, '"b', *["a"] * 9, 'c"'], [*["x"] * 2_100, "y", *["x"] * 9, "y"], ""),
        ("path.csv", b'text,label\n"He said \\"no\\" in C:\\new",neg\n', ['He said "no" in C:\\new'], ["neg"], ""),
        ("turns.jsonl", b'{"dialog": ["How are you?", "I am fine."], "label": "x"}', ["How are you? I am fine."], ["x"],
         "The lists of texts in “dialog” are read with spaces between."),
        ("columns.json", b'{"text": ["a b", "c"], "label": [1, 0], "by": "me"}', ["a b", "c"], ["1", "0"],
         "Read for every row, as they stand once: “by”."),
        ("column.json", b'{"text": ["a b", "c"]}', ["a b", "c"], None, ""),
        ("pipeline.jsonl", json.dumps({"text": "Peter visits Berlin.", "label": [{"entity": "B-PER", "begin": 0, "end":
         5}, {"entity": "B-LOC", "begin": 13, "end": 19}]}).encode(), ["Peter visits Berlin."], ["B-PER O B-LOC O"],
         "a tag of each word"),
        ("prodigy.jsonl", b'{"text": "a", "label": "x", "answer": "reject"}\n{"text": "b", "label": "x", "answer": '
         b'"accept"}\n{"text": "c", "accept": ["y"], "options": [], "answer": "accept"}', ["b", "c"], ["x", "y"],
         "Rows left out, whose “answer” is “reject” or “ignore”: 1."),
        ("cancelled.json", json.dumps([STUDIO[0] | {"annotations": [STUDIO[0]["annotations"][0], {"was_cancelled": True,
         "result": [{"value": {"choices": ["neg"]}}]}]}]).encode(), [A], ["pos"], ""),
        ("words.conllu", CONLLU, ["De le bon"], ["ADP DET NOUN"], ""),
        ("lists.parquet", parquet({"tokens": [["a", "b"]], "ner_tags": pa.array([[1, 0]], pa.list_(pa.int64(), 2))},
         features(ner_tags={"feature": CLASSES})), ["a b"], ['["good","bad"]'], "bad, good"),
        ("scores.parquet", parquet({"text": ["a", "b"], "score": [0.5, math.nan]}), ["a", "b"], ["0.5", ""], ""),
        ("no-ending.csv", parquet({"text": ["a"]}), ["a"], None, ""),
    ],
)  # fmt: skip
def test_file_is_read_as_its_program_meant_it(
    name: str, data: bytes, texts: list[Any], labels: list[str] | None, said: str
) -> None:
    found = read(name, data)
    assert (found.texts(), found.labels()) == (texts, labels)
    assert said in " ".join(found.remarks)
    assert bool(said) == bool(found.remarks)


FILMS = ["Ein Film über zwei Brüder", "Nichts davon bleibt hängen", "Sehr schön gespielt", "Viel zu lang"]


@pytest.mark.parametrize(
    ("columns", "text", "label", "few"),
    [
        ("Kommentar, Kanal, Bewertung", "Kommentar", "Bewertung", ""),
        ("id, avis, Meldung", "Meldung", None, "“avis”"),
        ("Texte, Étiquette", "Texte", "Étiquette", ""),
        ("texto, e\u0301tiquette", "texto", "e\u0301tiquette", ""),
        ("comentario, clase", "comentario", "clase", ""),
        ("レビュー, ラベル", "レビュー", "ラベル", ""),
        ("отзыв, оценка", "отзыв", "оценка", ""),
        ("Meldung, Kanal, Region", "Meldung", None, "“Kanal”, “Region”"),
        ("Meldung, lang", "Meldung", None, ""),
        ("note, Kanal", "note", None, "“Kanal”"),
    ],
)
def test_columns_in_other_languages_are_guessed_by_their_values(
    columns: str, text: str, label: str | None, few: str
) -> None:
    cells = {name: ["gut", "gut", "mau", "mau"] for name in columns.split(", ")} | {text: FILMS}
    found = read("t.parquet", parquet(cells | ({"id": list("1234")} if "id" in cells else {})))
    assert (found.text, found.label) == (text, label)
    said = f"No column has a usual name of labels. Those with few values, one of which may be it: {few}."
    assert found.remarks == ((said,) if few else ())


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("t.csv", b'text,label\n"a,b\n', "line 2: quotes are opened and never closed"),
        ("t.csv", b'text,label\n"a"b,c\n', "line 2: quotes end within a cell"),
        ("t.csv", b"text,label\nA film,x\nDull, long,y\n",
         "line 3: 3 cells, and the table has 2 columns. A cell with a comma"),
        ("t.tsv", b"text\tlabel\nA\tx\nb\nc\ty\n", "line 3: 1 cell, .* Is there a line break"),
        ("t.csv", "text,label\nОтличный фильм,1\n".encode("cp1251"),
         "is not in Windows-1252 .* name its encoding, such as cp1251"),
        ("t.csv", "text,label\nすばらしい,1\n".encode("shift_jis"), "name its encoding"),
        ("t.zip", zipped(a_csv=b"x", b_csv=b"y"), r"has 2: a\.csv, b\.csv"),
        ("t.zip", b"PK\x03\x04 no", "the archive is damaged"),
        ("t.xlsx", zipped(a_csv=b"x"), "no Excel workbook, or is damaged"),
        ("t.xlsx", b"\xd0\xcf\x11\xe0", "no Excel workbook"),
        ("t.xls", b"\xd0\xcf\x11\xe0", r"Save it as \.xlsx"),
        ("t.json", b'[{"text": "a"}', "cannot be read as a JSON object"),
        ("t.json", b'{"text": "a"}\n[1, 2]', "line 2: this cannot be read as a JSON object"),
        ("t.json", b'{"train": [{"text": "a"}], "test": [{"text": "b"}]}', "several tables: train, test"),
        ("t.json", b'{"columns": ["text"], "data": [["a", "b"]]}', "a row of “data” has not 1 cells"),
        ("t.json", b"[1, 2]", "cannot be read as a JSON object"),
        ("t.json", b"{}", "has no rows"),
        ("t.arrow", b"ARROW1 no", "not an Arrow file"),
        ("t.arrow", twice(), "two columns called 'text'"),
        ("uneven.json", b'{"text": ["a b", "c"], "label": [1]}', "other numbers of cells: 2 in “text”, 1 in “label”"),
        ("commas.csv", b"text\n" + b"Well, a\n" * 9, "line 1: it names one column, and most rows have 2 cells"),
    ],
)  # fmt: skip
def test_file_that_says_two_things_is_refused(name: str, data: bytes, said: str) -> None:
    with pytest.raises(DataError, match=said):
        read_table(data, name)


@pytest.mark.parametrize(
    ("name", "data", "rows", "said"),
    [
        ("t.csv", b"text,label\n" + b"a" * 11 + b",b\n", 1, r"1 cell of more than 10 characters cut there \(row 1\)"),
        ("t.csv", b"text,label\n" + b"a,b\n" * 5, 3, "has 5 rows: the first 3 are read"),
        ("t.csv", b"text\n" + b"a b c\n" * 50, 3, "more than 30 rows"),
        ("t.parquet", parquet({"text": ["a"] * 5}), 3, "first 3 of 5 rows"),
        ("t.parquet", parquet({"text": ["a", "b" * 11]}), 2, r"1 cell .* \(row 2\)"),
        ("t.parquet", parquet({"a": ["b" * 900] * 3, "text": ["a" * 900] * 3}), 3, "6 cells"),
        ("t.jsonl", b'{"text": "a"}\n' * 4, 3, "has 4 rows"),
        ("t.xlsx", workbook([["text"], *[["a"]] * 4]), 3, "has 4 rows"),
    ],
)
def test_of_what_is_too_much_the_beginning_is_read(name: str, data: bytes, rows: int, said: str) -> None:
    bounds = Bounds(rows=3, columns=3, cell=10, nbytes=20_000)
    found = read_table(data, name, bounds=bounds)
    assert found.table.num_rows == rows
    assert max(len(cell) for cell in found.table.column("text").to_pylist()) <= 10
    assert re.search(said, " ".join(found.remarks))


def test_users_say_how_a_file_is_read() -> None:
    russian = "text;label\nОтличный фильм;1\n".encode("cp1251")
    found = read_table(russian, "t.csv", how=HowRead(encoding="cp1251"))
    assert found.table.column("text").to_pylist() == ["Отличный фильм"]
    found = read_table(b"a,b\nc,d\n", "t.csv", how=HowRead(header=False, delimiter=","))
    assert found.table.to_pydict() == {"column 1": ["a", "c"], "column 2": ["b", "d"]}
    assert read_table(b"a. b\nc\n", "t.csv", how=HowRead(header=True)).table.column_names == ["a. b"]
    with pytest.raises(DataError, match="no encoding 'latin-47'"):
        read_table(b"\xff", "t.csv", how=HowRead(encoding="latin-47"))


@pytest.mark.parametrize(
    ("pasted", "columns"),
    [
        ("one, two\nthree\n", {"text": ["one, two", "three"]}),
        ('text,label\n"A, b",x', {"text": ["A, b"], "label": ["x"]}),
        ('text\tlabel\n"two\nlines"\tx', {"text": ["two\nlines"], "label": ["x"]}),
        ("first\u2028still first\nsecond", {"text": ["first\u2028still first", "second"]}),
        ('{"text": "a"}\n{"text": "b"}', {"text": ["a", "b"]}),
        ("[sic] one\n[two]", {"text": ["[sic] one", "[two]"]}),
    ],
)
def test_pasted_cells_are_a_table_and_pasted_lines_are_texts(pasted: str, columns: dict[str, list[str]]) -> None:
    assert read_pasted(pasted).table.to_pydict() == columns
