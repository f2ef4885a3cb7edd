"""What the lines of a number that is worked out say: each is arithmetic that comes out."""

import math
import re

import numpy as np
import pytest

import encoder
from encoder import Backend
from encoder.experiments.anatomy.changes import changed, masked
from encoder.experiments.anatomy.names import Mask, StepKey, WhatIf
from encoder.experiments.anatomy.readout import readout
from encoder.experiments.anatomy.record import ours, record
from encoder.experiments.anatomy.step_examples import position_table, sinusoidal_table
from tests.rounding import Written
from tests.viz.views.anatomy.conftest import HEAD, LAYER
from viz.views.anatomy.answer.step import RecordedRun
from viz.views.anatomy.answer.steps import STEPS
from viz.views.anatomy.answer.steps.inputs import explain_position_product, explain_sinusoid
from viz.views.anatomy.answer.steps.mask import explain_masked_weight
from viz.views.anatomy.answer.steps.model import (
    explain_changed_weight,
    explain_logit,
    explain_probability,
    explain_score,
)
from viz.views.anatomy.answer.worked_out import WorkedOut, number, signed

WORKED: tuple[StepKey, ...] = tuple(key for key, step in STEPS.items() if step.work_out)
MASKS: tuple[Mask, ...] = ("none", "padding", "causal")
CHANGES: tuple[tuple[WhatIf, ...], ...] = ((), ("unscaled",), ("one-head", "shuffled"), ("dropout",))
IN_WORDS = r"\\text\{[^}]*(?:: | positions)\}"  # words beside a number; others are names
NESTED = r"\{((?:[^{}]|\{[^{}]*\})*)\}"
AS_PYTHON = {
    r"\big": "",
    r"\cdot": "*",
    r"2\pi": "2*PI",
    r"\infty": "INF",
    r"\sin": "SIN",
    r"\cos": "COS",
    "^": "**",
    "{": "(",
    "}": ")",
}
NAMES = {"PI": math.pi, "INF": math.inf, "SIN": math.sin, "COS": math.cos}


def sides_of(line: str) -> list[str]:
    """The sides of an equation in LaTeX that are arithmetic without names, as Python."""
    plain = re.sub(rf"\\frac{NESTED}{NESTED}", r"((\1)/(\2))", re.sub(IN_WORDS, "", line))
    for latex, python in AS_PYTHON.items():
        plain = plain.replace(latex, python)
    sides = [side.strip() for side in plain.split("=")]
    return [side for side in sides if side and not re.search(r"[a-zA-Z'\\]", re.sub("|".join(NAMES), "", side))]


def worth(side: str) -> float:
    """What a side comes to."""
    return float(eval(side, {"__builtins__": {}}, NAMES))


def assert_adds_up(worked: WorkedOut, *, lines: int) -> None:
    """In so many lines at least, two sides or more are arithmetic, and come to one number."""
    checked = 0
    for line in worked.lines:
        sides = sides_of(line)
        if len(sides) < 2 or "ReLU" in line:
            continue
        checked += 1
        largest = max(abs(float(written)) for side in sides for written in re.findall(r"\d+(?:\.\d+)?", side) or [1])
        expected = worth(sides[-1])
        # Four digits of each number are written, and a difference of two has fewer.
        for side in sides:
            assert worth(side) == pytest.approx(expected, rel=Written(1e-3), abs=Written(3e-4 * max(1.0, largest))), (
                line
            )
    assert checked >= lines, worked.lines


def work_out(key: StepKey, run: RecordedRun, row: int, column: int) -> WorkedOut:
    explain = STEPS[key].work_out
    return explain(run, row, column)


