"""The selection in the page's address, and the problems of invalid links."""

from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from encoder.measures.unit_attention import MEAN
from tests.viz.state.selections import SELECTIONS
from viz.state.address import LONGEST_LINK, fits_link, from_query, to_query
from viz.state.fields import FIELDS, value_of, with_values
from viz.state.selection import ADDRESS_BASE, DEFAULT, Place, Selection, View


def selected(**values: Any) -> Selection:
    return with_values(ADDRESS_BASE, values)


@given(SELECTIONS)
@example(DEFAULT)
@example(ADDRESS_BASE)
@example(selected(a="", b=""))
@example(selected(b="& b=c #d %20 + \n\x00 é 👩‍👩‍👧"))
@example(selected(view="decoder", layer=3, head=MEAN))
def test_a_link_brings_the_selection_back(selection: Selection) -> None:
    address = urlencode(to_query(selection))
    assert from_query(dict(parse_qsl(address, keep_blank_values=True)), selection) == (selection, ())


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("head", "mean", MEAN),
        ("heads", "5.0.5", (5, 0, 5)),
        ("heads", "none", "none"),
        ("tags", "all", "all"),
        ("tags", "0", 0),
        ("silenced", "3.7-4.11", ((3, 7), (4, 11))),
        ("silenced", "3.7-4.11-3.7", ((3, 7), (4, 11))),
        ("what_if", "dropout.unscaled", ("unscaled", "dropout")),
        ("models", "scratch.bundled.scratch", ("scratch", "bundled")),
        ("models", "/runs/step~1500.~0/mine~01", ("/runs/step.500", "~/mine~1")),
        ("with_model", "/runs/mine", "/runs/mine"),
        ("query", "0", 0),
        ("at_step", "12", 12),
    ],
)
def test_a_text_of_the_address_is_a_typed_value_inside(name: str, text: str, value: Any) -> None:
    assert value_of(from_query({name: text})[0], name) == value
    assert FIELDS[name].codec.decode(FIELDS[name].codec.encode(value)) == value


def test_the_page_as_it_opens_has_an_empty_address() -> None:
    assert to_query(DEFAULT) == {}
    assert from_query({}) == (DEFAULT, ())


def test_the_address_of_the_pair_is_not_empty() -> None:
    assert to_query(ADDRESS_BASE) == {"mode": "pair"}
    assert from_query({"mode": "pair"}) == (ADDRESS_BASE, ())


def test_an_address_of_any_other_page_names_what_differs_from_its_base() -> None:
    assert to_query(with_values(DEFAULT, {"layer": 3})) == {"mode": "separate", "layer": "3", "tags": "6"}
    assert to_query(selected(layer=3)) == {"layer": "3"}


@given(st.sampled_from(sorted(FIELDS)), st.text())
def test_only_an_address_that_names_no_field_opens_the_default(name: str, text: str) -> None:
    assert from_query({name: text})[0].texts.mode == (text if (name, text) == ("mode", "separate") else "pair")
    assert from_query({f"x{name}": text}) == (DEFAULT, ())


@pytest.mark.parametrize("text", ["-3", "-1", "three", "1e3", "٣", "10000", "9" * 5000, "mean", "", "1.5"])
@pytest.mark.parametrize("name", ["layer", "query", "key", "row", "column", "at_a", "at_b", "at_step"])
def test_an_invalid_number_is_reported_with_the_valid_ones(name: str, text: str) -> None:
    selection, problems = from_query({name: text})
    assert selection == ADDRESS_BASE
    assert problems == (f"{name}={text[:40]!r} was ignored: a whole number from 0 to 9999 is needed.",)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("mode", "", "it can be pair, separate."),
        ("stage", "yes", "it can be 1 or 0."),
        ("heads", "1..2", "numbers with dots between are needed, “all” or “none”."),
        ("silenced", "", "heads are written as layer.head, with - between them."),
        ("tour", "../x", "it names no tour."),
        ("view", "Heat map", "it can be tokens, heat map, head view,"),
        ("special", "<script>alert(1)</script>", "it can be show, hide, renormalise."),
        ("walk", "Text", "it names no step of the anatomy."),
        ("models", "bundled..scratch", "up to 12 names of models are needed, with dots between."),
        ("what_if", "dropout.nothing", "no-positions, shuffled, with dots between."),
        ("what_if", "dropout." * 40, "with dots between."),
        ("head", "-1", "a whole number from 0 to 9999 is needed, or “mean”."),
        ("heads", "1.", "numbers with dots between are needed, “all” or “none”."),
        ("heads", "²", "numbers with dots between are needed, “all” or “none”."),
        ("tags", "-1", "a whole number from 0 to 9999 is needed, “all” or “off”."),
        ("silenced", "3.7.1", "heads are written as layer.head, with - between them."),
        ("further", "zebra", "it can be auto, own, none, flies,"),
        ("model", "  ", "it names no model."),
        ("model", "a\x00b", "it names no model."),
    ],
)
def test_nonsense_is_ignored_and_reported_with_valid_values(name: str, text: str, expected: str) -> None:
    selection, (problem,) = from_query({name: text, "level": "words"})
    assert selection == selected(level="words")
    assert name not in to_query(selection)
    assert problem.startswith(f"{name}={text[:40]!r} was ignored: ")
    assert expected in problem
    assert len(problem) <= 260
    assert "\x00" not in problem


