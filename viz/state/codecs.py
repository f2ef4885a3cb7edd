"""How values of the selection are written in an address: one codec for each type of value."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from encoder.experiments.anatomy.names import WhatIf
from encoder.measures.unit_attention import MEAN
from viz.state.selection import AUTOMATIC, NO_SENTENCES, OWN, WHAT_IFS, Heads, Tags, shipped_words

Value = TypeVar("Value")

LARGEST = 9999  # of numbers
LONGEST_MODEL_NAME = 300  # characters
MOST_MODELS = 12  # side by side
LONGEST_HEADS = 300
LONGEST_SILENCED = 4_000
LONGEST_ROWS = 1_000  # characters of a filter of rows
COLLECTION_NAME = re.compile("[a-z]{1,20}")
TOUR_NAME = re.compile("[a-z0-9-]{1,60}")
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
A_NUMBER = f"a whole number from 0 to {LARGEST} is needed"
NUMBERS_WITH_DOTS = "numbers with dots between are needed, “all” or “none”"
PAIRS = "heads are written as layer.head, with - between them"


class UnreadableError(ValueError):
    """A text that does not encode a value; the message says which texts do."""


@dataclass(frozen=True, slots=True)
class Codec(Generic[Value]):
    """A value from its text and back; `decode` raises UnreadableError."""

    decode: Callable[[str], Value]
    encode: Callable[[Value], str] = str


def without_lone_surrogates(text: str) -> str:
    """The text with "\ufffd" in place of lone surrogates, which no address and no message can encode."""
    return LONE_SURROGATE.sub("\ufffd", text)


def one_of(options: tuple[str, ...], expected: str = "") -> Codec[str]:
    """A codec of some texts; errors list them unless another sentence is given."""

    def decode(text: str) -> str:
        if text not in options:
            raise UnreadableError(expected or f"it can be {', '.join(options)}")
        return text

    return Codec(decode)


def text_that(is_valid: Callable[[str], object], expected: str) -> Codec[str]:
    """A codec of the texts that satisfy a condition."""

    def decode(text: str) -> str:
        if not is_valid(text):
            raise UnreadableError(expected)
        return text

    return Codec(decode)


def _switch(text: str) -> bool:
    return one_of(("0", "1"), "it can be 1 or 0").decode(text) == "1"


def _number(text: str, expected: str = A_NUMBER) -> int:
    """A number in ASCII digits."""
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(LARGEST))):
        raise UnreadableError(expected)
    return int(text)


def _head(text: str) -> int:
    return MEAN if text == "mean" else _number(text, f"{A_NUMBER}, or “mean”")


def _heads(text: str) -> Heads:
    match text:
        case "all" | "none":
            return text
    if len(text) > LONGEST_HEADS:
        raise UnreadableError(NUMBERS_WITH_DOTS)
    return tuple(_number(part, NUMBERS_WITH_DOTS) for part in text.split("."))


def _text_of_heads(value: Heads) -> str:
    if isinstance(value, tuple):
        return ".".join(map(str, value)) or "none"
    return "" if value == "selected" else value


def _tags(text: str) -> Tags:
    match text:
        case "all" | "off":
            return text
    return _number(text, f"{A_NUMBER}, “all” or “off”")


def _pairs(text: str) -> tuple[tuple[int, int], ...]:
    if len(text) > LONGEST_SILENCED:
        raise UnreadableError(PAIRS)
    pairs = (pair.partition(".") for pair in text.split("-"))
    return tuple(dict.fromkeys((_number(layer, PAIRS), _number(head, PAIRS)) for layer, _, head in pairs))


def _text_of_pairs(value: tuple[tuple[int, int], ...]) -> str:
    return "-".join(f"{layer}.{head}" for layer, head in value)


def _what_ifs(text: str) -> tuple[WhatIf, ...]:
    """The names in one order."""
    names = text.split(".") if text else []
    if len(set(names)) < len(names) or not set(names) <= set(WHAT_IFS):
        raise UnreadableError(f"it can be {', '.join(WHAT_IFS)}, with dots between")
    return tuple(name for name in WHAT_IFS if name in names)


def is_model_name(name: str) -> bool:
    """Whether a text may name a model."""
    return bool(name.strip()) and len(name) <= LONGEST_MODEL_NAME and name.isprintable()


def _model_names(text: str) -> tuple[str, ...]:
    """Names of models with dots between, each once; "~1" is a dot and "~0" a tilde, as "~1" is a slash in RFC 6901."""
    names = [name.replace("~1", ".").replace("~0", "~") for name in text.split(".")] if text else []
    if len(names) > MOST_MODELS or not all(map(is_model_name, names)):
        raise UnreadableError(f"up to {MOST_MODELS} names of models are needed, with dots between")
    return tuple(dict.fromkeys(names))


def _text_of_model_names(names: tuple[str, ...]) -> str:
    return ".".join(name.replace("~", "~0").replace(".", "~1") for name in names)


def _sentence_set(text: str) -> str:
    """The name of shipped sentences, looked up in their file, which is read lazily."""
    return one_of((AUTOMATIC, OWN, NO_SENTENCES, *shipped_words())).decode(text)


ANY_TEXT: Codec[str] = Codec(str)
MODEL_NAME = text_that(is_model_name, "it names no model")
OPTIONAL_MODEL_NAME = text_that(lambda name: not name or is_model_name(name), "it names no model")
COLLECTION = text_that(COLLECTION_NAME.fullmatch, "it names no collection")
ROWS = text_that(lambda text: len(text) <= LONGEST_ROWS and text.isprintable(), "it names no rows")
TOUR = text_that(TOUR_NAME.fullmatch, "it names no tour")
SWITCH: Codec[bool] = Codec(_switch, lambda value: str(int(value)))
NUMBER: Codec[int] = Codec(_number)
POSITION: Codec[int | None] = Codec(_number, lambda value: "" if value is None else str(value))  # None is omitted
HEAD: Codec[int] = Codec(_head, lambda value: "mean" if value == MEAN else str(value))
HEADS: Codec[Heads] = Codec(_heads, _text_of_heads)  # the selected head is omitted
PROBED_STATES: Codec[Tags] = Codec(_tags)
SILENCED_HEADS: Codec[tuple[tuple[int, int], ...]] = Codec(_pairs, _text_of_pairs)
WHAT_IF_NAMES: Codec[tuple[WhatIf, ...]] = Codec(_what_ifs, ".".join)
MODEL_NAMES: Codec[tuple[str, ...]] = Codec(_model_names, _text_of_model_names)
SENTENCE_SET: Codec[str] = Codec(_sentence_set)
