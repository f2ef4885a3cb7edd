"""Which word the lens is about: found in the two sentences, or chosen by a click or in a list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from encoder import Tokens, Trace
from encoder.measures.word_states import occurrence_states
from encoder.text.common_words import CommonWord, common_words, has_letters, occurrences, suggested
from encoder.text.occurrences import Positions, positions_of_word
from encoder.trace import FloatArray
from viz.examples import EXAMPLES
from viz.labels import shorten, verbatim, visible
from viz.state import session
from viz.state.selection import Selection

AROUND = 2  # words on either side, where one of several occurrences is offered
LONGEST = 24  # characters of a word in a list
MOST_PIECES = 24  # of a word that are named; the others are counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """The chosen word in one of the page's sentences.

    Attributes:
        letter: "A" or "B".
        trace: of that sentence alone.
        at: which of its words.
        positions: the word's tokens.
    """

    letter: str
    trace: Trace
    at: int
    positions: Positions

    @property
    def word(self) -> str:
        """As it stands in the sentence."""
        return self.trace.tokens.words[self.at]

    @property
    def name(self) -> str:
        """The word as a heading names it: nothing invisible, nothing endless."""
        return shorten(visible(self.word), LONGEST)

    @property
    def states(self) -> FloatArray:
        """(L + 1, D), the embeddings first."""
        return occurrence_states(self.trace.hidden_states, self.positions)

    @property
    def text(self) -> str:
        """The sentence."""
        return self.trace.tokens.sentences[0]


@dataclass(frozen=True, slots=True)
class Places:
    """Where the word is among the words of A and of B, None where it is not, and what there is to say about that."""

    a: int | None
    b: int | None
    note: str = ""


def places(a: Tokens, b: Tokens | None, at_a: int | None, at_b: int | None, *, preferred: str = "") -> Places:
    """The word's places: as chosen, or found from the other sentence's, or the first that both share.

    Args:
        at_a, at_b: what was chosen, None where that is to be found.
        preferred: a word that both share, to begin with.
    """
    notes = []
    chosen: list[int | None] = []
    for letter, tokens, at in (("A", a, at_a), ("B", b, at_b)):
        sound = tokens is not None and at in _read(tokens)
        if at is not None and tokens is not None and not sound:
            why = "was cut off" if any(tokens.truncated) else "is not there"
            notes.append(f"Word {at + 1} of sentence {letter} {why}: choose another one.")
        chosen.append(at if sound else None)
    in_a, in_b = chosen
    if b is None:
        return Places(_longest(a) if in_a is None else in_a, None, " ".join(notes))
    if in_a is None and in_b is None:
        words = common_words(a, b)
        first = next((word for word in words if word.name == preferred), None) or suggested(words)
        if first is None:
            notes.append("The two sentences share no word: click a word in each to compare the two.")
        in_a, in_b = (first.a[0], first.b[0]) if first else (_longest(a), None)
    elif in_a is None and in_b is not None:
        in_a = _found(b.words[in_b], a, "A", notes)
    elif in_a is not None and in_b is None:
        in_b = _found(a.words[in_a], b, "B", notes)
    return Places(in_a, in_b, " ".join(notes))


def _found(word: str, tokens: Tokens, letter: str, notes: list[str]) -> int | None:
    found, _ = occurrences(tokens, word)
    if not found:
        notes.append(f"“{shorten(word, LONGEST)}” is not in sentence {letter}: click a word there to compare the two.")
    return found[0] if found else None


def _read(tokens: Tokens) -> set[int]:
    return {word for word in tokens.word_ids if word is not None}


def _longest(tokens: Tokens) -> int | None:
    read = sorted(_read(tokens))
    return max(read, key=lambda at: (has_letters(tokens.words[at]), len(tokens.words[at])), default=None)


def find(traces: Mapping[str, Trace], selection: Selection) -> Places:
    """The word's places in the page's sentences."""
    a, *rest = (trace.tokens for trace in traces.values())
    preferred = next((each.word for each in EXAMPLES if (each.a, each.b) == (selection.texts.a, selection.texts.b)), "")
    lens = selection.word_lens
    return places(a, rest[0] if rest else None, lens.word_a, lens.word_b, preferred=preferred)


def choose(traces: Mapping[str, Trace], found: Places) -> list[Occurrence]:
    """Draw the choice of the word, and say what there is to say; the occurrences, none to two."""
    sentences = dict(zip("AB", traces.values(), strict=False))
    a, b = sentences["A"].tokens, sentences["B"].tokens if "B" in sentences else None
    occurrences = [
        Occurrence(letter=letter, trace=trace, at=at, positions=positions_of_word(trace.tokens, at))
        for (letter, trace), at in zip(sentences.items(), (found.a, found.b), strict=False)
        if at is not None
    ]
    pickers = st.columns(3)
    with pickers[0]:
        _word_list(a, b, found)
    for column, occurrence in zip(pickers[1:], occurrences, strict=False):
        with column:
            _which(occurrence)
    if found.note:
        st.info(verbatim(found.note))
    for occurrence in occurrences:
        _tell_pieces(occurrence)
    return occurrences


def _word_list(a: Tokens, b: Tokens | None, found: Places) -> None:
    """The words that both share; one that was clicked and is not shared stands first."""
    shared = {word.name: word for word in (common_words(a, b) if b is not None else ())}
    current = next((name for name, word in shared.items() if found.a in word.a and found.b in word.b), None)
    other = ""
    if current is None:
        texts = [
            tokens.words[at] for tokens, at in ((a, found.a), (b, found.b)) if tokens is not None and at is not None
        ]
        other = " / ".join(dict.fromkeys(texts)) or "none"
        current = other
    st.session_state["lens_word"] = current

    def choose_word() -> None:
        word = shared.get(st.session_state["lens_word"])
        if word is not None:
            session.change(at_a=word.a[0], at_b=word.b[0])

    def say(name: str) -> str:
        word: CommonWord | None = shared.get(name)
        return shorten(name, LONGEST) + ("" if word is None or word.same_form else " (another inflection)")

    st.selectbox(
        "Word",
        list(dict.fromkeys([*([other] if other else []), *shared])),
        format_func=say,
        key="lens_word",
        on_change=choose_word,
        help="Words that both sentences have. A click on any word in the strip above chooses it, too. Other "
        "inflections are found by their English stem.",
    )


def _which(occurrence: Occurrence) -> None:
    """The choice among several occurrences in one sentence."""
    tokens = occurrence.trace.tokens
    found, _ = occurrences(tokens, occurrence.word)
    if len(found) < 2:
        return
    st.selectbox(
        f"Which one in {occurrence.letter}",
        found,
        format_func=lambda at: _context(tokens, at),
        **session.bound(
            f"at_{occurrence.letter.lower()}",
            key=f"lens_at_{occurrence.letter}",
            to_widget=lambda _: occurrence.at,  # also where nobody has chosen one
        ),
    )


def _context(tokens: Tokens, at: int) -> str:
    start, end = max(0, at - AROUND), at + 1 + AROUND
    words = [shorten(word, LONGEST) for word in tokens.words[start:end]]
    words[at - start] = f"[{words[at - start]}]"
    return " ".join(("…", *words, "…"))


def _tell_pieces(occurrence: Occurrence) -> None:
    tokens, where = occurrence.trace.tokens, f"in {occurrence.letter}"
    labels = [tokens.labels[at] for at in occurrence.positions]
    if any(label in ("[UNK]", "<unk>") for label in labels):
        st.info(verbatim(f"The model does not know “{occurrence.name}” {where}: it reads [UNK], as for any such word."))
    elif len(labels) > 1:
        more = f" and {len(labels) - MOST_PIECES} more" if len(labels) > MOST_PIECES else ""
        pieces = verbatim(" ".join(labels[:MOST_PIECES]) + more)
        st.caption(f"“{verbatim(occurrence.name)}” {where} is read as {pieces}; its state is the mean of theirs.")
