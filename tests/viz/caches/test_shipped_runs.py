"""The runs that ship need no model."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from encoder import Backend, Trace
from encoder.errors import TraceFileError
from encoder.shipped.first_run import FILES, first_run
from viz.caches import run_cache
from viz.caches.memo import VALUES
from viz.examples import EXAMPLES
from viz.state.selection import DEFAULT


@pytest.fixture(autouse=True)
def _empty_memo() -> Iterator[None]:
    VALUES.clear()
    yield
    VALUES.clear()


def test_both_sentences_of_the_first_example_ship() -> None:
    assert [EXAMPLES[0].a, EXAMPLES[0].b] == list(FILES)
    assert run_cache.stored_trace("bundled", EXAMPLES[0].a, EXAMPLES[0].b) is None
    assert run_cache.stored_trace("scratch-bert", EXAMPLES[0].a, None) is None


def test_the_first_runs_take_no_model(monkeypatch: pytest.MonkeyPatch, bundled_folder: Path) -> None:
    monkeypatch.setattr(run_cache, "model", lambda name: pytest.fail("no model is needed"))
    for a, b in DEFAULT.runs:
        assert run_cache.trace("bundled", a, b).to_bytes() == first_run(bundled_folder, FILES[a]).to_bytes()


def test_a_first_run_that_cannot_be_used_is_computed(
    monkeypatch: pytest.MonkeyPatch, bundled: Backend, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(folder: Path, file: Path) -> Trace:
        raise TraceFileError("The first run is of other weights than those that are here.")

    monkeypatch.setattr(run_cache, "first_run", refuse)
    text = next(iter(FILES))
    assert run_cache.trace("bundled", text, None).to_bytes() == bundled.trace(text).to_bytes()
    assert "other weights" in caplog.text
