"""Sentences beside the page's two: what is found in them, and what is left out and said."""

import numpy as np
import pytest

from encoder import Backend
from encoder.experiments.senses import sentence_search
from encoder.experiments.senses.rows import SenseRow, shipped_senses
from encoder.experiments.senses.sentence_search import MOST_LINES, labelled, shipped_sentences, typed_sentences
from encoder.measures.units import occurrence_states
from encoder.text.occurrences import positions_of_word


def test_all_shipped_sentences_of_a_word_are_found(bundled: Backend) -> None:
    search = shipped_sentences(bundled, "flies")
    assert len(search.occurrences) == 12
    assert search.without_word == ()
    assert {each.sense for each in search.occurrences} == {"fly:insect", "fly:verb"}
    for each, row in zip(search.occurrences, (row for row in shipped_senses() if row.word == "flies"), strict=True):
        assert "".join(each.tokens.labels[position] for position in each.positions) == "flies"
        assert each.text == row.text


def test_typed_lines_are_searched_for_any_inflection(bundled: Backend) -> None:
    lines = "\n".join(["insect | A fly sat here", "", "He flies, and flies | again", "nothing to see", "   "])
    search = typed_sentences(bundled, lines, "flies")
    assert [(each.sense, each.text) for each in search.occurrences] == [("insect", "A fly sat here")]
    assert search.without_word == ("again", "nothing to see")
    assert labelled(search.occurrences) == [0]


def test_the_first_of_several_occurrences_counts_and_that_is_noted(bundled: Backend) -> None:
    search = typed_sentences(bundled, "time flies and flies\ntime flies", "flies")
    assert (search.repeated, search.skipped) == (1, 0)
    assert [each.positions for each in search.occurrences] == [(2,), (2,)]


def test_five_hundred_lines_are_cut_to_the_first_fifty(bundled: Backend) -> None:
    search = typed_sentences(bundled, "\n".join(f"flies {n}" for n in range(500)), "flies")
    assert len(search.occurrences) == MOST_LINES
    assert search.skipped == 450


def test_a_line_without_tokens_or_with_the_word_cut_off_is_left_out(
    bundled: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = " ".join(["time"] * 600 + ["flies"])
    search = typed_sentences(bundled, f"\u200b\n{long}\na | \nflies", "flies")
    assert [(each.sense, each.text) for each in search.occurrences] == [("", "flies")]
    assert long in search.without_word
    row = SenseRow(split="test", word="flies", index=600, sense="fly:verb", text=long, where="")
    monkeypatch.setattr(sentence_search, "shipped_senses", lambda: (row,))
    assert shipped_sentences(bundled, "flies").without_word == (long,)


def test_states_of_words_in_a_batch_are_those_of_single_runs(bundled: Backend) -> None:
    texts = ["time flies like an arrow", "flies", "the unbelievable banana that flies over the house at night"]
    words = []
    for text in texts:
        tokens = bundled.tokenize(text)
        words.append((tokens, positions_of_word(tokens, tokens.words.index("flies"))))
    states = bundled.states_of_words(words)
    for row, (text, (_, positions)) in enumerate(zip(texts, words, strict=True)):
        alone = occurrence_states(bundled.trace(text).hidden_states, positions)
        np.testing.assert_allclose(states[row], alone, rtol=0, atol=3e-5)  # padding changes the order of sums
    assert len(bundled.states_of_words([])) == 0
