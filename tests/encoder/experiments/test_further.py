"""Sentences beside the page's two: what is found in them, and what is left out and said."""

import numpy as np

from encoder import Backend
from encoder.experiments.senses.further import MOST_LINES, labelled, shipped_sentences, typed_sentences
from encoder.experiments.senses.rows import shipped_senses
from encoder.measures.word_states import occurrence_states
from encoder.text.occurrences import positions_of_word


def test_all_shipped_sentences_of_a_word_are_found(bundled: Backend) -> None:
    further = shipped_sentences(bundled, "flies")
    assert len(further.found) == 12
    assert further.without == ()
    assert {each.sense for each in further.found} == {"fly:insect", "fly:verb"}
    for each, row in zip(further.found, (row for row in shipped_senses() if row.word == "flies"), strict=True):
        assert "".join(each.tokens.labels[at] for at in each.positions) == "flies"
        assert each.text == row.text


def test_typed_lines_are_searched_for_any_inflection(bundled: Backend) -> None:
    lines = "\n".join(["insect | A fly sat here", "", "He flies, and flies | again", "nothing to see", "   "])
    further = typed_sentences(bundled, lines, "flies")
    assert [(each.sense, each.text) for each in further.found] == [
        ("insect", "A fly sat here"),
        ("He flies, and flies", "again"),
    ][:1]
    assert further.without == ("again", "nothing to see")
    assert labelled(further.found) == [0]


def test_the_first_of_several_occurrences_counts_and_that_is_noted(bundled: Backend) -> None:
    further = typed_sentences(bundled, "time flies and flies\ntime flies", "flies")
    assert further.repeated == 1
    assert [each.positions for each in further.found] == [(2,), (2,)]


def test_five_hundred_lines_are_cut_to_the_first_fifty(bundled: Backend) -> None:
    further = typed_sentences(bundled, "\n".join(f"flies {n}" for n in range(500)), "flies")
    assert len(further.found) == MOST_LINES
    assert further.left == 450


def test_a_line_without_tokens_or_with_the_word_cut_off_is_left_out(bundled: Backend) -> None:
    long = " ".join(["time"] * 600 + ["flies"])
    further = typed_sentences(bundled, f"\u200b\n{long}\na | \nflies", "flies")
    assert [each.text for each in further.found] == ["flies"]
    assert long in further.without


def test_states_of_words_in_a_batch_are_those_of_single_runs(bundled: Backend) -> None:
    texts = ["time flies like an arrow", "flies", "the unbelievable banana that flies over the house at night"]
    words = []
    for text in texts:
        tokens = bundled.tokenize(text)
        words.append((tokens, positions_of_word(tokens, tokens.words.index("flies"))))
    states = bundled.states_of_words(words)
    for row, (text, (_, positions)) in enumerate(zip(texts, words, strict=True)):
        alone = occurrence_states(bundled.trace(text).hidden_states, positions)
        np.testing.assert_allclose(states[row], alone, rtol=0, atol=5e-6)  # padding changes the order of sums
    assert len(bundled.states_of_words([])) == 0
