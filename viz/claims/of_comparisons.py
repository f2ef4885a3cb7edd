"""Measures of two sentences, each encoded alone: where heads differ, and what pairs of words add to the cosine."""

from __future__ import annotations

from encoder.attribution.removals import removable_units
from encoder.comparison.alignment import align
from encoder.comparison.run_differences import AlignedRuns, row_distances
from encoder.comparison.similarity_map import similarity_map, tokens_to_run
from encoder.errors import SelectionError
from encoder.text.tokens import Tokens
from viz.claims.over_heads import number_over_heads
from viz.claims.subject import MOST_TOKENS, Subject
from viz.tours.places import LETTERS, Place, find_word
from viz.tours.tour import Letter, Measure, Word


def difference(measure: Measure, subject: Subject) -> float:
    """Mean distance of a head's rows in B from those in A, over shared words."""
    a, b = (subject.backend.trace(text) for text in _two_sentences(subject))
    runs = AlignedRuns(a=a, b=b, alignment=align(a.tokens, b.tokens))
    if not runs.alignment.shared:
        raise SelectionError("The two sentences share no word.")
    distances = row_distances(runs).mean(-1)  # (L, H)
    return number_over_heads(measure, a.num_layers, distances.__getitem__)


def similarity(measure: Measure, subject: Subject) -> float:
    """Contribution of a word of A and a word of B to the cosine of A and B, each encoded alone."""
    alone = {
        letter: subject.backend.tokenize(text) for letter, text in zip(LETTERS, _two_sentences(subject), strict=True)
    }
    first, second = (_find(word, letter, alone[letter]) for word, letter in zip(measure.words, LETTERS, strict=True))
    tokens = tokens_to_run(*((len(each), len(removable_units(each))) for each in alone.values()))
    if tokens > MOST_TOKENS:
        raise SelectionError(f"This takes {tokens:,} tokens; claims run at most {MOST_TOKENS:,}.")
    found = similarity_map(subject.backend, alone["A"], alone["B"])
    rows = [index for index, unit in enumerate(found.units_a) if set(unit) & set(first.positions)]
    columns = [index for index, unit in enumerate(found.units_b) if set(unit) & set(second.positions)]
    if not rows or not columns:
        raise SelectionError("A special token frames the text: it is in no pair.")
    return float(found.values[rows][:, columns].sum())


def _two_sentences(subject: Subject) -> list[str]:
    """A and B. Raises SelectionError."""
    sentences = [sentence for trace in subject.traces.values() for sentence in trace.tokens.sentences]
    if len(sentences) < 2:
        raise SelectionError("This compares two sentences; there is one.")
    return sentences


def _find(word: Word, letter: Letter, tokens: Tokens) -> Place:
    """The one place of a word in its sentence. Raises SelectionError."""
    if word.sentence not in (None, letter):
        raise SelectionError("The first word is one of A, the second one of B.")
    return find_word(Word(word.text, None, word.occurrence), {letter: tokens})
