"""The effect on the word of silencing each head in turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from encoder.attribution.patching_estimates import agreement
from encoder.errors import ShapeError
from encoder.experiments.silencing import WordSweep
from encoder.measures.head_effects import Control, HeadEffects, control_from_other_words, exceeds_control
from encoder.measures.inference import is_clear, p_of_count
from encoder.measures.near_ties import largest_first
from encoder.models.labels import TAGS
from encoder.runs.arrays import FloatArray
from encoder.shipped.probes import has_probes
from viz.answers.answer import Answer, Columns, Part, Row, Sentence, Table
from viz.answers.head_maps import HeadMap, charts_of_heads, head_columns
from viz.answers.word_places import Occurrence, heading
from viz.state.selection import Effect
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown, head_in_words
from viz.wording.numbers import written

MAX_NAMED_HEADS = 8  # heads in the list
HEADS_HEADING: Final = heading("Which heads decide?")
NO_GRADIENT: Final = (
    "The final vector's distance from itself has no gradient where nothing is changed, so it cannot be estimated"
)
EXPLANATION: Final = Explanation(
    "A tile is a head; the stronger its colour, the more the word changes when that head alone is silenced "
    "(its output replaced by zero). A frame marks a head that stands out: its effect is larger than 95 % of those that "
    "heads have on other words of these sentences. A click chooses a head everywhere.",
    "A silenced head puts the model into a state it was never trained in, heads can stand in for each other, "
    "and an effect on a vector is not an effect on its meaning.",
)


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
MEASURES: Mapping[Effect, EffectMeasure] = {measure.title: measure for measure in (DISTANCE, LOG_ODDS, SHIFT)}


def measures_of(occurrences: Sequence[Occurrence]) -> tuple[EffectMeasure, ...]:
    """The measures that apply to the chosen word."""
    reads = has_probes(occurrences[0].trace.model_name)
    return (DISTANCE, *([LOG_ODDS] if reads else []), *([SHIFT] if len(occurrences) == 2 else []))


def measure_for(occurrences: Sequence[Occurrence], effect: Effect) -> tuple[EffectMeasure, str]:
    """The chosen measure; or the final vector, and the reason why the chosen one does not apply."""
    chosen = MEASURES[effect]
    return (chosen, "") if chosen in measures_of(occurrences) else (DISTANCE, chosen.missing)


Estimates = Mapping[EffectMeasure, Sequence[HeadMap] | str]  # a map for each sentence, or why there is none


def effects_of_heads(
    occurrences: Sequence[Occurrence],
    sweeps: Sequence[WordSweep],
    measure: EffectMeasure,
    estimates: Estimates,
    *,
    chosen: tuple[int, int],
    ringed: Sequence[tuple[int, int]] = (),
) -> Answer:
    """A map of exact effects for each occurrence, the heads beyond the control, and the rank correlation of estimates.

    Args:
        sweeps: of each occurrence.
        estimates: by measure; compared with the exact effects.
        chosen: the layer and the head that are marked.
        ringed: heads that a stop points at.
    """
    results = with_shift(occurrences, sweeps)
    control = control_from_other_words([each.others for each in results])
    limit = measure.limit(control)
    maps = [_exact_map(each, result, measure, limit) for each, result in zip(occurrences, results, strict=True)]
    charts = charts_of_heads(
        maps,
        chosen,
        number_format=measure.number_format,
        signed=measure.signed,
        name="heads",
        limit=limit,
        ringed=ringed,
    )
    verdicts = (Sentence(_verdict(each, measure, control)) for each in maps)
    parts: list[Part | Row] = [Row(tuple(zip(charts, verdicts, strict=True)))]
    if estimates:
        said = (_agreement(occurrences, results, measure, maps) for measure, maps in estimates.items())
        parts.append(Sentence(" ".join(("These are exact.", *filter(None, said))), "caption"))
    if measure.meaning:
        parts.append(Sentence(f"{measure.meaning} {measure.of_control}", "caption"))
    table = Table(
        name="heads",
        title="The heads' effects as a table",
        columns=lambda: _columns([each.letter for each in occurrences], results, control),
        on_page="download",
    )
    return Answer((*parts, table), EXPLANATION)


def estimated_effects(
    maps: Sequence[HeadMap] | str, estimated: EffectMeasure, *, wanted: EffectMeasure, chosen: tuple[int, int]
) -> Answer:
    """A map of estimated effects for each occurrence, or why there is none.

    Args:
        wanted: the chosen measure, if another one is estimated instead.
    """
    if isinstance(maps, str):
        return Answer((Sentence(escape_markdown(maps), "caption"),))
    charts = charts_of_heads(
        maps, chosen, number_format=estimated.number_format, signed=estimated.signed, name="estimates"
    )
    instead = "" if wanted is estimated else f" {NO_GRADIENT}: the effect on the {estimated.title} is."
    note = f"**An estimate from gradients**, until the heads are silenced one by one.{instead} {estimated.meaning}"
    table = Table(
        name="estimated heads",
        title="The estimates as a table",
        columns=lambda: {
            **head_columns([each.letter for each in maps], maps[0].effects.shape),
            "effect": np.repeat([each.name for each in maps], maps[0].effects.size).tolist(),
            "estimated_change": np.concatenate([each.effects.ravel() for each in maps]),
        },
        on_page="download",
    )
    return Answer((Row(tuple((chart,) for chart in charts)), Sentence(note.strip(), "caption"), table))


def estimated_map(each: Occurrence, effects: FloatArray, name: str) -> HeadMap:
    """A map of (L, H) estimates for one occurrence; `name` is the effect."""
    return HeadMap(
        title=each.title,
        letter=each.letter,
        effects=effects,
        name=f"estimated {name}",
        marks=np.zeros(effects.shape, dtype=bool),
    )


def with_shift(occurrences: Sequence[Occurrence], sweeps: Sequence[WordSweep]) -> list[WordSweep]:
    """The sweeps; with two occurrences they include the shift from the other one."""
    if len(sweeps) < 2:
        return list(sweeps)
    others = (each.states[-1] for each in reversed(occurrences))
    return [sweep.with_shift(other) for sweep, other in zip(sweeps, others, strict=True)]


def _exact_map(each: Occurrence, result: WordSweep, measure: EffectMeasure, limit: float | None) -> HeadMap:
    effects = measure.of(result.word)
    if effects is None:
        raise ShapeError(f"There is no effect on the {measure.title}.")
    name = measure.name(result.word.classes[0] if measure is LOG_ODDS else ())
    marks = exceeds_control(effects, limit)
    return HeadMap(title=each.title, letter=each.letter, effects=effects, name=name, marks=marks)


def _verdict(shown: HeadMap, measure: EffectMeasure, control: Control | None) -> str:
    """The heads with effects beyond the control, in words."""
    if control is None:
        return "These sentences have no other word to compare with, so it cannot be said which effects are large."
    effects, count = shown.effects, int(shown.marks.sum())
    chance = f"about {control.expected:.1f} would by chance, judged by {control.n_words} other words"
    if not count:
        return f"**No head stands out**; {chance}."
    order = largest_first(np.abs(effects), min(count, MAX_NAMED_HEADS))
    width = effects.shape[1]
    named = "; ".join(
        f"{head_in_words(*divmod(index, width))} ({effects.ravel()[index]:{measure.number_format}})" for index in order
    )
    more = f" and {count - MAX_NAMED_HEADS} more" if count > MAX_NAMED_HEADS else ""
    clear = is_clear(p_of_count(count, effects.size, control.expected / effects.size))
    caveat = "" if clear else ", so do not read anything into this"
    stand_out = f"**{count} of {effects.size} heads {'stands' if count == 1 else 'stand'} out**"
    return f"{stand_out}; {chance}{caveat}: {named}{more}."


def _agreement(
    occurrences: Sequence[Occurrence],
    results: Sequence[WordSweep],
    measure: EffectMeasure,
    maps: Sequence[HeadMap] | str,
) -> str:
    """Rank correlation of estimates with exact effects, in words; "" for a model with one head."""
    if isinstance(maps, str):
        return escape_markdown(maps)
    if maps[0].effects.size < 2:
        return ""
    correlations = []
    for each, result, estimated in zip(occurrences, results, maps, strict=True):
        exact = measure.of(result.word)
        if exact is not None:
            correlations.append(f"{written(agreement(estimated.effects, exact), '.2f')} in {each.letter}")
    return (
        f"One backward pass estimated the effects on the {measure.title}; rank correlation of the heads that can "
        f"change anything: {', '.join(correlations)}."
    )


def _columns(letters: Sequence[str], results: Sequence[WordSweep], control: Control | None) -> Columns:
    words = [each.word for each in results]
    shape = words[0].distance.shape[1:]

    def with_control(name: str, measure: EffectMeasure) -> dict[str, Sequence[object]]:
        """The effects, with those on other words; empty for a measure that does not apply."""
        effects = [of_word for of_word in map(measure.of, words) if of_word is not None]
        if not effects:
            return {}
        values = np.concatenate([of_word.ravel() for of_word in effects]).tolist()
        return {name: values, f"control_95_{name}": [measure.limit(control)] * len(values)}

    log_odds = with_control("log_odds_change", LOG_ODDS)
    names = [" against ".join(TAGS[index] for index in each.classes[0]) for each in words if log_odds]
    return {
        **head_columns(letters, shape),
        **with_control("cosine_distance", DISTANCE),
        **({"log_odds_of": np.repeat(names, shape[0] * shape[1]).tolist()} if names else {}),
        **log_odds,
        **with_control("shift_change", SHIFT),
    }
