"""The strongest link of a word, by brute force over a trace's weights, and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pytest

from encoder.measures.unit_attention import MEAN
from viz.answers.strongest_link import link_sentence, next_steps, strongest_links
from viz.state.fields import with_values
from viz.state.selection import DEFAULT, Selection

if TYPE_CHECKING:
    from encoder import Backend, Trace


def runs(backend: Backend, selection: Selection) -> Mapping[str, Trace]:
    places = ("A", "B") if len(selection.runs) == 2 else ("pair",)
    return {place: backend.trace(*texts) for place, texts in zip(places, selection.runs, strict=True)}


@pytest.mark.parametrize("layer", [0, 3, 5])
@pytest.mark.parametrize("head", [MEAN, 0, 4])
def test_the_link_is_the_largest_weight_of_the_shared_word(bundled: Backend, layer: int, head: int) -> None:
    selection = with_values(DEFAULT, {"layer": layer, "head": head})
    traces = runs(bundled, selection)
    for link, (letter, trace) in zip(strongest_links(traces, selection), traces.items(), strict=True):
        row = (trace.weights(layer).mean(axis=0) if head == MEAN else trace.weights(layer)[head])[2]  # "flies"
        assert (link.letter, link.query, link.word) == (letter, 2, "flies")
        assert link.key == int(row.argmax())
        assert link.share == pytest.approx(float(row.max()), abs=1e-6)


def test_the_default_example_links_flies_to_time_and_to_fruit(bundled: Backend) -> None:
    links = strongest_links(runs(bundled, DEFAULT), DEFAULT)
    assert link_sentence(links, DEFAULT) == (
        "In layer 0, head 4, “flies” gives 80 % of its attention to “time” in A and 81 % to “fruit” in B."
    )


def test_a_sentence_says_what_the_picture_leaves_out(bundled: Backend) -> None:
    hidden = with_values(DEFAULT, {"special": "hide", "layer": 2, "head": 7})
    links = strongest_links(runs(bundled, hidden), hidden)
    assert links[0].is_special
    assert "Special tokens are hidden, so the picture does not show this." in link_sentence(links, hidden)
    rescaled = with_values(DEFAULT, {"special": "renormalise"})
    links = strongest_links(runs(bundled, rescaled), rescaled)
    assert "The picture has larger shares" in link_sentence(links, rescaled)


def test_pieces_of_a_word_count_together(bundled: Backend) -> None:
    selection = with_values(DEFAULT, {"a": "unbelievably good", "b": "unbelievably bad"})
    traces = runs(bundled, selection)
    first = strongest_links(traces, selection)[0]
    pieces = [at for at, word in enumerate(traces["A"].tokens.word_ids) if word == 0]
    assert len(pieces) > 1
    row = traces["A"].weights(0)[4][pieces].mean(axis=0)
    by_word = [
        row[[at for at, other in enumerate(traces["A"].tokens.word_ids) if other == word]].sum() for word in (0, 1)
    ]
    assert first.share == pytest.approx(max(*by_word, row[0], row[-1]), abs=1e-6)


def test_a_pair_has_a_link_in_each_sentence(bundled: Backend) -> None:
    selection = with_values(DEFAULT, {"mode": "pair"})
    links = strongest_links(runs(bundled, selection), selection)
    assert [(link.letter, link.query, link.word) for link in links] == [("A", 2, "flies"), ("B", 8, "flies")]


def test_one_sentence_has_its_strongest_link_between_two_words(bundled: Backend) -> None:
    selection = with_values(DEFAULT, {"b": ""})
    traces = runs(bundled, selection)
    (link,) = strongest_links(traces, selection)
    weights = np.array(traces["pair"].weights(0)[4])[1:-1, 1:-1]
    np.fill_diagonal(weights, -1)
    assert link.query == 1 + int(weights.max(axis=1).argmax())
    assert " in A" not in link_sentence([link], DEFAULT)


def test_a_text_without_words_has_no_link(bundled: Backend) -> None:
    selection = with_values(DEFAULT, {"a": "[SEP]", "b": ""})
    assert strongest_links(runs(bundled, selection), selection) == []
    assert link_sentence([], DEFAULT) == ""


def test_next_steps_lead_from_the_cell_to_its_computation(bundled: Backend) -> None:
    traces = runs(bundled, DEFAULT)
    (computed, values), (lens, _), (random, models) = next_steps(strongest_links(traces, DEFAULT), traces, DEFAULT)
    assert computed == "How is 80 % computed?"
    opened = with_values(DEFAULT, values)
    assert (opened.view, opened.anatomy.step) == ("anatomy", "softmax")
    assert (opened.place.pins.query, opened.place.pins.key, opened.place.pins.run) == (2, 1, "A")
    assert lens == "How sure is it, layer by layer?"
    assert random == "Compare with random weights"
    assert with_values(DEFAULT, models).view == "models"


def test_a_classifier_is_asked_why(bundled: Backend) -> None:
    selection = with_values(DEFAULT, {"a": "a bad film", "b": ""})
    traces = runs(bundled, selection)
    assert next_steps(strongest_links(traces, selection), traces, selection)[1] == (
        "Why “negative”?",
        {"view": "why", "why": "class"},
    )
