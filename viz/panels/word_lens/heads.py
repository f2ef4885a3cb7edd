"""The sweep over all heads with its progress, and the choice of the effect that is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from encoder.errors import ArgumentError, SelectionError
from encoder.experiments.silencing import WordSweep
from viz.answers.answer import Answer, Sentence
from viz.answers.head_maps import HeadMap
from viz.answers.word_lens.heads import (
    DISTANCE,
    HEADS_HEADING,
    LOG_ODDS,
    MEASURES,
    NO_GRADIENT,
    SHIFT,
    EffectMeasure,
    effects_of_heads,
    estimated_effects,
    estimated_map,
    measure_for,
    measures_of,
)
from viz.answers.word_lens.word import Occurrence
from viz.caches import estimate_cache, experiment_cache, run_cache
from viz.caches.memo import JOBS
from viz.caches.run_cache import cached_with_model
from viz.computing.job import Job
from viz.panels.answer import show_answer
from viz.panels.captions import show_explanation
from viz.panels.jobs import FAILED, is_stopped, refusal, start, stop, waiting_in_words, watch
from viz.panels.room import is_at_stop
from viz.state import session
from viz.state.selection import Selection
from viz.wording.labels import escape_markdown, head_in_words

MAX_TOKENS_UNASKED = 40_000  # tokens that are run without asking: about twenty seconds of BERT-base on two cores
START_DELAY = 0.8  # seconds of delay, so that the browser can paint the other pictures on the same cores first
POLL_SECONDS = 0.5  # seconds between two looks at a sweep


def show_head_effects(occurrences: Sequence[Occurrence], selection: Selection) -> None:
    """The sweep over all heads: a short one starts by itself, a long one after a click; its progress is shown."""
    show_answer(Answer((HEADS_HEADING,)), view="lens")
    model_name = occurrences[0].trace.model_name
    backend = run_cache.model(model_name)
    sweeps = {
        each.letter: JOBS.get(experiment_cache.sweep, model_name, each.text, each.word_index) for each in occurrences
    }
    watch(list(sweeps.values()), key="lens_sweep")
    runs = 1 + backend.num_layers * backend.num_heads
    tokens = runs * sum(len(each.trace.tokens) for each in occurrences)

    refused = refusal(backend, tokens, what=f"Each of the {runs - 1} heads silenced")
    wanted = (tokens <= MAX_TOKENS_UNASKED and not refused) or any(sweep.running for sweep in sweeps.values())
    stopped = any(is_stopped(sweep) for sweep in sweeps.values())
    if wanted and not stopped and not any(sweep.waits_for_a_click for sweep in sweeps.values()):
        for sweep in sweeps.values():
            sweep.start(backend, delay=START_DELAY)
    if error := next((sweep.error for sweep in sweeps.values() if sweep.error), None):
        st.info(escape_markdown(str(error)))
        return
    is_running = any(sweep.running for sweep in sweeps.values())  # asked first: one that ends now has its result below
    measure = _choose_measure(occurrences, selection)
    results = [sweep.result for sweep in sweeps.values() if sweep.result is not None]
    chosen = (selection.layer, selection.head)
    if len(results) == len(sweeps):
        compared = [each for each in measures_of(occurrences) if each is not DISTANCE and measure in (each, DISTANCE)]
        estimates = {each: _estimates(occurrences, each) for each in compared}
        answer = effects_of_heads(occurrences, results, measure, estimates, chosen=chosen)
        show_answer(replace(answer, explanation=None), view="lens")
        if not is_at_stop(selection):
            _open_in(selection)
        if answer.explanation:
            show_explanation(answer.explanation)
        return
    # Where the exact maps will be, so that nothing moves.
    show_answer(_estimated(occurrences, measure, chosen), view="lens")
    if is_running and not stopped:
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
        on_click=start,
        args=(list(sweeps.values()), backend),
    )


def _show_progress(sweeps: Sequence[Job[WordSweep]], total: int) -> None:
    """A progress bar and a cancel button, redrawn every `POLL_SECONDS` seconds; the sweeps run one after the other."""
    if not any(sweep.running for sweep in sweeps) or any(is_stopped(sweep) for sweep in sweeps):
        st.rerun()
    done = sum(sweep.done for sweep in sweeps)
    ahead = [sweep.jobs_ahead for sweep in sweeps if sweep.running]
    text = waiting_in_words(min(ahead)) if ahead and all(ahead) else f"{done:,} of {total:,} runs"
    st.progress(done / total, text=text)
    st.button("Cancel", key="lens_cancel", on_click=stop, args=(sweeps,))


def _choose_measure(occurrences: Sequence[Occurrence], selection: Selection) -> EffectMeasure:
    """Draw the choice; the final vector where the chosen one does not exist, which is said."""
    st.segmented_control(
        "Effect on",
        list(MEASURES),
        required=True,
        help="The word's final vector: its cosine distance to the one with all heads. The part of speech: the log-odds "
        "between the two likeliest, as the last layer's probe reads them, in nats. The shift: the cosine distance "
        "between the word's final vectors in A and in B.",
        **session.bound("effect", initial="default"),
    )
    measure, missing = measure_for(occurrences, selection.word_lens.effect)
    if missing:
        st.caption(missing)
    return measure


def _estimated(occurrences: Sequence[Occurrence], measure: EffectMeasure, chosen: tuple[int, int]) -> Answer:
    """Estimates of the effects, in place of the final vector those on the shift or on the part of speech."""
    estimated = measure
    if measure is DISTANCE:
        offered = measures_of(occurrences)
        if len(offered) == 1:
            return Answer((Sentence(f"{NO_GRADIENT}.", "caption"),))
        estimated = SHIFT if SHIFT in offered else LOG_ODDS
    return estimated_effects(_estimates(occurrences, estimated), estimated, wanted=measure, chosen=chosen)


def _estimates(occurrences: Sequence[Occurrence], measure: EffectMeasure) -> list[HeadMap] | str:
    """A map for each occurrence, or why there is none: the word has not shifted, or heads cannot be silenced."""
    model_name = occurrences[0].trace.model_name
    words = [(each.text, each.word_index) for each in occurrences]
    try:
        if measure is SHIFT:
            return [
                estimated_map(
                    each, cached_with_model(estimate_cache.shift_estimates, model_name, *pair), measure.name()
                )
                for each, pair in zip(occurrences, (words, words[::-1]), strict=True)
            ]
        found = [cached_with_model(estimate_cache.tag_estimates, model_name, word) for word in words]
    except (ArgumentError, SelectionError) as error:
        return str(error)
    return [
        estimated_map(each, estimates.log_odds, measure.name(estimates.classes))
        for each, estimates in zip(occurrences, found, strict=True)
    ]


def _open_in(selection: Selection) -> None:
    """Buttons that open the chosen head in another view."""
    name = head_in_words(selection.layer, selection.head)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"Open {name} in the", width="content")
        for view in ("head view", "heat map", "neuron view"):
            st.button(view, key=f"lens_open_{view}", on_click=session.change, kwargs={"view": view})
