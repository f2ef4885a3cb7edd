"""The labels of a table of texts: which of a model's classes each stands for, decided once for the whole column."""

from __future__ import annotations

import json
import re
from ast import literal_eval
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from numbers import Integral
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from encoder.errors import DataError

# How the labels of a column are read: by the names of the classes; as their numbers, which must be exactly 0 to C - 1;
# as the numbers in the names, such as "4 stars"; each cell as C zeros and ones; or not at all: the user must say.
LabelRule = Literal["names", "numbers", "numbers in names", "vectors", "refused"]
LabelClasses = Mapping[Any, str | int | None] | Sequence[str] | Literal["numbers"]  # as a user gives them
NO_LABEL: Final = -1
NONE: Final = "none"  # of several labels
MISSING: Final = frozenset(
    {NONE, "nan", "null", "na", "n/a", "<na>", "#n/a", "nat"}
)  # what programs write for no label
CLASS_NUMBER: Final = "class number {}"  # a class that a user chose by its number
BETWEEN_LABELS: Final = re.compile(r"\s*[,;|]\s*")
WHOLE_NUMBER: Final = re.compile(r"(?:label_)?([+-]?\d+)(?:\.0+)?")
PLACE_NAME: Final = re.compile(r"label_\d+")  # of a class without a name of its own
OF_WHOLE: Final = re.compile(r"(\d)\.0+\b")  # the end of "4.0"
OF_ARRAY: Final = re.compile(r"array\((\[.*?\])(?:, dtype=\w+)?\)", re.DOTALL)
TRUTH: Final[Mapping[str, str]] = {"true": "1", "false": "0"}
MOST_LISTED: Final = 6


def label_rule(labels: Iterable[str], names: Sequence[str], *, several: bool = False) -> LabelRule:
    """How the labels of a column are read.

    Names win if a label is one. Else numbers must be those in the names of the classes, or exactly 0 to C - 1: 0 and 1
    are no classes of a model with three, because nothing says which. `-1` is no label, as in the hub's data sets.

    Args:
        labels: of all rows, or each one once; "" for none.
        names: of the C classes.
        several: whether a row has any number of labels.
    """
    cells = [entries(label) for label in labels if label]
    if len(names) > 1 and any(cells) and all(_is_vector(cell, len(names), several) for cell in cells if cell):
        return "vectors"
    found = {label for cell in cells for label in cell} - MISSING
    by_name = _by_name(tuple(names))
    if not found or any(label in by_name and _number(label) is None for label in found) or found <= set(by_name):
        return "names"
    numbers = {number for label in found if (number := _number(label)) not in (None, NO_LABEL)}
    in_names = _numbers_in(tuple(names))
    if in_names and numbers and numbers <= set(in_names):
        return "numbers in names"
    return "numbers" if numbers == set(range(len(names))) else "refused"


def proposed_classes(labels: Iterable[str], names: Sequence[str]) -> dict[str, int]:
    """For each label of a column the class that it may stand for, for a user to confirm; `NO_LABEL` for none.

    A label that begins the name of one class alone, or begins with it, may be that class; numbers that count from 1 may
    be classes in their order.
    """
    found = list(dict.fromkeys(entry for label in labels for entry in entries(label) if entry not in MISSING))
    by_name = _by_name(tuple(names))
    numbers = [_number(entry) for entry in found]
    from_1 = set(numbers) == {place + 1 for place in range(len(names))}
    proposed = {}
    for entry, number in zip(found, numbers, strict=True):
        begun = {by_name[name] for name in by_name if name.startswith(entry) or entry.startswith(name)}
        place = by_name.get(entry, begun.pop() if len(begun) == 1 and number is None else NO_LABEL)
        proposed[entry] = number - 1 if from_1 and number is not None else place
    return proposed


def translated(label: str, classes: Mapping[str, str]) -> str:
    """A cell of labels with the classes that a user chose for them; "" for a label that is to count as none."""
    found = [classes.get(entry, entry) for entry in entries(label)]
    return json.dumps(chosen) if len(chosen := [entry for entry in found if entry]) > 1 else "".join(chosen)


def chosen_classes(given: LabelClasses, labels: Iterable[str]) -> dict[str, str]:
    """A user's settings of labels, for `translated`.

    Args:
        given: the class of each label, by its name or its number, None for none; the labels of the classes in their
            order; or "numbers", where all are numbers of classes from 0.
        labels: each label of the column once.
    Raises:
        DataError: a label of `given` is not in the column, or stands for two classes.
    """
    found = list(dict.fromkeys(entry for label in labels for entry in entries(label)))
    if isinstance(given, str):
        if given != "numbers":
            raise DataError(
                f"labels={given!r}: give a class for each label, as in {{'pos': 'positive'}}, or 'numbers'."
            )
        numbers = {entry: _number(entry) for entry in found}
        given = {entry: number for entry, number in numbers.items() if number is not None and number >= 0}
    pairs = given.items() if isinstance(given, Mapping) else zip(given, range(len(given)), strict=True)
    chosen: dict[str, str] = {}
    for label, named in pairs:
        entry = "".join(entries(str(label)))
        if isinstance(named, bool) or not (named is None or isinstance(named, str | Integral)):
            raise DataError(f"labels={{{label!r}: {named!r}}}: give a class by its name or its number, or None.")
        name = "" if named is None else named if isinstance(named, str) else CLASS_NUMBER.format(named)
        if entry not in found or chosen.get(entry, name) != name:
            said = "is given two classes" if entry in found else "is not in the column"
            raise DataError(f"The label {label!r} {said}: it has {', '.join(found[:MOST_LISTED]) or 'no labels'}.")
        chosen[entry] = name
    return chosen


