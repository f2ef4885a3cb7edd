"""How long the tokens' vectors are, layer by layer, and how much each layer turns them."""

from __future__ import annotations

from encoder import Trace
from viz.answers import norms as answers
from viz.panels.answer import show_answer
from viz.panels.units import shown_units
from viz.state.selection import Selection
from viz.wording.explanations import NORMS, Explanation


def norms(trace: Trace, selection: Selection, *, place: str) -> Explanation | None:
    """Norms of the hidden states, of the parts of the embedding, and cosines between successive layers."""
    units = shown_units(trace, selection)
    if units is None:
        return None
    show_answer(answers.norms(trace, units, selection.level), view="norms", place=place)
    return NORMS
