"""Background jobs of a view: a progress bar, a stop button, and a start button for long jobs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from weakref import WeakSet

import streamlit as st

from encoder import Backend
from viz.caches import run_cache
from viz.computing.job import Job
from viz.computing.watcher import this_session
from viz.state import session
from viz.wording.labels import escape_markdown

MAX_TOKENS_UNASKED = 80_000  # that run without a click: about twenty seconds of the bundled model on two cores
MULTIPLICATIONS_PER_SECOND = 7 * 10**10  # on two cores, in batches of jobs; 4 * 10**10 were measured on one
MOST_MINUTES = 10  # per job, on two cores: longer jobs are refused
START_DELAY = 0.3  # seconds, so that the browser can paint the rest on the same cores first
POLL_SECONDS = 0.5
WATCHED, STOPPED = "watched_jobs", "stopped_jobs"  # in the session
SHORTER = "try a shorter text"
FAILED = "{what}: unexpected error. See the server log."

Result = TypeVar("Result")


def follow(
    job: Job[Result],
    model_name: str,
    *,
    tokens: int,
    what: str,
    key: str,
    below: Callable[[], object] | None = None,
    less: str = SHORTER,
    offer: Callable[[Backend], object] | None = None,
) -> Result | None:
    """The result of a job, or None; shows its progress until then.

    Args:
        tokens: upper bound of the tokens that it runs. Above `MAX_TOKENS_UNASKED` it starts after a click, above
            `MOST_MINUTES` not at all.
        what: what it computes, as the subject of a sentence.
        key: Streamlit's.
        below: renders what is known so far, below the progress and after a stop; without widgets of `session.bound`.
        less: what makes a job that is refused shorter.
        offer: renders the buttons that start it, in place of one.
    """
    backend = run_cache.model(model_name)
    watch([job], key=key)
    stopped = is_stopped(job)
    refused = refusal(backend, tokens, what=what, less=less)
    if job.result is None and tokens <= MAX_TOKENS_UNASKED and not (stopped or job.waits_for_a_click or refused):
        job.start(backend, delay=START_DELAY)
    if job.running and not stopped:
        session.polled(_show_progress, every=POLL_SECONDS)(job, what, key, below)
    elif job.error is not None:
        st.info(escape_markdown(str(job.error)))
    elif job.result is None:
        if job.failed:
            st.error(FAILED.format(what=what))
        if offer:
            offer(backend)
        elif refused:
            st.caption(refused)
        else:
            st.button(
                f"Work out: {what} (about {duration(60 * _minutes(backend, tokens))})",
                key=f"{key}_begin",
                on_click=start,
                args=([job], backend),
            )
        if below:
            below()
    return job.result


def refusal(backend: Backend, tokens: int, *, what: str, less: str = SHORTER) -> str | None:
    """Why a job over so many tokens is refused, in a sentence; None if it is not.

    Args:
        what: what it computes, as the subject of a sentence.
        less: what makes it shorter.
    """
    minutes = _minutes(backend, tokens)
    if minutes <= MOST_MINUTES:
        return None
    return (
        f"{what}: up to {tokens:,} tokens would take about {_rounded(minutes):,} minutes on two cores. "
        f"The limit is {MOST_MINUTES} minutes: {less}."
    )


def _minutes(backend: Backend, tokens: int) -> float:
    return backend.multiplications(tokens) / MULTIPLICATIONS_PER_SECOND / 60


def duration(seconds: float) -> str:
    """A time in seconds or minutes."""
    return f"{max(_rounded(seconds), 1)} s" if seconds < 60 else f"{_rounded(seconds / 60)} min"


def _rounded(number: float) -> int:
    """Rounded to two significant digits."""
    return round(float(f"{number:.1e}"))


def watch(jobs: Sequence[Job[Any]], *, key: str) -> None:
    """Register the jobs that a place of the page waits for, but for stopped ones.

    Earlier jobs of that place are cancelled unless another page waits for them, because their text has changed.
    """
    watched: dict[str, Sequence[Job[Any]]] = st.session_state.setdefault(WATCHED, {})
    who = this_session()
    for job in watched.get(key, ()):
        if job not in jobs:
            job.leave(who)
    for job in jobs:
        if not is_stopped(job):
            job.watch(who)
    watched[key] = jobs


def start(jobs: Sequence[Job[Any]], backend: Backend) -> None:
    """Start jobs when the user requests it, stopped ones too."""
    for job in jobs:
        _stopped_jobs().discard(job)
        job.watch(this_session())
        job.start(backend)


def stop(jobs: Sequence[Job[Any]]) -> None:
    """Wait for jobs no longer, until `start`. They end unless another page waits for them."""
    for job in jobs:
        _stopped_jobs().add(job)
        job.leave(this_session())


def is_stopped(job: Job[Any]) -> bool:
    """Whether this session stopped a job that has no result."""
    return job.result is None and job in _stopped_jobs()


def _stopped_jobs() -> WeakSet[Job[Any]]:
    jobs: WeakSet[Job[Any]] = st.session_state.setdefault(STOPPED, WeakSet())
    return jobs


def _show_progress(job: Job[Result], what: str, key: str, below: Callable[[], object] | None) -> None:
    """A progress bar and a stop button, redrawn every `POLL_SECONDS` seconds."""
    if not job.running or is_stopped(job):
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        share = job.done / job.total if job.total else 0.0
        st.progress(share, text=f"{what}: {_progress_in_words(job)}")
        st.button("Stop", key=f"{key}_stop", on_click=stop, args=([job],))
    if below:
        below()


def _progress_in_words(job: Job[Result]) -> str:
    if ahead := job.jobs_ahead:
        return waiting_in_words(ahead)
    if not job.total:
        return "beginning …"
    left = f", about {duration(job.seconds_left)} left" if job.seconds_left and job.done < job.total else ""
    return f"{job.done:,} of {job.total:,}{left}"


def waiting_in_words(jobs_ahead: int) -> str:
    """The status of a job that has not started."""
    return f"waits for {jobs_ahead} other job{'s' if jobs_ahead > 1 else ''}"