def test_unknown_names_are_ignored_silently() -> None:
    assert from_query({"utm_source": "mail", "A": "x", "texts": "y", "place": "z"}) == (DEFAULT, ())


def test_a_text_of_ones_own_does_not_meet_the_examples_other_sentence() -> None:
    assert from_query({"a": "dogs bark"})[0].texts.b == ""
    assert to_query(selected(b="dogs bark")) == {"a": DEFAULT.texts.a, "b": "dogs bark"}


def test_layer_and_head_of_a_link_are_those_of_the_view_that_it_shows() -> None:
    assert from_query({"layer": "3"})[0] == selected(layer=3)
    decoder, _ = from_query({"view": "decoder", "layer": "3"})
    assert decoder.decoder.place == Place(layer=3)
    assert decoder.place == DEFAULT.place


def test_a_link_leaves_the_place_of_the_view_that_it_does_not_show() -> None:
    before = selected(layer=5, query=3)
    after, _ = from_query({"view": "decoder", "layer": "1"}, before)
    assert (after.place, after.decoder.place) == (before.place, Place(layer=1))
    back, _ = from_query({}, after)
    assert (back.place, back.decoder.place) == (ADDRESS_BASE.place, Place(layer=1))


@given(st.integers(0, 3 * LONGEST_LINK), st.sampled_from(["a", "é", "👍"]))
@example(LONGEST_LINK - len("a=&b="), "a")
@example(LONGEST_LINK - len("a=&b=") + 1, "a")
def test_texts_are_left_out_only_where_the_address_would_be_too_long(length: int, character: str) -> None:
    selection = selected(a=character * length, b="", layer=3)
    params = to_query(selection)
    assert params.pop("layer") == "3"
    fits = len(urlencode({"a": selection.texts.a, "b": ""})) <= LONGEST_LINK
    assert fits_link(selection) == fits
    assert params == ({"a": selection.texts.a, "b": ""} if fits else {})


@pytest.mark.parametrize(("name", "view"), [("typed", "norms"), ("source", "decoder")])
def test_everything_that_is_typed_on_a_page_counts_for_the_length(name: str, view: View) -> None:
    selection = with_values(replace(ADDRESS_BASE, view=view), {name: "x" * LONGEST_LINK})
    assert not fits_link(selection)
    assert name not in to_query(selection)
    assert to_query(selection)["view"] == view


@pytest.mark.parametrize(
    ("shown", "hidden", "view"), [("a", "source", "norms"), ("source", "a", "decoder"), ("source", "typed", "decoder")]
)
def test_a_link_has_what_its_page_shows_whatever_another_page_holds(shown: str, hidden: str, view: View) -> None:
    selection = with_values(replace(ADDRESS_BASE, view=view), {shown: "dogs bark", hidden: "x" * LONGEST_LINK})
    assert fits_link(selection)
    params = to_query(selection)
    assert params[shown] == "dogs bark"
    assert hidden not in params
    assert len(urlencode(params)) <= LONGEST_LINK + 100


def test_a_link_has_the_texts_of_both_pages_where_they_fit_together() -> None:
    half = "x" * (LONGEST_LINK // 2)
    together = with_values(ADDRESS_BASE, {"a": half, "source": "dogs bark"})
    assert {"a", "source"} <= to_query(together).keys()
    too_much = with_values(ADDRESS_BASE, {"a": half, "source": half})
    assert "a" in to_query(too_much)
    assert "source" not in to_query(too_much)


@pytest.mark.parametrize(
    ("name", "longest", "more", "expected"),
    [
        ("heads", "10." * 99 + "123", "4", "numbers with dots between are needed, “all” or “none”."),  # 300 characters
        ("silenced", "3.7-" * 999 + "13.7", "1", "heads are written as layer.head, with - between them."),  # 4,000
        ("cut", "A2-1_" * 199 + "A22-1", "1", "cut links are written as A2-1, A2-1@0 or A2-1@0.4, or with"),  # 1,000
        ("models", ".".join(map(str, range(12))), ".12", "up to 12 names of models are needed, with dots between."),
        ("writer", "x" * 300, "x", "it names no model."),
        ("rows", "x" * 1_000, "x", "it names no rows."),
        ("layer", "9999", "9", "a whole number from 0 to 9999 is needed."),
    ],
    ids=lambda value: value[:10],
)
def test_the_longest_value_is_read_and_a_longer_one_is_not(name: str, longest: str, more: str, expected: str) -> None:
    read, problems = from_query({name: longest})
    assert problems == ()
    assert value_of(read, name) != value_of(ADDRESS_BASE, name)
    [problem] = from_query({name: longest + more})[1]
    assert expected in problem
