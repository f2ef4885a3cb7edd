"""Rows of JSON: one object on each line, an array of them, columns, or the shapes of pandas, SQuAD and label tools."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from encoder.collection.delimited import Decoded
from encoder.collection.growing_table import cells_of
from encoder.errors import DataError

BETWEEN: Final = re.compile(r"[\s,]*")
LARGEST: Final = 20_000_000  # characters of one JSON value
Row = dict[str, str | None]


def rows_of_json(decoded: Decoded, name: str) -> Iterator[Row]:
    """The rows of a JSON text. Raises DataError, with the line, where it is broken or has none."""
    text = "".join(decoded.lines())
    decoder = json.JSONDecoder(object_pairs_hook=_with_names_once)
    place = start = len(text) - len(text.lstrip())
    is_array = text[place : place + 1] == "["
    place += is_array
    while (place := _end(text, place)) < len(text):
        if is_array and text[place] == "]":
            if text[place + 1 :].strip():
                raise _fault(name, text, place + 1)
            return
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            raise _fault(name, text, place) from error
        if end - place > LARGEST:
            raise DataError(
                f"{name}: a JSON value is longer than {LARGEST:,} characters: write an object on each line."
            )
        yield from _rows_of(value, name, text, place, is_whole=place == start and not text[end:].strip())
        place = end
    if is_array:
        raise _fault(name, text, len(text) - 1)


def _end(text: str, place: int) -> int:
    found = BETWEEN.match(text, place)
    return found.end() if found else place


def _fault(name: str, text: str, place: int) -> DataError:
    line = text.count("\n", 0, place) + 1
    return DataError(f"{name}, line {line:,}: this cannot be read as a JSON object. Check quotes and brackets there.")


def _with_names_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _rows_of(value: Any, name: str, text: str, place: int, *, is_whole: bool) -> Iterator[Row]:
    """The rows of one value: its own, or those that a whole document holds."""
    if isinstance(value, str):
        yield {"text": value}
    elif not isinstance(value, dict):
        raise _fault(name, text, place)
    elif is_whole and (rows := _rows_within(value)) is not None:
        for row in rows:
            if not isinstance(row, dict):
                raise _fault(name, text, place)
            yield _cells(row)
    else:
        yield _cells(value)


def _rows_within(value: dict[str, Any]) -> Iterator[Any] | None:
    """The rows of a document that is one object: columns, or rows under one name; None for a single row."""
    cells = list(value.values())
    columns, data = value.get("columns"), value.get("data")
    if isinstance(columns, list) and isinstance(data, list):  # orient="split"
        return (dict(zip(columns, row, strict=False)) for row in data)
    if isinstance(data, list) and any(isinstance(each, dict) and "paragraphs" in each for each in data):
        return _squad(data)
    if isinstance(rows := value.get("rows"), list) and rows and isinstance(rows[0], dict) and "row" in rows[0]:
        return (each["row"] for each in rows)  # of the hub's viewer
    if cells and all(isinstance(each, list) for each in cells) and len({len(each) for each in cells}) == 1 < len(cells):
        return (dict(zip(value, row, strict=True)) for row in zip(*cells, strict=True))
    if cells and all(isinstance(each, dict) for each in cells) and len({tuple(each) for each in cells}) == 1:
        return ({name: column[key] for name, column in value.items()} for key in cells[0])  # orient="columns"
    lists = [each for each in cells if isinstance(each, list) and each and all(isinstance(row, dict) for row in each)]
    return iter(lists[0]) if len(lists) == 1 else None


def _squad(data: list[Any]) -> Iterator[dict[str, Any]]:
    for article in data:
        for paragraph in article.get("paragraphs", ()):
            for asked in paragraph.get("qas", ()):
                answers = [each.get("text", "") for each in asked.get("answers", ())]
                yield {"question": asked.get("question"), "context": paragraph.get("context"), "answers": answers}


def _cells(row: dict[str, Any]) -> Row:
    """The cells of an object; of Label Studio's annotations, also what was chosen."""
    cells = cells_of(row)
    if isinstance(row.get("annotations"), list) and (chosen := list(_choices(row["annotations"]))):
        cells["choices"] = ", ".join(chosen)
    return cells


def _choices(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for each in value:
            yield from _choices(each)
    elif isinstance(value, dict):
        if isinstance(value.get("choices"), list):
            yield from map(str, value["choices"])
        else:
            for each in value.values():
                yield from _choices(each)
