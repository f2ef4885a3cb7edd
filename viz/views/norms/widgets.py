"""How long the tokens' vectors are, layer by layer, and how much each layer turns them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from encoder import Trace
from encoder.measures.units import Units
from viz.answers.answer import Answer
from viz.state.selection import Selection
from viz.views.norms import answer as answers
from viz.widgets.answer import show_answers
from viz.widgets.folds import Fold, show_folds
from viz.widgets.units import shown_units
from viz.wording.explanations import NORMS, Explanation


def norms(traces: Mapping[str, Trace], selection: Selection, *_: object) -> Explanation | None:
    """Norms of the hidden states, and folds: the parts of the embedding, cosines between successive layers.

    Args:
        traces: of the "pair", or of the sentences "A" and "B" alone.
    """
    units = {place: found for place, trace in traces.items() if (found := shown_units(trace, selection)) is not None}
    shown = {place: (traces[place], of_place) for place, of_place in units.items()}
    if not shown:
        return None
    _show(shown, lambda trace, of_trace: answers.lengths(trace, of_trace, selection.level))
    folds = [
        Fold(name="turns", title="How far does each layer turn a vector?", show=partial(_show, shown, answers.turns))
    ]
    if any(trace.embedding_parts for trace, _ in shown.values()):
        title = "How long are the parts of an embedding?"
        folds.insert(0, Fold(name="embedding", title=title, show=partial(_show, shown, answers.embedding)))
    show_folds(folds, view="norms")
    return NORMS


def _show(shown: Mapping[str, tuple[Trace, Units]], answer: Callable[[Trace, Units], Answer]) -> None:
    """An answer for each trace, by place."""
    found = {place: answer(trace, units) for place, (trace, units) in shown.items()}
    show_answers({place: trace for place, (trace, _) in shown.items()}, found, view="norms")
