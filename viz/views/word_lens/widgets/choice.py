"""The choice of the word that the lens is about, and what there is to say about it."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from encoder import Tokens, Trace
from encoder.text.common_words import CommonWord, common_words, find_word
from encoder.text.readings import UNKNOWN
from viz.answers.word_places import Occurrence, WordPlaces, occurrences_of
from viz.state import session
from viz.widgets import select_box
from viz.wording.labels import escape_markdown, word_label

CONTEXT_WORDS = 2  # words on either side, where one of several occurrences is offered
MOST_PIECES = 24  # of a word that are named; the others are counted


def choose_occurrences(traces: Mapping[str, Trace], places: WordPlaces) -> list[Occurrence]:
    """Draw the choice of the word, and say what there is to say; the occurrences, none to two."""
    a, *rest = (trace.tokens for trace in traces.values())
    b = rest[0] if rest else None
    chosen = occurrences_of(traces, places)
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
    names = [f"“{escape_markdown(occurrence.name)}”" for occurrence in chosen]
    ids = {tuple(each.trace.tokens.ids[position] for position in each.positions) for each in chosen}
    if len(set(names)) > len(ids) == 1:
        st.caption(f"{' and '.join(names)} are the same to the model.")
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
    session.set_value("lens_word", current)

    def choose_word() -> None:
        word = shared.get(st.session_state["lens_word"])
        if word is not None and session.is_user_change("lens_word"):
            session.change(at_a=word.a[0], at_b=word.b[0])

    def option_label(name: str) -> str:
        word: CommonWord | None = shared.get(name)
        return word_label(name) + ("" if word is None or word.same_form else " (another form)")

    st.selectbox(
        "Word",
        list(dict.fromkeys([*([unshared] if unshared else []), *shared])),
        format_func=option_label,
        key="lens_word",
        on_change=choose_word,
        help="Words that both sentences have. A click on any word in the strip above chooses it, too. Other "
        "inflections are found by their English lemma.",
    )


def _choose_occurrence(occurrence: Occurrence) -> None:
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
    words = [word_label(word) for word in tokens.words[start:end]]
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
