"""Which word the lens is about: found in the two sentences, or chosen by a click or in a list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from encoder import Tokens, Trace
from encoder.measures.units import occurrence_states
from encoder.runs.arrays import FloatArray
from encoder.text.common_words import CommonWord, common_words, find_word, has_letters, suggest_word
from encoder.text.occurrences import Positions, positions_of_word
from viz.examples import EXAMPLES
from viz.panels.common import UNKNOWN
from viz.state import session
from viz.state.selection import Selection
from viz.widgets import select_box
from viz.wording.labels import escape_markdown, make_visible, shorten

CONTEXT_WORDS = 2  # words on either side, where one of several occurrences is offered
MAX_CHARACTERS = 24  # characters of a word in a list
MOST_PIECES = 24  # of a word that are named; the others are counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """The chosen word in one of the page's sentences.

    Attributes:
        letter: "A" or "B".
        trace: of that sentence alone.
        word_index: which of its words.
        positions: the word's tokens.
    """

    letter: str
    trace: Trace
    word_index: int
    positions: Positions

    @property
    def word(self) -> str:
        """As it stands in the sentence."""
        return self.trace.tokens.words[self.word_index]

    @property
    def name(self) -> str:
        """The word as a heading names it: nothing invisible, nothing endless."""
        return shorten(make_visible(self.word), MAX_CHARACTERS)

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
    """Where the word is among the words of A and of B, None where it is not, and what there is to say about that."""

    a: int | None
    b: int | None
    note: str = ""


def place_word(a: Tokens, b: Tokens | None, at_a: int | None, at_b: int | None, *, preferred: str = "") -> WordPlaces:
    """The word's places: as chosen, or found from the other sentence's, or the first that both share.

    Args:
        at_a, at_b: what was chosen, None where that is to be found.
        preferred: a word that both share, to begin with.
    """
    notes = []
    existing: list[int | None] = []
    for letter, tokens, word_index in (("A", a, at_a), ("B", b, at_b)):
        exists = tokens is not None and word_index in _words_read(tokens)
        if word_index is not None and tokens is not None and not exists:
            why = "was cut off" if any(tokens.truncated) else "is not there"
            notes.append(f"Word {word_index + 1} of sentence {letter} {why}: choose another one.")
        existing.append(word_index if exists else None)
    in_a, in_b = existing
    if b is None:
        return WordPlaces(_longest_word(a) if in_a is None else in_a, None, " ".join(notes))
    if in_a is None and in_b is None:
        words = common_words(a, b)
        first = next((word for word in words if word.name == preferred), None) or suggest_word(words)
        if first is None:
            notes.append("The two sentences share no word: click a word in each to compare the two.")
        in_a, in_b = (first.a[0], first.b[0]) if first else (_longest_word(a), None)
    elif in_a is None and in_b is not None:
        in_a = _first_occurrence(b.words[in_b], a, "A", notes)
    elif in_a is not None and in_b is None:
        in_b = _first_occurrence(a.words[in_a], b, "B", notes)
    return WordPlaces(in_a, in_b, " ".join(notes))


def _first_occurrence(word: str, tokens: Tokens, letter: str, notes: list[str]) -> int | None:
    indices, _ = find_word(tokens, word)
    if not indices:
        notes.append(
            f"“{shorten(word, MAX_CHARACTERS)}” is not in sentence {letter}: click a word there to compare the two."
        )
    return indices[0] if indices else None


def _words_read(tokens: Tokens) -> set[int]:
    return {word for word in tokens.word_ids if word is not None}


def _longest_word(tokens: Tokens) -> int | None:
    words_read = sorted(_words_read(tokens))
    return max(
        words_read,
        key=lambda word_index: (has_letters(tokens.words[word_index]), len(tokens.words[word_index])),
        default=None,
    )


def find_word_places(traces: Mapping[str, Trace], selection: Selection) -> WordPlaces:
    """The word's places in the page's sentences."""
    a, *rest = (trace.tokens for trace in traces.values())
    preferred = next((each.word for each in EXAMPLES if (each.a, each.b) == (selection.texts.a, selection.texts.b)), "")
    lens = selection.word_lens
    return place_word(a, rest[0] if rest else None, lens.word_a, lens.word_b, preferred=preferred)


def choose_occurrences(traces: Mapping[str, Trace], places: WordPlaces) -> list[Occurrence]:
    """Draw the choice of the word, and say what there is to say; the occurrences, none to two."""
    sentences = dict(zip("AB", traces.values(), strict=False))
    a, b = sentences["A"].tokens, sentences["B"].tokens if "B" in sentences else None
    chosen = [
        Occurrence(
            letter=letter, trace=trace, word_index=word_index, positions=positions_of_word(trace.tokens, word_index)
        )
        for (letter, trace), word_index in zip(sentences.items(), (places.a, places.b), strict=False)
        if word_index is not None
    ]
    pickers = st.columns(3)
    with pickers[0]:
        _word_list(a, b, places)
    for column, occurrence in zip(pickers[1:], chosen, strict=False):
        with column:
            _choose_occurrence(occurrence)
    if places.note:
        st.info(escape_markdown(places.note))
    for occurrence in chosen:
        _show_pieces(occurrence)
    return chosen


def _word_list(a: Tokens, b: Tokens | None, places: WordPlaces) -> None:
    """The words that both share; one that was clicked and is not shared stands first."""
    shared = {word.name: word for word in (common_words(a, b) if b is not None else ())}
    current = next((name for name, word in shared.items() if places.a in word.a and places.b in word.b), None)
    unshared = ""
    if current is None:
        texts = [
            tokens.words[word_index]
            for tokens, word_index in ((a, places.a), (b, places.b))
            if tokens is not None and word_index is not None
        ]
        unshared = " / ".join(dict.fromkeys(texts)) or "none"
        current = unshared
    session.put("lens_word", current)

    def choose_word() -> None:
        word = shared.get(st.session_state["lens_word"])
        if word is not None and session.tells_a_choice("lens_word"):
            session.change(at_a=word.a[0], at_b=word.b[0])

    def option_label(name: str) -> str:
        word: CommonWord | None = shared.get(name)
        return shorten(name, MAX_CHARACTERS) + ("" if word is None or word.same_form else " (another inflection)")

    st.selectbox(
        "Word",
        list(dict.fromkeys([*([unshared] if unshared else []), *shared])),
        format_func=option_label,
        key="lens_word",
        on_change=choose_word,
        help="Words that both sentences have. A click on any word in the strip above chooses it, too. Other "
        "inflections are found by their English stem.",
    )


def _choose_occurrence(occurrence: Occurrence) -> None:
    """The choice among several occurrences in one sentence."""
    tokens = occurrence.trace.tokens
    indices, _ = find_word(tokens, occurrence.word)
    if len(indices) < 2:
        return
    field = f"at_{occurrence.letter.lower()}"
    select_box(
        f"Which one in {occurrence.letter}",
        {word_index: _context(tokens, word_index) for word_index in indices},
        shown=occurrence.word_index,  # also where nobody has chosen one
        key=f"lens_at_{occurrence.letter}",
        on_choice=lambda word_index: session.change(**{field: word_index}),
    )


def _context(tokens: Tokens, word_index: int) -> str:
    start, end = max(0, word_index - CONTEXT_WORDS), word_index + 1 + CONTEXT_WORDS
    words = [shorten(word, MAX_CHARACTERS) for word in tokens.words[start:end]]
    words[word_index - start] = f"[{words[word_index - start]}]"
    return " ".join(("…", *words, "…"))


def _show_pieces(occurrence: Occurrence) -> None:
    tokens, where = occurrence.trace.tokens, f"in {occurrence.letter}"
    labels = [tokens.labels[position] for position in occurrence.positions]
    if any(label in UNKNOWN for label in labels):
        st.info(
            escape_markdown(
                f"The model does not know “{occurrence.name}” {where}: it reads [UNK], as for any such word."
            )
        )
    elif len(labels) > 1:
        more = f" and {len(labels) - MOST_PIECES} more" if len(labels) > MOST_PIECES else ""
        pieces = escape_markdown(" ".join(labels[:MOST_PIECES]) + more)
        st.caption(
            f"“{escape_markdown(occurrence.name)}” {where} is read as {pieces}; its state is the mean of theirs."
        )
