"""A collection: a table of texts, and which of its columns hold them and their labels."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from encoder.collection.column_names import (
    ANSWER_NAMES,
    LABEL_NAMES,
    LABEL_NAMES_ABROAD,
    OTHER_NAMES,
    PAIRS,
    TEXT_NAMES,
    plain,
)
from encoder.collection.label_columns import columns_of_classes, few_valued, flags, joined_classes, tags_of_spans
from encoder.collection.row_labels import LabelClasses, chosen_classes, translated
from encoder.errors import DataError

NUMBERS = r"[\d.,+-]+"
WORD = r"\pL[^\pZ]*(\pZ|$)"  # an address of a page is one
# What a model reads is neither a space nor a control character.
VISIBLE, INVISIBLE = r"[^\pZ\pC]", r"[\pZ\pC]+"
MOST_LISTED = 12  # columns that a message lists
MOST_SPACED = 0.1  # of the items of lists of words have a space within

Text = str | tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class HowRead:
    """How a file is read; None, or "", where the reader decides, or where a kind of file has no such thing.

    Attributes:
        encoding: of the text, as Python names it.
        delimiter: between cells.
        header: whether the first line names the columns.
    """

    encoding: str | None = None
    delimiter: str | None = None
    header: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadTable:
    """A table of text, and how it was read.

    Attributes:
        kind: of file.
        remarks: what was left out, cut or not obvious, each in a sentence.
    """

    table: pa.Table
    kind: str
    how: HowRead = HowRead()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Collection:
    """N texts, or pairs of texts, in the rows of a table.

    Collections are compared and hashed by identity: each belongs to the caller that opened it.

    Attributes:
        name: of the file, or of what ships.
        table: all columns, as text; an empty cell is null.
        text: the column of the texts.
        text_b: the column of the second texts, if the rows are pairs.
        label: the column of the labels, if there is one.
        note: what the collection is, in a sentence.
        label_classes: the class that a user chose for each label, as `chosen_classes` gives them.
        num_blank: rows of the file without a text, which are left out.
        positions: (N,) the number of each row in the file, from 0; None if no row is left out.
        remarks: what the reader of its file left out, cut or decided, and how words in lists are read.
    """

    name: str
    table: pa.Table
    text: str
    text_b: str | None = None
    label: str | None = None
    note: str = ""
    label_classes: Mapping[str, str] = field(default_factory=dict)
    num_blank: int = 0
    positions: npt.NDArray[np.intp] | None = None
    remarks: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        name: str,
        table: pa.Table,
        *,
        text: str,
        text_b: str | None = None,
        label: str | None = None,
        note: str = "",
        remarks: tuple[str, ...] = (),
    ) -> Self:
        """The rows of a table that have a text. Words in a list are read with spaces between.

        Args:
            label: a column, or the name that `guessed` gives to what neighbouring columns of 0 and 1 say together.
        Raises:
            DataError: there is no such column, or no such row.
        """
        if label is not None and label == _name_of_joined(table):
            table, said = _with_joined_classes(table, label)
            remarks = (*remarks, said)
        for column in (text, text_b, label):
            if column is not None and column not in table.column_names:
                raise DataError(f"{name} has no column {column!r}: it has {quoted(table.column_names, MOST_LISTED)}.")
        for column in filter(None, (text, text_b)):
            if (joined := _joined_items(table.column(column))) is not None:
                cells, what = joined
                table = table.set_column(table.column_names.index(column), column, cells)
                remarks = (*remarks, f"The lists of {what} in “{column}” are read with spaces between.")
        if label is not None and text_b is None:
            table, of_tags = _with_tags(table, text, label)
            remarks = (*remarks, *of_tags)
        has_text = is_visible(table.column(text))
        found = table if pc.all(has_text).as_py() else table.filter(has_text)
        if not found.num_rows:
            raise DataError(f"{name} has no rows with a text in column {text!r}.")
        num_blank = table.num_rows - found.num_rows
        about: dict[str, Any] = {"note": note, "num_blank": num_blank, "remarks": remarks}
        collection = cls(name=name, table=found, text=text, text_b=text_b, label=label, **about)
        return replace(collection, positions=np.flatnonzero(has_text.to_numpy())) if num_blank else collection

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def numbers(self, rows: npt.ArrayLike) -> npt.NDArray[np.intp]:
        """The numbers in the file of rows of this collection, from 0."""
        found = np.asarray(rows, np.intp)
        return found if self.positions is None else self.positions[found]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""
        return tuple(self.table.column_names)

    @property
    def nbytes(self) -> int:
        """Bytes of the table."""
        return int(self.table.nbytes)

    def column(self, name: str, rows: Sequence[int] | None = None) -> list[str]:
        """The cells of a column, "" where they are empty.

        Args:
            rows: indices; None for all.
        """
        cells = self.table.column(name)
        return [cell or "" for cell in (cells if rows is None else cells.take(pa.array(rows, pa.int64()))).to_pylist()]

    def texts(self, rows: Sequence[int] | None = None) -> list[Text]:
        """The texts of rows as a model reads them: pairs if there is a second text."""
        first = self.column(self.text, rows)
        if self.text_b is None:
            return list(first)
        second = self.column(self.text_b, rows)
        has_second = is_visible(pa.array(second, pa.string())).to_pylist()
        return [(a, b) if has_b else a for a, b, has_b in zip(first, second, has_second, strict=True)]

    def labels(self, rows: Sequence[int] | None = None) -> list[str] | None:
        """The labels of rows, or the classes that were chosen for them; None without a column of labels."""
        if self.label is None:
            return None
        found = [label.strip() for label in self.column(self.label, rows)]
        if not self.label_classes:
            return found
        by_label = {label: translated(label, self.label_classes) for label in set(found)}
        return [by_label[label] for label in found]

    def distinct_labels(self) -> list[str]:
        """Each label of the column once, as `labels` has them, without blank ones."""
        read = (translated(label, self.label_classes) for label in self.own_labels)
        return list(dict.fromkeys(filter(None, read))) if self.label_classes else self.own_labels

    @property
    def own_labels(self) -> list[str]:
        """Each label of the column once, as it is written there."""
        cells = [] if self.label is None else pc.unique(self.table.column(self.label)).to_pylist()
        return list(dict.fromkeys(label for cell in cells if (label := (cell or "").strip())))

    def with_classes(self, classes: LabelClasses | None) -> Self:
        """The collection with the classes that a user chooses for its labels; None for its labels as they are.

        Raises:
            DataError: there is no column of labels, or `chosen_classes` refuses them.
        """
        if classes is not None and self.label is None:
            raise DataError(f"{self.name} has no column of labels: choose one of {quoted(self.columns, MOST_LISTED)}.")
        return replace(self, label_classes={} if classes is None else chosen_classes(classes, self.own_labels))

    def unused_name(self, name: str) -> str:
        """A name for a column of results: with " (model)" behind it where the table has the name, whatever its case."""
        taken = {column.lower() for column in self.columns}
        while name.lower() in taken:
            name = f"{name} (model)"
        return name

    def select(self, rows: Sequence[int]) -> Self:
        """The collection of some rows."""
        positions = None if self.positions is None else self.positions[list(rows)]
        if isinstance(rows, range) and rows.step == 1:  # without a copy
            table = self.table.slice(rows.start, len(rows))
        else:
            table = self.table.take(pa.array(rows, pa.int64()))
        return replace(self, table=table, positions=positions)


def guessed(
    name: str,
    table: pa.Table,
    *,
    text: str | None = None,
    text_b: str | None = None,
    label: str | None = None,
    note: str = "",
    remarks: tuple[str, ...] = (),
) -> Collection:
    """A collection whose columns are guessed: by their names, else the one with most words in its cells is the text.

    Args:
        text, text_b, label: columns that need no guess; no second texts are guessed where `text` is given.
    Raises:
        DataError: no row of the table has a text, or there is no such column.
    """
    by_name = {plain(column): column for column in reversed(table.column_names)}

    def find(names: Sequence[str], taken: Sequence[str | None] = ()) -> str | None:
        return next((by_name[each] for each in names if each in by_name and by_name[each] not in taken), None)

    def likeness(column: str) -> tuple[bool, float, float]:
        cells = pc.fill_null(table.column(column), "")
        words = pc.mean(pc.count_substring_regex(cells, WORD)).as_py() or 0.0
        letters = _mean_length(pc.replace_substring_regex(cells, NUMBERS, ""))
        return letters > 0 and plain(column) not in LABEL_NAMES, words, letters

    if text is None:
        taken = (text_b, label)
        pairs = ((by_name[a], by_name[b]) for a, b in PAIRS if a in by_name and b in by_name)
        free = [column for column in table.column_names if column not in taken] or table.column_names
        pair = next((each for each in pairs if not set(each) & {text_b, label}), None) if text_b is None else None
        longest = max(free, key=likeness)
        named = [by_name[name] for name in TEXT_NAMES if by_name.get(name) in free]
        most = pc.count_distinct(table.column(longest)).as_py()
        named = [
            column
            for column in named  # one of few values is a label, if another column has more
            if not few_valued(table, [column])
            or few_valued(table, [longest])
            or pc.count_distinct(table.column(column)).as_py() >= most
        ]
        text, text_b = pair or (named[0] if named else longest, text_b)
    is_given = label is not None
    others = [column for column in table.column_names if column not in (text, text_b)]
    label = label or find((*LABEL_NAMES, *ANSWER_NAMES), [text, text_b])
    if label is None:
        label = next((column for column in others if plain(column).endswith("label")), None)
    if not is_given and (label is None or label in columns_of_classes(table)):
        label = _name_of_joined(table)
    if label is None:
        label, said = _label_by_values(table, others)
        remarks = (*remarks, *said)
    return Collection.of(name, table, text=text, text_b=text_b, label=label, note=note, remarks=remarks)


def _label_by_values(table: pa.Table, columns: Sequence[str]) -> tuple[str | None, list[str]]:
    """The column of few values that has a name of labels in another language, or a remark where there is none."""
    few = few_valued(table, [column for column in columns if plain(column) not in OTHER_NAMES])
    by_name = {plain(column): column for column in reversed(few)}
    found = next((by_name[name] for name in LABEL_NAMES_ABROAD if name in by_name), None)
    if found is not None or not few:
        return found, []
    said = [f"No column has a usual name of labels. Those with few values, one of which may be it: {quoted(few)}."]
    if len(pair := flags(table)) > 1:
        said.append(f"{quoted(pair)} hold 0 and 1, but not one 1 in each row, so they are not read as one label.")
    return None, said


def _with_tags(table: pa.Table, text: str, label: str) -> tuple[pa.Table, list[str]]:
    """The table with a tag for each word where its labels are spans, and a remark on it."""
    found = tags_of_spans(table.column(text), table.column(label))
    if found is None:
        return table, []
    tags, misfits = found
    said = f"The spans in “{label}” are read as a tag of each word, as in BIO."
    if misfits:
        said = f"{said} Rows with a span that cuts a word, or overlaps another, which are not compared: {misfits:,}."
    return table.set_column(table.column_names.index(label), label, tags), [said]


def _name_of_joined(table: pa.Table) -> str | None:
    """The name of the labels that neighbouring columns of 0 and 1 say together; None without such columns."""
    return unique_names([*table.column_names, "labels"])[-1] if columns_of_classes(table) else None


def _with_joined_classes(table: pa.Table, name: str) -> tuple[pa.Table, str]:
    """The table with these labels as a column, and a remark on it."""
    columns = columns_of_classes(table)
    labels, of_blanks = joined_classes(table, columns)
    said = f"The columns of 0 and 1, {quoted(columns, 2)}, are read as labels: “{name}”.{of_blanks}"
    return table.append_column(name, labels), said


def _joined_items(cells: pa.ChunkedArray) -> tuple[pa.Array, str] | None:
    """The cells, with those that are lists as JSON joined by spaces, and what the lists hold; None without lists.

    Lists of words stay lists of words: a space within one, which is rare, would make two of it.
    """
    if not pc.any(pc.starts_with(cells, '["')).as_py():
        return None
    lists = [_strings_in(cell) for cell in cells.to_pylist()]
    items = [item for found in lists if found for item in found]
    are_texts = sum(len(item.split()) > 1 for item in items) > MOST_SPACED * len(items)
    joined = [
        cell if found is None else " ".join(item if are_texts else "".join(item.split()) for item in found)
        for cell, found in zip(cells.to_pylist(), lists, strict=True)
    ]
    return pa.array(joined, pa.string()), "texts" if are_texts else "words"


def _strings_in(cell: str | None) -> list[str] | None:
    """The strings of a list as JSON; None for another cell."""
    if not cell or not cell.startswith('["'):
        return None
    try:
        found = json.loads(cell)
    except ValueError:
        return None
    return found if all(isinstance(item, str) for item in found) else None


def is_visible(cells: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Whether each cell has something that a model reads."""
    return pc.match_substring_regex(pc.fill_null(cells, ""), VISIBLE)


def unique_names(names: Sequence[str]) -> tuple[str, ...]:
    """Repeated names with numbers; DuckDB does not tell upper and lower case apart."""
    found: dict[str, str] = {}
    for number, name in enumerate(names, start=1):
        free = name
        while free.lower() in found:
            free = f"{free} {number}"
        found[free.lower()] = free
    return tuple(found.values())


def quoted(names: Sequence[str], most: int = 3) -> str:
    """The first names, for a message: “a”, “b” and 3 more."""
    return ", ".join(f"“{name}”" for name in names[:most]) + (
        f" and {len(names) - most:,} more" if names[most:] else ""
    )


def _mean_length(cells: pa.ChunkedArray) -> float:
    return pc.mean(pc.utf8_length(pc.replace_substring_regex(cells, INVISIBLE, ""))).as_py() or 0.0
