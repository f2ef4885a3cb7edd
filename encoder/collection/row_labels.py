"""The labels of a table of texts: which of a model's classes each stands for, decided once for the whole column."""

from __future__ import annotations

import json
import re
from ast import literal_eval
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

# How the labels of a column are read: by the names of the classes, or as numbers of classes from 0 or from 1; as the
# numbers in the names, such as "4 stars"; each cell as C zeros and ones; or not at all, because they fit nothing.
LabelRule = Literal["names", "numbers", "numbers from 1", "numbers in names", "vectors", "refused"]
NO_LABEL: Final = -1
NONE: Final = "none"  # of several labels
BETWEEN_LABELS: Final = re.compile(r"\s*[,;|]\s*")
WHOLE_NUMBER: Final = re.compile(r"(?:label_)?([+-]?\d+)(?:\.0+)?")
OF_WHOLE: Final = re.compile(r"(\d)\.0+\b")  # the end of "4.0"
OF_ARRAY: Final = re.compile(r"array\((\[.*?\])(?:, dtype=\w+)?\)", re.DOTALL)
TRUTH: Final[Mapping[str, str]] = {"true": "1", "false": "0"}
MOST_LISTED: Final = 6


def label_rule(labels: Iterable[str], names: Sequence[str], *, several: bool = False) -> LabelRule:
    """How the labels of a column are read.

    Names win if all labels are names. Else numbers must all be classes: any set from 0 to C - 1, or one that only fits
    if classes are counted from 1. Where the names have numbers, only these fit, or all numbers from 0 to C - 1.

    Args:
        labels: of all rows, or each one once; "" for none.
        names: of the C classes.
        several: whether a row has any number of labels.
    """
    cells = [entries(label) for label in labels if label]
    if several and len(names) > 1 and any(cells) and all(_is_vector(cell, len(names)) for cell in cells if cell):
        return "vectors"
    found = {label for cell in cells for label in cell} - {NONE}
    by_name = _by_name(tuple(names))
    if not found or any(label in by_name and _number(label) is None for label in found) or found <= set(by_name):
        return "names"
    numbers = {number for label in found if (number := _number(label)) not in (None, NO_LABEL)}
    if not numbers:
        return "names"
    in_names, places = _numbers_in(tuple(names)), set(range(len(names)))
    if in_names:
        return "numbers in names" if numbers <= set(in_names) else "numbers" if numbers == places else "refused"
    if numbers <= places:
        return "numbers"
    return "numbers from 1" if numbers <= {place + 1 for place in places} else "refused"


def classes_of(label: str, names: Sequence[str], rule: LabelRule) -> tuple[int, ...] | None:
    """The classes that a cell names, by their numbers; None if one of its labels is none of them."""
    cell = entries(label)
    if rule == "vectors":
        if not _is_vector(cell, len(names)):
            return None
        return tuple(index for index, entry in enumerate(cell) if entry == "1")
    found = [_class_of(entry, names, rule) for entry in cell if entry != NONE or NONE in _by_name(tuple(names))]
    return None if NO_LABEL in found else tuple(found)


def gold_of(
    labels: Sequence[str], names: Sequence[str], rule: LabelRule, *, several: bool = False
) -> tuple[npt.NDArray[Any], Counter[str]]:
    """(N,) each row's class, or (N, C) 1 for each label of several that it has and 0 for others; `NO_LABEL` for none.

    Returns:
        The array, and the labels that are no class, with the number of rows that have each.
    """
    gold = np.full((len(labels), len(names)) if several else len(labels), NO_LABEL, np.int32)
    by_label = {label: classes_of(label, names, rule) for label in set(labels) if label}
    unknown = Counter[str]()
    for row, label in enumerate(labels):
        classes = by_label.get(label)
        if several and classes is not None:
            gold[row] = 0
            gold[row, list(classes)] = 1
        elif classes is not None and len(classes) == 1:
            gold[row] = classes[0]
        elif label:
            unknown.update([entry for entry in entries(label) if _class_of(entry, names, rule) == NO_LABEL] or [label])
    return gold, unknown


