"""Figures: pure functions from one prepared slice and its labels to a `plotly.graph_objects.Figure`.

No function here takes a model, a trace or a widget, changes its input or shows anything. Every text passes
through `plotly_text`. A panel shows one like this::

    figure = norm_heat_map(norms, labels, theme=THEMES["dark"])
    st.plotly_chart(figure, theme=None, config=plot_config("norms"), key="norms")

`theme=None`, because the figures bring the theme's colours and fonts, and Streamlit's own Plotly theme would replace
the colours. Attention weights are rendered by `viz.components`, not here.
"""

from viz.figures.anatomy import tensor_band, tensor_square
from viz.figures.anatomy_curves import activation_lines, share_bars, similarity_lines
from viz.figures.config import plot_config
from viz.figures.cost import operation_lines, parameter_bars
from viz.figures.labels import plotly_text
from viz.figures.norms import cosine_heat_map, embedding_norm_bars, norm_heat_map, norm_lines
from viz.figures.predictions import probability_bars, score_scale

__all__ = [
    "activation_lines",
    "cosine_heat_map",
    "embedding_norm_bars",
    "norm_heat_map",
    "norm_lines",
    "operation_lines",
    "parameter_bars",
    "plot_config",
    "plotly_text",
    "probability_bars",
    "score_scale",
    "share_bars",
    "similarity_lines",
    "tensor_band",
    "tensor_square",
]
