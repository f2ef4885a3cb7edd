"""Readers of corpora: what they read, and what they name and skip."""

import gzip
import json
from pathlib import Path

import pytest

from encoder.atlas.build.corpus import LONGEST, ROOT, Sentence, Skipped, paired, read_corpus
from encoder.errors import DataError

CONLLU = """# newdoc id = arrows
# sent_id = arrows-1
1\tTime\ttime\tNOUN\t_\t_\t2\tnsubj\t_\t_
2\tflies\tfly\tVERB\t_\t_\t0\troot\t_\t_

# sent_id = arrows-2
1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tdo\tdo\tAUX\t_\t_\t3\taux:pass\t_\t_
2\tn't\tnot\tPART\t_\t_\t3\tadvmod\t_\t_
3\tfly\tfly\tVERB\t_\t_\t0\troot\t_\t_
3.1\tfly\tfly\tVERB\t_\t_\t_\t_\t_\t_
"""
OBJECT = {"sent_id": "doc-0001", "words": ["Time", "flies"], "upos": ["NOUN", "VERB"]}
TREE = {"head": [2, 0], "deprel": ["nsubj:outer", "root"]}


def read(path: Path, content: str | bytes) -> list[Sentence | Skipped]:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(read_corpus(path))


def read_one(path: Path, content: str | bytes) -> Sentence:
    (sentence,) = read(path, content)
    assert isinstance(sentence, Sentence), sentence
    return sentence


def test_conllu_is_read_without_ranges_and_empty_nodes(tmp_path: Path) -> None:
    first, second = read(tmp_path / "a.conllu", CONLLU)
    assert (first.name, first.document, first.words, first.tags) == (
        "arrows-1",
        "arrows",
        ("Time", "flies"),
        ("NOUN", "VERB"),
    )
    assert second.words == ("do", "n't", "fly")
    assert second.tree.heads == (2, 2, ROOT)
    assert second.tree.relations == ("aux:pass", "advmod", "root")
    assert second.where == "a.conllu:6"


def test_json_lines_give_the_same_plain_or_zipped(tmp_path: Path) -> None:
    line = json.dumps(OBJECT | TREE)
    plain = read_one(tmp_path / "a.jsonl", line)
    zipped = read_one(tmp_path / "a.jsonl.gz", gzip.compress(line.encode()))
    assert (plain.words, plain.tree, plain.document) == (zipped.words, zipped.tree, zipped.document)
    assert plain.document == "doc"
    assert plain.tree.heads == (1, ROOT)
    assert plain.tree.relations == ("nsubj:outer", "root")


def test_plain_text_keeps_contractions_and_parts_marks(tmp_path: Path) -> None:
    sentence = read_one(tmp_path / "a.txt", "Flies don't like arrows, do they?\n")
    assert sentence.words == ("Flies", "don't", "like", "arrows", ",", "do", "they", "?")
    assert sentence.tree is None


@pytest.mark.parametrize(
    ("name", "line", "reason"),
    [
        ("a.txt", b"", "the line is empty"),
        ("a.txt", b"caf\xe9", "byte 3 is not UTF-8"),
        ("a.txt", b"word " * 10_000, "more than 60 words"),
        ("a.txt", b"x" * (2 * LONGEST), "the line is longer than 1,048,576 bytes"),
        ("a.jsonl", b"{", "this is not a JSON object"),
        ("a.jsonl", b"[" * 100_000, "this is not a JSON object"),
        ("a.jsonl", b'"text"', "this is not a JSON object with a list 'words'"),
        ("a.jsonl", b'{"words": []}', "there are no words"),
        ("a.jsonl", b'{"words": ["a", 3]}', "'3' is not a word"),
        ("a.jsonl", b'{"words": ["\\ud800"]}', r"'\ud800' is not a word"),
        (
            "a.jsonl",
            b'{"words": ["a"], "head": [1], "deprel": ["x"]}',
            "the head of word 1 is '1', which is not another",
        ),
        ("a.jsonl", b'{"words": ["a"], "head": [true], "deprel": ["x"]}', "the head of word 1 is 'True'"),
        ("a.jsonl", b'{"words": ["a"], "head": [0, 0], "deprel": ["x"]}', "1 words have 2 heads and 1 relations"),
        ("a.jsonl", b'{"words": ["a"], "upos": ["X", "X"]}', "'upos' is not a list of 1 tags"),
    ],
)
def test_a_line_that_is_no_sentence_is_named_and_the_next_is_read(
    tmp_path: Path, name: str, line: bytes, reason: str
) -> None:
    good = b'{"words": ["fine"]}' if name.endswith("jsonl") else b"fine"
    skipped, sentence = read(tmp_path / name, line + b"\n" + good + b"\n")
    assert skipped.where == f"{name}:1"
    assert skipped.reason.startswith(reason)
    assert sentence.words == ("fine",)
    assert sentence.where == f"{name}:2"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("2\tflies", "7\tflies", "line 4: word '7' follows word 1"),
        ("2\tnsubj", "9\tnsubj", "the head of word 1 is '9', which is not another word"),
        ("\tnsubj\t_\t_", "", "line 3: 7 columns, not 10"),
    ],
)
def test_a_faulty_block_of_conllu_is_skipped_as_a_whole(tmp_path: Path, old: str, new: str, reason: str) -> None:
    skipped, second = read(tmp_path / "a.conllu", CONLLU.replace(old, new, 1))
    assert skipped == Skipped("a.conllu:1", reason)
    assert isinstance(second, Sentence)


