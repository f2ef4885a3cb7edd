"""The effects of all heads as gradients estimate them: at once, until the sweep over the heads is done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from encoder.measures.ranks import rank_correlation
from encoder.shipped.labels import TAGS
from encoder.shipped.probes import has_probes
from viz.caches import experiment_cache
from viz.computing.sweep import SweepResult
from viz.figures.config import plot_config
from viz.figures.effects import effect_map
from viz.panels.common import head_chart, theme
from viz.panels.word_lens.choice import Occurrence
from viz.state.selection import Selection
from viz.wording.labels import escape_markdown


def show_estimates(occurrences: Sequence[Occurrence], selection: Selection) -> None:
    """A map of estimated effects for each sentence; nothing for a model without probes."""
    if not has_probes(occurrences[0].trace.model_name):
        return
    found = [experiment_cache.tag_estimates(each.trace.model_name, each.text, each.word_index) for each in occurrences]
    high = max(float(np.abs(each.log_odds).max()) for each in found)
    st.markdown("**An estimate from gradients, until the heads are silenced one by one:** the change of the log-odds")
    for column, each, estimates in zip(st.columns(len(occurrences), gap="medium"), occurrences, found, strict=True):
        first, second = (TAGS[index] for index in estimates.classes)
        with column:
            st.markdown(f"#### “{escape_markdown(each.name)}” in {each.letter}")
            figure = effect_map(
                estimates.log_odds,
                np.zeros(estimates.log_odds.shape, dtype=bool),
                name=f"estimated change of the log-odds, {first} against {second}",
                number_format="+.2f",
                signed=True,
                high=high,
                chosen=(selection.layer, selection.head),
                theme=theme(),
            )
            head_chart(figure, config=plot_config(f"estimates-{each.letter}"), key=f"lens_estimates-{each.letter}")
    st.caption(
        "The final vector's distance from itself has no slope where nothing is changed: only the effect on the part of "
        "speech can be estimated."
    )


def tell_agreement(occurrences: Sequence[Occurrence], results: Mapping[str, SweepResult]) -> None:
    """How the estimates that were shown first order the heads, beside the exact effects."""
    said = []
    for each in occurrences:
        exact = results[each.letter].word.log_odds
        if exact is not None:
            name = each.trace.model_name
            estimates = experiment_cache.tag_estimates(name, each.text, each.word_index)
            said.append(f"{rank_correlation(estimates.log_odds, exact[0]):.2f} in {each.letter}")
    if said:
        st.caption(
            "These are exact. One backward pass estimated the effects on the part of speech; rank correlation "
            f"with them: {', '.join(said)}."
        )
