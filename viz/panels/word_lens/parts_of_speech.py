"""Picture 3: which part of speech a probe reads off each occurrence, layer by layer."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from encoder.shipped.probes import has_probes, word_classes
from viz.figures.class_probabilities import belief_bars, likeliest_classes
from viz.panels.common import is_at_stop, theme
from viz.panels.word_lens.choice import Occurrence
from viz.panels.word_lens.layout import chart, heading, show_explanation_and_csv
from viz.state.selection import Selection
from viz.wording.explanations import Explanation
from viz.wording.labels import state_names

COLOURS = 5  # classes with a colour of their own
# Pixels before an audience: of the word above a figure, and of a sentence's parts of speech.


def show_parts_of_speech(occurrences: Sequence[Occurrence], selection: Selection) -> None:
    """Probabilities by layer for each occurrence, with the accuracy of each layer's probe."""
    line = heading(3, "What the model takes it for")
    if not has_probes(occurrences[0].trace.model_name):
        st.info("No probe was trained for this model, so this picture cannot be drawn. The other pictures need none.")
        return
    classes = {each.letter: word_classes(each.trace) for each in occurrences}
    first_classes = classes[occurrences[0].letter]
    by_layer = {
        each.letter: classes[each.letter].probabilities[:, each.word_index] for each in occurrences
    }  # (L + 1, C)
    shown = likeliest_classes(list(by_layer.values()), COLOURS)
    for column, each in zip(st.columns(len(occurrences), gap="medium"), occurrences, strict=True):
        with column:
            st.markdown(f"#### {each.title}")
            figure = belief_bars(
                by_layer[each.letter],
                first_classes.tags,
                shown=shown,
                accuracy=first_classes.accuracy,
                control_accuracy=first_classes.control_accuracy,
                theme=theme(),
                tells_probes=not is_at_stop(selection),
            )
            chart(figure, f"belief-{each.letter}", headings=2)

    def table() -> pd.DataFrame:
        return pd.concat(
            pd.DataFrame(by_layer[each.letter], columns=list(first_classes.tags)).assign(
                sentence=each.letter,
                entry=state_names(len(first_classes.accuracy)),
                accuracy=first_classes.accuracy,
                control_accuracy=first_classes.control_accuracy,
            )
            for each in occurrences
        )

    show_explanation_and_csv(
        line,
        Explanation(
            "Each bar is one linear probe's probabilities for the word's part of speech, read off its state after that "
            f"layer. Under it: how often that probe is right on {first_classes.n:,} held-out words of "
            f"{first_classes.test_set}, and by how many points that exceeds a probe of the same size that learned "
            "random tags (its selectivity; Hewitt and Liang 2019).",
            "That a probe can read something does not show that the model uses it; and the probabilities are a "
            "probe's, not calibrated chances.",
        ),
        table,
        "belief",
    )
