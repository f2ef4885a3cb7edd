"""A run waits for the report of its own token, until a timeout or until it is superseded."""

import threading

import pytest

from viz.computing.paints import Paints

LONG = 60.0


def test_a_report_ends_the_wait_for_its_token() -> None:
    paints = Paints()
    expected, other = paints.expect(), paints.expect()
    waiting = threading.Event()
    run = threading.Thread(target=paints.wait, args=(expected, LONG), kwargs={"check": waiting.set})
    run.start()
    assert waiting.wait(LONG)
    paints.report(other.token)
    paints.report(expected.token)
    run.join(LONG)
    assert not run.is_alive()


def test_a_report_that_comes_before_the_wait_counts() -> None:
    paints = Paints()
    expected = paints.expect()
    paints.report(expected.token)
    checks: list[None] = []
    assert paints.wait(expected, LONG, check=lambda: checks.append(None))
    assert len(checks) == 1


def test_a_wait_without_a_report_ends() -> None:
    paints = Paints()
    assert not paints.wait(paints.expect(), 0.04, check=lambda: None)


def test_a_superseded_run_ends_its_wait() -> None:
    class SupersededError(Exception):
        pass

    def end() -> None:
        raise SupersededError

    paints = Paints()
    with pytest.raises(SupersededError):
        paints.wait(paints.expect(), LONG, check=end)


def test_a_late_report_counts_for_who_still_expects_it() -> None:
    paints = Paints()
    expected, token = paints.expect(), paints.expect().token
    assert not paints.wait(expected, 0.02, check=lambda: None)
    for each in (expected.token, token, "unknown"):
        paints.report(each)
    assert expected.painted.is_set()
