"""A selection and a change give the next selection."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder.attribution.methods.facts import Quantity
from encoder.measures.unit_attention import MEAN
from encoder.shipped.tasks import EXAMPLES as TASK_EXAMPLES
from encoder.text.tokens import USUAL_TOKENS
from tests.viz.state.selections import CHANGES, SELECTIONS, VALUES
from viz.state.codecs import CUTS
from viz.state.fields import FIELDS, value_of, with_values
from viz.state.reducer import reduce, within_model, within_runs
from viz.state.selection import DEFAULT, QUANTITY_VIEWS, Pins, Place, Selection

PINNED = {"query": 3, "key": 5, "at_a": 1, "at_b": 4, "cut": CUTS.decode("A2-1"), "row": 5, "column": 6, "dimension": 7}
ASKED = {"why_label": 1, "why_rival": 0, "why_word": 2, "removed": 3, "at_step": 3}
READ = {"from_row": 7, "hit": 1, "word": "bank", "map_state": 2}
CHOSEN = with_values(DEFAULT, PINNED | ASKED | READ | {"heads": (0, 5)})
OF_SENTENCES = {"query", "key", "cut", "at_a", "at_b", "why_word", "removed"}
WRITING = with_values(DEFAULT, {"view": "decoder", "layer": 1, "head": 2, "query": 9, "at_step": 3})


@given(SELECTIONS, CHANGES)
def test_a_change_sets_the_fields_that_it_names(selection: Selection, change: dict[str, Any]) -> None:
    after = reduce(selection, change)
    assert {name: value_of(after, name) for name in change} == change


@given(SELECTIONS, CHANGES)
def test_a_change_that_was_made_changes_nothing_the_second_time(selection: Selection, change: dict[str, Any]) -> None:
    after = reduce(selection, change)
    assert reduce(after, change) == after


@given(SELECTIONS, st.sampled_from(["level", "special", "tags", "row", "effect", "bertviz", "kind", "model"]))
def test_independent_fields_change_alone(selection: Selection, name: str) -> None:
    after = reduce(selection, {name: value_of(DEFAULT, name)})
    others = [other for other in FIELDS if other != name]
    assert [value_of(after, other) for other in others] == [value_of(selection, other) for other in others]


def test_the_decoder_and_the_what_if_open_with_what_tells_most() -> None:
    decoder = reduce(DEFAULT, {"view": "decoder"})
    assert decoder.decoder.step == 0
    assert reduce(decoder, {"source": "an arrow"}).decoder.step is None
    assert reduce(DEFAULT, {"walk": "what-if"}).anatomy.what_ifs == ("no-positions",)


@pytest.mark.parametrize(
    ("change", "reset"),
    [
        ({"a": "dogs bark"}, OF_SENTENCES | {"from_row"}),
        ({"b": ""}, OF_SENTENCES | {"from_row"}),
        ({"a": "dogs bark", "from_row": 8}, OF_SENTENCES),
        ({"mode": "pair"}, {"query", "key", "cut"}),
        ({"first": 9}, {"query", "key"}),
        ({"pinned_in": "B"}, {"query", "key"}),
        ({"model": "scratch"}, {"cut"}),
        *(({pin: 4}, {"row", "column"}) for pin in ("query", "key")),
        ({"query": 4, "row": 9}, {"column"}),
        ({"why": "part of speech"}, {"why_label", "why_rival", "removed"}),
        ({"why_side": "B"}, {"why_word", "removed"}),
        ({"find": "dogs"}, {"hit"}),
        ({"collection": "words"}, {"from_row", "hit", "map_state"}),
        *((change, {"map_state"}) for change in ({"word": "run"}, {"colour": "tag"})),
        *(({"head": head}, {"heads"}) for head in (7, MEAN)),
        ({"writer": "t5-small"}, {"at_step"}),
        ({"task": "sort"}, {"at_step", "source"}),
        ({"walk": "what-if"}, {"what_if"}),
        *(({name: value_of(DEFAULT, name)}, set()) for name in ("a", "layer", "level")),
        *((change, set()) for change in ({"query": None}, {"view": "anatomy"}, {"head": 7, "heads": (1,)})),
    ],
)
def test_a_change_resets_what_depends_on_it_and_nothing_else(change: dict[str, Any], reset: set[str]) -> None:
    after = reduce(CHOSEN, change)
    assert {name for name in FIELDS if value_of(after, name) != value_of(CHOSEN, name)} == reset | {
        name for name in change if change[name] != value_of(CHOSEN, name)
    }


def test_another_sentence_resets_the_candidate_for_a_mask() -> None:
    of_mask = with_values(CHOSEN, {"why": "masked word"})
    masked, other = (reduce(each, {"a": "dogs bark"}).why for each in (of_mask, CHOSEN))
    assert (masked.label, masked.rival, other.label, other.rival) == (None, None, 1, 0)


def test_the_decoder_keeps_a_place_of_its_own() -> None:
    encoder = with_values(DEFAULT, {"layer": 5, "head": 11, "query": 2})
    decoder = reduce(reduce(encoder, {"view": "decoder"}), {"layer": 1, "head": 3})
    assert decoder.shown_place == Place(layer=1, head=3)
    back = reduce(decoder, {"view": "heat map"})
    assert back.shown_place == encoder.place
    assert reduce(back, {"view": "decoder"}).shown_place == Place(layer=1, head=3)


@pytest.mark.parametrize("change", [{"source": "a b"}, {"task": "sort"}, {"writer": "t5-small"}])
def test_the_decoders_step_and_pins_go_with_its_run(change: dict[str, Any]) -> None:
    after = reduce(WRITING, change)
    assert after.decoder.step is None
    assert after.decoder.place == Place(layer=1, head=2)


def test_another_picture_of_the_decoder_keeps_its_step_and_pins() -> None:
    after = reduce(WRITING, {"picture": "head view", "kind": "all"})
    assert (after.decoder.step, after.decoder.place) == (WRITING.decoder.step, WRITING.decoder.place)


def test_another_text_of_the_encoder_leaves_the_decoder_alone() -> None:
    assert reduce(WRITING, {"a": "dogs bark"}).decoder == WRITING.decoder


def test_another_task_brings_its_example_unless_a_text_was_typed() -> None:
    assert reduce(DEFAULT, {"task": "date"}).decoder.source == TASK_EXAMPLES["date"]
    assert reduce(with_values(DEFAULT, {"source": " "}), {"task": "sort"}).decoder.source == TASK_EXAMPLES["sort"]
    assert reduce(with_values(DEFAULT, {"source": "b a"}), {"task": "sort"}).decoder.source == "b a"
    assert reduce(DEFAULT, {"task": "sort", "source": "c"}).decoder.source == "c"


@given(SELECTIONS, st.integers(1, 48), st.integers(1, 64))
def test_a_model_has_the_nearest_layer_and_head(selection: Selection, layers: int, heads: int) -> None:
    nearest = within_model(selection, layers, heads)
    assert nearest.layer == min(selection.layer, layers - 1)
    assert nearest.head == (MEAN if selection.head == MEAN else min(selection.head, heads - 1))
    assert within_model(nearest, layers, heads) == nearest
    assert within_model(selection, 10_000, 10_000) == selection


def test_a_head_that_a_model_lacks_returns_with_a_model_that_has_it() -> None:
    chosen = with_values(DEFAULT, {"layer": 5, "head": 11})
    small = within_model(chosen, 4, 4)
    assert (small.layer, small.head) == (3, 3)
    assert within_model(within_model(small, 4, 4), 6, 12).place == chosen.place
    assert within_model(within_model(small, 2, 2), 6, 12).place == chosen.place


@pytest.mark.parametrize("change", [{"head": 1}, {"layer": 0}, {"layer": 2, "head": MEAN}])
def test_another_choice_replaces_the_head_that_a_model_lacks(change: dict[str, Any]) -> None:
    small = within_model(with_values(DEFAULT, {"layer": 5, "head": 11}), 4, 4)
    changed = with_values(small, change)
    assert within_model(changed, 6, 12).place == changed.place


def test_heads_out_of_range_are_neither_shown_nor_silenced_nor_read() -> None:
    cuts = CUTS.decode("A2-1_A2-1@3.5_A2-1@4_A2-1@3.6")
    selection = with_values(DEFAULT, {"heads": (5, 6), "silenced": ((3, 5), (4, 1), (1, 6)), "tags": 12, "cut": cuts})
    nearest = within_model(selection, 4, 6)
    assert nearest.place.heads == (5,)
    assert nearest.word_lens.silenced == ((3, 5),)
    assert nearest.tags == 4
    assert nearest.cuts == cuts[:2]
    assert within_model(selection, 1, 1).cuts == cuts[:1]
    assert within_model(with_values(DEFAULT, {"heads": (9,)}), 4, 6).place.heads == "selected"


def test_a_decoders_size_does_not_cut_what_belongs_to_the_encoder() -> None:
    selection = with_values(DEFAULT, {"view": "decoder", "silenced": ((5, 1),), "tags": 6, "layer": 9})
    nearest = within_model(selection, 2, 2)
    assert nearest == replace(selection, decoder=replace(selection.decoder, place=Place(layer=1, head=0)))


@pytest.mark.parametrize(("query", "key", "kept"), [(9999, 3, (None, 3)), (12, 13, (12, None)), (None, 0, (None, 0))])
def test_pins_of_tokens_that_there_are_not_are_released(
    query: int | None, key: int | None, kept: tuple[int | None, int | None]
) -> None:
    selection = Selection(place=Place(pins=Pins(query=query, key=key, run="B")))
    pins = within_runs(selection, {"A": 5, "B": 13}).place.pins
    assert (pins.query, pins.key) == kept


def test_a_step_that_the_decoder_did_not_take_is_its_last_one() -> None:
    assert within_runs(WRITING, {"decoder": 20}, 4) == WRITING
    assert within_runs(WRITING, {"decoder": 20}, 3).decoder.step is None


def test_a_pin_in_another_run_is_released_if_no_run_is_that_long() -> None:
    selection = Selection(place=Place(pins=Pins(query=7, run="decoder")))
    assert within_runs(selection, {"A": 5, "B": 13}) == selection
    assert within_runs(selection, {"A": 5, "B": 6}).place.pins.query is None


@given(change=st.fixed_dictionaries({"view": VALUES["view"], "head": VALUES["head"], "a": VALUES["a"]}))
def test_the_chosen_quantity_outlasts_views_heads_and_texts(change: dict[str, Any]) -> None:
    selection = with_values(DEFAULT, {"method": "alti", "reach": "layer"})
    after = reduce(selection, change)
    assert after.quantity == Quantity(method="alti", reach="layer")
    assert after.drawn == (after.quantity if after.view in QUANTITY_VIEWS else Quantity())
    assert after.draws_weights == (after.view not in QUANTITY_VIEWS)


def test_a_pin_outside_of_the_excerpt_is_released() -> None:
    assert within_runs(with_values(DEFAULT, {"query": 512}), {"A": 600}).place.pins.query is None


def test_cut_links_are_of_tokens_of_a_run_that_is_not_long() -> None:
    cuts = CUTS.decode("A4-1_A5-1_B3-1")
    selection = with_values(DEFAULT, {"cut": cuts})
    assert within_runs(selection, {"A": USUAL_TOKENS}).cuts == cuts
    assert within_runs(with_values(selection, {"b": ""}), {"A": 5}).cuts == cuts[:1]
    assert within_runs(selection, {"A": 5, "B": 5}).cuts == (cuts[0], cuts[2])
    assert within_runs(selection, {"A": USUAL_TOKENS + 1, "B": 5}).cuts == (cuts[2],)
