"""The answers about swaps."""

import numpy as np

from encoder.collection.swaps import Swaps, parse_template
from viz.answers.answer import Sentence
from viz.answers.swaps import shifts


def test_one_template_has_no_interval() -> None:
    values = (np.array([0.2, 0.5], np.float32),)
    found = Swaps(templates=(parse_template("{He|She} slept."),), values=values, said=(("", ""),), skipped=0)
    said = shifts(found, "score", "").parts[0]
    assert isinstance(said, Sentence)
    assert "(1 template)" in said.text
    assert "nan" not in said.text
