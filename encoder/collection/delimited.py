"""Text in lines as a table: its encoding, its delimiter and quotes, its header, each decided by itself and said."""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from itertools import islice
from typing import Final, NamedTuple

from encoder.collection.column_names import known_name
from encoder.collection.growing_table import count
from encoder.collection.table import HowRead, unique_names
from encoder.errors import DataError

DELIMITERS: Final = (",", ";", "\t", "|")
HEAD: Final = 2_000  # records, from which the dialect is decided
MOST_ABOVE: Final = 10  # records above the header
MOSTLY: Final = 0.8  # of the records have the usual number of cells
LARGEST_CELL: Final = 2**31 - 1  # of the csv module: what is too long is cut later
DENSE: Final = 0.3  # of the letters are no ASCII: more than in languages that Windows-1252 writes
WESTERN: Final = "cp1252"
MARK: Final = "\ufeff"  # of the order of bytes
STRAY_CR: Final = (
    "\ue00d"  # stands for a carriage return within a cell, which the csv module takes for the end of a row
)
SEPARATOR_LINE: Final = re.compile(r'"?sep=(.)"?\r?\n?')
ENDS_SENTENCE: Final = re.compile(r"""[.!?…。\uff01\uff1f]["'”’)]*$""")
TAG: Final = re.compile(r"O|[BIESLUM][-_]\S+|\S+[-_][BIESLU]")
ESCAPES: Final = re.compile(r"\\([\"\\])?")
CONLLU: Final = 10  # columns of Universal Dependencies
NO_WORD: Final = re.compile(r"\d+[-.]\d+\s")  # begins the line of a contraction, or of a word that is left out
NAME_WORDS, NAME_LENGTH = 5, 50  # of a column, at most


class Decoded(NamedTuple):
    """The bytes of a text, and how they are decoded.

    Attributes:
        errors: as for `bytes.decode`.
        remark: what was decided, where that is not obvious.
    """

    data: bytes
    encoding: str
    errors: str
    remark: str = ""

    def lines(self) -> Iterator[str]:
        """The lines, with their ends; U+2028, NEL and form feeds end none. Files that were joined have marks within."""
        newline = "\n" if b"\n" in self.data else "\r"
        lines = TextIOWrapper(BytesIO(self.data), self.encoding, self.errors, newline=newline)
        return (line.removeprefix(MARK) for line in lines)


class Dialect(NamedTuple):
    """How cells are delimited and quoted: by `quote`, doubled or after a backslash within a cell; "" for no quotes."""

    delimiter: str
    quote: str = '"'
    backslash: bool = False
    spaced: bool = False

    def records(self, lines: Iterable[str]) -> Iterator[list[str]]:
        """The records, without blank lines. Raises csv.Error where quotes are not closed, or end within a cell."""
        usual = csv.field_size_limit(LARGEST_CELL)  # of all readers: nothing else may read meanwhile
        lines = map(_without_stray_returns, lines)
        reader = csv.reader(
            (ESCAPES.sub(_only_before_quotes, line) for line in lines) if self.backslash else lines,
            delimiter=self.delimiter,
            quotechar=self.quote or None,
            quoting=csv.QUOTE_MINIMAL if self.quote else csv.QUOTE_NONE,
            escapechar="\\" if self.backslash else None,
            skipinitialspace=self.spaced,
            strict=True,
        )
        try:
            for record in reader:
                if record:
                    yield [cell.replace(STRAY_CR, "\r") for cell in record] if STRAY_CR in "".join(record) else record
        finally:
            csv.field_size_limit(usual)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delimited:
    """A table in lines, before its records are read.

    Attributes:
        skipped_lines: those before the first record.
        above: records before the first row: the header, and what is above it.
        names: of the columns.
        has_header: whether a record has them.
    """

    name: str
    decoded: Decoded
    dialect: Dialect
    skipped_lines: int
    above: int
    names: tuple[str, ...]
    has_header: bool
    remarks: tuple[str, ...]

    def rows(self) -> Iterator[dict[str, str | None]]:
        """The rows by the names of their columns. Raises DataError where a record has another number of cells."""
        lines = _Counted(islice(self.decoded.lines(), self.skipped_lines, None), self.skipped_lines)
        try:
            for number, record in enumerate(self.dialect.records(lines)):
                if number < self.above:
                    continue
                if len(record) != len(self.names):
                    while len(record) > len(self.names) and not record[-1]:
                        record.pop()
                    if len(record) != len(self.names):
                        raise DataError(self._misfit(lines.number, len(record)))
                yield dict(zip(self.names, record, strict=True))
        except csv.Error as error:
            raise DataError(self._broken(lines.number, error)) from error

    def _misfit(self, line: int, found: int) -> str:
        hint = (
            f"A cell with {_in_words(self.dialect.delimiter)} in it needs quotes around it."
            if found > len(self.names)
            else "Is there a line break within a cell without quotes?"
        )
        return (
            f"{self.name}, line {line:,}: {count(found, 'cell')}, and the table has {len(self.names)} columns. {hint}"
        )

    def _broken(self, line: int, error: csv.Error) -> str:
        why = "quotes are opened and never closed" if "unexpected end" in str(error) else "quotes end within a cell"
        return f"{self.name}, line {line:,}: {why}. Write quotes within a cell twice, and quotes around it."


