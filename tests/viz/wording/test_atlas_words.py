"""The names of habits and relations, and the figures beside them."""

import pytest

from encoder.atlas.names import HABITS
from encoder.atlas.reader import Atlas
from viz.wording.atlas_words import (
    RELATIONS,
    figure,
    habit_name,
    place_name,
    relation_name,
    short_habit,
    short_relation,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.7401, ".74"), (0.0, ".00"), (0.999, "1.00"), (1.0, "1.00"), (2.345, "2.35"), (-0.25, "-0.25")],
)
def test_shares_have_two_places_and_no_zero_before_the_point(value: float, text: str) -> None:
    assert figure(value) == text


def test_a_relation_is_named_in_the_direction_of_the_look() -> None:
    assert relation_name("obj", "dependent to head") == "object → verb"
    assert relation_name("obj", "head to dependent") == "verb → object"
    assert relation_name("orphan", "head to dependent") == "head → dependent (orphan)"


def test_habits_have_names_and_offsets_are_written_in_words() -> None:
    assert len({habit_name(habit) for habit in HABITS}) == len(HABITS)
    assert habit_name("offset -1") == "the previous word"
    assert place_name(3) == "the word 3 places behind"
    assert place_name(-2) == "the word 2 places before"


def test_short_names_show_the_direction_and_the_place() -> None:
    assert (short_relation("obj", "dependent to head"), short_relation("obj", "head to dependent")) == ("obj→", "→obj")
    assert [short_habit(habit) for habit in ("[SEP] 1", "offset +1", "offset -3", "punctuation", "itself")] == [
        *("[SEP]", "next word", "−3", "punctuation", "itself")
    ]


def test_every_relation_of_the_shipped_atlas_has_a_name(atlas: Atlas) -> None:
    named = {found.relation for found in atlas.relations(2, 0)}
    named |= {example.about for at in atlas.cards for example in atlas.examples(*at) if example.direction}
    assert named <= RELATIONS.keys()
