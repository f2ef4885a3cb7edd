"""Sense-labelled words in sentences: the file format, and the shipped sentences.

`sentences.tsv` was written for Headlight: eight words with twelve sentences each, six for each of two senses.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from encoder.errors import DataError, SelectionError
from encoder.text.occurrences import span_of_word
from encoder.text.rows import read_table, require_rows
from encoder.text.tokens import Span

SHIPPED = Path(__file__).parent / "sentences.tsv"
SPLITS = ("train", "test")
COLUMNS = ("split", "word", "index", "sense", "text")


@dataclass(frozen=True, slots=True, kw_only=True)
class SenseRow:
    """One word in its sentence.

    Attributes:
        split: "train" or "test".
        word: the word; it may be inflected in the text.
        index: its index in `text.split(" ")`.
        sense: a label that is unique within the word.
        where: file and line, for messages.
    """

    split: str
    word: str
    index: int
    sense: str
    text: str
    where: str = ""

    @property
    def span(self) -> Span:
        """The characters of the target, without punctuation around it."""
        return span_of_word(self.text, self.index)


def read_senses(path: Path) -> list[SenseRow]:
    """Rows of a tab-separated file with a header and the columns split, word, index, sense and text.

    Other columns are ignored. The file may be gzipped. There is no quoting.

    Raises:
        DataError: the file is missing, truncated or malformed; the message names the file and the line.
    """
    rows = []
    for where, cells in read_table(path, needed=COLUMNS):
        for name in ("word", "sense", "text"):
            if not cells[name].strip():
                raise DataError(f"{where}: the column {name} is empty.")
        if cells["split"] not in SPLITS:
            raise DataError(f"{where}: split is {cells['split']!r}; it must be one of {', '.join(SPLITS)}.")
        row = SenseRow(
            split=cells["split"],
            word=cells["word"],
            index=_index(where, cells["index"]),
            sense=cells["sense"],
            text=cells["text"],
            where=where,
        )
        try:
            _ = row.span
        except SelectionError as error:
            raise DataError(f"{where}: index is {row.index}. {error}") from error
        rows.append(row)
    return require_rows(path, rows)


def shipped_senses() -> tuple[SenseRow, ...]:
    """The shipped sentences, sorted by word and sense."""
    return tuple(read_senses(SHIPPED))


def _index(where: str, value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) < 7):
        raise DataError(f"{where}: index is {value!r}; the word's index in the text is needed, counted from 0.")
    return int(value)
