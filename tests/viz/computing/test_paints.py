"""A run waits for the report of its own token, until a timeout or until it is superseded."""

import threading

import pytest

from viz.computing.paints import Paints

LONG = 60.0


def test_a_report_ends_the_wait_for_its_token() -> None:
    paints = Paints()
    token, other = paints.expect(), paints.expect()
    waiting = threading.Event()
    run = threading.Thread(target=paints.wait, args=(token, LONG), kwargs={"check": waiting.set})
    run.start()
    assert waiting.wait(LONG)
    paints.report(other)
    paints.report(token)
    run.join(LONG)
    assert not run.is_alive()


def test_a_report_that_comes_before_the_wait_counts() -> None:
    paints = Paints()
    token = paints.expect()
    paints.report(token)
    checks: list[None] = []
    paints.wait(token, LONG, check=lambda: checks.append(None))
    assert len(checks) == 1


def test_a_wait_without_a_report_ends() -> None:
    paints = Paints()
    paints.wait(paints.expect(), 0.04, check=lambda: None)


def test_a_superseded_run_leaves_nothing_behind() -> None:
    class SupersededError(Exception):
        pass

    def end() -> None:
        raise SupersededError

    paints = Paints()
    token = paints.expect()
    with pytest.raises(SupersededError):
        paints.wait(token, LONG, check=end)
    with pytest.raises(KeyError):
        paints.wait(token, LONG, check=end)


def test_a_report_that_no_run_waits_for_is_ignored() -> None:
    paints = Paints()
    token = paints.expect()
    paints.wait(token, 0.02, check=lambda: None)
    paints.report(token)
    paints.report("unknown")
