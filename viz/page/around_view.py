"""What is around a view: a question and its answer, the tokens that the model reads, and the map of all heads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from encoder import Trace
from encoder.runs.trace import DESCRIPTIONS, excerpts
from encoder.shipped.probes import WordClasses, has_probes, word_classes
from encoder.text.tokens import USUAL_TOKENS
from viz.answers.shared_word import shared_word_sentence
from viz.answers.strongest_link import Link, link_sentence, next_steps, strongest_links
from viz.caches import run_cache
from viz.caches.steps import is_known
from viz.components.token_strip import token_strip, word_picker
from viz.html.terms import opening_button
from viz.page import loading
from viz.page.text_inputs import is_hint_true, shown_example
from viz.payloads.tokens import payload, tags_of_head
from viz.state import session
from viz.state.selection import CUT_VIEWS, Selection, View
from viz.tours.places import LETTERS
from viz.views.registered import PANELS
from viz.widgets import change_button
from viz.widgets.canvas import map_of_heads
from viz.widgets.consent import offer_all_positions
from viz.widgets.room import is_at_stop, note_tokens
from viz.widgets.units import can_be_cut
from viz.wording.excerpts import excerpt_sentences
from viz.wording.labels import escape_markdown, first_sentence, head_in_words
from viz.wording.numbers import percent, written
from viz.wording.readings import other_language, unknown_words
from viz.wording.tags import pairing_sentence

SAY_UNKNOWN: tuple[View, ...] = ("tokens", "predictions", "why")  # views whose answer says what is unknown
LAYER_BY_LAYER: tuple[View, ...] = ("heat map", "head view", "neuron view")
ASK: tuple[View, ...] = (*LAYER_BY_LAYER, "model view")  # views without a sentence of their own
MOST_TRIED = 64  # tokens of a text whose strongest link is cut unasked


def show_link_problems(place: DeltaGenerator) -> None:
    """The problems of the link that opened the page, until the user's first change, in place of those shown before."""
    if problems := session.problems():
        with place.container():
            for problem in problems:
                st.warning(escape_markdown(f"Link: {problem}"))


def show_tokens(traces: Sequence[Trace], selection: Selection, *, words: Sequence[int | None] = ()) -> None:
    """A question about the sentences and its answer, the tokens of every run, and notes about them.

    Args:
        words: if a click on the tokens chooses a word, the chosen word of every run.
    """
    state = selection.tags if isinstance(selection.tags, int) else None
    classes = [_read_tags(trace, selection) for trace in traces]
    example, looks = shown_example(selection), selection.view in ASK
    is_cut = any(trace.links for trace in traces)  # then `show_cuts` answers
    if not is_cut and not is_at_stop(selection) and (looks or (example and example.view == selection.view)):
        with st.container(key="answer", gap=None):
            found_tags = list(filter(None, classes))
            if selection.stage:  # the finding does not depend on whether the tags are shown
                found_tags = [word_classes(trace) for trace in traces if has_probes(trace.model_name)]
            _show_answer(traces, found_tags if looks else [], selection, state)
    strips = []
    with st.container(key="tokens", horizontal=True, gap="medium"):
        for index, (trace, found) in enumerate(zip(traces, classes, strict=True)):
            apart = None if len(traces) == 1 else index
            tags = found.likeliest(state) if found else tags_of_head(trace)
            shown = trace.tokens.excerpt(selection.first)
            drawn = payload(shown, sentence=apart, tags=tags, run="pair" if apart is None else "AB"[apart])
            strips.append(drawn)
            key = f"strip_{index}"
            if words:
                field: Literal["at_a", "at_b"] = "at_b" if index else "at_a"
                word_picker(drawn, field=field, chosen=words[index], key=key)
            else:
                token_strip(drawn, key=key)
    note_tokens(strips)
    _choose_excerpt(traces, selection)
    says_unknown = selection.view in SAY_UNKNOWN
    unknown = [
        (not says_unknown and unknown_words(trace.tokens)) or other_language(trace.tokens, trace.model_name)
        for trace in traces
    ]
    lettered = [f"{letter}: {said}" for letter, said in zip("AB", unknown, strict=False) if said]
    if lettered:
        st.info("  \n".join(lettered if unknown[1:] else unknown))
    for index, trace in enumerate(traces):
        _show_truncation(trace, "AB"[index] if len(traces) > 1 else "AB")
    if typed := list(dict.fromkeys(piece for trace in traces for piece in trace.tokens.typed_special)):
        named = escape_markdown(", ".join(typed))
        st.caption(f"{named} in the text is read as the model's own token, not as letters.")
    cut = {link.note(trace.tokens) for trace in traces for link in trace.links}  # which `show_cuts` shows
    notes = tuple(dict.fromkeys(note for trace in traces for note in trace.notes if note not in cut))
    for note in notes:
        if not note.startswith(DESCRIPTIONS):
            st.warning(escape_markdown(note))
    if described := [note for note in notes if note.startswith(DESCRIPTIONS)]:
        st.caption(escape_markdown(" ".join(described)))


