"""Below picture 5: any token's state in A, put in place of the same token's in B, at every layer."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from encoder.attribution.word_estimates import agreement
from encoder.errors import ArgumentError, SelectionError
from encoder.runs.arrays import FloatArray
from encoder.shipped.labels import TAGS
from encoder.shipped.probes import has_probes
from viz import experiment_cache
from viz.figures.patching import patched_token_map
from viz.labels import escape_markdown, make_visible, state_names
from viz.panels.common import theme
from viz.panels.download import numbered
from viz.panels.jobs import follow
from viz.panels.tables import show_table
from viz.panels.word_lens.choice import Occurrence
from viz.panels.word_lens.layout import chart


def show_patched_tokens(a: Occurrence, b: Occurrence) -> None:
    """A map of estimates, which exact values replace; nothing for a model without probes."""
    name = a.trace.model_name
    if not has_probes(name):
        return
    words = ((a.text, a.word_index), (b.text, b.word_index))
    st.markdown("**Which tokens carry the part of speech?** Any token's state from A, put into B")
    try:
        patched = experiment_cache.patched_word(name, *words)
        estimates = experiment_cache.patching_estimates(name, *words)
    except (ArgumentError, SelectionError) as error:
        st.caption(escape_markdown(str(error)))
        return
    picture = st.container()
    exact = follow(
        experiment_cache.patching_effects(name, *words),
        name,
        tokens=estimates.size * len(b.trace.tokens),
        what="Every token patched at every layer",
        key="lens_patched",
    )
    first, second = (TAGS[index] for index in patched.classes)
    shown, labels = (estimates if exact is None else exact), _labels(a, b)
    with picture:
        figure = patched_token_map(shown, labels, unit=f"log-odds, {first} against {second}", theme=theme())
        chart(figure, "patched-tokens")
        if exact is None:
            st.caption("An estimate from the slopes in A and in B, until every token has been patched.")
        else:
            st.caption(
                "These are exact. Two backward passes estimated them; rank correlation where a patch can change "
                f"anything: {agreement(estimates, exact):.2f}."
            )
        st.caption(
            f"A cell says how “{escape_markdown(b.name)}” in B moves from {second} towards {first}, as the last "
            "layer's probe reads it, when one token's state there is the one that A has at that place. A state that "
            "moves it carries something for it; whether the model needs that state, this does not say."
        )
    show_table(
        _table(estimates, exact, labels), title="The map as a table", name="patched tokens", key="lens_patched_table"
    )


def _labels(a: Occurrence, b: Occurrence) -> list[str]:
    """Of every token of B its name, and where it differs that of the one which is put into its place."""
    pairs = zip(*(map(make_visible, each.trace.tokens.labels) for each in (a, b)), strict=True)
    return [own if own == other else f"{other} → {own}" for other, own in pairs]


def _table(estimates: FloatArray, exact: FloatArray | None, labels: list[str]) -> pd.DataFrame:
    entry, token = (axis.ravel() for axis in np.indices(estimates.shape))
    names, tokens = state_names(len(estimates)), numbered(labels)
    columns = {
        "entry": [names[index] for index in entry.tolist()],
        "token": [tokens[index] for index in token.tolist()],
        "estimated_change": estimates.ravel(),
    }
    if exact is not None:
        columns["exact_change"] = exact.ravel()
    return pd.DataFrame(columns)
