"""All figures of these tests are checked by Plotly, which the page leaves out."""

from typing import Any

import plotly.graph_objects as go
import pytest


@pytest.fixture(autouse=True)
def figures_are_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    """A figure that is made without validation has only properties that Plotly knows, with values that it takes."""
    init = go.Figure.__init__

    def make_and_validate(figure: go.Figure, *args: Any, _validate: bool = True, **options: Any) -> None:
        init(figure, *args, _validate=_validate, **options)
        if not _validate:
            go.Figure(*args, **options)

    monkeypatch.setattr(go.Figure, "__init__", make_and_validate)
