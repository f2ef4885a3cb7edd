"""Picture 6: the word in many sentences, as a map."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from encoder.experiments.senses.sentence_search import MOST_LINES, SentenceSearch
from viz.caches import experiment_cache
from viz.caches.run_cache import cached_with_model
from viz.figures.labels import plotly_text
from viz.figures.sense_map import accuracy_line, sense_scatter
from viz.panels.common import theme
from viz.panels.word_lens.choice import Occurrence
from viz.panels.word_lens.company import (
    Company,
    SenseAccuracy,
    chosen_sentences,
    company,
    sense_accuracy,
    shipped_match,
)
from viz.panels.word_lens.layout import chart, heading, show_explanation_and_csv
from viz.state import session
from viz.state.selection import AUTOMATIC, NO_SENTENCES, OWN, Selection, shipped_words
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown, shorten, state_names
from viz.wording.numbers import written


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
    sentences, states = cached_with_model(experiment_cache.further, model_name, name, *typed)
    _show_what_was_left_out(sentences, word if name == OWN else name)
    if not sentences.occurrences:
        return
    state_index = selection.layer + 1
    shown = company(occurrences, sentences, states, state_index=state_index)
    projection = shown.projection
    figure = sense_scatter(
        projection.points, shown.groups, _hover(shown), explained=projection.explained, theme=theme()
    )
    chart(figure, "sense-map")
    accuracy = sense_accuracy(sentences, states, name)
    _show_accuracy(accuracy, state_index)
    show_explanation_and_csv(
        line,
        Explanation(
            f"Each point is the word in one sentence, after L{selection.layer} (choose the layer beside the picture). "
            "Points near each other have like vectors; hover names the sentence and its nearest neighbours by cosine "
            "in all dimensions.",
            f"Two dimensions keep {float(projection.explained.sum()):.0%} of the variance: points that are near here "
            "may be apart in the others. Senses were labelled by us, and other words or sentences may differ less.",
        ),
        lambda: _table(shown, accuracy),
        "sense-map",
    )


def _choose_sentences(word: str, selection: Selection) -> str:
    """Draw the choice of sentences; the name of the set to show."""
    match = shipped_match(word)
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
        **session.bound(
            "further",
            from_widget=lambda name: name if name in titles else selection.word_lens.sentences,  # a title that has gone
            options=list(titles),
        ),
    )
    if selection.word_lens.sentences == OWN:
        st.text_area(
            f"Your sentences, one in each line, at most {MOST_LINES}",
            height=140,
            placeholder="the pilot flies at night\ninsect | flies buzz around the lamp",
            help="Write “sense | sentence” to label a line. Every line is encoded by itself.",
            **session.bound("typed", initial="value"),
        )
    return chosen_sentences(word, selection.word_lens)


def _show_what_was_left_out(sentences: SentenceSearch, word: str) -> None:
    """Which sentences were left out, and why."""
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


def _hover(shown: Company) -> list[str]:
    return [
        f"<b>{plotly_text(description)}</b><br>nearest by cosine:<br>"
        + "<br>".join(f"{written(cosine, '.2f')} {plotly_text(other)}" for cosine, other in nearest)
        for description, nearest in zip(shown.descriptions, shown.neighbours, strict=True)
    ]


def _show_accuracy(accuracy: SenseAccuracy | None, state_index: int) -> None:
    """Draw the leave-one-out accuracy by layer, where at least two senses are labelled twice."""
    if accuracy is None:
        st.caption(
            "Label two senses or more, each in two sentences or more, to see how often the nearest centroid finds them."
        )
        return
    chart(
        accuracy_line(accuracy.by_state, majority=accuracy.majority, chosen=state_index, theme=theme()),
        "sense-accuracy",
    )
    st.markdown(
        f"**{accuracy.by_state[state_index]:.0%} of {accuracy.n} labelled sentences** have the sense of the nearest "
        f"centroid of the others after L{state_index - 1}; always choosing the commonest sense would give "
        f"{accuracy.majority:.0%}."
    )


def _table(shown: Company, accuracy: SenseAccuracy | None) -> pd.DataFrame:
    points = pd.DataFrame(
        {
            "sense": shown.groups,
            "component_1": shown.projection.points[:, 0],
            "component_2": shown.projection.points[:, 1],
            "sentence": shown.texts,
        }
    )
    if accuracy is None:
        return points
    by_layer = pd.DataFrame({"entry": state_names(len(accuracy.by_state)), "leave_one_out_accuracy": accuracy.by_state})
    return pd.concat([points, by_layer])
