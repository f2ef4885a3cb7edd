"""`import headlight`: its names, that they are imported when they are used, and attributions with their words."""

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import headlight
from encoder.errors import ArgumentError

ROOT = Path(__file__).parents[1]
TEXT = "an unflappable film"


def test_completion_finds_every_name() -> None:
    assert set(headlight.__all__) <= set(dir(headlight))
    assert all(getattr(headlight, name) is not None for name in headlight.__all__)
    with pytest.raises(AttributeError, match="no attribute 'head_veiw'"):
        _ = headlight.head_veiw


def test_type_checkers_know_every_name() -> None:
    stubs = ast.parse((ROOT / "viz" / "stubs" / "__init__.pyi").read_text(encoding="utf-8")).body
    names = {alias.asname for line in stubs if isinstance(line, ast.ImportFrom) for alias in line.names}
    assert names | {"__version__"} == set(headlight.__all__)


def test_the_import_takes_no_torch() -> None:
    code = "import sys, headlight; print({'torch', 'transformers', 'streamlit', 'plotly'} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True).strip() == "set()"


@pytest.mark.parametrize("method", ["integrated-gradients", "decompx", "leave-one-out", "shapley"])
def test_an_attribution_has_its_words(tuned: headlight.Backend, method: str) -> None:
    words = headlight.explain(tuned, TEXT, method)
    pieces = headlight.explain(tuned, TEXT, method, level="wordpieces")
    assert words.words == ("an", "unflappable", "film")
    assert pieces.words == ("an", "un", "##fl", "##app", "##able", "film")
    assert len(words.words) == len(words.units) == len(words.values)
    if method in ("integrated-gradients", "decompx"):
        np.testing.assert_allclose(words.values[1], pieces.values[1:-1].sum(), rtol=1e-5)


def test_a_text_asks_about_its_likeliest_class(tuned: headlight.Backend) -> None:
    found = headlight.explain(tuned, TEXT, "decompx")
    asked = headlight.explain(tuned, headlight.Question(kind="class", texts=(TEXT, None)), "decompx")
    np.testing.assert_array_equal(found.values, asked.values)
    assert found.total > 0


def test_the_word_that_is_read_is_not_among_the_words() -> None:
    model = headlight.load("bundled")
    question = headlight.Question(kind="part of speech", texts=("time flies like an arrow", None), word=1, layer=3)
    assert headlight.explain(model, question, "decompx").words == ("time", "like", "an", "arrow")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"method": "lime"}, "method is 'lime': it can be 'integrated-gradients', 'decompx'"),
        ({"level": "letters"}, "level is 'letters': it can be 'wordpieces', 'words'"),
    ],
    ids=str,
)
def test_a_mistyped_choice_is_named(tuned: headlight.Backend, arguments: dict[str, str], sentence: str) -> None:
    with pytest.raises(ArgumentError, match=sentence):
        headlight.explain(tuned, TEXT, **arguments)
