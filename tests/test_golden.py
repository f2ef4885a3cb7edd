"""The golden file's differ: what it reports, and what is noise to it."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from tests.golden.differences import differences, sections
from tests.golden.facts import fact

WEIGHTS = np.linspace(0, 1, 300).reshape(3, 10, 10)
PAGE: Mapping[str, Any] = {"caption": "A head looks at “flies”.", "weights": WEIGHTS, "share": 0.25}


def reported(**changed: Any) -> list[str]:
    """The lines that differ where a page's facts have changed."""
    before, after = (["== a page", *fact("", values)] for values in (PAGE, {**PAGE, **changed}))
    found = differences(sections("\n".join(before)), sections("\n".join(after)))
    return [line for line in found if line.startswith(("+", "-"))]


def test_a_changed_sentence_is_reported() -> None:
    assert reported(caption="A head looks at “like”.") == [
        "--- a page (recorded)",
        "+++ a page (now)",
        "-caption: A head looks at “flies”.",
        "+caption: A head looks at “like”.",
    ]


@pytest.mark.parametrize("changed", [{"share": 0.26}, {"weights": WEIGHTS[::-1]}, {"weights": WEIGHTS[:2]}])
def test_changed_numbers_are_reported(changed: dict[str, Any]) -> None:
    (name,) = changed
    assert [line[: len(name) + 1] for line in reported(**changed)[2:]] == [f"-{name}", f"+{name}"]


def test_the_noise_of_last_digits_is_not_reported() -> None:
    noise = np.random.default_rng(0).normal(size=WEIGHTS.shape) * 1e-6
    assert reported(weights=WEIGHTS + noise, share=0.2500001) == []


def test_a_selection_that_is_missing_is_reported() -> None:
    recorded = {"a page": ["caption: one"], "another": ["caption: two"]}
    assert list(differences(recorded, {"a page": ["caption: one"]}))[-1] == "-caption: two"
