"""Hypothesis strategies for selections and changes."""

from typing import Any, Literal, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from encoder.measures.unit_attention import MEAN
from viz.state.codecs import MOST_MODELS, WHAT_IFS, Cut
from viz.state.fields import FIELDS, with_values
from viz.state.selection import COLLECTION_VIEWS, DEFAULT, Place, Selection, shipped_words

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
# Of fields that do not take everything of their type, or more.
VALUES_OF_THEIR_OWN: dict[str, st.SearchStrategy[Any]] = {
    "head": st.integers(MEAN, 9999),
    "heads": HEADS,
    "cut": st.lists(CUT_LINKS, max_size=3, unique=True).map(tuple),
    "tags": st.sampled_from(["off", "all"]) | NUMBERS,
    "further": st.sampled_from(["auto", "own", "none", *shipped_words()]),
    "silenced": SILENCED,
    "models": st.lists(MODELS, unique=True, max_size=MOST_MODELS).map(tuple),
    "what_if": WHAT_IF,
    "collection": st.from_regex("[a-z]{1,20}", fullmatch=True),
    "from_view": st.sampled_from(COLLECTION_VIEWS),
    "other_model": st.just("") | MODELS,
    "colour": st.text(st.characters(codec="utf-8"), max_size=200).filter(str.isprintable),
    "tour": st.from_regex(r"[a-z0-9-]{1,60}", fullmatch=True),
}
VALUES_OF_THEIR_OWN |= dict.fromkeys(("model", "with_model", "writer"), MODELS)
VALUES_OF_THEIR_OWN |= dict.fromkeys(("rows", "part", "driven", "driving_word"), ROWS)
VALUES_OF_TYPES: dict[Any, st.SearchStrategy[Any]] = {
    bool: st.booleans(),
    int: NUMBERS,
    int | None: POSITIONS,
    str: st.text(),
}


def values_of(name: str) -> st.SearchStrategy[Any]:
    if name in VALUES_OF_THEIR_OWN:
        return VALUES_OF_THEIR_OWN[name]
    kind: Any = Selection
    for attribute in FIELDS[name].path.split("."):
        kind = Place if attribute == "shown_place" else get_type_hints(kind)[attribute]
    return st.sampled_from(get_args(kind)) if get_origin(kind) is Literal else VALUES_OF_TYPES[kind]


VALUES = {name: values_of(name) for name in FIELDS}
# Few fields at a time, as a click changes them.
CHANGES = st.sets(st.sampled_from(sorted(VALUES)), min_size=1, max_size=3).flatmap(
    lambda names: st.fixed_dictionaries({name: VALUES[name] for name in sorted(names)})
)
SELECTIONS = st.fixed_dictionaries({}, optional=VALUES).map(lambda values: with_values(DEFAULT, values))
