"""Why here? on a slide: one attention score as the sum of its terms, those of the query and those of the key."""

from __future__ import annotations

from encoder.attribution.score_terms import SIDES, ScoreTerms, SideName, score_terms
from encoder.errors import SelectionError
from encoder.measures.unit_attention import MEAN
from encoder.measures.units import units_of
from viz.claims.subject import Subject
from viz.exports.charts import Chart
from viz.panels.common import head_name
from viz.panels.why_here.cell import cell_of, token_name
from viz.panels.why_here.terms import drawn_terms
from viz.slides.signed_charts import Bar, signed_chart
from viz.slides.still import Still
from viz.state.selection import Selection
from viz.wording.numbers import written

REMARK = "The runs without the largest term, and all terms as a table, are in the app."
OF_ONE_HEAD = "A score belongs to one head, and the stop shows the mean over heads."


def why_here(selection: Selection, subject: Subject) -> Still:
    """The terms of the pinned query and key, or of the largest weight, in the first run that has them.

    Raises:
        HeadlightError: the score belongs to no head, or the model cannot be taken apart.
    """
    if selection.head == MEAN:
        raise SelectionError(OF_ONE_HEAD)
    pinned = selection.place.pins.run
    place = pinned if pinned in subject.traces else next(iter(subject.traces))
    trace = subject.traces[place]
    shown = [members[0] for members in units_of(trace.tokens, special=selection.special).members]
    if not shown:
        raise SelectionError("This text has special tokens only, and the stop hides them.")
    cell, _ = cell_of(trace, selection, shown, place)
    terms = score_terms(subject.backend, trace, cell)
    names = {side: token_name(trace, cell.position(side)) for side in SIDES}
    bars = {side: [Bar(name, value) for name, value, _ in drawn_terms(terms.side(side))] for side in SIDES}
    values = [bar.value for of_side in bars.values() for bar in of_side]
    limits = (min(values), max(values))
    looks = f"{head_name(selection)}: {names['query']} looks at {names['key']}"
    said = f"{looks} with a score of {written(terms.score, '+.2f')}, a weight of {terms.weight:.4f}."
    return Still(
        charts=tuple(_side(terms, side, names, bars[side], limits) for side in SIDES), remark=f"{said} {REMARK}"
    )


def _side(
    terms: ScoreTerms, side: SideName, names: dict[SideName, str], bars: list[Bar], limits: tuple[float, float]
) -> Chart:
    other = SIDES[1 - SIDES.index(side)]
    return signed_chart(
        f"Of the {side}, {names[side]}; the {other} as it is",
        bars,
        said=f"Sum: {written(terms.side(side).values.sum(), '+.2f')}",
        unit="added to the score",
        digits=2,
        limits=limits,
    )
