"""Picture 3: which part of speech a probe reads off each occurrence, layer by layer."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from encoder.shipped.probes import has_probes, word_classes
from viz.figures.belief import belief_bars, leading
from viz.labels import verbatim
from viz.panels.common import Reading, theme
from viz.panels.word_lens.choice import Occurrence
from viz.panels.word_lens.parts import chart, entries, finish, heading

COLOURS = 5  # classes with a colour of their own


def belief(occurrences: Sequence[Occurrence]) -> None:
    """Probabilities by layer for each occurrence, beside what each layer's probe is worth."""
    line = heading(3, "What the model takes it for")
    if not has_probes(occurrences[0].trace.model_name):
        st.info("No probe was trained for this model, so that its belief cannot be read. The other pictures need none.")
        return
    read = {each.letter: word_classes(each.trace) for each in occurrences}
    first = read[occurrences[0].letter]
    by_layer = {each.letter: read[each.letter].probabilities[:, each.at] for each in occurrences}  # (L + 1, C)
    shown = leading(list(by_layer.values()), COLOURS)
    for column, each in zip(st.columns(len(occurrences), gap="medium"), occurrences, strict=True):
        with column:
            st.markdown(f"##### “{verbatim(each.name)}” in {each.letter}")
            figure = belief_bars(
                by_layer[each.letter],
                first.tags,
                shown=shown,
                accuracy=first.accuracy,
                control_accuracy=first.control_accuracy,
                theme=theme(),
            )
            chart(figure, f"belief-{each.letter}")

    def table() -> pd.DataFrame:
        return pd.concat(
            pd.DataFrame(by_layer[each.letter], columns=list(first.tags)).assign(
                sentence=each.letter,
                entry=entries(len(first.accuracy)),
                accuracy=first.accuracy,
                control_accuracy=first.control_accuracy,
            )
            for each in occurrences
        )

    finish(
        line,
        Reading(
            "Each bar is one linear probe's probabilities for the word's part of speech, read off its state after that "
            f"layer. Under it: how often that probe is right on {first.n:,} held-out words of {first.test_set}, and by "
            "how many points that exceeds a probe of the same size that learned random tags (its selectivity; Hewitt "
            "and Liang 2019).",
            "That a probe can read something does not show that the model uses it; and the probabilities are a "
            "probe's, not calibrated chances.",
        ),
        table,
        "belief",
    )
