"""Picture 1: after which layers the two occurrences differ."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from encoder.measures.similarity import ReferenceBand, cosines_by_layer, divergence_layer
from encoder.measures.units import occurrence_states
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from viz.answers.answer import Answer, Chart, Columns, Sentence, Table
from viz.answers.word_lens.word import Occurrence, numbered_heading
from viz.figures.divergence import divergence_lines
from viz.wording.explanations import Explanation
from viz.wording.labels import state_names
from viz.wording.numbers import written


def divergence(a: Occurrence, b: Occurrence, band: ReferenceBand, silenced: Mapping[str, Trace]) -> Answer:
    """The cosine of the two over the layers, compared with the model's band.

    Args:
        band: cosines of pairs with one sense and with two in this model.
        silenced: the same runs with heads silenced, by sentence; empty where none is.
    """
    curve = cosines_by_layer(a.states, b.states)
    diverged = divergence_layer(curve, band)
    other = None
    if silenced:
        other = cosines_by_layer(
            *(occurrence_states(silenced[each.letter].hidden_states, each.positions) for each in (a, b))
        )
    chart = Chart(
        name="parting",
        alt="The cosine similarity of the two occurrences after every layer, over what pairs of one sense and of two "
        "usually have.",
        figure=lambda theme: divergence_lines(curve, band=band, diverged=diverged, silenced=other, theme=theme),
    )
    table = Table(
        name="parting",
        title="The cosines as a table",
        columns=lambda: _columns(curve, band, other),
        on_page="download",
    )
    parts = (numbered_heading(1, f"How “{a.name}” diverges"), chart, Sentence(_verdict(curve, band, diverged)), table)
    explanation = Explanation(
        "1 means that the model's vectors for the two occurrences point the same way. The areas are what pairs of "
        f"one sense and of two senses usually have here: four fifths of the pairs among {len(band.words)} "
        "ambiguous words in our own sentences.",
        "A low cosine says that the vectors differ, not that they differ in meaning: position, neighbours and "
        "grammar change them, too.",
    )
    return Answer(parts, explanation)


def _verdict(curve: FloatArray, band: ReferenceBand, diverged: int | None) -> str:
    last = len(curve) - 2
    state_index = last + 1 if diverged is None else diverged + 1
    share = float(band.pair_accuracy[state_index])
    reliability = (
        f"In this model the same rule puts {share:.0%} of the pairs of known senses on the right side after "
        f"L{state_index - 1} (chance: 50%)."
    )
    if diverged is None:
        return (
            f"**The two do not diverge**: after the last layer their cosine is {written(curve[-1], '.2f')}, nearer to "
            f"pairs of one sense than to pairs of two (the border is {written(band.threshold[-1], '.2f')}). "
            f"{reliability}"
        )
    lowest = int(np.argmin(curve))
    return (
        f"**They diverge from L{diverged} on**: from there their cosine stays below the border between pairs of one "
        f"sense and of two ({written(band.threshold[state_index], '.2f')} after L{diverged}); it is lowest after "
        f"{'the embeddings' if lowest == 0 else f'L{lowest - 1}'}, at {written(curve[lowest], '.2f')}. {reliability}"
    )


def _columns(curve: FloatArray, band: ReferenceBand, silenced: FloatArray | None) -> Columns:
    columns: Columns = {"entry": state_names(len(curve)), "cosine": curve, "told_apart": band.pair_accuracy}
    for name, quantiles in (("one_sense", band.same), ("two_senses", band.different)):
        columns = {**columns, **{f"{name}_{percentile}": quantiles[:, i] for i, percentile in enumerate((10, 50, 90))}}
    return columns if silenced is None else {**columns, "cosine_silenced": silenced}