class _Counted:
    """Lines that are counted as they are read."""

    def __init__(self, lines: Iterable[str], number: int) -> None:
        self.lines, self.number = iter(lines), number

    def __iter__(self) -> Iterator[str]:
        for line in self.lines:
            self.number += 1
            yield line


def decode(data: bytes, name: str, encoding: str | None) -> Decoded:
    """How bytes are decoded: as given, by a byte-order mark, as UTF-8 if they are, else as Windows-1252.

    Raises:
        DataError: they are neither, or not in the given encoding.
    """
    data = data.removeprefix(codecs.BOM_UTF8)
    found = encoding or _marked(data)
    if found is None and _first_fault(data, "utf-8") is None:
        return Decoded(data, "utf-8", "strict")
    if found is not None:
        try:
            fault = _first_fault(data, found)
        except LookupError as error:
            raise DataError(f"There is no encoding {found!r}: name one such as utf-8, cp1252 or shift_jis.") from error
        if fault is not None:
            begins = "" if encoding else f" The file begins as {found.upper()}, and perhaps not all of it is."
            raise DataError(f"{name}, line {_line(data, fault):,}: a character is not {found.upper()}.{begins}")
        return Decoded(data, found, "strict")
    return _not_utf8(data, name)


def _not_utf8(data: bytes, name: str) -> Decoded:
    """Bytes without a mark that are not UTF-8: UTF-8 with a few faults, Windows-1252, or a question."""
    text = data.decode("utf-8", "replace")
    faults, others = text.count("\ufffd"), sum(not character.isascii() for character in text)
    line = _line(data, _first_fault(data, "utf-8") or 0)
    if others > 2 * faults:
        are = "is" if faults == 1 else "are"
        said = f"{count(faults, 'character')} that {are} not UTF-8 read as “\ufffd” (line {line:,})."
        return Decoded(data, "utf-8", "replace", said)
    letters = sum(map(str.isalpha, text)) + faults
    if faults > DENSE * letters or _first_fault(data, WESTERN) is not None or not data.translate(None, bytes(range(9))):
        raise DataError(
            f"{name}, line {line:,}: a character is not UTF-8, and the file is not in Windows-1252 either. Save it as "
            "UTF-8, or name its encoding, such as cp1251 or shift_jis."
        )
    shown = data.split(b"\n")[line - 1].decode(WESTERN).strip()[:60]
    return Decoded(data, WESTERN, "strict", f"Not UTF-8, so read as Windows-1252: line {line:,} is “{shown}”.")


def _marked(data: bytes) -> str | None:
    """The encoding that the first bytes say: a byte-order mark, or a zero in the first letter of UTF-16."""
    if data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if 0 in data[:2]:
        return "utf-16-le" if data[0] else "utf-16-be"
    return None


def _first_fault(data: bytes, encoding: str) -> int | None:
    try:
        data.decode(encoding)
    except UnicodeDecodeError as error:
        return error.start
    except UnicodeError:
        return 0
    return None


def _line(data: bytes, place: int) -> int:
    return data.count(b"\n", 0, place) + 1


