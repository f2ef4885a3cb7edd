"""What a stop shows of the view."""

from __future__ import annotations

from viz.recipes.slide import Shown, StaticSlide, of_each
from viz.views.predictions.answer import predictions as predictions_of


def slide(shown: Shown) -> StaticSlide:
    """The predictions of the runs of a stop."""
    return of_each({place: predictions_of(trace) for place, trace in shown.traces.items()})
