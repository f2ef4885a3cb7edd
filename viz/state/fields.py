"""Every field of the selection under one name: its parameter in the address, and the key of its widget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, get_args

from encoder.attribution.method_facts import MethodName, Reach
from encoder.attribution.questions import Method, OutputKind, Removal
from encoder.attribution.questions import QuestionKind as NumberKind
from encoder.experiments.anatomy.names import Mask, StepKey
from encoder.measures.unit_attention import Sentences
from encoder.measures.units import Level, Special
from encoder.offers import CATALOGUE
from encoder.shipped.tasks import Task
from viz.examples import Mode
from viz.state.codecs import (
    Choice,
    Codec,
    FreeText,
    Head,
    ModelName,
    Number,
    Position,
    ProbedStates,
    SentenceSet,
    ShownHeads,
    SilencedHeads,
    Switch,
    TourName,
    WhatIfs,
)
from viz.state.selection import (
    ADDRESS_BASE,
    BertViz,
    Carried,
    Compared,
    Effect,
    Kinds,
    Picture,
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
        "a": Field("texts.a", FreeText()),
        "b": Field("texts.b", FreeText()),
        "mode": Field("texts.mode", Choice(get_args(Mode))),
        "model": Field("model", ModelName()),
        "layer": Field("shown_place.layer", Number()),
        "head": Field("shown_place.head", Head()),
        "heads": Field("shown_place.heads", ShownHeads()),
        "query": Field("shown_place.pins.query", Position()),
        "key": Field("shown_place.pins.key", Position()),
        "pinned_in": Field("shown_place.pins.run", Choice(get_args(Run))),
        "sentences": Field("sentences", Choice(get_args(Sentences))),
        "scale": Field("scale", Choice(get_args(Scale))),
        "method": Field("quantity.method", Choice(get_args(MethodName))),
        "reach": Field("quantity.reach", Choice(get_args(Reach))),
        "view": Field("view", Choice(get_args(View))),
        "stage": Field("stage", Switch()),
        "bertviz": Field("bertviz", Choice(get_args(BertViz))),
        "level": Field("level", Choice(get_args(Level))),
        "special": Field("special", Choice(get_args(Special))),
        "tags": Field("tags", ProbedStates()),
        "at_a": Field("word_lens.word_a", Position()),
        "at_b": Field("word_lens.word_b", Position()),
        "further": Field("word_lens.sentences", SentenceSet()),
        "typed": Field("word_lens.typed", FreeText()),
        "silenced": Field("word_lens.silenced", SilencedHeads()),
        "effect": Field("word_lens.effect", Choice(get_args(Effect))),
        "carried": Field("word_lens.carried", Choice(get_args(Carried))),
        "why": Field("why.kind", Choice(get_args(NumberKind))),
        "why_label": Field("why.label", Position()),
        "why_word": Field("why.word", Position()),
        "why_layer": Field("why.layer", Number()),
        "why_side": Field("why.side", Choice(get_args(Side))),
        "why_method": Field("why.method", Choice(get_args(Method))),
        "why_removal": Field("why.removal", Choice(get_args(Removal))),
        "removed": Field("why.removed", Number()),
        "compare": Field("compare.kind", Choice(get_args(Compared))),
        "compared_number": Field("compare.number", Choice(get_args(OutputKind))),
        "with_model": Field("compare.model", Choice(tuple(CATALOGUE), "it names no model on offer")),
        "with_step": Field("compare.step", Number()),
        "walk": Field("anatomy.step", Choice(get_args(StepKey), "it names no step of the anatomy")),
        "mask": Field("anatomy.mask", Choice(get_args(Mask))),
        "what_if": Field("anatomy.what_ifs", WhatIfs()),
        "row": Field("anatomy.row", Number()),
        "column": Field("anatomy.column", Number()),
        "writer": Field("decoder.model", ModelName()),
        "task": Field("decoder.task", Choice(get_args(Task))),
        "source": Field("decoder.source", FreeText()),
        "kind": Field("decoder.kind", Choice(get_args(Kinds))),
        "picture": Field("decoder.picture", Choice(get_args(Picture))),
        "at_step": Field("decoder.step", Position()),
        "tour": Field("tour", TourName()),
        "stop": Field("stop", Number()),
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
