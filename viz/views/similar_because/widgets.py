"""Similar because: the cosine of two sentences, split over pairs of their words, and whether that holds."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from encoder import Trace
from viz.caches import run_cache
from viz.state.selection import Selection
from viz.state.starts import STARTS
from viz.views.similar_because import answer as answers
from viz.views.similar_because.steps import similar_because as recipe
from viz.widgets import change_button
from viz.widgets.recipe import show_or_explain
from viz.widgets.room import room_of
from viz.wording.explanations import Explanation


def similar_because(traces: Mapping[str, Trace], selection: Selection, *_: object) -> Explanation | None:
    """The cosine, its pairs and the test of their order; a sentence says what does not apply.

    Args:
        traces: of "A" and "B", each alone, or of the one sentence that there is.
    """
    if len(traces) < 2:
        st.info(answers.NEEDS_TWO)
        example = dict(STARTS["similar because"])
        label = f"Try “{example['a']}”"
        change_button(label, example, key="similar_example")
        return None
    a, b = traces.values()
    pooling = run_cache.model(a.model_name).pooling
    found = recipe(a, b, pooling=pooling, level=selection.level, room=room_of(selection))
    return show_or_explain(found, a.model_name, view="similar")
