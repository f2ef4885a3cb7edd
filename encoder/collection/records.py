"""Rows of JSON: one object on each line, an array of them, columns, or the shapes of pandas, SQuAD and label tools."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from encoder.collection.column_names import TEXT_NAMES, known_name, plain
from encoder.collection.delimited import Decoded
from encoder.collection.growing_table import cell_text, cells_of
from encoder.collection.table import unique_names
from encoder.errors import DataError

BETWEEN: Final = re.compile(r"[\s,]*")
LARGEST: Final = 20_000_000  # characters of one JSON value
Row = dict[str, str | None]
REFUSED: Final = ("reject", "ignore")  # what an annotator of Prodigy answers but "accept"
OF_PRODIGY: Final = ("label", "spans", "accept")  # beside such an answer


def rows_of_json(decoded: Decoded, name: str, remarks: list[str]) -> Iterator[Row]:
    """The rows of a JSON text, but those that an annotator of Prodigy did not accept.

    Args:
        remarks: receives sentences on what is not read.
    Raises:
        DataError: with the line, where the text is broken or has no rows.
    """
    refused = 0
    for row in _all_rows(decoded, name, remarks):
        answer = row.get("answer") if isinstance(row, dict) and any(key in row for key in OF_PRODIGY) else None
        if answer in REFUSED:
            refused += 1
        else:
            yield {"text": row} if isinstance(row, str) else _cells(row, is_choice=answer == "accept")
    if refused:
        remarks.append(f"Rows left out, whose “answer” is “reject” or “ignore”: {refused:,}.")


def _all_rows(decoded: Decoded, name: str, remarks: list[str]) -> Iterator[dict[str, Any] | str]:
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
        if place == start and isinstance(value, dict) and not text[end:].strip():
            rows = _rows_within(value, name, remarks)
        else:
            rows = [value]
        for row in rows:
            if not isinstance(row, dict | str):
                raise _fault(name, text, place)
            yield row
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


def _rows_within(value: dict[str, Any], name: str, remarks: list[str]) -> Iterable[Any]:
    """The rows of a document that is one object: columns, or rows under one name, or a single row.

    Raises:
        DataError: there are rows under several names, or they have other numbers of cells than the columns.
    """
    cells, columns, rows = list(value.values()), value.get("columns"), value.get("data")
    if isinstance(columns, list) and isinstance(rows, list):  # of pandas, orient="split"
        if not all(isinstance(row, list) and len(row) == len(columns) for row in rows):
            raise DataError(f"{name}: a row of “data” has not {len(columns)} cells, one for each of “columns”.")
        names = unique_names([*map(str, columns)])
        read, rows = ["columns", "index", "data"], [dict(zip(names, row, strict=True)) for row in rows]
    elif _is(dict, value.get("rows")) and all("row" in each for each in value["rows"]):  # of the hub's viewer
        read, rows = ["rows"], [each["row"] for each in value["rows"]]
    elif isinstance(value.get("text"), str) or isinstance(rows, dict):  # a single row, perhaps of a label tool
        return [value]
    elif _is(list, cells) and len({*map(len, cells)}) == 1 < len(cells) and not all(_is(dict, each) for each in cells):
        # columns as lists
        return (dict(zip(value, row, strict=True)) for row in zip(*cells, strict=True))
    elif lengths := _lengths_of_texts(value):  # columns as lists beside what stands once, or of other lengths
        if len({*lengths.values()}) > 1:
            numbers = ", ".join(f"{length:,} in “{key}”" for key, length in lengths.items())
            raise DataError(f"{name}: the columns have other numbers of cells: {numbers}.")
        (length,) = {*lengths.values()}
        if alone := [f"“{key}”" for key in value if key not in lengths]:
            remarks.append(f"Read for every row, as they stand once: {', '.join(alone)}.")
        return ({key: each[row] if key in lengths else each for key, each in value.items()} for row in range(length))
    elif _is(dict, cells) and len({tuple(each) for each in cells}) == 1:
        if any(map(known_name, cells[0])) and not any(map(known_name, value)):  # orient="index"
            return cells
        return ({name: column[key] for name, column in value.items()} for key in cells[0])  # orient="columns"
    else:  # rows under one name, as in SQuAD, or a single row
        read = [key for key, each in value.items() if _is(dict, each)]
        if len(read) > 1:
            raise DataError(f"{name} holds several tables: {', '.join(read)}. Save one of them by itself.")
        rows = value[read[0]] if read else [value]
    if read and (others := [f"“{key}”" for key in value if key not in read]):
        remarks.append(f"Only “{read[-1]}” of the document is read, and not {', '.join(others)}.")
    return _squad(rows) if any(isinstance(each, dict) and "paragraphs" in each for each in rows) else rows


def _lengths_of_texts(value: dict[str, Any]) -> dict[str, int]:
    """The numbers of cells of an object's lists, if one with a usual name of texts has several texts; else {}."""
    lists = {key: each for key, each in value.items() if isinstance(each, list)}
    has_texts = any(plain(key) in TEXT_NAMES and _is(str, each) and len(each) > 1 for key, each in lists.items())
    are_words = any(plain(key) in ("tokens", "words") for key in lists)
    return {key: len(each) for key, each in lists.items()} if has_texts and not are_words else {}


def _is(kind: type, values: Any) -> bool:
    """Whether these are a list of such values."""
    return isinstance(values, list) and bool(values) and all(isinstance(each, kind) for each in values)


def _squad(data: list[Any]) -> Iterator[dict[str, Any]]:
    for article in data:
        for paragraph in article.get("paragraphs", ()):
            for asked in paragraph.get("qas", ()):
                answers = [each.get("text", "") for each in asked.get("answers", ())]
                yield (
                    {"title": article.get("title"), "context": paragraph.get("context")} | asked | {"answers": answers}
                )


def _cells(row: dict[str, Any], *, is_choice: bool) -> Row:
    """The cells of an object; of Label Studio's annotations, also what was chosen, and the spans that have labels.

    Args:
        is_choice: whether it is a task of Prodigy that was accepted, whose "accept" has what was chosen.
    """
    if is_choice:
        row = {key: each for key, each in row.items() if key != "answer"}
        if isinstance(row.get("accept"), list):
            row = {"label": ", ".join(map(str, row["accept"]))} | row
    cells = cells_of(row)
    values = list(_values(row.get("annotations")))
    if chosen := dict.fromkeys(str(choice) for value in values for choice in value.get("choices", ())):
        cells["choices"] = ", ".join(chosen)
    if values and not chosen:
        cells["spans"] = cell_text([{name: each.get(name) for name in ("start", "end", "labels")} for each in values])
    return cells


def _values(found: Any) -> Iterator[dict[str, Any]]:
    """The values of annotations that have choices or labels, but for those that were cancelled."""
    if isinstance(found, dict) and found.get("was_cancelled") is True:
        return
    if isinstance(found, dict) and (isinstance(found.get("choices"), list) or isinstance(found.get("labels"), list)):
        yield found
    elif isinstance(found, dict | list):
        for each in found.values() if isinstance(found, dict) else found:
            yield from _values(each)
