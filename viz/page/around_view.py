"""The main column around a view: the tokens that the model reads, and the map of all heads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import streamlit as st

from encoder import Tokens, Trace
from encoder.shipped.probes import WordClasses, has_probes, word_classes
from viz.answers.shared_word import shared_word_sentence
from viz.caches import run_cache
from viz.components.token_strip import token_strip, word_picker
from viz.page import loading
from viz.panels import PANELS
from viz.panels.canvas import map_of_heads
from viz.payloads.tokens import payload
from viz.state import session
from viz.state.selection import Selection
from viz.wording.labels import escape_markdown
from viz.wording.numbers import written
from viz.wording.tags import pairing_sentence


def show_link_problems() -> None:
    """The problems of the link that opened the page, until the user's first change."""
    for problem in session.problems():
        st.warning(escape_markdown(f"Link: {problem}"))


def show_tokens(traces: Sequence[Trace], selection: Selection, *, words: Sequence[int | None] = ()) -> None:
    """The tokens of every run, and notes about them.

    Args:
        words: if a click on the tokens chooses a word, the chosen word of every run.
    """
    state = selection.tags if isinstance(selection.tags, int) else None
    classes = [_read_tags(trace, selection) for trace in traces]
    for index, (trace, found) in enumerate(zip(traces, classes, strict=True)):
        apart = None if len(traces) == 1 else index
        tags = found.likeliest(state) if found else ()
        drawn = payload(trace.tokens, sentence=apart, tags=tags, run="pair" if apart is None else "AB"[apart])
        key = f"strip_{index}"
        if words:
            field: Literal["at_a", "at_b"] = "at_b" if index else "at_a"
            word_picker(drawn, field=field, chosen=words[index], key=key)
        else:
            token_strip(drawn, key=key)
        _show_truncation(trace.tokens, "AB" if apart is None else "AB"[apart])
    if classes[0] and not selection.stage:
        with st.container(key="parts_of_speech"):
            sentence = shared_word_sentence(traces, list(filter(None, classes)), selection)
            if sentence:
                st.markdown(escape_markdown(sentence))
            _show_probe_accuracy(classes[0], state)
            if len(traces) == 1 and traces[0].tokens.sentence_b_start is not None:
                _show_pairing(traces[0], classes[0], state)
    for note in traces[0].notes:
        st.warning(escape_markdown(note))


def _read_tags(trace: Trace, selection: Selection) -> WordClasses | None:
    """The parts of speech that probes read off a trace; None if they are off or the model has no probes."""
    return None if selection.tags == "off" or not has_probes(trace.model_name) else word_classes(trace)


def _show_probe_accuracy(classes: WordClasses, state: int | None) -> None:
    """The accuracy of the probe of a hidden state, or of all layers if it is None."""
    if state is None:
        where, accuracy, selectivity, note = "all layers together", classes.combined_accuracy, "", None
    else:
        where = "the embeddings" if state == 0 else f"the states after layer {state - 1}"
        accuracy = float(classes.accuracy[state])
        selectivity = f", selectivity {written(100 * float(classes.selectivity[state]), '.1f')} points"
        note = (
            f"A probe of the same size learns random tags to {float(classes.control_accuracy[state]):.1%}. The "
            "selectivity is the difference (Hewitt and Liang 2019)."
        )
    st.caption(
        f"**Parts of speech** are read from {where} by a linear probe: right on {accuracy:.1%} of {classes.n:,} words "
        f"of {classes.test_set}{selectivity}.",
        help=note,
    )


def _show_pairing(pair: Trace, classes: WordClasses, state: int | None) -> None:
    """The words whose part of speech changes because the two sentences are encoded as a pair."""
    name, texts = pair.model_name, pair.tokens.sentences
    if any(run_cache.stored_trace(name, text, None) is None for text in texts):
        loading.wait()
    alone = [run_cache.trace(name, text, None) for text in texts]
    words = [trace.tokens.words for trace in alone]
    sentence = pairing_sentence(classes, [word_classes(trace) for trace in alone], words, state)
    if sentence:
        st.caption(escape_markdown(sentence))


def _show_truncation(tokens: Tokens, letters: str) -> None:
    for sentence, (letter, cut) in enumerate(zip(letters, tokens.truncated, strict=False)):
        if cut:
            kept = tokens.sentence_ids.count(sentence)
            st.warning(
                f"Sentence {letter} is too long: its first {kept:,} tokens are read, its last {cut:,} are cut off "
                f"({tokens.max_length} tokens are read in all, special tokens included)."
            )
    if tokens.typed_special:
        named = escape_markdown(", ".join(tokens.typed_special))
        st.caption(f"{named} in the text is read as the model's own token, not as letters.")


def choose_heads(trace: Trace, selection: Selection, *, place: str, hint: bool) -> None:
    """The map of all heads, where the user chooses layer, head and sentences.

    It is shown next to views of all layers and heads as well.
    """
    panel = PANELS[selection.view]
    filter: Literal["enabled", "disabled"] = "enabled" if panel.filters_sentences else "disabled"
    map_of_heads(
        trace,
        selection,
        place=place,
        large=False,
        enabled=panel.shows_one_head,
        filter=None if trace.tokens.sentence_b_start is None else filter,
        hint=hint,
    )
