"""Figures: pure functions from one prepared slice and its labels to a `plotly.graph_objects.Figure`.

No function here takes a model, a trace or a widget, changes its input or shows anything. Every text passes
through `plotly_text`. All raise ShapeError where arrays and labels do not fit together. An answer holds one as a
function of the theme::

    Chart(name="norms", alt="…", figure=lambda theme: norm_heat_map(norms, labels, theme=theme))

Figures bring the theme's colours and fonts. Attention weights are rendered by `viz.components`, not here.
"""
