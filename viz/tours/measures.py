"""Every measure that claims can use, with its arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from encoder.runs.generation import KINDS

SHARES = ("itself", "previous", "next", "separators", "copied")
HABITS = ("itself", "previous", "next", "first", "separators", "together")  # of heads, over the corpus of an atlas
Extreme = Literal["highest", "lowest"]
EXTREMES: tuple[Extreme, ...] = get_args(Extreme)
ATTRIBUTIONS = ("gradients", "decompx", "leave_one_out", "shapley")
REMOVALS = ("mask", "delete")
LARGEST = 9999


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """The arguments of a measure.

    Attributes:
        required, optional: its keywords.
        words: the number of its words.
        arrow: whether "→" joins two words.
        label: the meaning of its label; "" for none.
    """

    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    words: int = 0
    arrow: bool = False
    label: str = ""

    @property
    def keywords(self) -> tuple[str, ...]:
        return self.required + self.optional


MEASURES: Mapping[str, Signature] = {
    "weight": Signature(required=("layer", "head"), optional=("kind", "text"), words=2, arrow=True),
    "entropy": Signature(required=("layer", "head"), optional=("kind", "text")),
    "share": Signature(required=("layer", "head", "to"), optional=("kind", "text")),
    "corpus": Signature(required=("layer", "head", "to")),
    "cosine": Signature(required=("layer",), words=2),
    "norm": Signature(required=("layer",), words=1),
    "probe": Signature(required=("layer",), words=1, label="a part of speech"),
    "prediction": Signature(optional=("silenced",), label="a class"),
    "masked": Signature(optional=("silenced",), words=1, label="a word"),
    "tag": Signature(optional=("silenced",), words=1, label="a tag"),
    "start": Signature(optional=("silenced",), words=1),
    "end": Signature(optional=("silenced",), words=1),
    "effect": Signature(optional=("layer", "head", "silenced"), words=1),
    "log_odds": Signature(required=("layer", "head"), words=1),
    "control": Signature(words=1),
    "cut": Signature(
        optional=("layer", "head"), words=2, arrow=True, label="a part of speech of the first word, or a class"
    ),
    "patched": Signature(required=("layer",), optional=("to",), words=2, arrow=True),
    "attribution": Signature(optional=("by", "removal"), words=1),
    "faithfulness": Signature(optional=("by", "removal")),
    "similarity": Signature(words=2),
    "difference": Signature(required=("layer", "head")),
    "writes": Signature(required=("step",), label="a token"),
    "accuracy": Signature(optional=("where", "without")),
    "errors": Signature(words=2, arrow=True),
    "shift": Signature(words=2, arrow=True),
    "place": Signature(optional=("by",), words=1),
    "found": Signature(required=("first",), optional=("by",)),
    "cause": Signature(words=1, label="a cause"),
    "drives": Signature(words=1),
    "removal": Signature(words=1),
    "neighbour": Signature(required=("layer",), words=1),
}

STATES = ("cosine", "norm", "probe", "patched", "neighbour")  # whose layer may be "embeddings"


def is_number(value: str) -> bool:
    """Whether a value is a whole number from 0 to `LARGEST`, in ASCII digits."""
    return value.isascii() and value.isdigit() and len(value) <= len(str(LARGEST))


def wrong_value(name: str, keyword: str, value: str) -> str | None:
    """What the keyword of a measure needs, if the value is invalid; else None."""
    words = _words_for(name, keyword)
    if keyword in ("where", "without", "text"):
        return None  # a cell of the table, a sentence
    if keyword == "silenced":
        return None if _are_heads(value) else "heads as layer.head, with - between them"
    takes_number = keyword in ("layer", "head", "step", "first")
    if value in words or (takes_number and is_number(value)):
        return None
    numbers = ("a whole number",) if takes_number else ()
    return " or ".join((*numbers, *words))


def _words_for(name: str, keyword: str) -> tuple[str, ...]:
    if keyword == "layer":
        extremes = () if name in STATES else EXTREMES
        embeddings = ("embeddings",) if name in STATES else ()
        return (*extremes, *embeddings, *(("all",) if name == "probe" else ()))
    if keyword == "head":
        return EXTREMES if name in ("effect", "log_odds") else ("mean", *EXTREMES)
    if keyword == "to":
        return {"patched": ("A", "B"), "corpus": HABITS}.get(name, SHARES)
    rankers = ("words",) if name in ("place", "found") else ATTRIBUTIONS
    return {"kind": tuple(KINDS), "by": rankers, "removal": REMOVALS}.get(keyword, ())


def _are_heads(value: str) -> bool:
    pairs = [pair.partition(".") for pair in value.split("-")]
    return all(dot and is_number(layer) and is_number(head) for layer, dot, head in pairs)
