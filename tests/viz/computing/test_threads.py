"""A process that ends while something is computed beside the page ends cleanly."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SWEEPING = """
import time
import encoder
from viz.computing.job import Job, work_of
from viz.views.word_lens.steps import sweep_words

sweep = Job(work_of(sweep_words, (("time flies like an arrow " * 10, None), (2,))))
sweep.start(encoder.load("bundled"))
while not sweep.done:
    time.sleep(0.001)
print(sweep.running)
"""
LOADING = """
import time
from viz.computing.background import Background

background = Background([("a step", lambda: time.sleep(0.2)), ("the next", lambda: print("next"))])
background.start()
print(background.done)
"""
AFTER_AN_IMPORT = """
import atexit
import time
from threading import Event
from viz.computing.background import Background

going_on = Event()

def import_torch():
    atexit.register(print, "torch is torn down")

def go_on():
    going_on.set()
    time.sleep(0.2)
    print("what needs torch is over")

Background([{steps}], afterwards=[("more", go_on)]).start()
assert going_on.wait(60)
"""
IN_A_STEP = AFTER_AN_IMPORT.format(steps="('torch', import_torch), ('the model', go_on)")
AFTERWARDS = AFTER_AN_IMPORT.format(steps="('torch', import_torch)")
IN_ORDER = "what needs torch is over\ntorch is torn down\n"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        pytest.param(SWEEPING, "True\n", id="sweep"),
        pytest.param(LOADING, "False\n", id="background"),
        pytest.param(IN_A_STEP, IN_ORDER, id="a step after an import"),
        pytest.param(AFTERWARDS, IN_ORDER, id="afterwards"),
    ],
)
def test_background_work_ends_before_the_interpreter(script: str, said: str) -> None:
    ended = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, said, "")
