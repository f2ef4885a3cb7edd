"""What a stop shows of the view."""

from __future__ import annotations

from encoder.runs.trace import excerpts
from viz.recipes.slide import Shown, StaticSlide, of_each
from viz.views.tokens.answer import tokens_of_texts


def slide(shown: Shown) -> StaticSlide:
    """The tokens of the runs of a stop."""
    return of_each(tokens_of_texts(excerpts(shown.traces, shown.selection.first)))
