"""`headlight tokens`, `attend` and `why`."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

import headlight
from encoder import Backend
from viz.terminal import _signed

TEXT = "time flies like an arrow"


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert headlight.main(arguments) == 0
    return capsys.readouterr().out


def test_tokens_have_ids_and_words(capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(capsys, "tokens", "Zürich 😀").splitlines()
    assert lines[2].split() == ["1", "zurich", "10204", "Zürich", "A"]
    assert lines[3].split() == ["2", "[UNK]", "100", "😀", "A"]


def test_the_matrix_has_the_weights_of_the_head(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, bundled: Backend
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    weights = bundled.trace(TEXT).weights(0)
    rows = said(capsys, "attend", TEXT, "--layer", "0", "--head", "4").splitlines()[1:]
    numbers = np.array([row.split()[1:] for row in rows], float)
    assert_allclose(numbers, weights[4], atol=0.0051)
    found = json.loads(said(capsys, "attend", TEXT, "--layer", "0", "--json"))
    assert found["head"] == "mean"
    assert_allclose(found["weights"], weights.mean(0), atol=1e-6)


def test_a_narrow_terminal_gets_the_largest_weights(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    lines = said(capsys, "attend", TEXT, "--layer", "0", "--head", "4").splitlines()
    assert lines[0] == "The largest weight of each token:"
    assert ["flies", "time", "0.80"] in [line.split() for line in lines]


def test_the_parts_of_a_prediction_sum_to_it(capsys: pytest.CaptureFixture[str], tuned: Backend) -> None:
    lines = said(capsys, "why", "a lovely film", "--model", "bundled-sentiment").splitlines()
    values = headlight.explain(tuned, "a lovely film")
    assert lines[0] == f"“positive”: {values.total:+.3f} log odds"
    parts = [float(number) for line in lines for number in line.split() if number[0] in "+-" and ":" not in line]
    assert parts[:3] == pytest.approx(values.values, abs=0.0006)
    assert sum(parts) == pytest.approx(values.total, abs=0.004)
    found = json.loads(said(capsys, "why", "a lovely film", "--model", "bundled-sentiment", "--json"))
    assert [each["word"] for each in found["words"]] == ["a", "lovely", "film"]
    assert found["label"] == "positive"


def test_a_number_that_rounds_to_zero_has_no_minus() -> None:
    assert [_signed(value) for value in (-0.0004, 0.0004, -0.0006)] == ["+0.000", "+0.000", "-0.001"]


def test_a_layer_that_there_is_not_is_refused_in_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert headlight.main(["attend", TEXT, "--layer", "9"]) == 2
    assert capsys.readouterr().err == "headlight attend: Layer 9 was asked for; this trace has layers 0 to 5.\n"
