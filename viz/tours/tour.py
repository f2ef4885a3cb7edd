"""A tour as plain, validated records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

Letter = Literal["A", "B"]
Relation = Literal[">", "<", ">=", "<=", "="]
PointKind = Literal["cell", "line", "token", "head"]


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the stop's texts, or a token such as "[SEP]".

    Attributes:
        text: as written; case is ignored.
        sentence: its sentence; None for either.
        occurrence: counted from 1 in the text, or in its sentence if that is given; None for the only one.
    """

    text: str
    sentence: Letter | None = None
    occurrence: int | None = None


@dataclass(frozen=True, slots=True)
class Number:
    """A number as a claim writes it: "0.50" claims two digits, "0.5" one."""

    text: str

    @property
    def value(self) -> float:
        return float(self.text)

    @property
    def decimals(self) -> int:
        """Digits after the point."""
        return len(self.text.partition(".")[2])


@dataclass(frozen=True, slots=True)
class Measure:
    """A measurable quantity in a claim.

    Attributes:
        name: a key of `viz.tours.measures.MEASURES`, which lists its arguments.
        options: keywords with their values, in the order of that table.
        words: none, one or two.
        label: a class, a part of speech or a token that is written; "" for none.
    """

    name: str
    options: tuple[tuple[str, str], ...] = ()
    words: tuple[Word, ...] = ()
    label: str = ""

    def option(self, keyword: str) -> str | None:
        """The value of a keyword; None if the claim does not have it."""
        return dict(self.options).get(keyword)


@dataclass(frozen=True, slots=True)
class Claim:
    """A comparison that can be checked on a model.

    "=" holds where the measure, rounded to the decimals of the number, is that number.
    """

    measure: Measure
    relation: Relation
    bound: Measure | Number


@dataclass(frozen=True, slots=True)
class Point:
    """A point in the picture.

    Attributes:
        kind: a "cell" of a heat map or a "line" of the head view, from `words[0]` to `words[1]`; a "token", `words[0]`;
            or a "head" of the map of all heads.
        layer, head: of the head; None for the other kinds.
    """

    kind: PointKind
    words: tuple[Word, ...] = ()
    layer: int | None = None
    head: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """One stop of a tour.

    Attributes:
        title: plain text; all other texts are Markdown without HTML and without pictures.
        state: what the page shows, by the names of `viz.state.fields.FIELDS`, as an address has it.
        question: shown first; the next press shows the answer.
        reveals_picture: whether the picture is hidden until the answer is shown.
        notes: for the speaker.
    """

    title: str
    words: str = ""
    state: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    points: tuple[Point, ...] = ()
    question: str = ""
    answer: str = ""
    reveals_picture: bool = False
    notes: str = ""
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tour:
    """A tour: at least one stop, and words that introduce it."""

    title: str
    words: str = ""
    stops: tuple[Stop, ...]
