"""Picture 4: every head silenced in turn, and what that does to the word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

from encoder.errors import ShapeError
from encoder.measures.head_effects import Control, HeadEffects, control_from_other_words, exceeds_control
from encoder.models.labels import TAGS
from encoder.runs.arrays import FloatArray
from viz.caches import experiment_cache, run_cache
from viz.caches.memo import JOBS
from viz.computing.sweep import Sweep, SweepResult
from viz.panels.head_maps import HeadMap, show_head_maps
from viz.panels.jobs import FAILED, refusal, waiting_in_words, watch
from viz.panels.tables import head_columns
from viz.panels.word_lens.choice import Occurrence
from viz.panels.word_lens.effect_measures import DISTANCE, LOG_ODDS, SHIFT, EffectMeasure, choose_measure
from viz.panels.word_lens.estimates import show_estimates, tell_agreement
from viz.panels.word_lens.layout import heading, show_explanation_and_csv
from viz.state import session
from viz.state.selection import Selection
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown

MAX_TOKENS_UNASKED = 40_000  # tokens that are run without asking: about twenty seconds of BERT-base on two cores
START_DELAY = 0.8  # seconds of delay, so that the browser can paint the other pictures on the same cores first
POLL_SECONDS = 0.5  # seconds between two looks at a sweep
MAX_NAMED_HEADS = 8  # heads in the list


def show_head_effects(occurrences: Sequence[Occurrence], selection: Selection) -> None:
    """The sweep over all heads: a short one starts by itself, a long one after a click; its progress is shown."""
    line = heading(4, "Which heads decide?")
    model_name = occurrences[0].trace.model_name
    backend = run_cache.model(model_name)
    sweeps = {
        each.letter: JOBS.get(experiment_cache.sweep, model_name, each.text, each.word_index) for each in occurrences
    }
    watch(list(sweeps.values()), key="lens_sweep")
    runs = 1 + backend.num_layers * backend.num_heads
    tokens = runs * sum(len(each.trace.tokens) for each in occurrences)

    def begin() -> None:
        for sweep in sweeps.values():
            sweep.start(backend)

    refused = refusal(backend, tokens, what=f"Each of the {runs - 1} heads silenced")
    wanted = (tokens <= MAX_TOKENS_UNASKED and not refused) or any(sweep.running for sweep in sweeps.values())
    if wanted and not any(sweep.waits_for_a_click for sweep in sweeps.values()):
        for sweep in sweeps.values():
            sweep.start(backend, delay=START_DELAY)
    if error := next((sweep.error for sweep in sweeps.values() if sweep.error), None):
        st.info(escape_markdown(str(error)))
        return
    is_running = any(sweep.running for sweep in sweeps.values())  # asked first: one that ends now has its result below
    measure, results = choose_measure(occurrences, selection), _results(occurrences, sweeps)
    if len(results) == len(sweeps):
        _show_results(line, occurrences, results, measure, selection)
        return
    show_estimates(line, occurrences, measure, selection)  # where the exact maps will be, so that nothing moves
    if is_running:
        session.polled(_show_progress, every=POLL_SECONDS)(list(sweeps.values()), (runs - 1) * len(sweeps))
        return
    if any(sweep.failed for sweep in sweeps.values()):
        st.error(FAILED.format(what="The sweep over the heads"))
    if refused:
        st.caption(refused)
        return
    st.button(
        f"Silence each of the {runs - 1} heads ({runs * len(sweeps):,} runs of the model)",
        key="lens_sweep",
        on_click=begin,
    )


def _show_progress(sweeps: Sequence[Sweep], total: int) -> None:
    """A progress bar and a cancel button, redrawn every `POLL_SECONDS` seconds; the sweeps run one after the other."""
    if not any(sweep.running for sweep in sweeps):
        st.rerun()
    done = sum(sweep.done for sweep in sweeps)
    ahead = [sweep.jobs_ahead for sweep in sweeps if sweep.running]
    text = waiting_in_words(min(ahead)) if ahead and all(ahead) else f"{done:,} of {total:,} runs"
    st.progress(done / total, text=text)

    def cancel() -> None:
        for sweep in sweeps:
            sweep.cancel()

    st.button("Cancel", key="lens_cancel", on_click=cancel)


def _show_results(
    line: DeltaGenerator,
    occurrences: Sequence[Occurrence],
    results: Mapping[str, SweepResult],
    measure: EffectMeasure,
    selection: Selection,
) -> None:
    control = control_from_other_words([each.others for each in results.values()])
    limit = measure.limit(control)
    maps = [_exact_map(each, results[each.letter].word, measure, limit) for each in occurrences]
    columns = show_head_maps(
        maps,
        selection,
        number_format=measure.number_format,
        signed=measure.signed,
        figures="heads",
        view="lens",
        limit=limit,
    )
    for column, each in zip(columns, maps, strict=True):
        column.markdown(_verdict(each.effects, each.marks, measure, control))
    _open_in(selection)
    tell_agreement(occurrences, results, measure)
    if measure.meaning:
        st.caption(f"{measure.meaning} {measure.of_control}")
    show_explanation_and_csv(
        line,
        Explanation(
            "A tile is a head; the stronger its colour, the more the word changes when that head alone is silenced "
            "(its output replaced by zero). A frame marks effects larger than 95 % of those that heads have on random "
            "other words of these sentences: one in twenty exceeds that by chance. A click chooses a head everywhere.",
            "A silenced head puts the model into a state it was never trained in, heads can stand in for each other, "
            "and an effect on a vector is not an effect on its meaning.",
        ),
        lambda: _table(results, control),
        "heads",
    )


def _results(occurrences: Sequence[Occurrence], sweeps: Mapping[str, Sweep]) -> dict[str, SweepResult]:
    """The results that are there, by sentence; with the shift where the word stands in two."""
    found = {letter: sweep.result for letter, sweep in sweeps.items() if sweep.result is not None}
    if len(found) < 2:
        return found
    others = dict(zip(found, reversed(occurrences), strict=True))
    return {letter: result.held_against(others[letter].states[-1]) for letter, result in found.items()}


def _exact_map(each: Occurrence, effects: HeadEffects, measure: EffectMeasure, limit: float | None) -> HeadMap:
    array = measure.of(effects)
    if array is None:
        raise ShapeError(f"There is no effect on the {measure.title}.")
    name = measure.name(effects.classes[0] if measure is LOG_ODDS else ())
    return HeadMap(title=each.title, letter=each.letter, effects=array, name=name, marks=exceeds_control(array, limit))


def _verdict(array: FloatArray, marks: NDArray[np.bool_], measure: EffectMeasure, control: Control | None) -> str:
    """Which heads lie beyond chance, in words."""
    if control is None:
        return "These sentences have no other word to compare with, so it cannot be said which effects are large."
    count = int(marks.sum())
    chance_note = f"(by chance {control.expected:.1f} of {array.size} would; control: {control.n_words} other words)"
    if not count:
        return f"**No head lies beyond the control** {chance_note}."
    order = np.argsort(-np.abs(array).ravel(), kind="stable")[: min(count, MAX_NAMED_HEADS)]
    width = array.shape[1]
    named = ", ".join(
        f"L{index // width} H{index % width} ({array.ravel()[index]:{measure.number_format}})"
        for index in order.tolist()
    )
    more = f" and {count - MAX_NAMED_HEADS} more" if count > MAX_NAMED_HEADS else ""
    caveat = "" if count > control.expected else " That is no more than chance gives."
    return f"**{count} beyond the control** {chance_note}: {named}{more}.{caveat}"


def _open_in(selection: Selection) -> None:
    """Buttons that open the chosen head in another view."""
    name = f"L{selection.layer} H{selection.head}" if selection.head >= 0 else f"the mean of L{selection.layer}"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"Open {name} in the", width="content")
        for view in ("head view", "heat map", "neuron view"):
            st.button(view, key=f"lens_open_{view}", on_click=session.change, kwargs={"view": view})


def _table(results: Mapping[str, SweepResult], control: Control | None) -> pd.DataFrame:
    tables = []
    for letter, each in results.items():
        distance = each.word.distance[0]  # (L, H)
        columns = {
            "sentence": letter,
            **head_columns(distance.shape),
            "cosine_distance": distance.ravel(),
            "control_95_cosine_distance": DISTANCE.limit(control),
        }
        if each.word.log_odds is not None:
            first, second = each.word.classes[0]
            columns |= {
                "log_odds_of": f"{TAGS[first]} against {TAGS[second]}",
                "log_odds_change": each.word.log_odds[0].ravel(),
                "control_95_log_odds_change": LOG_ODDS.limit(control),
            }
        if each.word.shift is not None:
            columns |= {"shift_change": each.word.shift[0].ravel(), "control_95_shift_change": SHIFT.limit(control)}
        tables.append(pd.DataFrame(columns))
    return pd.concat(tables)
