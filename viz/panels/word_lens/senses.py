"""Picture 6: the word in many sentences, as a map."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from encoder.experiments.senses.sentence_search import MOST_LINES, SentenceSearch, labelled
from encoder.measures.sense_map import SenseMap, nearest_neighbours, sense_map
from encoder.measures.senses import leave_one_out_accuracy
from encoder.runs.trace import FloatArray
from encoder.text.common_words import stem
from viz import experiment_cache
from viz.explanations import Explanation
from viz.figures.labels import plotly_text
from viz.figures.sense_map import accuracy_line, sense_scatter
from viz.labels import escape_markdown, shorten
from viz.panels.common import theme
from viz.panels.word_lens.choice import Occurrence
from viz.panels.word_lens.layout import chart, heading, show_explanation_and_csv, state_names
from viz.state import session
from viz.state.selection import AUTOMATIC, NO_SENTENCES, OWN, Selection, shipped_words

NEIGHBOURS = 3
UNLABELLED = "no label"
LONGEST = 90  # characters of a sentence in hover


def show_sense_map(occurrences: Sequence[Occurrence], selection: Selection) -> None:
    """All occurrences in two dimensions after the chosen layer, and how well their senses can be told apart."""
    line = heading(6, "Sense map")
    word = occurrences[0].word
    name = _choose_sentences(word, selection)
    if name == NO_SENTENCES:
        st.info("Choose one of our sets of sentences, or type your own, to see this word in the company of others.")
        return
    model_name = occurrences[0].trace.model_name
    typed = (selection.word_lens.typed, word) if name == OWN else ("", "")
    sentences, states = experiment_cache.further(model_name, name, *typed)
    _show_what_was_left_out(sentences, word if name == OWN else name)
    if not sentences.occurrences:
        return
    all_states: FloatArray = np.concatenate([np.stack([each.states for each in occurrences]), states])  # (N, L + 1, D)
    groups = [each.letter for each in occurrences] + [each.sense or UNLABELLED for each in sentences.occurrences]
    texts = [each.text for each in occurrences] + [each.text for each in sentences.occurrences]
    state_index = selection.layer + 1
    projection = sense_map(all_states[:, state_index])
    hover = _hover(all_states[:, state_index], groups, texts)
    chart(sense_scatter(projection.points, groups, hover, explained=projection.explained, theme=theme()), "sense-map")
    accuracies = _show_accuracy(sentences, states, name, state_index)
    show_explanation_and_csv(
        line,
        Explanation(
            f"Each point is the word in one sentence, after L{selection.layer} (choose the layer beside the picture). "
            "Points near each other have like vectors; hover names the sentence and its nearest neighbours by cosine "
            "in all dimensions.",
            f"Two dimensions keep {float(projection.explained.sum()):.0%} of the variance: points that are near here "
            "may be apart in the others. Senses were labelled by us, and other words or sentences may differ less.",
        ),
        lambda: _table(projection, groups, texts, accuracies),
        "sense-map",
    )


def _choose_sentences(word: str, selection: Selection) -> str:
    """Draw the choice of sentences; the name of the set to show."""
    match = next((name for name in shipped_words() if stem(name) == stem(word)), NO_SENTENCES)
    # Titles differ from each other: the browser sends them back, and not the values that they stand for.
    automatic = "Ours, if there are some for this word" if match == NO_SENTENCES else f"Ours for this word, “{match}”"
    titles = {AUTOMATIC: automatic}
    titles |= {name: f"Ours for “{name}”" for name in shipped_words()} | {OWN: "Your own", NO_SENTENCES: "None"}
    st.selectbox(
        "Further sentences",
        list(titles),
        format_func=titles.__getitem__,
        help=f"Twelve sentences for each of {len(shipped_words())} words come with Headlight, labelled with the sense "
        "that the word has there.",
        **session.bound("further", options=list(titles)),
    )
    chosen = selection.word_lens.sentences
    if chosen == OWN:
        st.text_area(
            f"Your sentences, one in each line, at most {MOST_LINES}",
            height=140,
            placeholder="the pilot flies at night\ninsect | flies buzz around the lamp",
            help="Write “sense | sentence” to label a line. Every line is encoded by itself.",
            **session.bound("typed", initial="value"),
        )
        return OWN if selection.word_lens.typed.strip() else NO_SENTENCES
    return match if chosen == AUTOMATIC else chosen


def _show_what_was_left_out(sentences: SentenceSearch, word: str) -> None:
    """What was left out."""
    if sentences.skipped:
        st.warning(f"The first {MOST_LINES} lines are read, {sentences.skipped:,} more are left out.")
    if sentences.without_word:
        named = "; ".join(f"“{shorten(text, 60)}”" for text in sentences.without_word[:5])
        more = f"; and {len(sentences.without_word) - 5} more" if len(sentences.without_word) > 5 else ""
        st.warning(
            escape_markdown(f"Left out, because the model does not read “{shorten(word, 24)}” in them: {named}{more}.")
        )
    if sentences.repeated:
        st.caption(f"{sentences.repeated} of the sentences have the word more than once; the first one counts.")


def _hover(states: FloatArray, groups: Sequence[str], texts: Sequence[str]) -> list[str]:
    nearest, cosines = nearest_neighbours(states, NEIGHBOURS)
    descriptions = [
        f"{plotly_text(group)} · {plotly_text(shorten(text, LONGEST))}"
        for group, text in zip(groups, texts, strict=True)
    ]
    return [
        f"<b>{descriptions[index]}</b><br>nearest by cosine:<br>"
        + "<br>".join(f"{cosine:.2f} {descriptions[other]}" for other, cosine in zip(others, own_cosines, strict=True))
        for index, (others, own_cosines) in enumerate(zip(nearest.tolist(), cosines.tolist(), strict=True))
    ]


def _show_accuracy(sentences: SentenceSearch, states: FloatArray, name: str, state_index: int) -> FloatArray | None:
    """Draw the leave-one-out accuracy by layer, where at least two senses are labelled twice."""
    known = labelled(sentences.occurrences)
    names = [sentences.occurrences[index].sense for index in known]
    if len(set(names)) < 2:
        st.caption("With labels of two senses at least, this place says how often the nearest centroid finds them.")
        return None
    figures = leave_one_out_accuracy(states[known], [name] * len(known), names)
    if figures.micro is None or figures.majority_micro is None:
        return None
    chart(
        accuracy_line(figures.micro, majority=figures.majority_micro, chosen=state_index, theme=theme()),
        "sense-accuracy",
    )
    st.markdown(
        f"**{figures.micro[state_index]:.0%} of {figures.n} labelled sentences** have the sense of the nearest "
        f"centroid of the others after L{state_index - 1}; always the commonest sense would give "
        f"{figures.majority_micro:.0%}."
    )
    return figures.micro


def _table(
    projection: SenseMap, groups: Sequence[str], texts: Sequence[str], accuracies: FloatArray | None
) -> pd.DataFrame:
    points = pd.DataFrame(
        {
            "sense": groups,
            "component_1": projection.points[:, 0],
            "component_2": projection.points[:, 1],
            "sentence": texts,
        }
    )
    if accuracies is None:
        return points
    by_layer = pd.DataFrame({"entry": state_names(len(accuracies)), "leave_one_out_accuracy": accuracies})
    return pd.concat([points, by_layer])