def _show_answer(
    traces: Sequence[Trace], classes: Sequence[WordClasses], selection: Selection, state: int | None
) -> None:
    """The example's question with its answer, or the part of speech of the word that the sentences share.

    Before an audience the first of these sentences alone.
    """
    example = shown_example(selection)
    hint = example if example and is_hint_true(example, selection) else None
    sentence = shared_word_sentence(traces, classes, selection) if classes else ""
    if selection.stage:
        said = f"{hint.question} {first_sentence(hint.answer)}" if hint else ""
        st.markdown(escape_markdown(first_sentence(sentence) or said))
        return
    parts = [f"**{escape_markdown(hint.question)}** {escape_markdown(hint.answer)}"] if hint else []
    if classes:
        parts += [escape_markdown(sentence), opening_button("Probe", _about_probe(classes[0], state))]
    if parts:
        st.markdown(" ".join(parts), unsafe_allow_html=True)
    if classes and len(traces) == 1 and traces[0].tokens.sentence_b_start is not None:
        _show_pairing(traces[0], classes[0], state)


def _read_tags(trace: Trace, selection: Selection) -> WordClasses | None:
    """The parts of speech that probes read off a trace; None if they are off or the model has no probes."""
    return None if selection.tags == "off" or not has_probes(trace.model_name) else word_classes(trace)


