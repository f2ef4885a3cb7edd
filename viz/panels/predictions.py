"""What the model's own head predicts for the text."""

from __future__ import annotations

import streamlit as st

from encoder import Trace
from viz.answers import predictions as answers
from viz.panels.answer import show_answer
from viz.state import session
from viz.state.selection import Selection
from viz.wording.explanations import Explanation

CAPTION = 34  # pixels at a stop of a tour: two lines above the chart


def predictions(trace: Trace, _: Selection, *, place: str) -> Explanation | None:
    """What the model's own head says of the text or of its words, as far as it has one."""
    answer = answers.predictions(trace)
    new = (trace.model_name, trace.tokens.sentences)
    show_answer(answer, view="predictions", place=place, new=new, above=CAPTION)
    if answers.reads_pairs(trace) and place in ("A", "B"):
        st.button("Read A and B together", key=f"together_{place}", on_click=session.change, kwargs={"mode": "pair"})
    return answers.explanation_of(trace)
