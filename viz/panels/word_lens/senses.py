"""Picture 6: the word in many sentences, as a map."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from encoder.experiments.senses.sentence_search import MOST_LINES, SentenceSearch, labelled
from encoder.measures.sense_map import SenseMap, nearest_neighbours, sense_map
from encoder.measures.senses import leave_one_out_accuracy
from encoder.text.common_words import stem
from encoder.trace import FloatArray
from viz import cache
from viz.figures.labels import plain
from viz.figures.sense_map import accuracy_line, sense_scatter
from viz.labels import shorten, verbatim
from viz.panels.common import Reading, theme
from viz.panels.word_lens.choice import Occurrence
from viz.panels.word_lens.parts import chart, entries, finish, heading
from viz.state.selection import AUTOMATIC, NO_SENTENCES, OWN, Selection, shipped_words

NEIGHBOURS = 3
UNLABELLED = "no label"
LONGEST = 90  # characters of a sentence in hover


def senses(occurrences: Sequence[Occurrence], selection: Selection) -> None:
    """All occurrences in two dimensions after the chosen layer, and how well their senses can be told apart."""
    line = heading(6, "Sense map")
    word = occurrences[0].word
    name = _choose(word, selection)
    if name == NO_SENTENCES:
        st.info("Choose one of our sets of sentences, or type your own, to see this word in the company of others.")
        return
    model_name = occurrences[0].trace.model_name
    sentences, states = cache.further(model_name, name, *((selection.typed, word) if name == OWN else ("", "")))
    _tell(sentences, word if name == OWN else name)
    if not sentences.occurrences:
        return
    every: FloatArray = np.concatenate([np.stack([each.states for each in occurrences]), states])  # (N, L + 1, D)
    groups = [each.letter for each in occurrences] + [each.sense or UNLABELLED for each in sentences.occurrences]
    texts = [each.text for each in occurrences] + [each.text for each in sentences.occurrences]
    entry = selection.layer + 1
    drawn = sense_map(every[:, entry])
    hover = _hover(every[:, entry], groups, texts)
    chart(sense_scatter(drawn.points, groups, hover, explained=drawn.explained, theme=theme()), "sense-map")
    told = _accuracy(sentences, states, name, entry)
    finish(
        line,
        Reading(
            f"Each point is the word in one sentence, after L{selection.layer} (choose the layer beside the picture). "
            "Points near each other have like vectors; hover names the sentence and its nearest neighbours by cosine "
            "in all dimensions.",
            f"Two dimensions keep {float(drawn.explained.sum()):.0%} of the variance: what looks near here may lie "
            "apart in the rest. Senses were labelled by us, and other words or sentences may part less.",
        ),
        lambda: _table(drawn, groups, texts, told),
        "sense-map",
    )


def _choose(word: str, selection: Selection) -> str:
    """Draw the choice of sentences; the name of the set to show."""
    match = next((name for name in shipped_words() if stem(name) == stem(word)), NO_SENTENCES)
    titles = {AUTOMATIC: f"Ours for “{match}”" if match != NO_SENTENCES else "Ours, if there are some for this word"}
    titles |= {name: f"Ours for “{name}”" for name in shipped_words()} | {OWN: "Your own", NO_SENTENCES: "None"}
    st.selectbox(
        "Further sentences",
        list(titles),
        format_func=titles.__getitem__,
        key="further",
        help=f"Twelve sentences for each of {len(shipped_words())} words come with Headlight, labelled with the sense "
        "that the word has there.",
    )
    if selection.further == OWN:
        st.text_area(
            f"Your sentences, one in each line, at most {MOST_LINES}",
            key="typed",
            height=140,
            placeholder="the pilot flies at night\ninsect | flies buzz around the lamp",
            help="Write “sense | sentence” to label a line. Every line is encoded by itself.",
        )
        return OWN if selection.typed.strip() else NO_SENTENCES
    return match if selection.further == AUTOMATIC else selection.further


def _tell(sentences: SentenceSearch, word: str) -> None:
    """What was left out."""
    if sentences.skipped:
        st.warning(f"The first {MOST_LINES} lines are read, {sentences.skipped:,} more are left out.")
    if sentences.without_word:
        named = "; ".join(f"“{shorten(text, 60)}”" for text in sentences.without_word[:5])
        more = f"; and {len(sentences.without_word) - 5} more" if len(sentences.without_word) > 5 else ""
        st.warning(verbatim(f"Left out, because the model does not read “{shorten(word, 24)}” in them: {named}{more}."))
    if sentences.repeated:
        st.caption(f"{sentences.repeated} of the sentences have the word more than once; the first one counts.")


def _hover(states: FloatArray, groups: Sequence[str], texts: Sequence[str]) -> list[str]:
    nearest, cosines = nearest_neighbours(states, NEIGHBOURS)
    said = [f"{plain(group)} · {plain(shorten(text, LONGEST))}" for group, text in zip(groups, texts, strict=True)]
    return [
        f"<b>{said[at]}</b><br>nearest by cosine:<br>"
        + "<br>".join(f"{cosine:.2f} {said[other]}" for other, cosine in zip(others, own, strict=True))
        for at, (others, own) in enumerate(zip(nearest.tolist(), cosines.tolist(), strict=True))
    ]


def _accuracy(sentences: SentenceSearch, states: FloatArray, name: str, entry: int) -> FloatArray | None:
    """Draw the leave-one-out accuracy by layer, where at least two senses are labelled twice."""
    known = labelled(sentences.occurrences)
    names = [sentences.occurrences[at].sense for at in known]
    if len(set(names)) < 2:
        st.caption("With labels of two senses at least, this place says how often the nearest centroid finds them.")
        return None
    figures = leave_one_out_accuracy(states[known], [name] * len(known), names)
    if figures.micro is None or figures.majority_micro is None:
        return None
    chart(accuracy_line(figures.micro, majority=figures.majority_micro, chosen=entry, theme=theme()), "sense-accuracy")
    st.markdown(
        f"**{figures.micro[entry]:.0%} of {figures.n} labelled sentences** find their sense by the nearest centroid of "
        f"the others after L{entry - 1}; always the commonest sense would give {figures.majority_micro:.0%}."
    )
    return figures.micro


def _table(drawn: SenseMap, groups: Sequence[str], texts: Sequence[str], told: FloatArray | None) -> pd.DataFrame:
    points = pd.DataFrame(
        {"sense": groups, "component_1": drawn.points[:, 0], "component_2": drawn.points[:, 1], "sentence": texts}
    )
    if told is None:
        return points
    by_layer = pd.DataFrame({"entry": entries(len(told)), "leave_one_out_accuracy": told})
    return pd.concat([points, by_layer])
