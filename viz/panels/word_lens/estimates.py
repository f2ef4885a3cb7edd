"""The effects of all heads as gradients estimate them: at once, until the sweep over the heads is done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from encoder.attribution.patching_estimates import agreement
from encoder.errors import ArgumentError, SelectionError
from encoder.runs.arrays import FloatArray
from viz.caches import estimate_cache
from viz.caches.run_cache import cached_with_model
from viz.computing.sweep import SweepResult
from viz.panels.download import csv_button
from viz.panels.head_maps import HeadMap, show_head_maps
from viz.panels.tables import head_columns
from viz.panels.word_lens.choice import Occurrence
from viz.panels.word_lens.effect_measures import DISTANCE, LOG_ODDS, SHIFT, EffectMeasure, measures_of
from viz.state.selection import Selection
from viz.wording.labels import escape_markdown
from viz.wording.numbers import written

NO_SLOPE = "The final vector's distance from itself has no slope where nothing is changed, so it cannot be estimated"


def show_estimates(
    line: DeltaGenerator, occurrences: Sequence[Occurrence], measure: EffectMeasure, selection: Selection
) -> None:
    """A map of estimated effects for each sentence, or why there is none.

    Args:
        line: of the picture's heading, for the numbers to download.
        measure: what is asked for. In place of the final vector the shift is estimated, or the part of speech.
    """
    estimated = measure
    if measure is DISTANCE:
        offered = measures_of(occurrences)
        if len(offered) == 1:
            st.caption(f"{NO_SLOPE}.")
            return
        estimated = SHIFT if SHIFT in offered else LOG_ODDS
    try:
        maps = [_estimated_map(occurrences, number, estimated) for number in range(len(occurrences))]
    except (ArgumentError, SelectionError) as error:
        st.caption(escape_markdown(str(error)))
        return
    show_head_maps(
        maps,
        selection,
        number_format=estimated.number_format,
        signed=estimated.signed,
        figures="estimates",
        view="lens",
    )
    with line:
        csv_button(lambda: _table(maps), name="estimated heads", key="lens_csv_heads_estimated", label="CSV")
    instead = f" {NO_SLOPE}: the effect on the {estimated.title} is." if measure is DISTANCE else ""
    st.caption(f"**An estimate from gradients**, until the heads are silenced one by one.{instead} {estimated.meaning}")


def tell_agreement(
    occurrences: Sequence[Occurrence], results: Mapping[str, SweepResult], measure: EffectMeasure
) -> None:
    """How estimates order the heads, beside the exact effects: of the measure that is shown, or of all that have some.

    Args:
        results: by sentence, with the shift where there are two.
    """
    estimated = [each for each in measures_of(occurrences) if each is not DISTANCE and measure in (each, DISTANCE)]
    run = occurrences[0].trace
    is_order = run.num_layers * run.num_heads > 1
    said = [_agreement(occurrences, results, each) for each in estimated] if is_order else []
    if estimated:
        st.caption(" ".join(("These are exact.", *said)))


def _agreement(occurrences: Sequence[Occurrence], results: Mapping[str, SweepResult], measure: EffectMeasure) -> str:
    correlations = []
    try:
        for number, each in enumerate(occurrences):
            exact = measure.of(results[each.letter].word)
            if exact is not None:
                estimates = _estimated_map(occurrences, number, measure).effects
                correlations.append(f"{written(agreement(estimates, exact), '.2f')} in {each.letter}")
    except ArgumentError as error:
        return escape_markdown(str(error))
    return (
        f"One backward pass estimated the effects on the {measure.title}; rank correlation of the heads that can "
        f"change anything: {', '.join(correlations)}."
    )


def _estimated_map(occurrences: Sequence[Occurrence], number: int, measure: EffectMeasure) -> HeadMap:
    """Raises ArgumentError where the word has not shifted, SelectionError where heads cannot be silenced."""
    each = occurrences[number]
    model_name = each.trace.model_name
    effects: FloatArray
    if measure is SHIFT:
        other = occurrences[1 - number]
        words = ((each.text, each.word_index), (other.text, other.word_index))
        effects, name = cached_with_model(estimate_cache.shift_estimates, model_name, *words), measure.name()
    else:
        found = cached_with_model(estimate_cache.tag_estimates, model_name, (each.text, each.word_index))
        effects, name = found.log_odds, measure.name(found.classes)
    return HeadMap(
        title=each.title,
        letter=each.letter,
        effects=effects,
        name=f"estimated {name}",
        marks=np.zeros(effects.shape, dtype=bool),
    )


def _table(maps: Sequence[HeadMap]) -> pd.DataFrame:
    tables = []
    for each in maps:
        columns = head_columns(each.effects.shape) | {each.name: each.effects.ravel()}
        tables.append(pd.DataFrame({"sentence": each.letter} | columns))
    return pd.concat(tables)
