"""The selection, and the link to it."""

from dataclasses import asdict
from typing import get_args
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from encoder.experiments.anatomy.names import Mask, StepKey, WhatIf
from encoder.measures.unit_attention import MEAN, Sentences
from encoder.measures.units import Level, Special
from encoder.shipped.tasks import TASKS
from viz.state.selection import (
    DEFAULT,
    LONGEST_HEADS,
    LONGEST_LINK,
    LONGEST_MODEL_NAME,
    NOTHING,
    BertViz,
    Kinds,
    Mode,
    Picture,
    Run,
    Selection,
    View,
    fits_link,
    from_query,
    to_query,
)


def dotted(heads: list[int]) -> str:
    return ".".join(map(str, heads))


SELECTIONS = st.builds(
    Selection,
    a=st.text(),
    b=st.text(),
    mode=st.sampled_from(get_args(Mode)),
    model=st.text(min_size=1).filter(lambda name: bool(name.strip()) and name.isprintable()),
    layer=st.integers(0, 9999),
    head=st.integers(MEAN, 9999),
    heads=st.sampled_from(["", "all", "none"]) | st.lists(st.integers(0, 99), min_size=1, max_size=24).map(dotted),
    query=st.integers(NOTHING, 9999),
    key=st.integers(NOTHING, 9999),
    pinned_in=st.sampled_from(get_args(Run)),
    sentences=st.sampled_from(get_args(Sentences)),
    bertviz=st.sampled_from(get_args(BertViz)),
    view=st.sampled_from(get_args(View)),
    level=st.sampled_from(get_args(Level)),
    special=st.sampled_from(get_args(Special)),
    walk=st.sampled_from(get_args(StepKey)),
    mask=st.sampled_from(get_args(Mask)),
    what_if=st.lists(st.sampled_from(get_args(WhatIf)), unique=True).map(".".join),
    row=st.integers(0, 9999),
    column=st.integers(0, 9999),
    writer=st.text(min_size=1).filter(lambda name: bool(name.strip()) and name.isprintable()),
    task=st.sampled_from(TASKS),
    source=st.text(),
    kind=st.sampled_from(get_args(Kinds)),
    picture=st.sampled_from(get_args(Picture)),
    at_step=st.integers(NOTHING, 9999),
)


@given(SELECTIONS)
@example(Selection(a="", b=""))
@example(Selection(a=DEFAULT.a, b="& b=c #d %20 + \n\x00 é 👩‍👩‍👧"))
def test_a_link_brings_the_selection_back(selection: Selection) -> None:
    address = urlencode(to_query(selection))
    assert from_query(dict(parse_qsl(address, keep_blank_values=True))) == (selection, ())


def test_the_defaults_need_no_parameters() -> None:
    assert to_query(DEFAULT) == {}
    assert from_query({}) == (DEFAULT, ())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mode", "both"),
        ("view", "Heat map"),
        ("level", ""),
        ("special", "<script>alert(1)</script>"),
        ("walk", "Text"),
        ("mask", ""),
        ("what_if", "scaling"),
        ("what_if", "dropout.nothing"),
        ("what_if", "dropout." * 40),
        ("row", "-1"),
        ("column", "two"),
        ("layer", "-1"),
        ("layer", "three"),
        ("layer", "1e3"),
        ("layer", "٣"),
        ("layer", "9" * 5000),
        ("layer", "mean"),
        ("head", "-1"),
        ("head", "1.5"),
        ("head", ""),
        ("model", ""),
        ("model", "  "),
        ("model", "a\x00b"),
        ("model", "x" * (LONGEST_MODEL_NAME + 1)),
    ],
)
def test_nonsense_is_ignored_with_one_sentence(name: str, text: str) -> None:
    selection, problems = from_query({name: text, "level": "words"} if name != "level" else {name: text})
    assert getattr(selection, name) == getattr(DEFAULT, name)
    assert selection.level == ("words" if name != "level" else DEFAULT.level)
    assert len(problems) == 1
    assert problems[0].startswith(f"{name}=")
    assert len(problems[0]) < 200
    assert "\x00" not in problems[0]