def test_a_missing_and_a_truncated_file_end_the_run_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="There is no file"):
        list(read_corpus(tmp_path / "none.txt"))
    with pytest.raises(DataError, match="truncated or damaged"):
        read(tmp_path / "a.txt.gz", gzip.compress(b"some text\n" * 99)[:-12])


def test_neighbours_of_a_document_are_paired_and_their_trees_moved(tmp_path: Path) -> None:
    row = json.dumps(OBJECT | TREE)
    other = json.dumps(OBJECT | TREE | {"sent_id": "else-1"})
    (tmp_path / "a.jsonl").write_text("\n".join((other, row, row)), encoding="utf-8")
    (pair,) = paired(read_corpus(tmp_path / "a.jsonl"))
    assert (pair.words, pair.b_start) == (("Time", "flies", "Time", "flies"), 2)
    assert pair.tree.heads == (1, ROOT, 3, ROOT)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.jsonl", '{"words": ["go"]}'),
        ("a.conllu", "\t".join(("1", "go", *"_" * 8))),
        ("a.txt", "go"),
    ],
)
def test_a_byte_order_mark_is_no_part_of_the_first_line(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8-sig")
    (found,) = read_corpus(path)
    assert found.words == ("go",)


CSV = 'id,text,label\n1,"Time flies, like\nan arrow.",good\n2,It ""flies"".,bad\n\n3,short\n4,,good\n'


def test_a_column_of_a_table_is_read_and_the_others_are_not(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(CSV, encoding="utf-8")
    first, second, short, empty = read_corpus(path, column="text")
    assert (first.where, first.words) == ("a.csv:3", ("Time", "flies", ",", "like", "an", "arrow", "."))
    assert "good" not in first.words
    assert second.document == "a.csv, lines 1 onwards"
    assert short == Skipped("a.csv:6", "2 cells, not 3")
    assert empty == Skipped("a.csv:7", "there are no words")


def test_tabs_separate_cells_and_quotes_are_characters(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv.gz"
    path.write_bytes(gzip.compress(b'\xef\xbb\xbflabel\tsentence\ngood\t"Time flies\nbad\tlike an arrow\n'))
    first, second = read_corpus(path, column="sentence")
    assert (first.words, second.words) == (('"', "Time", "flies"), ("like", "an", "arrow"))


def test_a_field_of_json_lines_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "Time flies.", "label": 1}\n{"text": 3}\nnothing\n', encoding="utf-8")
    first, *rest = read_corpus(path, column="text")
    assert first.words == ("Time", "flies", ".")
    assert rest == [
        Skipped("a.jsonl:2", "this is not a JSON object with a text 'text'"),
        Skipped("a.jsonl:3", "this is not a JSON object"),
    ]


@pytest.mark.parametrize(
    ("name", "content", "column", "message"),
    [
        ("a.csv", CSV, None, "a.csv is a table with the columns id, text, label: which column holds the sentences?"),
        ("a.csv", CSV, "words", "columns id, text, label: none is called 'words'. Name it with --column."),
        ("a.CSV", "one sentence\n", None, "a.CSV is a table with the columns one sentence: which"),
        ("a.tsv", "x\ty\n", None, "a.tsv is a table with the columns x, y: which column"),
        ("a.json", '[{"text": "a"}]', None, "a.json is not read as a corpus: save its sentences as .csv"),
        ("a.csv", "", "text", "a.csv is a table with the columns none: none is called 'text'."),
        ("a.jsonl", '{"text": "a", "id": 1}', None, "a.jsonl is a table with the columns text, id: which column"),
        ("a.jsonl", '{"words": ["a"]}', "text", "a.jsonl is a table with the columns words: none is called 'text'."),
        ("a.csv", b"text\nna\xefve\n", "text", "a.csv, line 2: byte 2 is not UTF-8."),
        ("a.csv", "text\n" + "x" * 200_000, "text", "a.csv, line 2: this is no table (field larger than"),
    ],
)
def test_a_table_is_never_read_as_prose(
    name: str, content: str | bytes, column: str | None, message: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataError) as raised:
        list(read_corpus(path, column=column))
    assert message in str(raised.value)
