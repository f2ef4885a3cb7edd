"""Sentences of a corpus: from CoNLL-U, JSON lines like EWT's, plain text, or a column of a table.

Plain text has one sentence per line, a table (.csv, .tsv, or .jsonl with texts) one per row.

Malformed lines are skipped: a reader yields a `Skipped` with the line and the reason, and continues.
"""

from __future__ import annotations

import csv
import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from encoder.errors import DataError
from encoder.text.rows import numbered_lines

ROOT = -1  # the head of a word without a head
MOST_WORDS = 60
BLOCK = 100  # lines that count as one document, in files without documents
LONGEST = 1 << 20  # bytes of a line that are kept in memory
# A word with its contractions ("don't"), or one punctuation mark.
WORD = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
NUMBER_AT_END = re.compile(r"-?\d+$")
SURROGATE = re.compile("[\ud800-\udfff]")


class _Tabs(csv.excel_tab):
    """Cells between tabs, in which quotes are characters as any other."""

    quoting = csv.QUOTE_NONE


TABLES: dict[str, type[csv.Dialect]] = {".csv": csv.excel, ".tsv": _Tabs}
OTHER_TABLES = (".tab", ".json", ".ndjson", ".parquet", ".arrow", ".feather", ".xlsx", ".zip")  # which are no prose
MOST_COLUMNS = 12  # that an error lists

