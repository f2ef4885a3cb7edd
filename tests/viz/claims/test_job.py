"""Claims computed in a thread of their own."""

from __future__ import annotations

import threading

import pytest

from encoder import Backend
from encoder.errors import InputError
from viz.claims.job import ClaimsJob
from viz.claims.stops import subject_of
from viz.claims.subject import Subject
from viz.computing.watcher import Watcher
from viz.state.fields import with_values
from viz.state.selection import DEFAULT
from viz.tours.grammar import parse_claim

WATCHER = Watcher()
CLAIMS = [parse_claim(f'norm(layer={layer}, "flies") > 0') for layer in (0, 9)]


def test_claims_are_worked_out_once_and_nobody_waits(bundled: Backend) -> None:
    let_go, made = threading.Event(), []

    def subject() -> Subject:
        let_go.wait(60)
        made.append(1)
        return subject_of(with_values(DEFAULT, {"a": "time flies", "b": ""}), bundled)

    job = ClaimsJob(CLAIMS, subject)
    assert not job.running
    job.start(WATCHER)
    job.start(WATCHER)
    assert (job.running, job.done, job.outcomes) == (True, False, ())
    let_go.set()
    job.wait(60)
    assert (job.running, job.done) == (False, True)
    assert [outcome.holds for outcome in job.outcomes] == [True, None]
    job.start(WATCHER)
    job.wait(60)
    assert made == [1]


def test_a_text_that_cannot_be_read_is_told_for_every_claim() -> None:
    def subject() -> Subject:
        raise InputError("There is nothing to encode.")

    job = ClaimsJob(CLAIMS, subject)
    job.start(WATCHER)
    job.wait(60)
    assert [outcome.sentence for outcome in job.outcomes] == ["does not apply here: There is nothing to encode."] * 2


def test_a_job_that_nobody_waits_for_ends_and_goes_on_when_wanted(bundled: Backend) -> None:
    subject = subject_of(with_values(DEFAULT, {"a": "time flies", "b": ""}), bundled)
    job = ClaimsJob(CLAIMS, lambda: subject)
    job.start(WATCHER, delay=0.2)
    job.leave(WATCHER)
    job.wait(60)
    assert (job.running, job.done, job.failed) == (False, False, False)
    job.start(WATCHER)
    job.wait(60)
    assert job.done


def test_claims_that_another_session_waits_for_go_on(bundled: Backend) -> None:
    subject, other = subject_of(with_values(DEFAULT, {"a": "time flies", "b": ""}), bundled), Watcher()
    job = ClaimsJob(CLAIMS, lambda: subject)
    job.start(WATCHER, delay=0.2)
    job.start(other)
    job.leave(WATCHER)
    job.wait(60)
    assert job.done


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_bug_is_seen_and_not_repeated() -> None:
    def subject() -> Subject:
        raise ZeroDivisionError

    job = ClaimsJob(CLAIMS, subject)
    job.start(WATCHER)
    job.wait(60)
    assert (job.failed, job.done) == (True, False)
    job.start(WATCHER)
    assert not job.running
