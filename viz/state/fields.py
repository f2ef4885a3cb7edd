"""Every field of the selection under one name: its parameter in the address, and the key of its widget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, get_args

from encoder.attribution.method_facts import MethodName, Reach
from encoder.attribution.questions import Method, OutputKind, Removal
from encoder.attribution.questions import QuestionKind as NumberKind
from encoder.collection.names import SwapMeasure
from encoder.comparison.alignment import Matching
from encoder.experiments.anatomy.names import Mask, StepKey
from encoder.measures.unit_attention import Sentences
from encoder.measures.units import Level, Special
from encoder.shipped.tasks import Task
from viz.examples import Mode
from viz.state.codecs import (
    ANY_TEXT,
    COLLECTION,
    HEAD,
    HEADS,
    MODEL_NAME,
    MODEL_NAMES,
    NUMBER,
    OPTIONAL_MODEL_NAME,
    POSITION,
    PROBED_STATES,
    ROWS,
    SENTENCE_SET,
    SILENCED_HEADS,
    SWITCH,
    TOUR,
    WHAT_IF_NAMES,
    Codec,
    one_of,
)
from viz.state.selection import (
    ADDRESS_BASE,
    COLLECTION_VIEWS,
    BertViz,
    Carried,
    Compared,
    Effect,
    Kinds,
    Order,
    Picture,
    Pictured,
    Place,
    Run,
    Scale,
    Selection,
    Side,
    View,
)


@dataclass(frozen=True, slots=True)
class Field:
    """The path of a value in the selection, as names of attributes with dots between, and its codec.

    A path that begins with "shown_place" is in the place of the model that the page shows.
    """

    path: str
    codec: Codec[Any]


FIELDS: Mapping[str, Field] = MappingProxyType(
    {
        "a": Field("texts.a", ANY_TEXT),
        "b": Field("texts.b", ANY_TEXT),
        "mode": Field("texts.mode", one_of(get_args(Mode))),
        "model": Field("model", MODEL_NAME),
        "layer": Field("shown_place.layer", NUMBER),
        "head": Field("shown_place.head", HEAD),
        "heads": Field("shown_place.heads", HEADS),
        "query": Field("shown_place.pins.query", POSITION),
        "key": Field("shown_place.pins.key", POSITION),
        "pinned_in": Field("shown_place.pins.run", one_of(get_args(Run))),
        "sentences": Field("sentences", one_of(get_args(Sentences))),
        "scale": Field("scale", one_of(get_args(Scale))),
        "method": Field("quantity.method", one_of(get_args(MethodName))),
        "reach": Field("quantity.reach", one_of(get_args(Reach))),
        "view": Field("view", one_of(get_args(View))),
        "stage": Field("stage", SWITCH),
        "bertviz": Field("bertviz", one_of(get_args(BertViz))),
        "level": Field("level", one_of(get_args(Level))),
        "special": Field("special", one_of(get_args(Special))),
        "first": Field("first", NUMBER),
        "tags": Field("tags", PROBED_STATES),
        "at_a": Field("word_lens.word_a", POSITION),
        "at_b": Field("word_lens.word_b", POSITION),
        "further": Field("word_lens.sentences", SENTENCE_SET),
        "typed": Field("word_lens.typed", ANY_TEXT),
        "silenced": Field("word_lens.silenced", SILENCED_HEADS),
        "effect": Field("word_lens.effect", one_of(get_args(Effect))),
        "carried": Field("word_lens.carried", one_of(get_args(Carried))),
        "why": Field("why.kind", one_of(get_args(NumberKind))),
        "why_label": Field("why.label", POSITION),
        "why_rival": Field("why.rival", POSITION),
        "why_word": Field("why.word", POSITION),
        "why_layer": Field("why.layer", NUMBER),
        "why_side": Field("why.side", one_of(get_args(Side))),
        "why_method": Field("why.method", one_of(get_args(Method))),
        "why_removal": Field("why.removal", one_of(get_args(Removal))),
        "removed": Field("why.removed", NUMBER),
        "fill": Field("fill", ANY_TEXT),
        "compare": Field("compare.kind", one_of(get_args(Compared))),
        "compared_number": Field("compare.number", one_of(get_args(OutputKind))),
        "with_model": Field("compare.model", MODEL_NAME),
        "matched": Field("compare.matching", one_of(get_args(Matching))),
        "with_step": Field("compare.step", NUMBER),
        "models": Field("side_by_side.models", MODEL_NAMES),
        "trained": Field("side_by_side.step", NUMBER),
        "pictured": Field("side_by_side.picture", one_of(get_args(Pictured))),
        "walk": Field("anatomy.step", one_of(get_args(StepKey), "it names no step of the anatomy")),
        "mask": Field("anatomy.mask", one_of(get_args(Mask))),
        "what_if": Field("anatomy.what_ifs", WHAT_IF_NAMES),
        "row": Field("anatomy.row", POSITION),
        "column": Field("anatomy.column", POSITION),
        "dimension": Field("anatomy.dimension", POSITION),
        "writer": Field("decoder.model", MODEL_NAME),
        "task": Field("decoder.task", one_of(get_args(Task))),
        "source": Field("decoder.source", ANY_TEXT),
        "kind": Field("decoder.kind", one_of(get_args(Kinds))),
        "picture": Field("decoder.picture", one_of(get_args(Picture))),
        "at_step": Field("decoder.step", POSITION),
        "collection": Field("table.collection", COLLECTION),
        "rows": Field("table.rows", ROWS),
        "order": Field("table.order", one_of(get_args(Order))),
        "against": Field("table.against", OPTIONAL_MODEL_NAME),
        "from_row": Field("table.opened", POSITION),
        "from_view": Field("table.opened_from", one_of(COLLECTION_VIEWS)),
        "find": Field("table.query", ANY_TEXT),
        "find_too": Field("table.second_query", ANY_TEXT),
        "hit": Field("table.hit", POSITION),
        "other_model": Field("table.other_model", OPTIONAL_MODEL_NAME),
        "part": Field("table.part", ROWS),
        "swap_measure": Field("table.measure", one_of(get_args(SwapMeasure))),
        "swap_label": Field("table.label", POSITION),
        "tour": Field("tour", TOUR),
        "stop": Field("stop", NUMBER),
    }
)
TEXTS_OF_ENCODER, TEXTS_OF_DECODER = ("a", "b", "typed"), ("source",)
TEXTS = TEXTS_OF_ENCODER + TEXTS_OF_DECODER
_PLACE = "shown_place"
DEFAULT_PLACE = Place()  # of an address that names none, for either kind of model


def value_of(selection: Selection, name: str) -> Any:
    """The value of a field."""
    value: Any = selection
    for part in FIELDS[name].path.split("."):
        value = getattr(value, part)
    return value


def text_of(selection: Selection, name: str) -> str:
    """The text of a field's value in an address."""
    return FIELDS[name].codec.encode(value_of(selection, name))


def default_of(name: str) -> Any:
    """The value of a field that an address omits."""
    return value_of(ADDRESS_BASE, name)


def with_values(selection: Selection, values: Mapping[str, Any]) -> Selection:
    """The selection with other values of some fields.

    The view is set first, because it determines which model's layer and head are set.
    """
    for name in sorted(values, key=lambda name: name != "view"):
        selection = _with(selection, FIELDS[name].path.split("."), values[name])
    return selection


def _with(selection: Selection, path: list[str], value: Any) -> Selection:
    first, *rest = path
    if first == _PLACE:
        return selection.with_place(_replaced(selection.shown_place, rest, value))
    changed: Selection = _replaced(selection, path, value)
    return changed


def _replaced(record: Any, path: list[str], value: Any) -> Any:
    first, *rest = path
    return replace(record, **{first: _replaced(getattr(record, first), rest, value) if rest else value})
