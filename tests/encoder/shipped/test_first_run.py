"""The runs that ship: those of the bundled model, down to the last array; other files are refused."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from encoder import Backend, Trace
from encoder.errors import CheckpointError, TraceFileError
from encoder.lab.training.first_run import shrink
from encoder.runs.trace_file import pack, unpack
from encoder.shipped import bundled as shipped
from encoder.shipped.bundled import run_fingerprint
from encoder.shipped.first_run import FILES, first_run
from encoder.shipped.names import WEIGHTS
from tests.rounding import rounding

MODEL_WIDTH = 384
MAX_BYTES = 200_000  # of all files together
TEXT, FILE = next(iter(FILES.items()))


@pytest.fixture(scope="module")
def fresh(bundled: Backend) -> Trace:
    return bundled.trace(TEXT)


def arrays_of(trace: Trace) -> dict[str, np.ndarray]:
    return unpack(trace.to_bytes())[0]


def assert_same(found: np.ndarray, wanted: np.ndarray, name: str = "") -> None:
    """But for rounding: the files were written on another processor."""
    room = rounding(MODEL_WIDTH, max(1, np.abs(wanted).max()))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=room, err_msg=name)


@pytest.mark.parametrize("text", FILES)
def test_the_stored_run_is_the_fresh_one(text: str, bundled: Backend, bundled_folder: Path) -> None:
    fresh, stored = bundled.trace(text), first_run(bundled_folder, FILES[text])
    expected, found = arrays_of(fresh), arrays_of(stored)
    assert set(found) == set(expected)
    for name, array in expected.items():
        assert_same(found[name], array, name)
    assert (stored.model_name, stored.tokens) == (fresh.model_name, fresh.tokens)
    assert list(stored.embedding_parts) == list(fresh.embedding_parts)
    for layer in range(fresh.num_layers):
        assert_same(stored.weights(layer), fresh.weights(layer))
        assert_same(stored.scores(layer), fresh.scores(layer))


@pytest.mark.parametrize("text", FILES)
def test_the_file_is_what_the_command_writes_now(text: str, bundled: Backend) -> None:
    stored, stored_about = unpack(FILES[text].read_bytes())
    written, about = unpack(shrink(bundled.trace(text)))
    assert set(stored) == set(written)
    scores = [each["prediction"].pop("score") for each in (stored_about, about)]
    assert scores[0] == pytest.approx(scores[1], abs=rounding(MODEL_WIDTH))
    assert stored_about == about


def test_the_files_are_small() -> None:
    assert sum(file.stat().st_size for file in FILES.values()) <= MAX_BYTES


def test_a_run_of_other_weights_is_refused(fresh: Trace, bundled_folder: Path, tmp_path: Path) -> None:
    arrays, about = unpack(shrink(fresh))
    (tmp_path / "other").write_bytes(pack(arrays, about | {"weights": "0" * 64}))
    with pytest.raises(TraceFileError, match="made with other weights"):
        first_run(bundled_folder, tmp_path / "other")


@pytest.mark.parametrize("ending", ["safetensors", "json"])
def test_another_head_or_card_makes_another_fingerprint(tmp_path: Path, ending: str) -> None:
    for name in ("bundled-head.safetensors", "bundled-head.json"):
        (tmp_path / name).write_bytes((WEIGHTS / name).read_bytes())
    assert run_fingerprint(tmp_path) == run_fingerprint()
    with (tmp_path / f"bundled-head.{ending}").open("ab") as file:
        file.write(b" ")
    assert run_fingerprint(tmp_path) != run_fingerprint()


def test_a_missing_or_damaged_file_is_one_clear_error(fresh: Trace, bundled_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(TraceFileError, match="cannot be read"):
        first_run(bundled_folder, tmp_path / "nowhere")
    arrays, about = unpack(shrink(fresh))
    for number, damaged in enumerate(
        (
            FILE.read_bytes()[:1000],
            pack({name: array for name, array in arrays.items() if name != "hidden_states"}, about),
            pack(arrays | {"hidden_states": arrays["hidden_states"][:, :5]}, about),
        )
    ):
        (tmp_path / str(number)).write_bytes(damaged)
        with pytest.raises(TraceFileError):
            first_run(bundled_folder, tmp_path / str(number))


def test_weights_that_cannot_be_read_are_one_clear_error(tmp_path: Path, bundled_folder: Path) -> None:
    (tmp_path / "config.json").write_bytes((bundled_folder / "config.json").read_bytes())
    with pytest.raises(CheckpointError, match="cannot be read"):
        first_run(tmp_path, FILE)


def test_concurrent_callers_read_the_weights_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []
    original = Path.read_bytes

    def slowly(path: Path) -> bytes:
        read.append(path)
        time.sleep(0.05)
        return original(path)

    monkeypatch.setattr(Path, "read_bytes", slowly)
    shipped._checked_folder.cache_clear()
    with ThreadPoolExecutor(4) as pool:
        folders = set(pool.map(lambda _: shipped.bundled_folder(), range(4)))
    assert len(folders) == len(read) == 1


SHIPPED_MODELS = """
import encoder
encoder.load("bundled").trace("time flies")
encoder.load("bundled-sentiment").trace("time flies")
"""
STORED_RUNS = """
from encoder.shipped.bundled import bundled_folder
from encoder.shipped.first_run import FILES, first_run
for file in FILES.values():
    first_run(bundled_folder(), file).weights(0)
"""
SLOW = {"transformers", "huggingface_hub", "scipy", "sklearn", "accelerate", "pandas", "torch._dynamo", "sympy"}


@pytest.mark.parametrize(("script", "absent"), [(SHIPPED_MODELS, SLOW), (STORED_RUNS, SLOW | {"torch"})])
def test_slow_libraries_are_not_imported(script: str, absent: set[str]) -> None:
    code = f"{script}\nimport sys\nprint(*sorted({absent} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip() == ""
