"""The views of the page: each a function of a trace and a selection that draws itself."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

from encoder import Trace
from viz.panels.anatomy.panel import anatomy
from viz.panels.bertviz import bertviz
from viz.panels.common import Reading
from viz.panels.data import data
from viz.panels.head_view import head_view
from viz.panels.heat_map import heat_map
from viz.panels.model_view import model_view
from viz.panels.neuron_view import neuron_view
from viz.panels.norms import norms
from viz.panels.predictions import predictions
from viz.state.selection import Selection, View


class Panel(Protocol):
    """Draws one view, and says how to read it; `place` tells two of them on one page apart."""

    def __call__(self, trace: Trace, selection: Selection, *, place: str) -> Reading | None: ...


PANELS: Mapping[View, Panel] = MappingProxyType(
    {
        "heat map": heat_map,
        "head view": head_view,
        "model view": model_view,
        "neuron view": neuron_view,
        "norms": norms,
        "predictions": predictions,
        "anatomy": anatomy,
        "data": data,
        "bertviz": bertviz,
    }
)
