"""A process that ends while something is computed beside the page ends cleanly."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SWEEPING = """
import time
import encoder
from viz.sweep import Sweep

sweep = Sweep("time flies like an arrow " * 10, 1, probes=None)
sweep.start(encoder.load("bundled"))
while not sweep.done:
    time.sleep(0.001)
print(sweep.running)
"""
LOADING = """
import time
from viz.background import Background

background = Background([("a step", lambda: time.sleep(0.2)), ("the next", lambda: print("next"))], afterwards=print)
background.start()
print(background.done)
"""


@pytest.mark.parametrize(("script", "said"), [(SWEEPING, "True\n"), (LOADING, "False\n")], ids=["sweep", "background"])
def test_work_beside_the_page_is_over_before_the_interpreter_ends(script: str, said: str) -> None:
    ended = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, said, "")
