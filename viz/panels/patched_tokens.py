"""Any token's state in one text, put in place of the same token's in another: estimates, which exact values replace."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from encoder.attribution.patching_estimates import agreement
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from viz.computing.job import Job
from viz.figures.config import plot_config
from viz.figures.patching import patched_token_map
from viz.panels.common import fit_stage, theme
from viz.panels.jobs import follow
from viz.panels.tables import show_table
from viz.wording.labels import make_visible, numbered, state_names
from viz.wording.numbers import written


def show_patched_tokens(
    a: Trace, b: Trace, estimates: FloatArray, effects: Job[FloatArray], *, unit: str, what: str, view: str
) -> None:
    """A map of all tokens at all layers, how far it can be trusted, its meaning, and its numbers.

    Args:
        a, b: runs of the text that states come from, and of the one that they go to.
        estimates: (L + 1, T) by slopes.
        effects: works out the same exactly.
        unit: of the numbers.
        what: what one cell says, in full sentences, as Markdown.
        view: begins the keys of what is drawn.
    """
    picture = st.container()
    exact = follow(
        effects,
        b.model_name,
        tokens=estimates.size * len(b.tokens),
        what="Every token patched at every layer",
        key=f"{view}_patched",
    )
    labels = _labels(a, b)
    with picture:
        figure = patched_token_map(estimates if exact is None else exact, labels, unit=unit, theme=theme())
        fit_stage(figure)
        st.plotly_chart(
            figure,
            theme=None,
            width="content",
            config=plot_config("patched-tokens"),
            key=f"{view}_patched-tokens",
        )
        if exact is None:
            st.caption("An estimate from the slopes in A and in B, until every token has been patched.")
        else:
            st.caption(
                "These are exact. Two backward passes estimated them; rank correlation where a patch can change "
                f"anything: {written(agreement(estimates, exact), '.2f')}."
            )
        st.caption(what)
    show_table(
        lambda: _table(estimates, exact, labels),
        title="The map as a table",
        name="patched tokens",
        key=f"{view}_patched_table",
    )


def _labels(a: Trace, b: Trace) -> list[str]:
    """The name of every token of B, behind that of the token of A which takes its place, where the two differ."""
    pairs = zip(*(map(make_visible, run.tokens.labels) for run in (a, b)), strict=True)
    return [own if own == other else f"{other} → {own}" for other, own in pairs]


def _table(estimates: FloatArray, exact: FloatArray | None, labels: list[str]) -> pd.DataFrame:
    state, token = (axis.ravel() for axis in np.indices(estimates.shape))
    names, tokens = state_names(len(estimates)), numbered(labels)
    columns = {
        "entry": [names[index] for index in state.tolist()],
        "token": [tokens[index] for index in token.tolist()],
        "estimated_change": estimates.ravel(),
    }
    if exact is not None:
        columns["exact_change"] = exact.ravel()
    return pd.DataFrame(columns)
