"""How values of the selection are written in an address: a codec for each type of value, and a name."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar, get_args, get_origin

from encoder.experiments.anatomy.names import WhatIf
from encoder.measures.unit_attention import MEAN
from encoder.runs.links import Link

Value = TypeVar("Value")
Heads = Literal["selected", "all", "none"] | tuple[int, ...]
Tags = Literal["off", "all"] | int
# How the browser changes a field: by a text that is typed, as part of what its views share, or by a message alone.
Browser = Literal["types", "shares", "sends"]

WHAT_IFS: tuple[WhatIf, ...] = get_args(WhatIf)
LARGEST = 9999  # of numbers
LONGEST_MODEL_NAME = 300  # characters
MOST_MODELS = 12  # side by side
LONGEST_HEADS = 300
LONGEST_SILENCED = 4_000
LONGEST_CUTS = 1_000
LONGEST_ROWS = 1_000  # characters of a filter of rows
# "A2-1@0.4": in A's run, token 2 may not look at token 1 in layer 0, head 4. "@0": in layer 0; without "@": anywhere.
# "A2-1x35": 35 % of the weight are left.
CUT = re.compile(
    r"([AB])(\d{1,4}(?:\.\d{1,4})*)-(\d{1,4}(?:\.\d{1,4})*)(?:@(\d{1,4})(?:\.(\d{1,4}))?)?(?:x(\d{1,2}))?", re.ASCII
)
COLLECTION_NAME = re.compile("[a-z]{1,20}")
TOUR_NAME = re.compile("[a-z0-9-]{1,60}")
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
A_NUMBER = f"a whole number from 0 to {LARGEST} is needed"
NUMBERS_WITH_DOTS = "numbers with dots between are needed, “all” or “none”"
PAIRS = "heads are written as layer.head, with - between them"
CUT_LINKS = "cut links are written as A2-1, A2-1@0 or A2-1@0.4, or with what is left as A2-1x35, with _ between them"


class UnreadableError(ValueError):
    """A text that does not encode a value; the message says which texts do."""


@dataclass(frozen=True, slots=True)
class Codec(Generic[Value]):
    """A value from its text and back; `decode` raises UnreadableError."""

    decode: Callable[[str], Value]
    encode: Callable[[Value], str] = str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A link of attention that is cut or weakened.

    Attributes:
        run: "A" for the run of A or of the pair, "B" for that of B alone.
        query, key: positions of tokens.
        layer, head: None for all.
        percent: of its weight that is left, from 0 to 99.
    """

    run: Literal["A", "B"]
    query: tuple[int, ...]
    key: tuple[int, ...]
    layer: int | None = None
    head: int | None = None
    percent: int = 0

    @property
    def link(self) -> Link:
        """The same for the encoder."""
        return Link(query=self.query, key=self.key, layer=self.layer, head=self.head, factor=self.percent / 100)

    def __str__(self) -> str:
        head = "" if self.head is None else f".{self.head}"
        place = "" if self.layer is None else f"@{self.layer}{head}"
        left = f"x{self.percent}" if self.percent else ""
        return f"{self.run}{'.'.join(map(str, self.query))}-{'.'.join(map(str, self.key))}{place}{left}"


Cuts = tuple[Cut, ...]


def without_lone_surrogates(text: str) -> str:
    """The text with "\ufffd" in place of lone surrogates, which no address and no message can encode."""
    return LONE_SURROGATE.sub("\ufffd", text)


def _text_that(is_valid: Callable[[str], object], expected: str) -> Codec[str]:
    """A codec of the texts that satisfy a condition."""

    def decode(text: str) -> str:
        if not is_valid(text):
            raise UnreadableError(expected)
        return text

    return Codec(decode)


def one_of(options: tuple[str, ...], expected: str = "") -> Codec[str]:
    """A codec of some texts; errors list them unless another sentence is given."""
    return _text_that(options.__contains__, expected or f"it can be {', '.join(options)}")


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


def _cuts(text: str) -> Cuts:
    parts = text.split("_") if text else []
    found = [CUT.fullmatch(part) for part in parts] if len(text) <= LONGEST_CUTS else [None]
    cuts = []
    for match in found:
        if match is None:
            raise UnreadableError(CUT_LINKS)
        run, query, key, *rest = match.groups()
        layer, head, percent = (None if number is None else int(number) for number in rest)
        cuts.append(
            Cut(
                run="A" if run == "A" else "B",
                query=tuple(map(int, query.split("."))),
                key=tuple(map(int, key.split("."))),
                layer=layer,
                head=head,
                percent=percent or 0,
            )
        )
    return tuple(dict.fromkeys(cuts))


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


ANY_TEXT: Codec[str] = Codec(str)
MODEL_NAME = _text_that(is_model_name, "it names no model")
OPTIONAL_MODEL_NAME = _text_that(lambda name: not name or is_model_name(name), "it names no model")
COLLECTION = _text_that(COLLECTION_NAME.fullmatch, "it names no collection")
ROWS = _text_that(lambda text: len(text) <= LONGEST_ROWS and text.isprintable(), "it names no rows")
TOUR = _text_that(TOUR_NAME.fullmatch, "it names no tour")
SWITCH: Codec[bool] = Codec(_switch, lambda value: str(int(value)))
NUMBER: Codec[int] = Codec(_number)
POSITION: Codec[int | None] = Codec(_number, lambda value: "" if value is None else str(value))  # None is omitted
HEAD: Codec[int] = Codec(_head, lambda value: "mean" if value == MEAN else str(value))
HEADS: Codec[Heads] = Codec(_heads, _text_of_heads)  # the selected head is omitted
PROBED_STATES: Codec[Tags] = Codec(_tags)
SILENCED_HEADS: Codec[tuple[tuple[int, int], ...]] = Codec(_pairs, _text_of_pairs)
CUTS: Codec[Cuts] = Codec(_cuts, lambda cuts: "_".join(map(str, cuts)))
WHAT_IF_NAMES: Codec[tuple[WhatIf, ...]] = Codec(_what_ifs, ".".join)
MODEL_NAMES: Codec[tuple[str, ...]] = Codec(_model_names, _text_of_model_names)


def codec_of(kind: Any) -> Codec[Any]:
    """The codec of a type."""
    if get_origin(kind) is Literal:
        return one_of(get_args(kind))
    codecs: dict[Any, Codec[Any]] = {bool: SWITCH, int: NUMBER, int | None: POSITION, str: ANY_TEXT}
    return codecs[kind]


def param(
    default: Any,
    codec: Codec[Any] | None = None,
    *,
    name: str = "",
    browser: Browser | None = None,
    opening: bool = False,
) -> Any:
    """A field of the selection that is a parameter of the page's address.

    Args:
        codec: None for that of the field's type.
        name: of the parameter; "" for that of the field.
        browser: how the browser changes it, if it does.
        opening: whether the opening of the page depends on it, so that a change of it reruns the whole page.
    """
    return field(default=default, metadata={"codec": codec, "name": name, "browser": browser, "opening": opening})