def classes_of(label: str, names: Sequence[str], rule: LabelRule) -> tuple[int, ...] | None:
    """The classes that a cell names, by their numbers; None if one of its labels is none of them."""
    cell = entries(label)
    if rule == "vectors":
        if not _is_vector(cell, len(names), several=True):
            return None
        return tuple(index for index, entry in enumerate(cell) if entry == "1")
    found = [_class_of(entry, names, rule) for entry in cell if entry != NONE or NONE in _by_name(tuple(names))]
    return None if NO_LABEL in found else tuple(found)


def gold_of(
    labels: Sequence[str], names: Sequence[str], rule: LabelRule, *, several: bool = False
) -> tuple[npt.NDArray[Any], Counter[str]]:
    """(N,) each row's class, or (N, C) 1 for each label of several that it has and 0 for others; `NO_LABEL` for none.

    Returns:
        The array, and the labels that are no class, the first one of each row, with the number of these rows.
    """
    gold = np.full((len(labels), len(names)) if several else len(labels), NO_LABEL, np.int32)
    by_label = {label: classes_of(label, names, rule) for label in set(labels) if label}
    unknown, missing = Counter[str](), MISSING - set(_by_name(tuple(names))) - ({NONE} if several else set())
    for row, label in enumerate(labels):
        if label.lower() in missing:
            continue
        classes = by_label.get(label)
        if several and classes is not None:
            gold[row] = 0
            gold[row, list(classes)] = 1
        elif classes is not None and len(classes) == 1:
            gold[row] = classes[0]
        elif label:
            of_none = [entry for entry in entries(label) if several and _class_of(entry, names, rule) == NO_LABEL]
            unknown[(of_none or [label])[0]] += 1
    return gold, unknown


def rule_in_words(rule: LabelRule, labels: Iterable[str], names: Sequence[str]) -> str:
    """How the labels are read, in a sentence; "" where they are read by name."""
    named = [f"{number} = “{name}”" for number, name in enumerate(names[:MOST_LISTED])]
    numbered = ", ".join(named) + (f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else "")
    if rule == "refused":
        found = sorted({entry for label in labels if label for entry in entries(label)} - MISSING)
        more = f" and {len(found) - MOST_LISTED} more" if len(found) > MOST_LISTED else ""
        return (
            f"The labels {', '.join(found[:MOST_LISTED])}{more} are neither the names of the model's classes nor all "
            f"of their numbers ({numbered}), so none is compared: say which class each label stands for."
        )
    said = {
        "numbers": f"The labels are read as numbers of classes: {numbered}.",
        "numbers in names": "The labels are read as the numbers in the names of the classes.",
        "vectors": f"Each label is read as {len(names)} zeros and ones, one for each class.",
    }
    return said.get(rule, "")


def entries(label: str) -> list[str]:
    """The labels in a cell, in lower case: with commas between, or in a list as Python, JSON or numpy write it."""
    text = OF_WHOLE.sub(r"\1", label.strip().lower())
    if text[:1] == "[" and text[-1:] == "]":
        if isinstance(found := structure_of(text), list):
            return [str(entry).strip() for entry in found]
        inner = text[1:-1].strip()
        text = inner if BETWEEN_LABELS.search(inner) else "|".join(inner.split())
    return [stripped for entry in BETWEEN_LABELS.split(text) if (stripped := entry.strip("'\" "))]


def answers_in(label: str) -> list[str]:
    """The right answers in a cell: its text, or the texts of SQuAD's `answers` ({"text": […], "answer_start": […]})."""
    if not label.startswith(("[", "{")):
        return [label] if label else []
    found = structure_of(label)
    texts = found.get("text") if isinstance(found, dict) else found
    if isinstance(texts, str):
        return [texts]
    return [str(text) for text in texts if str(text)] if isinstance(texts, list) else [label]


def structure_of(text: str) -> Any:
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
    return number if 0 <= number < len(names) else NO_LABEL


@lru_cache(maxsize=8)
def _by_name(names: tuple[str, ...]) -> dict[str, int]:
    numbered = {CLASS_NUMBER.format(index): index for index in range(len(names))}
    return numbered | {OF_WHOLE.sub(r"\1", name.strip().lower()): index for index, name in enumerate(names)}


@lru_cache(maxsize=8)
def _numbers_in(names: tuple[str, ...]) -> dict[int, int]:
    """The classes by the numbers in their names, such as "4 stars", if each has one of its own; else {}."""
    if all(PLACE_NAME.fullmatch(name.lower()) for name in names):
        return {}
    found = [re.findall(r"\d+", name) for name in names]
    numbers = {int(each[0]): index for index, each in enumerate(found) if len(each) == 1}
    return numbers if len(numbers) == len(names) else {}


def _number(label: str) -> int | None:
    found = WHOLE_NUMBER.fullmatch(TRUTH.get(label, label))
    return int(found[1]) if found else None


def _is_vector(cell: Sequence[str], count: int, several: bool) -> bool:
    return len(cell) == count and set(cell) <= {"0", "1"} and (several or cell.count("1") == 1)
