"""Every hint of an example is true of the model that the page opens with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from encoder.experiments.senses.states import band_of_model
from encoder.measures.similarity import cosines_by_layer, divergence_layer
from encoder.measures.units import occurrence_states
from viz.claims.outcome import work_out
from viz.claims.stops import subject_of
from viz.examples import EXAMPLES, Example
from viz.state.fields import with_values
from viz.state.selection import DEFAULT
from viz.tours.grammar import parse_claim
from viz.tours.tour import Word

if TYPE_CHECKING:
    from encoder import Backend
    from viz.claims.subject import Subject


def subject_of_example(example: Example, backend: Backend) -> Subject:
    return subject_of(with_values(DEFAULT, {"a": example.a, "b": example.b, "mode": example.mode}), backend)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.title)
def test_the_hint_of_every_example_is_true(example: Example, bundled: Backend) -> None:
    assert bundled.name == DEFAULT.model
    subject = subject_of_example(example, bundled)
    outcomes = [work_out(parse_claim(claim), subject) for claim in example.claims]
    assert outcomes
    assert [outcome.sentence for outcome in outcomes if not outcome.holds] == []


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.title)
def test_a_hint_claims_something_of_every_word_that_it_names(example: Example) -> None:
    named = {text.partition("”")[0] for text in example.answer.split("“")[1:]}
    named |= {example.word} - {""}
    claimed = {word.text for claim in example.claims for word in parse_claim(claim).measure.words}
    assert named <= claimed


def test_the_word_lens_says_that_the_two_banks_diverge(bundled: Backend) -> None:
    bank = next(example for example in EXAMPLES if example.word == "bank")
    subject = subject_of_example(bank, bundled)
    a, b = (
        occurrence_states(subject.traces[place.run].hidden_states, place.positions)
        for place in (subject.find(Word("bank", sentence)) for sentence in ("A", "B"))
    )
    assert divergence_layer(cosines_by_layer(a, b), band_of_model(bundled)) is not None


def test_every_example_has_a_title_of_its_own() -> None:
    assert len({example.title for example in EXAMPLES}) == len(EXAMPLES)
    assert len({(example.a, example.b, example.mode) for example in EXAMPLES}) == len(EXAMPLES)
