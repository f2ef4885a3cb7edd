"""After which layers the two occurrences differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from encoder.measures.near_ties import first_largest
from encoder.measures.similarity import ReferenceBand, cosines_by_layer, divergence_layer
from encoder.measures.units import occurrence_states
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from viz.answers.answer import Answer, Chart, Columns, Part, Sentence, Table
from viz.answers.word_places import Occurrence, heading
from viz.figures.divergence import divergence_lines
from viz.wording.explanations import Explanation
from viz.wording.labels import name_of_state, state_names
from viz.wording.numbers import written

HEADING: Final = "How far apart, layer by layer?"


def divergence(
    a: Occurrence, b: Occurrence, band: ReferenceBand, silenced: Mapping[str, Trace], *, says_verdict: bool = True
) -> Answer:
    """The cosine of the two over the layers, compared with the model's band.

    Args:
        band: cosines of pairs with one sense and with two in this model.
        silenced: the same runs with heads silenced, by sentence; empty where none is.
        says_verdict: False where the summary says it.
    """
    curve = cosines_by_layer(a.states, b.states)
    other = None
    if silenced:
        other = cosines_by_layer(
            *(occurrence_states(silenced[each.letter].hidden_states, each.positions) for each in (a, b))
        )
    table = Table(
        name="parting",
        title="The cosines as a table",
        columns=lambda: _columns(curve, band, other),
        on_page="download",
    )
    verdict = [Sentence(verdict_of(curve, band, divergence_layer(curve, band)))] if says_verdict else []
    parts: tuple[Part, ...] = (heading(HEADING), chart_of(curve, band, silenced=other), *verdict, table)
    explanation = Explanation(
        "At 1 the two vectors point the same way. The areas hold four fifths of the pairs of one sense and of two, "
        f"among {len(band.words)} ambiguous words in our own sentences.",
        "A low cosine need not mean another sense: position, neighbours and grammar change a vector, too. A classifier "
        "of one difference, such as noun or verb, can find it in other layers than the cosine, to which all add.",
    )
    return Answer(parts, explanation)


def chart_of(curve: FloatArray, band: ReferenceBand, *, silenced: FloatArray | None = None) -> Chart:
    """The cosines over the layers, (L + 1,), and those with heads silenced."""
    diverged = divergence_layer(curve, band)
    return Chart(
        name="parting",
        alt="The cosine similarity of the two occurrences after every layer, over what pairs of one sense and of two "
        "usually have.",
        figure=lambda theme: divergence_lines(curve, band=band, diverged=diverged, silenced=silenced, theme=theme),
    )


def verdict_of(curve: FloatArray, band: ReferenceBand, diverged: int | None) -> str:
    """Whether the two diverge, and how reliable that is.

    Args:
        curve: (L + 1,) cosines of the two.
        diverged: the layer from which on they do; None if they do not.
    """
    lowest = int(first_largest(-curve))
    return verdict_in_words(
        band,
        diverged,
        last=written(curve[-1], ".2f"),
        lowest=written(curve[lowest], ".2f"),
        place=name_of_state(lowest),
    )


def verdict_in_words(band: ReferenceBand, diverged: int | None, *, last: str, lowest: str, place: str) -> str:
    """The verdict, from the parts that depend on the texts: the last cosine, the lowest, and where it is."""
    state_index = len(band.same_mean) - 1 if diverged is None else diverged + 1
    share = float(band.pair_accuracy[state_index])
    rule = f"After layer {state_index - 1} this rule is right for {100 * share:.0f} % of the pairs of known senses"
    reliability = f"{rule} (chance: 50 %)."
    if diverged is None:
        return (
            f"**The two uses do not diverge**: after the last layer the cosine of their vectors is "
            f"{last}, nearer to pairs of one sense than to pairs of two (the border is "
            f"{written(band.threshold[-1], '.2f')}). "
            f"{reliability}"
        )
    border = f"{written(band.threshold[state_index], '.2f')} after layer {diverged}"
    return (
        f"**The two uses diverge from layer {diverged} on**: from there the cosine of their vectors stays below the "
        f"border between pairs of one sense and of two ({border}). It is lowest after {place}, at {lowest}. "
        f"{reliability}"
    )


def _columns(curve: FloatArray, band: ReferenceBand, silenced: FloatArray | None) -> Columns:
    columns: Columns = {"entry": state_names(len(curve)), "cosine": curve, "told_apart": band.pair_accuracy}
    for name, quantiles in (("one_sense", band.same), ("two_senses", band.different)):
        columns = {**columns, **{f"{name}_{percentile}": quantiles[:, i] for i, percentile in enumerate((10, 50, 90))}}
    return columns if silenced is None else {**columns, "cosine_silenced": silenced}
