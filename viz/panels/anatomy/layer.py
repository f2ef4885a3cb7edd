"""What stands beside the last steps: active units, the states after every layer, the prediction."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from encoder.experiments.anatomy.activations import activation_curves
from encoder.experiments.anatomy.cells_ends import logit, probability, score
from encoder.experiments.anatomy.readout import readout
from encoder.experiments.anatomy.steps import Shown
from encoder.experiments.anatomy.steps_layer import states_of_token
from encoder.measures.norms import successive_cosines
from encoder.measures.operations import activity, signed_limit
from viz.figures.anatomy_curves import activation_lines, share_bars
from viz.figures.config import plot_config
from viz.figures.norms import cosine_heat_map
from viz.figures.predictions import probability_bars, score_scale
from viz.panels.anatomy.cells import show
from viz.panels.anatomy.draw import picture
from viz.panels.anatomy.walk import Walk
from viz.panels.anatomy.windows import MOST_TOKENS, Window, window
from viz.panels.common import theme


def feed_forward(walk: Walk) -> None:
    """What GELU lets through, and how many units that are."""
    inner, activated = walk.record.inner, walk.record.activated
    active = activity(inner, activated)
    left, right = st.columns(2)
    with left:
        figure = activation_lines(inner.ravel(), activation_curves(), theme=theme())
        st.plotly_chart(figure, theme=None, config=plot_config("activations"), key="walk_activations")
    with right:
        shares = {"above 0": active.open, "below 0, GELU leaks": active.leaking}
        part = _row_window(walk)
        figure = share_bars(
            {name: share[part.part] for name, share in shares.items()},
            walk.labels[part.part],
            theme=theme(),
            first=part.start,
        )
        st.plotly_chart(figure, theme=None, config=plot_config("active-units"), key="walk_active")
    st.caption(
        f"On this text {float(active.open.mean()):.1%} of the units get an input above 0: ReLU would pass these and "
        f"set all others to exactly 0. GELU passes a little of another {float(active.leaking.mean()):.1%}, which it "
        "turns into less than −0.01. The rest is as good as shut."
    )


def layers(walk: Walk) -> None:
    """One token's state after every layer, and how much each layer turns it."""
    row = _chosen_row(walk)
    states = states_of_token(walk.record, row)  # (L + 1, D)
    names = ["embeddings", *(f"after L{layer}" for layer in range(len(states) - 1))]
    shown = Shown(name=f"{row} · {walk.labels[row]}, layer by layer", array=states, rows="layer")
    picture(shown, names, limit=signed_limit(states), alone=True, walk=walk, key="layers_states")
    part = _row_window(walk)
    cosines = successive_cosines(np.stack(walk.record.hidden_states)[:, part.part])  # (L, T)
    st.markdown("##### Cosine between what goes into a layer and what leaves it")
    figure = cosine_heat_map(cosines, walk.labels[part.part], theme=theme(), first=part.start)
    with st.container(horizontal_alignment="center"):
        st.plotly_chart(figure, theme=None, width="content", config=plot_config("cosines"), key="walk_cosines")
    st.caption("A cosine of 1 means that the layer kept a token's direction; the lower it is, the more was added.")


def prediction(walk: Walk) -> None:
    """Logits, probabilities and score, and one logit worked out."""
    read = readout(walk.backend, walk.record)
    made = read.prediction
    if not made.trained:
        st.error(
            "**UNTRAINED.** These numbers are noise: this head has never seen an example.", icon=":material/warning:"
        )
    if made.note:
        st.caption(made.note)
    left, right = st.columns(2)
    if made.probabilities is not None:
        with left:
            figure = probability_bars(made.labels, made.probabilities, theme=theme())
            st.plotly_chart(figure, theme=None, config=plot_config("probabilities"), key="walk_probabilities")
        table = pd.DataFrame({"class": made.labels, "logit": made.logits, "probability": made.probabilities})
        with right:
            st.dataframe(table, hide_index=True, key="walk_logits")
    if made.score is not None and made.score_range is not None:
        low, high = made.score_range
        st.markdown(f"##### Regression score, from {low:g} (most negative) to {high:g} (most positive)")
        figure = score_scale(made.score, low=low, high=high, theme=theme())
        st.plotly_chart(figure, theme=None, config=plot_config("score"), key="walk_score")
    elif made.score is not None:
        st.metric("Regression score", f"{made.score:.3f}")
    st.markdown("##### One class, worked out: its logit, then its probability")
    chosen = st.selectbox("Class", range(len(made.labels)), format_func=made.labels.__getitem__, key="walk_class")
    show(logit(read, row=chosen), (), key="logit")
    show(probability(read, row=chosen), made.labels, key="probability")
    st.markdown("##### The regression score, worked out")
    show(score(read), (), key="score")


def _chosen_row(walk: Walk) -> int:
    """The token that is looked at more closely."""
    return walk.opened.cell[0] if walk.opened else 0


def _row_window(walk: Walk) -> Window:
    return window(_chosen_row(walk), len(walk.labels), MOST_TOKENS)