def _about_probe(classes: WordClasses, state: int | None) -> str:
    """How the parts of speech are read, and how reliably: from a hidden state, or from all if it is None."""
    if state is None:
        return (
            "Parts of speech are read from all layers together by a linear probe, a small classifier. It is right on "
            f"{percent(classes.combined_accuracy, 1)} of {classes.n:,} words of {classes.test_set}."
        )
    where = "the embeddings" if state == 0 else f"the states after layer {state - 1}"
    return (
        f"Parts of speech are read from {where} by a linear probe, a small classifier. It is right on "
        f"{percent(float(classes.accuracy[state]), 1)} of {classes.n:,} words of {classes.test_set}. A probe of the "
        f"same size learns random tags to {percent(float(classes.control_accuracy[state]), 1)}; the difference, "
        f"{written(100 * float(classes.selectivity[state]), '.1f')} points, is its selectivity (Hewitt and Liang 2019)."
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


def _show_truncation(trace: Trace, letters: str) -> None:
    tokens = trace.tokens
    if not any(tokens.truncated):
        return
    with st.container(key=f"cut_{letters}", horizontal=True, vertical_alignment="center", gap="small"):
        for sentence, (letter, cut) in enumerate(zip(letters, tokens.truncated, strict=False)):
            if cut:
                kept = tokens.sentence_ids.count(sentence)
                st.warning(
                    f"Sentence {letter} is too long: its first {kept:,} tokens are read, its last {cut:,} are cut off "
                    f"({tokens.max_length:,} tokens are read in all, special tokens included)."
                )
        offer_all_positions(trace.model_name, tokens=len(tokens) + sum(tokens.truncated), key=f"read_all_{letters}")


def _choose_excerpt(traces: Sequence[Trace], selection: Selection) -> None:
    """Which tokens of a long text the views of attention show; nothing for other texts."""
    longest = max(len(trace.tokens) for trace in traces)
    last = longest - USUAL_TOKENS
    if last <= 0:
        return
    session.note_shown(first=min(selection.first, last))
    places = ("pair",) if len(traces) == 1 else LETTERS
    shown = excerpts(dict(zip(places, traces, strict=True)), selection.first)
    with st.container(key="excerpt", horizontal=True, vertical_alignment="center", gap="medium"):
        st.slider(
            "First token shown",
            0,
            last,
            width=330,
            help=f"The model reads the whole text. Views of attention show {USUAL_TOKENS} of its tokens.",
            **session.bound("first", initial="value", to_widget=lambda first: min(first, last)),
        )
        st.caption(" ".join(excerpt_sentences(shown)), width="stretch")


def choose_heads(trace: Trace, selection: Selection, *, place: str) -> None:
    """The map of all heads, where the user chooses layer, head and sentences."""
    filters = trace.tokens.sentence_b_start is not None and PANELS[selection.view].filters_sentences
    map_of_heads(trace, selection, place=place, large=False, filter=filters)


def ranks_heads(selection: Selection) -> bool:
    """Whether the view can rank the heads that link two tokens: it renders attention weights layer by layer."""
    return selection.view in LAYER_BY_LAYER and selection.draws_weights


def show_links(traces: Mapping[str, Trace], selection: Selection) -> Callable[[], None] | None:
    """The strongest link of the shared word in the selected head, and what to open next.

    Returns:
        Shows between them what changes without the link, which takes time; None where it is known or not shown.
    """
    links = strongest_links(traces, selection)
    is_offered = links and selection.view in CUT_VIEWS and not selection.cuts and all(map(can_be_cut, traces.values()))
    is_tried = is_offered and max(len(trace.tokens) for trace in traces.values()) <= MOST_TRIED
    with st.container(gap="xsmall"):
        with st.container(key="link", gap=None):
            _say_links(links, selection)
            place = st.container(key="without") if is_tried else None
        with st.container(key="next", horizontal=True, gap="small"):
            # A place that is there in any case: if the others moved, Streamlit would show them twice during a run.
            first = st.empty()
            if is_offered:
                cut = links if len(traces) > 1 else links[:1]  # in each run one link
                label = "Cut it in A" if len(links) > len(cut) else "Cut it"
                change = {"cut": tuple(each.cut for each in cut)}
                first.button(label, key="cut_it", on_click=session.change, kwargs=change)
            for number, (label, values) in enumerate(next_steps(links, traces, selection)):
                change_button(label, values, key=f"next_{number}")
    if place is None:
        return None
    show = partial(_show_without, place, traces, links)
    return show() if _is_without_known(traces, links) else show


def _say_links(links: Sequence[Link], selection: Selection) -> None:
    said = escape_markdown(link_sentence(links, selection))
    st.markdown(said)
    session.note_finding(said)


def _is_without_known(traces: Mapping[str, Trace], links: Sequence[Link]) -> bool:
    """Whether another page, or an earlier run of this one, has worked out what changes without the links."""
    if not loading.MODELS.done:
        return False
    from viz.recipes.cuts import without_look  # imports torch

    return is_known(without_look(traces, links), next(iter(traces.values())).model_name)


def _show_without(place: DeltaGenerator, traces: Mapping[str, Trace], links: Sequence[Link]) -> None:
    """What changes without the links, once the model is there; the page is drawn again then."""
    name = next(iter(traces.values())).model_name
    with place:
        if not loading.MODELS.done or session.is_typing():
            st.caption("What changes without it is worked out …")
            return
        from viz.recipes.cuts import RUNS, without_look  # imports torch
        from viz.widgets.recipe import MOST_AT_ONCE, show_or_explain

        tokens = sum(RUNS * len(traces[link.run].tokens) for link in links)
        opened = run_cache.opened_model(name)  # a stored run needs none
        if opened is None or opened.multiplications(tokens) > MOST_AT_ONCE:
            st.caption("Cut it to see what changes without it.")
            return
        show_or_explain(without_look(traces, links), name, view="without")


def offer_silencing(traces: Mapping[str, Trace], selection: Selection) -> None:
    """What the selected head does here, and a button that opens the word lens with it silenced."""
    layer, head = selection.layer, selection.head
    _say_links(strongest_links(traces, selection), selection)
    change_button(
        f"Silence {head_in_words(layer, head)}: what changes?",
        {"view": "word lens", "silenced": ((layer, head),)},
        key="silence",
    )
