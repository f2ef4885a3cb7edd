"""What the model's own head says about the text."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from encoder import Trace
from encoder.models.unused_heads import UNUSED
from viz.figures.config import plot_config
from viz.figures.predictions import probability_bars, score_scale
from viz.panels.common import fit_stage, texts_of, theme
from viz.panels.first_answer import let_paint
from viz.state.selection import Selection
from viz.wording.explanations import Explanation
from viz.wording.numbers import written


def predictions(trace: Trace, selection: Selection, *, place: str) -> Explanation | None:
    """Probabilities of the classification head and the regression score, as far as the model has them."""
    prediction = trace.prediction
    if prediction is None:
        has_other_head = any(note.startswith(UNUSED) for note in trace.notes)
        why = (
            "**This model's head is not one for the classes of a text**, and is not used."
            if has_other_head
            else "**This model has no prediction head**: it turns a text into vectors."
        )
        st.info(
            f"{why} To see predictions, load a "
            "checkpoint that ends in “ForSequenceClassification” (type its folder or its hub id in the model picker), "
            "or choose one of the list that was trained here."
        )
        return None
    if not prediction.trained:
        st.error(
            "**UNTRAINED.** These numbers are noise: this head has never seen an example.", icon=":material/warning:"
        )
    elif prediction.note:
        st.caption(prediction.note)
    table = pd.DataFrame({"label": prediction.labels, "logit": prediction.logits})
    if prediction.probabilities is not None:
        figure = probability_bars(prediction.labels, prediction.probabilities, theme=theme())
        fit_stage(figure)
        st.plotly_chart(figure, theme=None, config=plot_config("predictions"), key=f"predictions_{place}")
        table["probability"] = prediction.probabilities
    if prediction.score is not None and prediction.score_range is not None:
        low, high = prediction.score_range
        st.markdown(f"### Regression score, from {low:g} (most negative) to {high:g} (most positive)")
        figure = score_scale(prediction.score, low=low, high=high, theme=theme())
        st.plotly_chart(figure, theme=None, config=plot_config("score"), key=f"predictions_score_{place}")
    elif prediction.score is not None:
        st.metric("Regression score", written(prediction.score, ".3f"))
    let_paint((trace.model_name, texts_of(trace)), key=f"predictions_{place}")
    if len(prediction.labels) > 1:
        st.dataframe(table, hide_index=True, key=f"predictions_table_{place}")
    return Explanation(
        "The head turns the model's last hidden states into one number per label, the logit.",
        "Logits, probabilities and scores are on the model's own scale: none is the chance of being right.",
    )
