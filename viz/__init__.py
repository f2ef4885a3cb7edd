"""Everything that draws: the themes, figures, components, views, and the state and caches behind them.

In a notebook, the views of the page, called with a trace or as BertViz's functions are::

    from viz import head_view, heat_map, model_view, neuron_view, tokens_view

They are imported when they are first asked for, and take neither torch nor Streamlit.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from viz.notebooks.views import head_view, heat_map, model_view, neuron_view, tokens_view


__all__ = ["head_view", "heat_map", "model_view", "neuron_view", "tokens_view"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("viz.notebooks.views"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