def delimited(decoded: Decoded, name: str, how: HowRead, kind: str) -> Delimited | None:
    """The dialect and the header of a table; None where the lines are texts: no usual names, quotes or delimiters.

    Args:
        how: what the user says; None for what is to be decided.
        kind: of file. Lines of a .txt file are a table only if usual names begin it and most lines have as many cells.
    """
    said, skipped = how.delimiter or ("\t" if kind in (".tsv", ".tab") else None), 0
    if found := SEPARATOR_LINE.fullmatch(next(decoded.lines(), "")):
        said, skipped = how.delimiter or found[1], 1
    dialect, head, width = _choose_dialect(decoded, skipped, said)
    if not head:
        return None
    is_named_so = kind in (".csv", ".tsv", ".tab")
    is_decided = how.header is None and how.delimiter is None  # by this function
    if is_decided and not is_named_so and sum(len(record) == width for record in head) < MOSTLY * len(head):
        return None
    if how.header is None and width > 1 and len(head[0]) == 1 and known_name(head[0][0]):
        raise DataError(
            f"{name}, line {skipped + 1:,}: it names one column, and most rows have {width} cells. A cell with "
            f"{_in_words(dialect.delimiter)} in it needs quotes around it."
        )
    above, names, has_header, remarks = header_of(head, width, how.header)
    if is_decided and not (has_header and any(map(known_name, names))):
        is_quoted = next(decoded.lines(), "").startswith('"') or any("\n" in cell for cell in head[0])
        if not is_quoted and not (is_named_so and (len(names) > 1 or has_header)):
            return None
    return Delimited(
        name=name,
        decoded=decoded,
        dialect=dialect,
        skipped_lines=skipped,
        above=above,
        names=unique_names(names),
        has_header=has_header,
        remarks=tuple(remarks),
    )


class Header(NamedTuple):
    """The records before the first row, the names of the columns, whether a record has them, and what was decided."""

    above: int
    names: list[str]
    is_there: bool
    remarks: list[str]


def header_of(head: Sequence[Sequence[str]], width: int, header: bool | None) -> Header:
    """Where a table begins.

    Args:
        head: the first records.
        width: cells of most of them.
        header: whether a record names the columns; None to decide.
    """
    above = _lines_above(head, width)
    has_header = _is_header(head[above:]) if header is None else header
    first, remarks = head[above], list[str]()
    if above and any(map(str.strip, head[0])):
        remarks.append(f"{count(above, 'line')} above the header left out: “{' '.join(head[0]).strip()[:60]}”.")
    if not has_header:
        remarks.append("No line names the columns: the first one is read as a row.")
        names = [f"column {number}" for number in range(1, len(first) + 1)]
        return Header(above, ["text"] if len(names) == 1 else names, False, remarks)
    if header is None and not any(map(known_name, first)):
        remarks.append("The first line is read as the names of the columns.")
    names = [" ".join(cell.split()) or f"column {number}" for number, cell in enumerate(first, start=1)]
    return Header(above + 1, names, True, remarks)


def _choose_dialect(decoded: Decoded, skipped: int, said: str | None) -> tuple[Dialect, list[list[str]], int]:
    """The dialect in which most of the first records have as many cells, these records, and that number."""
    best: tuple[tuple[float, ...], Dialect, list[list[str]], int] | None = None
    sample = "".join(islice(decoded.lines(), HEAD))
    for delimiter in [said] if said else DELIMITERS:
        # Quotings for which there is a sign; the first one wins where all fit.
        signs = {
            Dialect(delimiter, spaced=True): f'{delimiter} "' in sample,
            Dialect(delimiter): True,
            Dialect(delimiter, backslash=True): '\\"' in sample,
            Dialect(delimiter, "'"): f"'{delimiter}" in sample,
            Dialect(delimiter, ""): delimiter == "\t",
        }
        for place, dialect in enumerate(each for each, sign in signs.items() if sign):
            # Between tabs a quote may be a character, which any of the file's lines may show.
            most = None if delimiter == "\t" and b'"' in decoded.data else HEAD
            head, fault = _head(decoded, skipped, dialect, most=most)
            widths = Counter(map(len, head))
            if not widths:
                continue
            width, usual = max(widths.items(), key=lambda each: (each[1], each[0]))
            known = any(
                sum(known_name(cell) for cell in record) > 0 and len(record) > 1 for record in head[:MOST_ABOVE]
            )
            share = usual / len(head)
            is_table = width > 1 and (share >= MOSTLY or known)
            # A delimiter that names are between, or that most records have, wins; then quotes that fit.
            # Quotes that are characters tear records apart, of which there are then fewer.
            torn = len(head) if is_table and delimiter == "\t" and usual == len(head) else 0
            score = (is_table and (known or share > 0.99), is_table, not fault, share, torn, -place, width)
            if best is None or score > best[0]:
                best = score, dialect, head, width
    if best is None:
        return Dialect(said or ","), [], 0
    _, dialect, head, width = best
    return dialect, head[:HEAD], width


