"""Hypothesis strategies for selections and changes."""

from typing import Any, get_args

from hypothesis import strategies as st

from encoder.attribution.method_facts import MethodName, Reach
from encoder.attribution.questions import Method, OutputKind, QuestionKind, Removal
from encoder.collection.names import SwapMeasure, WordForms
from encoder.comparison.alignment import Matching
from encoder.experiments.anatomy.names import Mask, StepKey
from encoder.measures.unit_attention import MEAN, Sentences
from encoder.measures.units import Level, Special
from encoder.shipped.tasks import TASKS
from viz.state.codecs import MOST_MODELS, WHAT_IFS, Cut
from viz.state.fields import with_values
from viz.state.selection import (
    COLLECTION_VIEWS,
    DEFAULT,
    BertViz,
    Carried,
    Compared,
    Effect,
    Kinds,
    Mode,
    Order,
    Picture,
    Pictured,
    Run,
    Scale,
    Side,
    View,
    shipped_words,
)

NUMBERS = st.integers(0, 9999)
POSITIONS = st.none() | NUMBERS
MODELS = st.text(min_size=1).filter(lambda name: bool(name.strip()) and name.isprintable())
HEADS = st.sampled_from(["selected", "all", "none"]) | st.lists(st.integers(0, 99), min_size=1, max_size=24).map(tuple)
SILENCED = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=12, unique=True).map(tuple)
TOKENS = st.lists(st.integers(0, 9999), min_size=1, max_size=3).map(tuple)
REACHES = st.fixed_dictionaries({}, optional={"layer": NUMBERS}) | st.fixed_dictionaries(
    {"layer": NUMBERS, "head": NUMBERS}
)
CUT_LINKS = st.builds(
    lambda run, query, key, reach, percent: Cut(run=run, query=query, key=key, percent=percent, **reach),
    st.sampled_from("AB"),
    TOKENS,
    TOKENS,
    REACHES,
    st.integers(0, 99),
)
WHAT_IF = st.sets(st.sampled_from(WHAT_IFS)).map(lambda chosen: tuple(name for name in WHAT_IFS if name in chosen))
ROWS = st.text(st.characters(codec="utf-8"), max_size=200).filter(str.isprintable)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "a": st.text(),
    "b": st.text(),
    "mode": st.sampled_from(get_args(Mode)),
    "model": MODELS,
    "layer": NUMBERS,
    "head": st.integers(MEAN, 9999),
    "heads": HEADS,
    "query": POSITIONS,
    "key": POSITIONS,
    "pinned_in": st.sampled_from(get_args(Run)),
    "cut": st.lists(CUT_LINKS, max_size=3, unique=True).map(tuple),
    "sentences": st.sampled_from(get_args(Sentences)),
    "scale": st.sampled_from(get_args(Scale)),
    "method": st.sampled_from(get_args(MethodName)),
    "reach": st.sampled_from(get_args(Reach)),
    "view": st.sampled_from(get_args(View)),
    "stage": st.booleans(),
    "bertviz": st.sampled_from(get_args(BertViz)),
    "level": st.sampled_from(get_args(Level)),
    "special": st.sampled_from(get_args(Special)),
    "first": NUMBERS,
    "tags": st.sampled_from(["off", "all"]) | NUMBERS,
    "at_a": POSITIONS,
    "at_b": POSITIONS,
    "further": st.sampled_from(["auto", "own", "none", *shipped_words()]),
    "typed": st.text(),
    "silenced": SILENCED,
    "effect": st.sampled_from(get_args(Effect)),
    "carried": st.sampled_from(get_args(Carried)),
    "why": st.sampled_from(get_args(QuestionKind)),
    "why_label": POSITIONS,
    "why_rival": POSITIONS,
    "why_word": POSITIONS,
    "why_layer": NUMBERS,
    "why_side": st.sampled_from(get_args(Side)),
    "why_method": st.sampled_from(get_args(Method)),
    "why_removal": st.sampled_from(get_args(Removal)),
    "removed": NUMBERS,
    "fill": st.text(),
    "compare": st.sampled_from(get_args(Compared)),
    "compared_number": st.sampled_from(get_args(OutputKind)),
    "with_model": MODELS,
    "matched": st.sampled_from(get_args(Matching)),
    "with_step": NUMBERS,
    "models": st.lists(MODELS, unique=True, max_size=MOST_MODELS).map(tuple),
    "trained": NUMBERS,
    "pictured": st.sampled_from(get_args(Pictured)),
    "walk": st.sampled_from(get_args(StepKey)),
    "mask": st.sampled_from(get_args(Mask)),
    "what_if": WHAT_IF,
    "row": POSITIONS,
    "column": POSITIONS,
    "dimension": POSITIONS,
    "writer": MODELS,
    "task": st.sampled_from(TASKS),
    "source": st.text(),
    "kind": st.sampled_from(get_args(Kinds)),
    "picture": st.sampled_from(get_args(Picture)),
    "at_step": POSITIONS,
    "collection": st.from_regex("[a-z]{1,20}", fullmatch=True),
    "rows": ROWS,
    "order": st.sampled_from(get_args(Order)),
    "from_row": POSITIONS,
    "from_view": st.sampled_from(COLLECTION_VIEWS),
    "find": st.text(),
    "find_too": st.text(),
    "hit": POSITIONS,
    "other_model": st.just("") | MODELS,
    "part": ROWS,
    "swap_measure": st.sampled_from(get_args(SwapMeasure)),
    "swap_label": POSITIONS,
    "driven": ROWS,
    "driving_word": ROWS,
    "word": st.text(),
    "forms": st.sampled_from(get_args(WordForms)),
    "colour": st.text(st.characters(codec="utf-8"), max_size=200).filter(str.isprintable),
    "map_state": POSITIONS,
    "tour": st.from_regex(r"[a-z0-9-]{1,60}", fullmatch=True),
    "stop": NUMBERS,
}
# Few fields at a time, as a click changes them.
CHANGES = st.sets(st.sampled_from(sorted(VALUES)), min_size=1, max_size=3).flatmap(
    lambda names: st.fixed_dictionaries({name: VALUES[name] for name in sorted(names)})
)
SELECTIONS = st.fixed_dictionaries({}, optional=VALUES).map(lambda values: with_values(DEFAULT, values))
