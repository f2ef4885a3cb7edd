"""Picture 1: how the two occurrences part."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from encoder.measures.similarity import ReferenceBand, cosines_by_layer, parting_layer
from encoder.runs.arrays import FloatArray
from viz.caches import experiment_cache
from viz.figures.parting import parting_lines
from viz.panels.common import theme
from viz.panels.word_lens.choice import Occurrence
from viz.panels.word_lens.layout import chart, heading, show_explanation_and_csv
from viz.wording.explanations import Explanation
from viz.wording.labels import state_names
from viz.wording.numbers import written


def show_parting(a: Occurrence, b: Occurrence, silenced: FloatArray | None) -> None:
    """The cosine of the two over the layers, against the model's band.

    Args:
        silenced: (L + 1,) the same with some heads silenced, or None.
    """
    line = heading(1, f"How “{a.name}” parts")
    curve = cosines_by_layer(a.states, b.states)
    band = experiment_cache.band(a.trace.model_name)
    parted = parting_layer(curve, band)
    chart(parting_lines(curve, band=band, parted=parted, silenced=silenced, theme=theme()), "parting")
    st.markdown(_verdict(curve, band, parted))

    def table() -> pd.DataFrame:
        columns = {"entry": state_names(len(curve)), "cosine": curve, "told_apart": band.pair_accuracy}
        for name, quantiles in (("one_sense", band.same), ("two_senses", band.different)):
            columns |= {f"{name}_{percentile}": quantiles[:, i] for i, percentile in enumerate(("10", "50", "90"))}
        return pd.DataFrame(columns | ({} if silenced is None else {"cosine_silenced": silenced}))

    show_explanation_and_csv(
        line,
        Explanation(
            "1 means that the model's vectors for the two occurrences point the same way. The areas are what pairs of "
            f"one sense and of two senses usually have here: four fifths of the pairs among {len(band.words)} "
            "ambiguous words in our own sentences.",
            "A low cosine says that the vectors differ, not that they differ in meaning: position, neighbours and "
            "grammar change them, too.",
        ),
        table,
        "parting",
    )


def _verdict(curve: FloatArray, band: ReferenceBand, parted: int | None) -> str:
    last = len(curve) - 2
    state_index = last + 1 if parted is None else parted + 1
    share = float(band.pair_accuracy[state_index])
    worth = (
        f"In this model the same rule puts {share:.0%} of the pairs of known senses on the right side after "
        f"L{state_index - 1} (chance: 50%)."
    )
    if parted is None:
        return (
            f"**The two do not part**: after the last layer their cosine is {written(curve[-1], '.2f')}, nearer to "
            f"pairs of one sense than to pairs of two (the border is {written(band.threshold[-1], '.2f')}). {worth}"
        )
    lowest = int(np.argmin(curve))
    return (
        f"**They part from L{parted} on**: from there their cosine stays below the border between pairs of one sense "
        f"and of two ({written(band.threshold[state_index], '.2f')} after L{parted}); it is lowest after "
        f"{'the embeddings' if lowest == 0 else f'L{lowest - 1}'}, at {written(curve[lowest], '.2f')}. {worth}"
    )
