"""Settings of the Plotly tool bar, the same for every figure."""

import re
from typing import Any


def plot_config(filename: str) -> dict[str, Any]:
    """The `config` of `st.plotly_chart`: a button that saves the figure as SVG, no logo, no clutter.

    Args:
        filename: name of the saved file without its ending; anything but letters, digits, ".", "_" and "-" becomes
            "-", and an empty rest "headlight".
    """
    name = re.sub(r"[^\w.-]+", "-", filename, flags=re.ASCII).strip("-.")[:80] or "headlight"
    return {
        "displaylogo": False,
        "displayModeBar": "hover",
        "modeBarButtonsToRemove": ["select2d", "lasso2d", "zoomIn2d", "zoomOut2d", "autoScale2d", "toggleSpikelines"],
        "scrollZoom": False,
        "doubleClick": "reset",
        "toImageButtonOptions": {"format": "svg", "filename": name},
    }
