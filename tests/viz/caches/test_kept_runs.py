"""Runs of shipped examples are kept between starts; nothing else is, and nothing wrong is ever read back."""

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from encoder import Backend, Trace
from encoder.errors import TraceFileError
from encoder.shipped.first_run import FILES, first_run
from viz.caches import run_cache
from viz.caches.kept_runs import KeptRuns, Texts, cache_folder, is_shipped
from viz.caches.memo import VALUES
from viz.examples import EXAMPLES
from viz.state.selection import DEFAULT

PAIR: Texts = (EXAMPLES[2].a, EXAMPLES[2].b)
ALONE: Texts = (EXAMPLES[2].a, None)


@pytest.fixture(scope="module")
def run(bundled: Backend) -> Trace:
    return bundled.trace(*PAIR)


@pytest.fixture
def kept(tmp_path: Path) -> KeptRuns:
    return KeptRuns(tmp_path / "runs", fingerprint="of these weights")


def entries(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_a_kept_run_comes_back_equal_to_the_bit(kept: KeptRuns, run: Trace, tmp_path: Path) -> None:
    assert kept.read("bundled", PAIR) is None
    kept.write(run, PAIR)
    again = KeptRuns(tmp_path / "runs", fingerprint="of these weights").read("bundled", PAIR)
    assert again is not None
    assert again.to_bytes() == run.to_bytes()


def test_other_weights_models_and_texts_do_not_find_it(kept: KeptRuns, run: Trace, tmp_path: Path) -> None:
    kept.write(run, PAIR)
    assert KeptRuns(tmp_path / "runs", fingerprint="of others").read("bundled", PAIR) is None
    assert kept.read("scratch-bert", PAIR) is None
    assert kept.read("bundled", ALONE) is None
    assert kept.read("bundled", PAIR) is not None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(a=st.text(min_size=1), b=st.none() | st.text(min_size=1))
def test_what_somebody_typed_is_never_written(
    kept: KeptRuns, bundled: Backend, tmp_path: Path, a: str, b: str | None
) -> None:
    run = bundled.trace("typed", "by somebody")
    for texts in ((a, b), (a, PAIR[1]), (PAIR[0], b or "typed"), (f"{PAIR[0]} ", PAIR[1])):
        kept.write(run, texts)
    kept.write(run, PAIR)  # a run of other texts than it is said to be of
    assert entries(tmp_path) == []


def test_a_run_with_something_changed_is_not_kept(kept: KeptRuns, bundled: Backend, tmp_path: Path) -> None:
    kept.write(bundled.trace(*PAIR, silenced_heads=[(0, 0)]), PAIR)
    assert entries(tmp_path) == []


@pytest.mark.parametrize(
    "damage",
    [lambda data: data[:-1], lambda data: data[:20], lambda data: b"", lambda data: data[:500] + b"?" + data[501:]],
    ids=["one byte short", "cut", "empty", "one byte changed"],
)
def test_a_damaged_entry_is_removed(kept: KeptRuns, run: Trace, tmp_path: Path, damage: object) -> None:
    kept.write(run, PAIR)
    (entry,) = entries(tmp_path)
    entry.write_bytes(damage(entry.read_bytes()))
    assert kept.read("bundled", PAIR) is None
    assert entries(tmp_path) == []
    kept.write(run, PAIR)
    assert kept.read("bundled", PAIR) is not None


def test_an_entry_under_anothers_name_is_removed(kept: KeptRuns, run: Trace, tmp_path: Path) -> None:
    kept.write(run, PAIR)
    (entry,) = entries(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept, "_path", lambda *_: entry)
        assert kept.read("bundled", ALONE) is None
    assert entries(tmp_path) == []


def test_files_that_are_no_entries_are_left_alone(run: Trace, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("somebody's own")
    kept = KeptRuns(tmp_path, fingerprint="", limit=0)
    kept.write(run, PAIR)
    assert [path.name for path in entries(tmp_path)] == ["letter.txt"]


def test_the_oldest_are_dropped_beyond_the_limit(bundled: Backend, tmp_path: Path) -> None:
    runs = [(texts, bundled.trace(*texts)) for texts in ((each.a, None) for each in EXAMPLES[1:5])]
    largest = max(len(trace.to_bytes()) for _, trace in runs) + 32
    kept = KeptRuns(tmp_path, fingerprint="", limit=2 * largest)
    for age, (texts, trace) in enumerate(runs):
        before = set(entries(tmp_path))
        kept.write(trace, texts)
        for entry in set(entries(tmp_path)) - before:
            os.utime(entry, (age, age))
    assert sum(path.stat().st_size for path in entries(tmp_path)) <= 2 * largest
    found = [kept.read("bundled", texts) is not None for texts, _ in runs]
    assert found[-1]
    assert found == sorted(found)
    assert not found[0]


def test_many_writers_at_once_leave_whole_entries(run: Trace, bundled: Backend, tmp_path: Path) -> None:
    alone = bundled.trace(ALONE[0])
    runs = [(run, PAIR), (alone, ALONE)] * 8

    def write_and_read(work: tuple[Trace, Texts]) -> bool:
        kept = KeptRuns(tmp_path, fingerprint="")
        kept.write(*work)
        found = kept.read("bundled", work[1])
        return found is not None and found.to_bytes() == work[0].to_bytes()

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(write_and_read, runs))
    assert len(entries(tmp_path)) == 2


def test_a_folder_that_cannot_be_made_keeps_nothing(run: Trace, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    kept = KeptRuns(tmp_path / "file" / "runs", fingerprint="")
    kept.write(run, PAIR)
    assert kept.read("bundled", PAIR) is None


def test_it_can_be_switched_off(run: Trace) -> None:
    kept = KeptRuns(cache_folder({"HEADLIGHT_CACHE": "off"}), fingerprint="")
    kept.write(run, PAIR)
    assert kept.read("bundled", PAIR) is None


@pytest.mark.parametrize(
    ("environment", "platform", "folder"),
    [
        ({"HEADLIGHT_CACHE": "/elsewhere"}, "linux", "/elsewhere/runs"),
        ({"XDG_CACHE_HOME": "/cache"}, "linux", "/cache/headlight/runs"),
        ({"XDG_CACHE_HOME": "relative"}, "linux", "~/.cache/headlight/runs"),
        ({}, "linux", "~/.cache/headlight/runs"),
        ({}, "darwin", "~/Library/Caches/headlight/runs"),
        ({"LOCALAPPDATA": "/local"}, "win32", "/local/headlight/runs"),
        ({}, "win32", "~/AppData/Local/headlight/runs"),
    ],
    ids=["named", "XDG", "relative XDG", "Linux", "macOS", "Windows", "Windows without a variable"],
)
def test_the_folder_follows_the_platform(environment: dict[str, str], platform: str, folder: str) -> None:
    assert cache_folder(environment, platform) == Path(folder).expanduser()


def test_every_example_is_one_as_a_pair_and_apart() -> None:
    for example in EXAMPLES:
        assert is_shipped((example.a, example.b))
        assert is_shipped((example.a, None))
        assert is_shipped((example.b, None))
        assert not is_shipped((example.b, example.a))
    assert [EXAMPLES[0].a, EXAMPLES[0].b] == list(FILES)


def test_all_of_them_fit_the_limit(bundled: Backend) -> None:
    longest = max((example.a, example.b) for example in EXAMPLES)
    assert 3 * len(EXAMPLES) * len(bundled.trace(*longest).to_bytes()) < 64_000_000


# What the page gets


def forget_runs() -> None:
    VALUES.clear()


@pytest.fixture
def _empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing kept in memory or in a folder, before the test and after it."""
    monkeypatch.setenv("HEADLIGHT_CACHE", str(tmp_path))
    forget_runs()
    yield
    forget_runs()


@pytest.mark.usefixtures("_empty_cache")
def test_an_example_is_run_once_and_read_ever_after(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_cache.stored_trace("bundled", *PAIR) is None
    computed = run_cache.trace("bundled", *PAIR)
    assert len(entries(tmp_path)) == 1
    forget_runs()
    monkeypatch.setattr(run_cache, "model", lambda name: pytest.fail("no model is needed"))
    assert run_cache.trace("bundled", *PAIR).to_bytes() == computed.to_bytes()


@pytest.mark.usefixtures("_empty_cache")
def test_the_page_writes_nothing_that_was_typed(tmp_path: Path) -> None:
    run_cache.trace("bundled", "something that somebody typed", None)
    run_cache.trace("scratch-untrained", *PAIR)
    assert entries(tmp_path) == []


@pytest.mark.usefixtures("_empty_cache")
def test_the_first_runs_take_no_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, bundled_folder: Path) -> None:
    monkeypatch.setattr(run_cache, "model", lambda name: pytest.fail("no model is needed"))
    for a, b in DEFAULT.runs:
        assert run_cache.trace("bundled", a, b).to_bytes() == first_run(bundled_folder, FILES[a]).to_bytes()
    assert entries(tmp_path) == []


@pytest.mark.usefixtures("_empty_cache")
def test_a_first_run_that_cannot_be_used_is_computed(
    monkeypatch: pytest.MonkeyPatch, bundled: Backend, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(folder: Path, file: Path) -> Trace:
        raise TraceFileError("The first run is of other weights than those that are here.")

    monkeypatch.setattr(run_cache, "first_run", refuse)
    text = next(iter(FILES))
    assert run_cache.trace("bundled", text, None).to_bytes() == bundled.trace(text).to_bytes()
    assert "other weights" in caplog.text


def test_the_tests_themselves_keep_nothing() -> None:
    assert cache_folder() is None
    assert sys.modules["torch"]


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_without_a_home_folder_nothing_is_cached(platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    assert cache_folder({}, platform) is None
    monkeypatch.delenv("HOME", raising=False)
    assert cache_folder({"HEADLIGHT_CACHE": "~nobody-here/x"}, platform) is None
