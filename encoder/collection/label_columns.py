"""Labels that a file does not have in one column of names: a column of 0 and 1 for each class, or spans of a text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from encoder.collection.row_labels import NONE
from encoder.text.words import roles_of, words_in

MOST_CLASSES, LONGEST_CLASS = 20, 40  # values of a column of labels, and characters of each
ZERO_OR_ONE: Final = r"^[01](\.0+)?$"
STARTS, ENDS = ("start", "start_offset", "begin", "from"), ("end", "end_offset", "to")
KINDS: Final = ("label", "labels", "tag", "type", "entity_group", "entity")  # of spans, by what tools call them
OUTSIDE: Final = "O"
BEGINS: Final = r"^\[\s*[\[{]"


def columns_of_classes(table: pa.Table) -> list[str]:
    """The longest run of `flags` that are classes: three or more, or two if each row has one 1."""
    found = flags(table)
    if len(found) != 2:
        return found if len(found) > 2 else []
    held = [[cell and cell[0] for cell in table.column(name).to_pylist()] for name in found]
    rows = [row for row in zip(*held, strict=True) if None not in row]
    return found if set(rows) == {("0", "1"), ("1", "0")} else []


def flags(table: pa.Table) -> list[str]:
    """The longest run of neighbouring columns of 0, 1 and blanks alone, as GoEmotions has one for each emotion."""
    best: list[str] = []
    run: list[str] = []
    for name in table.column_names:
        run = [*run, name] if _is_zero_or_one(table.column(name)) else []
        best = run if len(run) > len(best) else best
    return best


def few_valued(table: pa.Table, columns: Sequence[str]) -> list[str]:
    """Those of the columns that may be labels: with few and short values, of which each is in two rows on average."""
    found = []
    for name in columns:
        values = table.column(name).drop_null().unique()
        if 1 < len(values) <= min(MOST_CLASSES, table.num_rows // 2):
            found += [name] if pc.max(pc.utf8_length(values)).as_py() <= LONGEST_CLASS else []
    return found


def _is_zero_or_one(cells: pa.ChunkedArray) -> bool:
    return cells.null_count < len(cells) and bool(pc.all(pc.match_substring_regex(cells, ZERO_OR_ONE)).as_py())


def joined_classes(table: pa.Table, columns: Sequence[str]) -> tuple[pa.Array, str]:
    """For each row the names of the columns that hold 1, as `row_labels.entries` reads them, and what blanks mean.

    A blank is 0 where no column has a 0. Else a row with a blank has no label.
    """
    held = [[cell and cell[0] for cell in table.column(name).to_pylist()] for name in columns]
    blank = "" if any("0" in column for column in held) else "0"
    rows = [[cell or blank for cell in row] for row in zip(*held, strict=True)]
    labels = [[name for name, cell in zip(columns, row, strict=True) if cell == "1"] for row in rows]
    joined = [json.dumps(names) if len(names) > 1 else (names or [NONE])[0] for names in labels]
    without = sum("" in row for row in rows)
    said = f" Rows with a blank there, which have no label: {without:,}." if without else ""
    if blank and any(None in column for column in held):
        said = " Blanks there are read as 0."
    return pa.array([None if "" in row else one for row, one in zip(rows, joined, strict=True)], pa.string()), said


def tags_of_spans(texts: pa.ChunkedArray, labels: pa.ChunkedArray) -> tuple[pa.Array, int] | None:
    """A BIO tag for each word of each text, for spans such as [[0, 5, "PER"]] or [{"start": 0, "end": 5, "label": …}].

    Returns:
        The tags with spaces between, null where a span does not begin and end with a word, or overlaps another; and the
        number of these. None where the labels are no spans.
    """
    if not (pa.types.is_string(labels.type) or pa.types.is_large_string(labels.type)):
        return None
    if not pc.any(pc.match_substring_regex(labels, BEGINS)).as_py():
        return None
    cells = [None if cell is None else _spans_in(cell) for cell in labels.to_pylist()]
    if sum(spans is not None for spans in cells) < len(cells) - labels.null_count:
        return None
    tags = [
        None if spans is None else _tags(text or "", spans)
        for text, spans in zip(texts.to_pylist(), cells, strict=True)
    ]
    misfits = sum(own is None and spans is not None for own, spans in zip(tags, cells, strict=True))
    return pa.array([own and " ".join(own) for own in tags], pa.string()), misfits


def _spans_in(cell: str) -> list[tuple[int, int, str]] | None:
    """The spans in a cell, by their first characters; None if it has something else."""
    try:
        found = json.loads(cell)
        return sorted([_span(each) for each in found]) if isinstance(found, list) else None
    except (ValueError, TypeError, KeyError, StopIteration, RecursionError):
        return None


def _span(given: Any) -> tuple[int, int, str]:
    """Raises what reading another value raises."""
    if isinstance(given, dict):
        given = [next(given[name] for name in names if name in given) for names in (STARTS, ENDS, KINDS)]
    start, end, kind = given
    if isinstance(kind, list):
        [kind] = kind
    if not (isinstance(start, int) and isinstance(end, int) and isinstance(kind, str)):
        raise TypeError
    return start, end, "_".join(kind.split())


def _tags(text: str, spans: Sequence[tuple[int, int, str]]) -> list[str] | None:
    words, _ = words_in(text, roles_of(text))
    starts, ends = (
        {start: place for place, (start, _) in enumerate(words)},
        {end: place for place, (_, end) in enumerate(words)},
    )
    tags = [OUTSIDE] * len(words)
    for start, end, kind in spans:
        written = text[start:end]
        first = starts.get(start + len(written) - len(written.lstrip()))
        last = ends.get(end - len(written) + len(written.rstrip()))
        if first is None or last is None or any(tag != OUTSIDE for tag in tags[first : last + 1]):
            return None
        tag = kind if kind[:2] in ("B-", "I-") else f"B-{kind}"
        tags[first : last + 1] = [tag, *[f"I-{tag[2:]}"] * (last - first)]
    return tags