# CoNLL-U: a word a line, a blank line after every sentence (https://universaldependencies.org/format.html).
COLUMNS = 10
NO_WORD = re.compile(r"\d+[-.]\d+")  # a multiword token or an empty node
COMMENT = re.compile(r"#\s*(sent_id|newdoc id)\s*=\s*(.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A dependency tree: for each of N words the index of its head (ROOT = none) and its relation to it."""

    heads: tuple[int, ...]
    relations: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence as a list of N words, or two neighbours that are read together."""

    where: str  # file and line, counted from 1
    name: str  # its id; `where` in a corpus without ids
    document: str
    words: tuple[str, ...]
    tags: tuple[str, ...] | None = None  # universal parts of speech
    tree: Tree | None = None
    b_start: int | None = None  # index of the second sentence's first word


@dataclass(frozen=True, slots=True)
class Skipped:
    """A line or sentence that was skipped, and why."""

    where: str
    reason: str


Read = Sentence | Skipped


class Line(NamedTuple):
    """A line without its end."""

    number: int  # counted from 1
    text: str  # empty if the line cannot be read
    fault: str = ""  # why it cannot be read


def read_corpus(path: Path, *, most_words: int = MOST_WORDS, column: str | None = None) -> Iterator[Read]:
    """The sentences of a file, possibly gzipped: CoNLL-U (.conllu), JSON lines (.jsonl), a table (.csv, .tsv) or else
    plain text.

    Args:
        most_words: longer sentences are skipped.
        column: of the sentences in a table, or in JSON lines without words.
    Raises:
        DataError: the file is missing, its gzip data are damaged, or it is a table without that column.
    """
    check_column(path, column)
    kind = _kind_of(path)
    if kind == ".conllu":
        yield from _read_conllu(path, most_words=most_words)
        return
    if kind in TABLES and column is not None:
        yield from _read_cells(path, column, most_words=most_words)
        return
    read_line = _read_text
    if kind == ".jsonl":
        read_line = _read_object if column is None else partial(_read_field, column)
    for line in _lines_of(path):
        where = f"{path.name}:{line.number}"
        try:
            if line.fault or not line.text.strip():
                raise DataError(f"{where}: {line.fault or 'the line is empty'}")
            yield read_line(path.name, where, line, most_words)
        except DataError as error:
            yield Skipped(where, str(error).removeprefix(f"{where}: "))


def check_column(path: Path, column: str | None) -> None:
    """Raise DataError if a table's sentences are in no column, or in none of that name; the error lists its columns."""
    kind = _kind_of(path)
    if kind in OTHER_TABLES:
        raise DataError(f"{path.name} is not read as a corpus: save its sentences as .csv, .tsv or .jsonl.")
    if not has_columns(path):
        return
    columns = _columns_of(path)
    if column in columns or (kind == ".jsonl" and (not columns or (column is None and "words" in columns))):
        return
    named = ", ".join(columns[:MOST_COLUMNS]) or "none"
    asked = "which column holds the sentences?" if column is None else f"none is called {column!r}."
    raise DataError(f"{path.name} is a table with the columns {named}: {asked} Name it with --column.")


def has_columns(path: Path) -> bool:
    """Whether a file is a table, or JSON lines."""
    return _kind_of(path) in (*TABLES, ".jsonl")


def _kind_of(path: Path) -> str:
    return Path(path.name.removesuffix(".gz")).suffix.lower()


def _columns_of(path: Path) -> tuple[str, ...]:
    """The columns of a table, or the fields of the first line of JSON lines."""
    if _kind_of(path) in TABLES:
        return tuple(next((row for _, row in _rows_of_table(path)), ()))
    for line in _lines_of(path):
        if line.text.strip():
            try:
                first = json.loads(line.text)
            except (ValueError, RecursionError):
                return ()
            return tuple(first) if isinstance(first, dict) else ()
    return ()


def _read_cells(path: Path, column: str, *, most_words: int) -> Iterator[Read]:
    """The sentences in a column of a table with a header."""
    rows = _rows_of_table(path)
    _, header = next(rows)
    index = header.index(column)
    for number, row in rows:
        where = f"{path.name}:{number}"
        try:
            if len(row) != len(header):
                raise DataError(f"{where}: {len(row)} cells, not {len(header)}")
            yield _read_text(path.name, where, Line(number, row[index]), most_words)
        except DataError as error:
            yield Skipped(where, str(error).removeprefix(f"{where}: "))


def _rows_of_table(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows of a table that are not empty, each with the line that it ends at. A cell may go over several lines."""
    rows = csv.reader(_lines_of_table(path), dialect=TABLES[_kind_of(path)])
    try:
        for row in rows:
            if row:
                yield rows.line_num, row
    except csv.Error as error:
        raise DataError(f"{path.name}, line {rows.line_num}: this is no table ({error}).") from error


def _lines_of_table(path: Path) -> Iterator[str]:
    for line in _lines_of(path):
        if line.fault:  # it may hide where the next row starts
            raise DataError(f"{path.name}, line {line.number}: {line.fault}.")
        yield line.text + "\n"


def _read_field(column: str, file: str, where: str, line: Line, most_words: int) -> Sentence:
    try:
        row = json.loads(line.text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where}: this is not a JSON object") from error
    text = row.get(column) if isinstance(row, dict) else None
    if not isinstance(text, str):
        raise DataError(f"{where}: this is not a JSON object with a text {column!r}")
    return _read_text(file, where, line._replace(text=text), most_words)


def paired(sentences: Iterator[Read]) -> Iterator[Read]:
    """Pair up neighbouring sentences of a document; a sentence without a partner is dropped."""
    waiting: Sentence | None = None
    for sentence in sentences:
        if isinstance(sentence, Skipped):
            yield sentence
        elif waiting is not None and waiting.document == sentence.document:
            yield joined(waiting, sentence)
            waiting = None
        else:
            waiting = sentence


def _read_text(file: str, where: str, line: Line, most_words: int) -> Sentence:
    words = _check_words(where, WORD.findall(line.text), most=most_words)
    return Sentence(where=where, name=where, document=_block(file, line), words=words)


def _read_object(file: str, where: str, line: Line, most_words: int) -> Sentence:
    try:
        row = json.loads(line.text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where}: this is not a JSON object") from error
    if not isinstance(row, dict) or not isinstance(row.get("words"), list):
        raise DataError(f"{where}: this is not a JSON object with a list 'words'")
    words = _check_words(where, row["words"], most=most_words)
    heads, relations, tags = (row.get(name) for name in ("head", "deprel", "upos"))
    tree = None
    if isinstance(heads, list) and isinstance(relations, list):
        tree = _check_tree(where, heads, relations, count=len(words))
    if tags is not None and (not isinstance(tags, list) or len(tags) != len(words)):
        raise DataError(f"{where}: 'upos' is not a list of {len(words)} tags")
    name = str(row.get("sent_id") or "")
    return Sentence(
        where=where,
        name=name or where,
        document=NUMBER_AT_END.sub("", name) or _block(file, line),
        words=words,
        tags=None if tags is None else tuple(map(str, tags)),
        tree=tree,
    )


def _block(file: str, line: Line) -> str:
    return f"{file}, lines {(line.number - 1) // BLOCK * BLOCK + 1} onwards"


def _read_conllu(path: Path, *, most_words: int) -> Iterator[Read]:
    """The sentences of a file; one with a malformed line is skipped as a whole."""
    block: list[Line] = []
    document = ""
    for line in _lines_of(path):
        started = COMMENT.match(line.text)
        if started and started[1] == "newdoc id":
            document = started[2].strip()
        if line.text.strip() or line.fault:
            block.append(line)
        elif block:
            yield _sentence(path.name, block, document, most_words)
            block = []
    if block:
        yield _sentence(path.name, block, document, most_words)


def _sentence(file: str, block: list[Line], document: str, most_words: int) -> Read:
    where = f"{file}:{block[0].number}"
    try:
        name, rows = _rows(block)
        words = _check_words(where, [row[1] for row in rows], most=most_words)
        heads = [int(row[6]) if row[6].isascii() and row[6].isdigit() else row[6] for row in rows]
        has_tree = any(head != "_" for head in heads)
        tree = _check_tree(where, heads, [row[7] for row in rows], count=len(words)) if has_tree else None
    except DataError as error:
        return Skipped(where, str(error).removeprefix(f"{where}: "))
    tags = tuple(row[3] for row in rows)
    return Sentence(
        where=where,
        name=name or where,
        document=document or NUMBER_AT_END.sub("", name) or file,
        words=words,
        tags=None if set(tags) == {"_"} else tags,
        tree=tree,
    )


def _rows(block: list[Line]) -> tuple[str, list[list[str]]]:
    """A sentence's name, or "", and the columns of its words."""
    name = ""
    rows: list[list[str]] = []
    for line in block:
        if line.fault:
            raise DataError(f"line {line.number}: {line.fault}")
        comment = COMMENT.match(line.text)
        if comment and comment[1] == "sent_id":
            name = comment[2].strip()
        if line.text.startswith("#"):
            continue
        columns = line.text.split("\t")
        if len(columns) != COLUMNS:
            raise DataError(f"line {line.number}: {len(columns)} columns, not {COLUMNS}")
        if NO_WORD.fullmatch(columns[0]):
            continue
        if columns[0] != str(len(rows) + 1):
            raise DataError(f"line {line.number}: word {columns[0][:20]!a} follows word {len(rows)}")
        rows.append(columns)
    return name, rows


def _lines_of(path: Path) -> Iterator[Line]:
    for number, line in numbered_lines(path, longest=LONGEST):
        if len(line) == LONGEST and not line.endswith(b"\n"):
            yield Line(number, "", f"the line is longer than {LONGEST:,} bytes")
            continue
        try:
            text = line.removeprefix(BOM_UTF8 if number == 1 else b"").decode("utf-8")
            yield Line(number, text.rstrip("\r\n"))
        except UnicodeDecodeError as error:
            yield Line(number, "", f"byte {error.start} is not UTF-8")


def _check_words(where: str, words: Sequence[object], *, most: int) -> tuple[str, ...]:
    """The words of a sentence. Raises DataError if there are none or more than `most`, or an entry is not a word."""
    if not words:
        raise DataError(f"{where}: there are no words")
    if len(words) > most:
        raise DataError(f"{where}: more than {most} words")
    for word in words:
        if not isinstance(word, str) or not word.strip() or SURROGATE.search(word):
            raise DataError(f"{where}: {str(word)[:40]!a} is not a word")
    return tuple(str(word) for word in words)


def _check_tree(where: str, heads: Sequence[object], relations: Sequence[object], *, count: int) -> Tree:
    """A tree over `count` words, from heads that are counted from 1, 0 = root. Raises DataError if they form none."""
    if len(heads) != count or len(relations) != count:
        raise DataError(f"{where}: {count} words have {len(heads)} heads and {len(relations)} relations")
    checked = []
    for index, head in enumerate(heads):
        if not isinstance(head, int) or isinstance(head, bool) or not 0 <= head <= count or head == index + 1:
            raise DataError(f"{where}: the head of word {index + 1} is {str(head)[:20]!a}, which is not another word")
        checked.append(head - 1)
    for relation in relations:
        if not isinstance(relation, str) or not relation.strip():
            raise DataError(f"{where}: {str(relation)[:20]!a} is not a relation")
    return Tree(heads=tuple(checked), relations=tuple(map(str, relations)))


def joined(a: Sentence, b: Sentence) -> Sentence:
    """Join two sentences to one text for the model, with their trees and tags."""
    shift = len(a.words)
    tree = None
    if a.tree is not None and b.tree is not None:
        moved = tuple(head if head == ROOT else head + shift for head in b.tree.heads)
        tree = Tree(heads=a.tree.heads + moved, relations=a.tree.relations + b.tree.relations)
    return Sentence(
        where=a.where,
        name=a.name,
        document=a.document,
        words=a.words + b.words,
        tags=a.tags + b.tags if a.tags is not None and b.tags is not None else None,
        tree=tree,
        b_start=shift,
    )
