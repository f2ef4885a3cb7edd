"""How near numeric tests come to their tolerances on other processors: `make tolerances`.

They run with each instruction set that this machine can stand in for, and with all sums of linear layers in the reverse
order, as a stand-in for processors that it is not. A comparison that uses more than a third of its tolerance is listed
with the largest share, and fails the check, as does a red test. Equal values use nothing, whatever the tolerance. A
tolerance above a thousandth is one of samples, and a `Written` one of digits: both are left out.

As a plugin of pytest, this file notes the share that each comparison uses.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

ROOT: Final = Path(__file__).parents[1]
TESTS: Final = f"{ROOT}/tests/"
MOST: Final = 1 / 3
COARSE: Final = 1e-3  # of a value, or of 1 where it is smaller
NUMERIC: Final = ("tests/encoder", "tests/viz", "tests/test_headlight.py")
FOLDER, REVERSED = "HEADLIGHT_TOLERANCES", "HEADLIGHT_REVERSED_SUMS"
# The flag of a processor that has the set, and what limits torch, its two libraries, and NumPy to it.
SETS: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "SSE4": (
        "sse4_2",
        {
            "ATEN_CPU_CAPABILITY": "default",
            "ONEDNN_MAX_CPU_ISA": "SSE41",
            "MKL_ENABLE_INSTRUCTIONS": "SSE4_2",
            "MKL_CBWR": "COMPATIBLE",
            "OPENBLAS_CORETYPE": "Nehalem",
            "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4",
        },
    ),
    "AVX2": (
        "avx2",
        {
            "ATEN_CPU_CAPABILITY": "avx2",
            "ONEDNN_MAX_CPU_ISA": "AVX2",
            "MKL_ENABLE_INSTRUCTIONS": "AVX2",
            "OPENBLAS_CORETYPE": "Haswell",
            "NPY_DISABLE_CPU_FEATURES": "X86_V4",
        },
    ),
    "AVX-512": ("avx512f", {}),
    "reversed sums": ("", {REVERSED: "1"}),
}
_shares: dict[str, float] = defaultdict(float)  # by the line of a test


def _note(actual: Any, wanted: Any, allowed: Any) -> None:
    """Note the largest share of the allowed differences at the line of the test that compares."""
    with np.errstate(all="ignore"):
        found, expected, room = (np.asarray(each, np.float64) for each in (actual, wanted, allowed))
        away = np.abs(found - expected)
        whole = np.array_equal(away, np.rint(away))  # counts and steps, of which rounding may take one
        is_rounding = (away > 0) & (not whole) & (room <= COARSE * np.maximum(1, np.abs(expected)))
        share = np.where(is_rounding, away / room, 0)
    frame = sys._getframe(2)
    while frame.f_back and (frame.f_code.co_filename == __file__ or not frame.f_code.co_filename.startswith(TESTS)):
        frame = frame.f_back
    place = f"{os.path.relpath(frame.f_code.co_filename, ROOT)}:{frame.f_lineno}"
    _shares[place] = max(_shares[place], float(np.max(share[np.isfinite(share)], initial=0)))


def pytest_configure() -> None:
    """Compare as before, and note the shares; torch's once the tests' own settings stand."""
    import torch
    from torch.testing._comparison import TensorLikePair

    from tests.rounding import Written

    compare, equals, close = np.testing.assert_allclose, type(pytest.approx(1.0)).__eq__, TensorLikePair.compare

    def assert_allclose(actual: Any, desired: Any, rtol: float = 1e-7, atol: float = 0, **options: Any) -> None:
        compare(actual, desired, rtol=rtol, atol=atol, **options)
        if not isinstance(atol, Written):
            _note(actual, desired, atol + rtol * np.abs(np.asarray(desired, np.float64)))

    def approximately(self: Any, actual: Any) -> bool:
        found = equals(self, actual)
        is_written = isinstance(self.abs, Written) or isinstance(self.rel, Written)
        if found and not is_written and isinstance(actual, int | float | np.number) and np.isfinite(self.expected):
            _note(actual, self.expected, self.tolerance)
        return found

    def compare_tensors(self: Any) -> None:
        close(self)
        wanted = self.expected.detach().double().numpy()
        _note(self.actual.detach().double().numpy(), wanted, self.atol + self.rtol * np.abs(wanted))

    np.testing.assert_allclose = assert_allclose
    type(pytest.approx(1.0)).__eq__ = approximately  # type: ignore[method-assign]
    TensorLikePair.compare = compare_tensors
    if REVERSED in os.environ:
        linear = torch.nn.functional.linear

        def reversed_linear(states: Any, weight: Any, bias: Any = None) -> Any:
            is_exported = torch.compiler.is_exporting()
            return linear(*((each if is_exported else each.flip(-1)) for each in (states, weight)), bias)

        torch.nn.functional.linear = reversed_linear


def pytest_sessionfinish() -> None:
    Path(os.environ[FOLDER], f"{os.getpid()}.json").write_text(json.dumps(_shares), "utf-8")


def main() -> int:
    """The exit code is 0 if all tests pass, and with room to spare."""
    options = argparse.ArgumentParser(prog="python -m tests.tolerances", description=__doc__.splitlines()[0])
    options.add_argument("tests", nargs="*", default=NUMERIC)
    options.add_argument("--workers", default="2")
    chosen, code = options.parse_args(), 0
    processor = Path("/proc/cpuinfo").read_text("utf-8").split()
    largest: dict[str, tuple[float, str]] = {}
    for name, (flag, limits) in SETS.items():
        if flag and flag not in processor:
            sys.stdout.write(f"{name}: this processor has none\n")
            continue
        sys.stdout.write(f"{name}\n")
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.tolerances", "-n", chosen.workers]
            environment = {**os.environ, **limits, FOLDER: folder}
            code |= subprocess.run(
                [*command, "--dist", "loadfile", *chosen.tests], cwd=ROOT, env=environment, check=False
            ).returncode
            for file in Path(folder).iterdir():
                for place, share in json.loads(file.read_text("utf-8")).items():
                    largest[place] = max(largest.get(place, (0.0, "")), (share, name))
    near = sorted(((share, name, place) for place, (share, name) in largest.items() if share > MOST), reverse=True)
    sys.stdout.writelines(f"{share:5.0%} of the tolerance with {name}: {place}\n" for share, name, place in near)
    sys.stdout.write(f"{len(near)} of {len(largest)} comparisons use more than a third of their tolerance.\n")
    return code or bool(near)


if __name__ == "__main__":
    sys.exit(main())
