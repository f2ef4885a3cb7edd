"""Read a corpus sentence by sentence: CoNLL-U, JSON lines like EWT's, or plain text with one sentence per line.

Malformed lines are skipped: a reader yields a `Skipped` with the line and the reason, and continues.
"""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from encoder.atlas.sentences import Sentence, Skipped, check_tree, check_words, document_of, joined
from encoder.errors import DataError
from encoder.text.rows import numbered_lines

MOST_WORDS = 60
BLOCK = 100  # lines that count as one document, in files without documents
LONGEST = 1 << 20  # bytes of a line that are kept in memory
# A word with its contractions ("don't"), or one punctuation mark.
WORD = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")

# CoNLL-U: a word a line, a blank line after every sentence (https://universaldependencies.org/format.html).
COLUMNS = 10
NO_WORD = re.compile(r"\d+[-.]\d+")  # a multiword token or an empty node
COMMENT = re.compile(r"#\s*(sent_id|newdoc id)\s*=\s*(.*)")

Read = Sentence | Skipped


class Line(NamedTuple):
    """A line without its end.

    Attributes:
        number: counted from 1.
        text: empty if the line cannot be read.
        fault: why it cannot be read, or "".
    """

    number: int
    text: str
    fault: str = ""


def read_corpus(path: Path, *, most_words: int = MOST_WORDS) -> Iterator[Read]:
    """The sentences of a file, possibly gzipped: CoNLL-U (.conllu), JSON lines (.jsonl), or else plain text.

    Args:
        most_words: longer sentences are skipped.
    Raises:
        DataError: the file is missing, or its gzip data are damaged.
    """
    kind = Path(path.name.removesuffix(".gz")).suffix
    if kind == ".conllu":
        yield from read_conllu(path, most_words=most_words)
        return
    read_line = _read_object if kind == ".jsonl" else _read_text
    for line in lines_of(path):
        where = f"{path.name}:{line.number}"
        try:
            if line.fault or not line.text.strip():
                raise DataError(f"{where}: {line.fault or 'the line is empty'}")
            yield read_line(path.name, where, line, most_words)
        except DataError as error:
            yield Skipped(where, str(error).removeprefix(f"{where}: "))


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
    words = check_words(where, WORD.findall(line.text), most=most_words)
    return Sentence(where=where, name=where, document=_block(file, line), words=words)


def _read_object(file: str, where: str, line: Line, most_words: int) -> Sentence:
    try:
        row = json.loads(line.text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where}: this is not a JSON object") from error
    if not isinstance(row, dict) or not isinstance(row.get("words"), list):
        raise DataError(f"{where}: this is not a JSON object with a list 'words'")
    words = check_words(where, row["words"], most=most_words)
    heads, relations, tags = (row.get(name) for name in ("head", "deprel", "upos"))
    tree = None
    if isinstance(heads, list) and isinstance(relations, list):
        tree = check_tree(where, heads, relations, count=len(words))
    if tags is not None and (not isinstance(tags, list) or len(tags) != len(words)):
        raise DataError(f"{where}: 'upos' is not a list of {len(words)} tags")
    name = str(row.get("sent_id") or "")
    return Sentence(
        where=where,
        name=name or where,
        document=document_of(name) or _block(file, line),
        words=words,
        tags=None if tags is None else tuple(map(str, tags)),
        tree=tree,
    )


def _block(file: str, line: Line) -> str:
    return f"{file}, lines {(line.number - 1) // BLOCK * BLOCK + 1} onwards"


def read_conllu(path: Path, *, most_words: int) -> Iterator[Sentence | Skipped]:
    """The sentences of a file; one with a malformed line is skipped as a whole. Raises what `lines_of` raises."""
    block: list[Line] = []
    document = ""
    for line in lines_of(path):
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


def _sentence(file: str, block: list[Line], document: str, most_words: int) -> Sentence | Skipped:
    where = f"{file}:{block[0].number}"
    try:
        name, rows = _rows(block)
        words = check_words(where, [row[1] for row in rows], most=most_words)
        heads = [int(row[6]) if row[6].isascii() and row[6].isdigit() else row[6] for row in rows]
        has_tree = any(head != "_" for head in heads)
        tree = check_tree(where, heads, [row[7] for row in rows], count=len(words)) if has_tree else None
    except DataError as error:
        return Skipped(where, str(error).removeprefix(f"{where}: "))
    tags = tuple(row[3] for row in rows)
    return Sentence(
        where=where,
        name=name or where,
        document=document or document_of(name) or file,
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


def lines_of(path: Path) -> Iterator[Line]:
    """Every line of a file, empty ones included.

    Raises:
        DataError: the file is missing, cannot be read, or is a damaged gzip file.
    """
    for number, line in numbered_lines(path, longest=LONGEST):
        yield _decoded(number, line)


def _decoded(number: int, line: bytes) -> Line:
    if len(line) == LONGEST and not line.endswith(b"\n"):
        return Line(number, "", f"the line is longer than {LONGEST:,} bytes")
    try:
        text = line.removeprefix(BOM_UTF8 if number == 1 else b"").decode("utf-8")
        return Line(number, text.rstrip("\r\n"))
    except UnicodeDecodeError as error:
        return Line(number, "", f"byte {error.start} is not UTF-8")
