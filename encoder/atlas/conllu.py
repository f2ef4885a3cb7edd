"""CoNLL-U: a word a line, a blank line behind every sentence (https://universaldependencies.org/format.html)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from encoder.atlas.lines import Line, lines_of
from encoder.atlas.sentences import Sentence, Skipped, check_tree, check_words, document_of
from encoder.errors import DataError

COLUMNS = 10
NO_WORD = re.compile(r"\d+[-.]\d+")  # the line of a multiword token, or of an empty node
COMMENT = re.compile(r"#\s*(sent_id|newdoc id)\s*=\s*(.*)")


def read_conllu(path: Path, *, most_words: int) -> Iterator[Sentence | Skipped]:
    """The sentences of a file; one with a faulty line is skipped as a whole. Raises what `lines_of` does."""
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
