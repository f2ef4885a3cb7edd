"""The effects that the map of all heads can show, with their units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from encoder.measures.head_effects import Control, HeadEffects
from encoder.models.labels import TAGS
from encoder.runs.arrays import FloatArray
from encoder.shipped.probes import has_probes
from viz.answers.word_lens.word import Occurrence
from viz.state.selection import Effect


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectMeasure:
    """One of the effects of a head.

    Attributes:
        missing: the reason if it does not apply.
        meaning: explains the numbers if the unit does not.
        of_control: how the control differs from the word.
    """

    title: Effect
    unit: str
    number_format: str
    signed: bool
    missing: str = ""
    meaning: str = ""
    of_control: str = ""

    def of(self, effects: HeadEffects) -> FloatArray | None:
        """(L, H) effects on the first word."""
        arrays = {DISTANCE: effects.distance, LOG_ODDS: effects.log_odds, SHIFT: effects.shift}
        array = arrays[self]
        return None if array is None else array[0]

    def limit(self, control: Control | None) -> float | None:
        """The control's 95th percentile."""
        if control is None:
            return None
        return {DISTANCE: control.distance, LOG_ODDS: control.log_odds, SHIFT: control.shift}[self]

    def name(self, classes: Sequence[int] = ()) -> str:
        """The title of the colour bar.

        Args:
            classes: of log-odds, the two parts of speech.
        """
        return ", ".join((self.unit, " against ".join(TAGS[index] for index in classes))) if classes else self.unit


DISTANCE = EffectMeasure(title="final vector", unit="cosine distance", number_format=".3f", signed=False)
LOG_ODDS = EffectMeasure(
    title="part of speech",
    unit="change of the log-odds",
    number_format="+.2f",
    signed=True,
    missing="This model has no probe that reads parts of speech: the final vector is shown.",
)
SHIFT = EffectMeasure(
    title="shift",
    unit="change of the distance from A to B",
    number_format="+.3f",
    signed=True,
    missing="The shift needs the word in both sentences: the final vector is shown.",
    meaning="The shift is the cosine distance between the word's final vectors in A and in B. A head is silenced in "
    "one sentence, and the other stays as it is. Above 0 the two diverge further, below 0 they come closer.",
    of_control="Other words mostly lie farther from the word in the other sentence, where the same turn of a vector "
    "changes the distance more: the control is strict for a word that has shifted little.",
)
MEASURES: Mapping[Effect, EffectMeasure] = MappingProxyType(
    {measure.title: measure for measure in (DISTANCE, LOG_ODDS, SHIFT)}
)


def measures_of(occurrences: Sequence[Occurrence]) -> tuple[EffectMeasure, ...]:
    """The measures that apply to the chosen word."""
    reads = has_probes(occurrences[0].trace.model_name)
    return (DISTANCE, *([LOG_ODDS] if reads else []), *([SHIFT] if len(occurrences) == 2 else []))


def measure_for(occurrences: Sequence[Occurrence], effect: Effect) -> tuple[EffectMeasure, str]:
    """The chosen measure; or the final vector, and the reason why the chosen one does not apply."""
    chosen = MEASURES[effect]
    return (chosen, "") if chosen in measures_of(occurrences) else (DISTANCE, chosen.missing)
