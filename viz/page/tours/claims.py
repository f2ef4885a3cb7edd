"""The claims of the current stop, with a tick and their number, as they are computed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz.computing.watcher import this_session
from viz.page.tours.navigation import is_answered, shown_stop
from viz.state import session
from viz.state.selection import Selection
from viz.tours.grammar import format_claim, measure_in_words
from viz.wording.labels import escape_markdown

if TYPE_CHECKING:
    from viz.claims.job import ClaimsJob
    from viz.claims.outcome import Outcome

START_DELAY = 0.3  # seconds, so that the browser can paint the picture on the same cores first
POLL_SECONDS = 0.5
LINE_ON_STAGE = 110  # characters of claims that fit into one line in presentation mode
SEPARATOR = " \u2002"  # between claims in one line: an en space
JOB = "claims_job"  # in the session: the job that its page waits for
MARKS = {True: ":material/check_circle:", False: ":material/cancel:", None: ":material/remove:"}
MARK = re.compile("|".join(MARKS.values()))


def show_claims(place: DeltaGenerator | None, model_name: str, selection: Selection) -> None:
    """Compute the claims of the current stop, if any, in a background job, for the selection of the page.

    Args:
        place: of the claims, in the panel of the tour.
    """
    job = claims_job(model_name, selection)
    before: ClaimsJob | None = st.session_state.get(JOB)
    if before is not None and before is not job:
        before.leave(this_session())
    st.session_state[JOB] = job
    if job is None or place is None:
        return
    job.start(this_session(), delay=START_DELAY)
    if not is_answered(selection):
        return
    with place:
        if job.running:
            session.polled(_follow, every=POLL_SECONDS)(job)
        else:
            _draw(job)


def claims_job(model_name: str, selection: Selection) -> ClaimsJob | None:
    """The job for the claims of the current stop, on the model and the texts of the page; None without claims."""
    stop = shown_stop(selection)
    if stop is None or not stop.claims:
        return None
    from viz.caches.memo import JOBS
    from viz.page.tours import claim_jobs  # imports torch

    claims = tuple(map(format_claim, stop.claims))
    if selection.shows_decoder:
        decoder = selection.decoder
        return JOBS.get(claim_jobs.claims_about_writing, model_name, decoder.task, decoder.source, claims)
    if selection.shows_collection:
        return JOBS.get(claim_jobs.claims_about_table, model_name, selection.table, claims)
    return JOBS.get(claim_jobs.claims_about_texts, model_name, selection.runs, claims)


def _follow(job: ClaimsJob) -> None:
    if not job.running:
        st.rerun()  # which renders them for the last time and stops the polling
    _draw(job)


def _draw(job: ClaimsJob) -> None:
    outcomes = job.outcomes
    if session.current().stage:
        st.markdown(in_one_line(outcomes))
        return
    for outcome in outcomes:
        st.caption(f"{escape_markdown(outcome.in_words)} {MARKS[outcome.holds]}")
    for claim in job.claims[len(outcomes) :]:
        st.caption(f"{escape_markdown(measure_in_words(claim.measure))} :material/hourglass_empty:")
    if job.failed:
        st.error("The claims could not be worked out: the server's log says why.")


def in_one_line(outcomes: Sequence[Outcome]) -> str:
    """The numbers of all claims if they fit into one line; else how many hold, and the numbers of the others."""
    line = SEPARATOR.join(_in_short(outcomes))
    if len(MARK.sub("✓", line)) <= LINE_ON_STAGE:
        return line
    held = sum(outcome.holds is True for outcome in outcomes)
    others = [outcome for outcome in outcomes if not outcome.holds]
    return SEPARATOR.join([f"{held} of {len(outcomes)} hold {MARKS[True]}", *_in_short(others)])


def _in_short(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """One sentence for each claim, in words; a reason why several do not apply is given once."""
    reasons = set[str]()
    for outcome in outcomes:
        is_known = outcome.holds is None and outcome.why in reasons
        sentence = "does not apply here" if is_known else outcome.in_words
        reasons.add(outcome.why)
        yield f"{escape_markdown(sentence)} {MARKS[outcome.holds]}"
