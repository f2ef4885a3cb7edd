"""A map of patched tokens on the page: estimates, until the exact values are computed."""

from __future__ import annotations

import streamlit as st

from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from viz.answers.patched_tokens import patched_tokens
from viz.computing.job import Job
from viz.panels.answer import show_answer
from viz.panels.jobs import follow


def show_patched_tokens(
    a: Trace, b: Trace, estimates: FloatArray, effects: Job[FloatArray], *, unit: str, what: str, view: str
) -> None:
    """The map with the progress of the job under it.

    Args:
        effects: computes the exact values.
        view: prefix of the keys.
        a, b, estimates, unit, what: as the answer has them.
    """
    picture = st.container()
    exact = follow(
        effects,
        b.model_name,
        tokens=estimates.size * len(b.tokens),
        what="Every token patched at every layer",
        key=f"{view}_patched",
    )
    with picture:
        show_answer(patched_tokens(a, b, estimates, exact, unit=unit, what=what), view=view)