def _head(decoded: Decoded, skipped: int, dialect: Dialect, *, most: int | None) -> tuple[list[list[str]], bool]:
    """The first records, and whether quotes go wrong in them."""
    head: list[list[str]] = []
    try:
        for record in islice(dialect.records(islice(decoded.lines(), skipped, None)), most):
            head.append(record)
    except csv.Error:
        return head, True
    return head, False


def _lines_above(head: Sequence[Sequence[str]], width: int) -> int:
    """How many records are above the header: titles and remarks, which have one cell or another number of cells."""
    if width < 2:
        return 0
    for place, record in enumerate(head[:MOST_ABOVE]):
        known = sum(map(known_name, record))
        if known > 1 or (known and place and all(_is_title(each, width) for each in head[:place])):
            return place
    place = 0
    while place < min(MOST_ABOVE, len(head) - 1) and len(head[place]) != width and _is_title(head[place], width):
        place += 1
    return place


def _is_title(record: Sequence[str], width: int) -> bool:
    return sum(bool(cell.strip()) for cell in record) <= 1 or record[0].startswith("#") or len(record) < width


def _is_header(records: Sequence[Sequence[str]]) -> bool:
    """Whether the first record names the columns: it has a usual name, or is unlike what follows."""
    first, rest = records[0], records[1:]
    columns = [[record[place] for record in rest if len(record) > place] for place in range(len(first))]
    repeats = first in rest  # of files that were joined
    if any(known_name(cell) and (repeats or cell not in column) for cell, column in zip(first, columns, strict=True)):
        return True
    if any(ENDS_SENTENCE.search(cell) or len(cell.split()) > NAME_WORDS or len(cell) > NAME_LENGTH for cell in first):
        return False
    if any(_is_number(cell) for cell in first):
        return False
    if len(first) > 1:
        return not any(cell and cell in column for cell, column in zip(first, columns, strict=True))
    lengths = sorted(len(cell) for cell in columns[0])
    return bool(lengths) and lengths[len(lengths) // 2] > 2 * len(first[0]) and len(first[0].split()) <= 2


def _is_number(cell: str) -> bool:
    return bool(re.fullmatch(r"\s*[+-]?\d+(?:[.,]\d+)*\s*", cell))


def tagged_sentences(decoded: Decoded) -> Iterator[dict[str, str | None]] | None:
    """The sentences of a CoNLL file, a word and its tag on each line, with blank lines between; None for another."""
    head = [_cells_of(line) for line in islice(decoded.lines(), HEAD)]
    words = [line for line in head if line and line[0] != "-DOCSTART-" and not line[0].startswith("#")]
    widths = {len(line) for line in words}
    if widths == {CONLLU} and all(line[0].isdecimal() for line in words):
        return _sentences(decoded, word=1, tag=3)
    are_tags = all(TAG.fullmatch(line[-1]) for line in words)
    if len(widths) != 1 or widths == {1} or len(words) == len(head) or not are_tags:
        return None
    return _sentences(decoded, word=0, tag=-1)


def _sentences(decoded: Decoded, *, word: int, tag: int) -> Iterator[dict[str, str | None]]:
    words: list[list[str]] = []
    for line in [*decoded.lines(), ""]:
        cells = _cells_of(line)
        if cells and cells[0] != "-DOCSTART-" and not line.startswith("# "):
            words.append(cells)
        elif words and not line.strip():
            written = ["".join(each[word].split()) for each in words]  # one word, whatever spaces it has
            yield {"text": " ".join(written), "tags": " ".join(each[tag] for each in words)}
            words = []


def _cells_of(line: str) -> list[str]:
    """The cells of a line of a CoNLL file, between tabs where there are any; none for a line that is no word."""
    if NO_WORD.match(line) and len(line.split()) == CONLLU:
        return []
    return line.rstrip().split("\t") if "\t" in line.rstrip() else line.split()


def _only_before_quotes(found: re.Match[str]) -> str:
    """A backslash as the csv module takes it: an escape before a quote or another one, else itself."""
    return found[0] if found[1] else "\\\\"


def _without_stray_returns(line: str) -> str:
    body = line.rstrip("\r\n")
    return line if "\r" not in body else body.replace("\r", STRAY_CR) + line[len(body) :]


def _in_words(delimiter: str) -> str:
    return {",": "a comma", ";": "a semicolon", "\t": "a tab"}.get(delimiter, f"“{delimiter}”")