def test_every_nonsense_has_its_own_sentence() -> None:
    _, problems = from_query({"layer": "x", "head": "y", "view": "z", "utm_source": "mail"})
    assert [problem.partition("=")[0] for problem in problems] == ["layer", "head", "view"]
    assert "“mean”" in problems[1]
    assert "heat map" in problems[2]


def test_unknown_names_are_ignored_silently() -> None:
    assert from_query({"utm_source": "mail", "A": "x", "texts": "y", "clamped": "z"}) == (DEFAULT, ())


def test_a_text_of_ones_own_does_not_meet_the_examples_other_sentence() -> None:
    assert from_query({"a": "dogs bark"})[0].b == ""
    assert to_query(Selection(a=DEFAULT.a, b="dogs bark")) == {"a": DEFAULT.a, "b": "dogs bark"}


def test_the_mean_is_spelt_out() -> None:
    assert to_query(Selection(head=MEAN)) == {"head": "mean"}
    assert from_query({"head": "mean"})[0].head == MEAN


@given(st.integers(0, 3 * LONGEST_LINK), st.sampled_from(["a", "é", "👍"]))
@example(LONGEST_LINK - len("a=&b="), "a")
@example(LONGEST_LINK - len("a=&b=") + 1, "a")
def test_texts_are_left_out_only_where_the_address_would_be_too_long(length: int, character: str) -> None:
    selection = Selection(a=character * length, b="", layer=3)
    params = to_query(selection)
    assert params.pop("layer") == "3"
    fits = len(urlencode({"a": selection.a, "b": ""})) <= LONGEST_LINK
    assert fits_link(selection) == fits
    assert params == ({"a": selection.a, "b": ""} if fits else {})


@given(SELECTIONS, st.integers(1, 48), st.integers(1, 64))
def test_clamping_takes_the_nearest_layer_and_head(selection: Selection, layers: int, heads: int) -> None:
    clamped = selection.clamped(layers, heads)
    assert clamped.layer == min(selection.layer, layers - 1)
    assert clamped.head == (MEAN if selection.head == MEAN else min(selection.head, heads - 1))
    assert clamped.clamped(layers, heads) == clamped
    untouched = {"layer": 0, "head": 0}
    assert asdict(clamped) | untouched == asdict(selection) | untouched


def test_what_is_encoded_follows_from_texts_and_mode() -> None:
    assert Selection(a="x", b="y").texts == (("x", "y"),)
    assert Selection(a="x", b="y", mode="separate").texts == (("x", None), ("y", None))
    assert Selection(a="x", b=" \n").texts == (("x", None),)
    assert Selection(a="x", b=" \n", mode="separate").texts == (("x", None),)
    assert Selection(a="", b="y").texts == (("", "y"),)


@pytest.mark.parametrize(
    ("heads", "shown"),
    [("", (4,)), ("all", (0, 1, 2, 3, 4, 5)), ("none", ()), ("0.5", (0, 5)), ("2.9.3", (2, 3))],
)
def test_the_shown_heads_follow_the_chosen_one_or_are_named(heads: str, shown: tuple[int, ...]) -> None:
    assert Selection(heads=heads).shown_heads(6) == shown
    assert Selection(head=MEAN).shown_heads(6) == (MEAN,)


@pytest.mark.parametrize("heads", ["1,2", "1.", ".", "x", "1..2", "-1", "²", "1." * LONGEST_HEADS + "1"])
def test_a_link_with_heads_that_make_no_sense_says_so(heads: str) -> None:
    selection, problems = from_query({"heads": heads})
    assert selection.heads == ""
    assert len(problems) == 1
    assert "numbers with dots between" in problems[0]


def test_no_token_is_pinned_by_a_link_that_names_none() -> None:
    assert from_query({"query": "-1"})[1] == ("query='-1' was ignored: a number is needed.",)
