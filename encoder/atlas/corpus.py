"""Corpora, sentence after sentence: CoNLL-U, JSON lines as of EWT, and plain text with a sentence a line.

A reader yields what it read, or a `Skipped` that names the line and the reason, and goes on with the next.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from encoder.atlas.conllu import read_conllu
from encoder.atlas.lines import Line, lines_of
from encoder.atlas.sentences import Sentence, Skipped, check_tree, check_words, document_of, joined
from encoder.errors import DataError

MOST_WORDS = 60
BLOCK = 100  # lines of a file without documents that count as one
# A word, with its contractions ("don't"), or a single mark.
WORD = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")

Read = Sentence | Skipped


def read_corpus(path: Path, *, most_words: int = MOST_WORDS) -> Iterator[Read]:
    """The sentences of a file: by its name CoNLL-U (.conllu), JSON lines (.jsonl), or else plain text; also gzipped.

    Args:
        most_words: longer sentences are skipped.
    Raises:
        DataError: the file is missing, or a damaged gzip file.
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
    """Every two neighbours of a document as one text; one that is left over is dropped."""
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
        raise DataError(f"{where}: this is no JSON object") from error
    if not isinstance(row, dict) or not isinstance(row.get("words"), list):
        raise DataError(f"{where}: this is no JSON object with a list 'words'")
    words = check_words(where, row["words"], most=most_words)
    heads, relations, tags = (row.get(name) for name in ("head", "deprel", "upos"))
    tree = None
    if isinstance(heads, list) and isinstance(relations, list):
        tree = check_tree(where, heads, relations, count=len(words))
    if tags is not None and (not isinstance(tags, list) or len(tags) != len(words)):
        raise DataError(f"{where}: 'upos' is no list of {len(words)} tags")
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
    return f"{file}, lines {(line.number - 1) // BLOCK * BLOCK + 1} and following"
