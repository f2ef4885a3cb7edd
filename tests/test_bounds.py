"""`make bounds` where nothing can be installed."""

import os
import subprocess
import sys
from pathlib import Path

from tests.bounds.__main__ import FAST, QUICK

ROOT = Path(__file__).parents[1]
CLOSED = "http://127.0.0.1:9/simple"  # the port "discard", where nothing listens


def test_an_unreachable_registry_is_a_failure_that_says_so(tmp_path: Path) -> None:
    nowhere = {"UV_DEFAULT_INDEX": CLOSED, "UV_HTTP_RETRIES": "0", "UV_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "tests.bounds", "lowest", "--quick"]
    ran = subprocess.run(command, cwd=ROOT, env=os.environ | nowhere, capture_output=True, text=True, check=False)
    assert ran.returncode != 0
    assert "The lowest versions were not tested, because they could not be installed" in ran.stderr


def test_every_test_that_the_quick_run_names_is_there() -> None:
    for chosen in (*QUICK, *FAST):
        path, _, name = chosen.partition("::")
        assert (ROOT / path).exists(), chosen
        assert not name or f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), chosen
