"""Makes a folder of JavaScript known to Streamlit as a component."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from viz.components.source import script, style


def component(folder: Path, *, html: str | None = None) -> Any:
    """What mounts the component of a folder with a `view.mjs` and, where it is seen, a `view.css`.

    Args:
        html: the element that the view draws into; None where it draws nothing.
    """
    sheet = folder / "view.css"
    return st.components.v2.component(
        f"headlight_{folder.name}",
        html=html,
        css=style(sheet) if sheet.exists() else None,
        js=script(folder / "view.mjs"),
    )
