"""The word of the lens: its places in the two sentences, chosen or found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from encoder.measures.units import occurrence_states
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from encoder.shipped.probes import has_probes, word_classes
from encoder.text.common_words import common_forms, common_words, find_word, has_letters, longest_word, suggest_word
from encoder.text.occurrences import Positions, positions_of_word
from encoder.text.tokens import Tokens
from viz.answers.answer import Sentence
from viz.examples import EXAMPLES
from viz.state.selection import Selection
from viz.tours.places import LETTERS
from viz.tours.tour import Letter
from viz.wording.labels import escape_markdown, word_label


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """The chosen word in one of the page's sentences.

    Attributes:
        letter: "A" or "B".
        trace: of that sentence alone.
        word_index: which of its words.
        positions: the word's tokens.
    """

    letter: Letter
    trace: Trace
    word_index: int
    positions: Positions

    @property
    def word(self) -> str:
        """As it stands in the sentence."""
        return self.trace.tokens.words[self.word_index]

    @property
    def name(self) -> str:
        """The word for a heading: visible and shortened."""
        return word_label(self.word)

    @property
    def title(self) -> str:
        """Above a picture of this occurrence, as Markdown."""
        return f"“{escape_markdown(self.name)}” in {self.letter}"

    @property
    def states(self) -> FloatArray:
        """(L + 1, D), the embeddings first."""
        return occurrence_states(self.trace.hidden_states, self.positions)

    @property
    def text(self) -> str:
        """The sentence."""
        return self.trace.tokens.sentences[0]


@dataclass(frozen=True, slots=True)
class WordPlaces:
    """Indices of the word among the words of A and of B, None if it is missing, and a remark."""

    a: int | None
    b: int | None
    note: str = ""


def place_word(a: Tokens, b: Tokens | None, at_a: int | None, at_b: int | None, *, preferred: str = "") -> WordPlaces:
    """The word's places: chosen, found from the other sentence, or the first shared word.

    Args:
        at_a, at_b: the chosen indices; None to search for the word.
        preferred: the shared word to prefer.
    """
    notes = []
    existing: list[int | None] = []
    for letter, tokens, word_index in (("A", a, at_a), ("B", b, at_b)):
        exists = tokens is not None and word_index in tokens.words_read
        if word_index is not None and tokens is not None and not exists:
            why = "was cut off" if any(tokens.truncated) else "is not there"
            notes.append(f"Word {word_index + 1} of sentence {letter} {why}: choose another one.")
        existing.append(word_index if exists else None)
    in_a, in_b = existing
    if b is None:
        return WordPlaces(longest_word(a, a.words_read) if in_a is None else in_a, None, " ".join(notes))
    if in_a is None and in_b is None:
        words = common_forms(a, b) or common_words(a, b)
        first = next((word for word in words if word.name == preferred), None) or suggest_word(words)
        if first is None:
            notes.append("The two sentences share no word: click a word in each to compare the two.")
        in_a, in_b = (first.a[0], first.b[0]) if first else (longest_word(a, a.words_read), None)
    elif in_a is None and in_b is not None:
        in_a = _first_occurrence(b.words[in_b], a, "A", notes)
    elif in_a is not None and in_b is None:
        in_b = _first_occurrence(a.words[in_a], b, "B", notes)
    return WordPlaces(in_a, in_b, " ".join(notes))


def _first_occurrence(word: str, tokens: Tokens, letter: str, notes: list[str]) -> int | None:
    indices, _ = find_word(tokens, word)
    if not indices:
        notes.append(f"“{word_label(word)}” is not in sentence {letter}: click a word there to compare the two.")
    return indices[0] if indices else None


def find_word_places(traces: Mapping[str, Trace], selection: Selection) -> WordPlaces:
    """The word's places in the page's sentences."""
    a, *rest = (trace.tokens for trace in traces.values())
    preferred = next((each.word for each in EXAMPLES if (each.a, each.b) == (selection.texts.a, selection.texts.b)), "")
    lens = selection.word_lens
    places = place_word(a, rest[0] if rest else None, lens.word_a, lens.word_b, preferred=preferred)
    if rest or lens.word_a is not None:
        return places
    return replace(places, a=_least_sure_word(next(iter(traces.values())), places.a))


def _least_sure_word(trace: Trace, longest: int | None) -> int | None:
    """The word of a sentence whose part of speech is least sure; without probes the longest."""
    return next(iter(least_sure_words(trace)), longest) if has_probes(trace.model_name) else longest


def least_sure_words(trace: Trace) -> list[int]:
    """For each sentence the word whose part of speech a probe reads least surely after the last layer."""
    tokens, sure = trace.tokens, word_classes(trace).probabilities[-1].max(-1)  # (W,)
    found: dict[int, int] = {}
    for word, sentence in zip(tokens.word_ids, tokens.sentence_ids, strict=True):
        if word is not None and sentence is not None and has_letters(tokens.words[word]):
            before = found.setdefault(sentence, word)
            found[sentence] = word if sure[word] < sure[before] else before
    return [found[sentence] for sentence in sorted(found)]


def occurrences_of(traces: Mapping[str, Trace], places: WordPlaces) -> list[Occurrence]:
    """The word in the page's sentences, none to two."""
    return [
        Occurrence(
            letter=letter, trace=trace, word_index=word_index, positions=positions_of_word(trace.tokens, word_index)
        )
        for letter, trace, word_index in zip(LETTERS, traces.values(), (places.a, places.b), strict=False)
        if word_index is not None
    ]


def heading(title: str) -> Sentence:
    """The title of a picture, from plain text."""
    return Sentence(escape_markdown(title), "heading")
