"""How values of the selection are written in an address: one codec for each type of value."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from encoder.experiments.anatomy.names import WhatIf
from encoder.measures.unit_attention import MEAN
from viz.state.selection import AUTOMATIC, NO_SENTENCES, OWN, WHAT_IFS, Heads, Tags, shipped_words

Value = TypeVar("Value")
Option = TypeVar("Option", bound=str)

LARGEST = 9999  # of numbers
LONGEST_MODEL_NAME = 300  # characters
LONGEST_HEADS = 300
LONGEST_SILENCED = 4_000
TOUR_NAME = re.compile("[a-z0-9-]{1,60}")
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
NUMBER = f"a whole number from 0 to {LARGEST}"


class UnreadableError(ValueError):
    """A text that does not encode a value."""


class Codec(Protocol[Value]):
    """A value's text and back. `decode` raises `UnreadableError`; `expected` says which texts are valid."""

    @property
    def expected(self) -> str: ...

    def decode(self, text: str) -> Value: ...

    def encode(self, value: Value) -> str: ...


def without_lone_surrogates(text: str) -> str:
    """The text with "\ufffd" in place of lone surrogates, which no address and no message can encode."""
    return LONE_SURROGATE.sub("\ufffd", text)


def number(text: str) -> int:
    """A whole number in ASCII digits, at most `LARGEST`.

    Raises:
        UnreadableError: it is not such a number.
    """
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(LARGEST))):
        raise UnreadableError
    return int(text)


@dataclass(frozen=True, slots=True)
class Choice(Generic[Option]):
    """One of some texts; `expected` lists them unless another sentence is given."""

    options: tuple[Option, ...]
    expected: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "expected", self.expected or f"it can be {', '.join(self.options)}")

    def decode(self, text: str) -> Option:
        for option in self.options:
            if text == option:
                return option
        raise UnreadableError

    def encode(self, value: Option) -> str:
        return value


@dataclass(frozen=True, slots=True)
class Switch:
    """1 for on, 0 for off."""

    expected: str = "it can be 1 or 0"

    def decode(self, text: str) -> bool:
        if text not in ("0", "1"):
            raise UnreadableError
        return text == "1"

    def encode(self, value: bool) -> str:
        return str(int(value))


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number from 0."""

    expected: str = f"{NUMBER} is needed"

    def decode(self, text: str) -> int:
        return number(text)

    def encode(self, value: int) -> str:
        return str(value)


@dataclass(frozen=True, slots=True)
class Position:
    """A whole number from 0, or None, which addresses omit."""

    expected: str = f"{NUMBER} is needed"

    def decode(self, text: str) -> int | None:
        return number(text)

    def encode(self, value: int | None) -> str:
        return "" if value is None else str(value)


@dataclass(frozen=True, slots=True)
class Head:
    """A head's number, or "mean"."""

    expected: str = f"{NUMBER} is needed, or “mean”"

    def decode(self, text: str) -> int:
        return MEAN if text == "mean" else number(text)

    def encode(self, value: int) -> str:
        return "mean" if value == MEAN else str(value)


@dataclass(frozen=True, slots=True)
class ShownHeads:
    """The words "all" and "none", or numbers with dots between; addresses omit the selected head."""

    expected: str = "numbers with dots between are needed, “all” or “none”"

    def decode(self, text: str) -> Heads:
        if text == "all":
            return "all"
        if text == "none":
            return "none"
        if len(text) > LONGEST_HEADS:
            raise UnreadableError
        return tuple(map(number, text.split(".")))

    def encode(self, value: Heads) -> str:
        if isinstance(value, tuple):
            return ".".join(map(str, value)) or "none"
        return "" if value == "selected" else value


@dataclass(frozen=True, slots=True)
class ProbedStates:
    """The words "off" and "all", or an index into the hidden states."""

    expected: str = f"{NUMBER} is needed, “all” or “off”"

    def decode(self, text: str) -> Tags:
        if text == "all":
            return "all"
        return "off" if text == "off" else number(text)

    def encode(self, value: Tags) -> str:
        return str(value)


@dataclass(frozen=True, slots=True)
class SilencedHeads:
    """(layer, head) pairs, each once: "3.7-4.11"."""

    expected: str = "heads are written as layer.head, with - between them"

    def decode(self, text: str) -> tuple[tuple[int, int], ...]:
        if len(text) > LONGEST_SILENCED:
            raise UnreadableError
        pairs = []
        for pair in text.split("-"):
            layer, dot, head = pair.partition(".")
            if not dot:
                raise UnreadableError
            pairs.append((number(layer), number(head)))
        return tuple(dict.fromkeys(pairs))

    def encode(self, value: tuple[tuple[int, int], ...]) -> str:
        return "-".join(f"{layer}.{head}" for layer, head in value)


@dataclass(frozen=True, slots=True)
class WhatIfs:
    """Names with dots between, each at most once, in any order; the value has them in one order."""

    expected: str = f"it can be {', '.join(WHAT_IFS)}, with dots between"

    def decode(self, text: str) -> tuple[WhatIf, ...]:
        names = text.split(".") if text else []
        if len(set(names)) < len(names) or not set(names) <= set(WHAT_IFS):
            raise UnreadableError
        return tuple(name for name in WHAT_IFS if name in names)

    def encode(self, value: tuple[WhatIf, ...]) -> str:
        return ".".join(value)


@dataclass(frozen=True, slots=True)
class FreeText:
    """Any text."""

    expected: str = "any text will do"

    def decode(self, text: str) -> str:
        return text

    def encode(self, value: str) -> str:
        return value


@dataclass(frozen=True, slots=True)
class ModelName:
    """A model's name, without control characters."""

    expected: str = "it names no model"

    def decode(self, text: str) -> str:
        if not (text.strip() and len(text) <= LONGEST_MODEL_NAME and text.isprintable()):
            raise UnreadableError
        return text

    def encode(self, value: str) -> str:
        return value


@dataclass(frozen=True, slots=True)
class TourName:
    """The name of a tour: small letters, digits and hyphens."""

    expected: str = "it names no tour"

    def decode(self, text: str) -> str:
        if not TOUR_NAME.fullmatch(text):
            raise UnreadableError
        return text

    def encode(self, value: str) -> str:
        return value


@dataclass(frozen=True, slots=True)
class SentenceSet:
    """The sentences in addition to A and B. The shipped words are read from their file when they are needed."""

    @property
    def expected(self) -> str:
        return f"it can be {', '.join(self._names())}"

    def decode(self, text: str) -> str:
        if text not in self._names():
            raise UnreadableError
        return text

    def encode(self, value: str) -> str:
        return value

    @staticmethod
    def _names() -> tuple[str, ...]:
        return (AUTOMATIC, OWN, NO_SENTENCES, *shipped_words())
