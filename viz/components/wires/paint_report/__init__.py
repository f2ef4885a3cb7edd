"""Makes the browser report that it has painted everything sent so far. A run of the page waits for the report."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from viz.components.registered import component

_REPORT: Final = component(Path(__file__).parent)


def paint_report(token: str | None, *, address: str | None, key: str) -> None:
    """Mount the reporter, which shows nothing.

    Args:
        token: to report; None if no run waits.
        address: of its route in `viz.page.direct`.
        key: Streamlit's key.
    """
    _REPORT(key=key, data={"token": token, "address": address}, height=0)