@pytest.mark.parametrize("key", WORKED)
def test_the_last_line_ends_with_the_cell(key: StepKey, run: RecordedRun) -> None:
    opened = STEPS[key].content(run).opened_tensor
    rows, columns = opened.array.shape
    query_line = {"projections": -3}  # a line each for key and value follow
    for row, column in ((0, 0), (rows - 1, columns - 1), (1, columns // 2)):
        line = work_out(key, run, row, column).lines[query_line.get(key, -1)].split(r"\qquad")[0]
        value = line.rsplit("=", 1)[-1] if "=" in line else re.sub(IN_WORDS, "", line)
        as_python = value.strip(" {}").replace(r"\cdot 10^{", "* 10 ** ")
        assert worth(as_python) == pytest.approx(float(opened.array[row, column]), rel=Written(1e-3), abs=1e-7)


@pytest.mark.parametrize("key", ["embeddings", "scaling", "softmax", "heads", "residual", "layers"])
def test_what_a_line_says_adds_up(key: StepKey, run: RecordedRun) -> None:
    for row, column in ((0, 0), (1, 2), (2, 1)):
        assert_adds_up(work_out(key, run, row, column), lines=1)


@pytest.mark.parametrize("key", ["projections", "scores", "context", "output", "feed-forward", "layers"])
def test_the_last_column_of_the_terms_is_the_product_of_the_two_before(key: StepKey, run: RecordedRun) -> None:
    worked = work_out(key, run, 2, 1)
    left, right, products = worked.terms.values()
    np.testing.assert_array_equal(products, left * right)
    assert list(worked.terms)[-1] == "product"
    assert worked.lines[1].startswith(f"= {number(float(products.sum(dtype=np.float64)))}")


def test_a_key_and_a_value_are_worked_out_with_the_query(run: RecordedRun) -> None:
    worked = work_out("projections", run, 2, 5)
    assert_adds_up(worked, lines=3)
    *_, query, key, value = worked.lines
    seen = run.record
    for line, array in ((query, seen.query), (key, seen.key), (value, seen.value)):
        assert worth(sides_of(line)[-1]) == pytest.approx(float(array[HEAD, 2, 5]), rel=Written(1e-3))


def test_the_numbers_in_a_line_are_those_of_the_tensors(flies: RecordedRun) -> None:
    seen = flies.record
    (line,) = work_out("scaling", flies, 2, 1).lines
    assert rf"\frac{{{seen.products[4, 2, 1]:.4g}}}{{5.657}} = {seen.scores[4, 2, 1]:.4g}" in line
    terms, total = work_out("context", flies, 2, 1).lines
    assert f"{abs(seen.weights[4, 2, 0] * seen.value[4, 0, 1]):.4g}" in terms
    assert total.endswith(f"{seen.context[4, 2, 1]:.4g}")


def test_what_is_looked_up_is_named_by_its_ids(flies: RecordedRun) -> None:
    looked_up, _ = work_out("embeddings", flies, 2, 5).lines
    assert r"E^\text{word}_{10029,5} + E^\text{position}_{2,5} + E^\text{type}_{0,5}" in looked_up


@pytest.mark.parametrize("kind", MASKS)
def test_a_masked_score_is_written_as_minus_infinity(kind: Mask, run: RecordedRun) -> None:
    held = masked(run.backend.encoder, run.record.tokens, layer=LAYER, mask=kind)
    last = len(held.allowed) - 1
    for row, column in ((0, 0), (0, last), (last, 0)):
        worked = explain_masked_weight(held, head=HEAD, row=row, column=column)
        assert (r"- \infty = -\infty" in worked.lines[0]) == (not held.allowed[row, column])
        assert_adds_up(worked, lines=2)
        score, mask, exponentials = worked.terms.values()
        np.testing.assert_array_equal(score + mask, held.scores[HEAD, row])
        assert exponentials.max() == 1


@pytest.mark.parametrize("what_ifs", CHANGES)
def test_a_changed_weight_has_a_line_for_each_softmax_and_one_for_dropout(
    what_ifs: tuple[WhatIf, ...], run: RecordedRun
) -> None:
    new = changed(run.backend.encoder, run.record.tokens, layer=LAYER, what_ifs=what_ifs)
    head = 0 if "one-head" in what_ifs else HEAD
    last = len(run.record.tokens) - 1
    for row, column in ((0, 0), (last, 1), (1, last)):
        worked = explain_changed_weight(run.record, new, head=HEAD, row=row, column=column)
        dropped = float(new.weights[head, row, column]) != float(new.softmax[head, row, column])
        assert len(worked.lines) == 2 + dropped
        assert_adds_up(worked, lines=2)
        assert list(worked.terms)[::2] == ["score s", "changed score s'"]


def test_dropout_is_written_as_0_or_as_a_fraction(scratch_bert: Backend) -> None:
    backend, tokens = ours(scratch_bert), scratch_bert.tokenize("time flies like an arrow")
    seen = record(backend.encoder, tokens, layer=0)
    new = changed(backend.encoder, tokens, layer=0, what_ifs=("dropout",))
    dropped, kept = (np.argwhere(found)[0].tolist() for found in (new.weights == 0, new.weights > 0.01))
    gone, scaled = (
        explain_changed_weight(seen, new, head=head, row=row, column=column) for head, row, column in (dropped, kept)
    )
    assert gone.lines[-1].endswith(r"\to 0")
    assert r"{1 - 0.1}" in scaled.lines[-1]
    assert_adds_up(scaled, lines=3)


@pytest.mark.parametrize(("row", "column"), [(0, 0), (0, 1), (3, 4), (17, 383), (40, 5), (500, 100)])
def test_a_sinusoid_is_written_with_its_angle_and_its_wavelength(row: int, column: int) -> None:
    table = sinusoidal_table(512, 384)
    sinusoid, wavelength = explain_sinusoid(table, row=row, column=column).lines
    angle = row * 10000 ** (-(column // 2 * 2) / 384)
    for side in sides_of(sinusoid):
        assert worth(side) == pytest.approx(float(table[row, column]), abs=1e-4 * max(1, abs(angle)))
    sides = [worth(side) for side in sides_of(wavelength)]
    assert len(sides) == 2
    assert sides[0] == pytest.approx(sides[1], rel=Written(1e-3))


def test_a_position_compared_with_itself_has_two_columns() -> None:
    table = position_table(ours(encoder.load("scratch")).encoder)
    assert list(explain_position_product(table, one=3, other=3).terms) == ["position 3", "position 3 again", "product"]
    assert list(explain_position_product(table, one=3, other=4).terms) == ["position 3", "position 4", "product"]


def test_a_class_and_the_score_add_up(run: RecordedRun) -> None:
    read = readout(run.backend, run.record)
    for row in range(len(read.prediction.labels)):
        assert explain_logit(read, row=row).lines[-1].endswith(f"{float(read.prediction.logits[row]):.4g}")
        assert_adds_up(explain_probability(read, row=row), lines=1)
    worked = explain_score(read)
    assert len(worked.lines) == (3 if read.squashed else 2)
    assert_adds_up(worked, lines=1)


def test_zero_has_no_minus_sign() -> None:
    assert (number(-0.0), signed(-0.0)) == ("0", "+ 0")