def rule_in_words(rule: LabelRule, labels: Iterable[str], names: Sequence[str]) -> str:
    """How the labels are read, in a sentence; "" where they are read by name, or as numbers from 0 of other names."""
    first, last = names[0] if names else "", len(names) - 1
    if rule == "refused":
        found = sorted({entry for label in labels if label for entry in entries(label)})
        more = f" and {len(found) - MOST_LISTED} more" if len(found) > MOST_LISTED else ""
        return (
            f"The labels {', '.join(found[:MOST_LISTED])}{more} fit neither the names of the model's classes "
            f"({', '.join(names[:MOST_LISTED])}) nor their numbers (0 to {last}), so none is compared: write the names."
        )
    if rule == "numbers" and _numbers_in(tuple(names)) and _numbers_in(tuple(names)).get(0) != 0:
        return f"The labels are read as numbers of classes, counted from 0: 0 is “{first}”."
    said = {
        "numbers from 1": f"The labels are read as numbers of classes, counted from 1: 1 is “{first}”.",
        "numbers in names": "The labels are read as the numbers in the names of the classes.",
        "vectors": f"Each label is read as {len(names)} zeros and ones, one for each class.",
    }
    return "" if rule == "numbers in names" and _numbers_in(tuple(names)).get(0) == 0 else said.get(rule, "")


def entries(label: str) -> list[str]:
    """The labels in a cell, in lower case: with commas between, or in a list as Python, JSON or numpy write it."""
    text = OF_WHOLE.sub(r"\1", label.strip().lower())
    if text[:1] == "[" and text[-1:] == "]":
        if isinstance(found := _structure(text), list):
            return [str(entry).strip() for entry in found]
        inner = text[1:-1].strip()
        text = inner if BETWEEN_LABELS.search(inner) else "|".join(inner.split())
    return [stripped for entry in BETWEEN_LABELS.split(text) if (stripped := entry.strip("'\" "))]


def answers_in(label: str) -> list[str]:
    """The right answers in a cell: its text, or the texts of SQuAD's `answers` ({"text": […], "answer_start": […]})."""
    if not label.startswith(("[", "{")):
        return [label] if label else []
    found = _structure(label)
    texts = found.get("text") if isinstance(found, dict) else found
    if isinstance(texts, str):
        return [texts]
    return [str(text) for text in texts if str(text)] if isinstance(texts, list) else [label]


def _structure(text: str) -> Any:
    """What JSON, or Python's text of a list, a record or a numpy array, stands for; None for another text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return literal_eval(OF_ARRAY.sub(r"\1", text))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def index_of(label: str, names: Sequence[str]) -> int:
    """A label's place among names, whatever its case, or by its number from 0; `NO_LABEL` for another."""
    found = _by_name(tuple(names)).get(label.lower())
    number = _number(label.lower()) if found is None else found
    return number if number is not None and 0 <= number < len(names) else NO_LABEL


def _class_of(label: str, names: Sequence[str], rule: LabelRule) -> int:
    if rule == "names":
        return _by_name(tuple(names)).get(label, NO_LABEL)
    number = _number(label)
    if number is None or rule == "refused":
        return NO_LABEL
    if rule == "numbers in names":
        return _numbers_in(tuple(names)).get(number, NO_LABEL)
    place = number - (rule == "numbers from 1")
    return place if 0 <= place < len(names) else NO_LABEL


@lru_cache(maxsize=8)
def _by_name(names: tuple[str, ...]) -> dict[str, int]:
    return {OF_WHOLE.sub(r"\1", name.lower()): index for index, name in enumerate(names)}


@lru_cache(maxsize=8)
def _numbers_in(names: tuple[str, ...]) -> dict[int, int]:
    """The classes by the numbers in their names, if each has one of its own; else {}."""
    found = [re.findall(r"\d+", name) for name in names]
    numbers = {int(each[0]): index for index, each in enumerate(found) if len(each) == 1}
    return numbers if len(numbers) == len(names) else {}


def _number(label: str) -> int | None:
    found = WHOLE_NUMBER.fullmatch(TRUTH.get(label, label))
    return int(found[1]) if found else None


def _is_vector(cell: Sequence[str], count: int) -> bool:
    return len(cell) == count and set(cell) <= {"0", "1"}
