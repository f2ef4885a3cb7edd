"""Cells worked out against the tensors of the model that they stand for."""

import math
import re
from typing import Any

import numpy as np
import pytest
import torch

import encoder
from encoder import Backend
from encoder.experiments.anatomy.cells import WORKED
from encoder.experiments.anatomy.cells_changed import changed_weight, masked_weight
from encoder.experiments.anatomy.cells_ends import logit, position_product, probability, score, wave
from encoder.experiments.anatomy.inputs import position_table, sinusoidal_table
from encoder.experiments.anatomy.masks import masked
from encoder.experiments.anatomy.names import Mask, WhatIf
from encoder.experiments.anatomy.readout import readout
from encoder.experiments.anatomy.record import Record, record
from encoder.experiments.anatomy.walk import build, ours
from encoder.experiments.anatomy.what_if import changed
from encoder.experiments.anatomy.worked import Worked
from encoder.models.scratch import ScratchBackend
from encoder.text.tokens import Tokens

A = "time flies like an arrow"
LAYER, HEAD = 1, 2
MASKS: tuple[Mask, ...] = ("none", "padding", "causal")
CHANGES: tuple[tuple[WhatIf, ...], ...] = (
    (),
    ("unscaled",),
    ("one-head",),
    ("dropout",),
    ("no-positions",),
    ("shuffled",),
    ("unscaled", "one-head", "shuffled"),
)
SAID = r"\\text\{[^}]*(?:: | positions)\}"  # words beside a number; others are names
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
    plain = re.sub(rf"\\frac{NESTED}{NESTED}", r"((\1)/(\2))", re.sub(SAID, "", line))
    for latex, python in AS_PYTHON.items():
        plain = plain.replace(latex, python)
    sides = [side.strip() for side in plain.split("=")]
    return [side for side in sides if side and not re.search(r"[a-zA-Z'\\]", re.sub("|".join(NAMES), "", side))]


def worth(side: str) -> float:
    """What a side comes to."""
    return float(eval(side, {"__builtins__": {}}, NAMES))


def assert_adds_up(worked: Worked, *, lines: int) -> None:
    """In so many lines at least, two sides or more are arithmetic, and come to one number."""
    checked = 0
    for line in worked.lines:
        sides = sides_of(line)
        if len(sides) < 2 or "ReLU" in line:
            continue
        checked += 1
        largest = max(abs(float(number)) for side in sides for number in re.findall(r"\d+(?:\.\d+)?", side) or [1])
        expected = worth(sides[-1])
        # Four digits of each number are written, and a difference of two has fewer.
        for side in sides:
            assert worth(side) == pytest.approx(expected, rel=1e-3, abs=3e-4 * max(1.0, largest)), line
    assert checked >= lines, worked.lines


@pytest.mark.parametrize("key", WORKED)
def test_a_cell_is_the_sum_of_its_terms(key: Any, backend: ScratchBackend, tokens: Tokens, seen: Record) -> None:
    step = build(key, backend, seen, head=HEAD)
    assert step.opened is not None
    rows, columns = step.opened.array.shape
    for row, column in ((0, 0), (rows - 1, columns - 1), (1, columns // 2)):
        worked = WORKED[key](seen, head=HEAD, row=row, column=column)
        assert worked.value == pytest.approx(float(step.opened.array[row, column]), abs=1e-7)
        assert worked.lines
        if not worked.terms:
            continue
        *_, last = worked.terms.values()
        total = float(np.sum(last, dtype=np.float64))
        units = seen.config.head_width * HEAD
        reached = {
            "projections": total + seen.parameters["attention.query.bias"][(units + column) % seen.config.hidden_size],
            "softmax": last[column % len(last)] / total,
            "output": total + seen.parameters["attention.output.bias"][column % seen.config.hidden_size],
            "feed-forward": total + seen.parameters["feed_forward.up.bias"][column],
            "layers": total + seen.parameters["feed_forward.down.bias"][column % seen.config.hidden_size],
        }.get(key, total)
        shown = {"feed-forward": seen.inner, "layers": seen.fed}.get(key, step.opened.array)[row, column]
        assert float(reached) == pytest.approx(float(shown), abs=2e-5), (row, column)


def test_the_numbers_in_a_line_are_those_of_the_tensors() -> None:
    backend = ours(encoder.load("scratch-bert"))
    seen = record(backend.encoder, backend.tokenize(A), layer=0)
    (line,) = WORKED["scaling"](seen, head=4, row=2, column=1).lines
    assert rf"\frac{{{seen.products[4, 2, 1]:.4g}}}{{5.657}} = {seen.scores[4, 2, 1]:.4g}" in line
    terms, total = WORKED["context"](seen, head=4, row=2, column=1).lines
    assert f"{abs(seen.weights[4, 2, 0] * seen.value[4, 0, 1]):.4g}" in terms
    assert total.endswith(f"{seen.context[4, 2, 1]:.4g}")


def test_logits_and_probabilities_are_the_models_own(backend: ScratchBackend, tokens: Tokens, seen: Record) -> None:
    read = readout(backend, seen)
    made = read.prediction
    for row in range(len(made.labels)):
        worked = logit(read, row=row)
        assert worked.value == pytest.approx(float(made.logits[row]))
        products = worked.terms["product"]
        assert float(products.sum(dtype=np.float64) + read.bias[row]) == pytest.approx(worked.value, abs=1e-4)
    score = float(read.weight[-1] @ read.state + read.bias[-1])
    assert made.score == pytest.approx(1 / (1 + np.exp(-score)) if read.squashed else score, abs=1e-5)
    twin = {"scratch-bert": "bundled"}.get(backend.name, backend.name)
    predicted = encoder.load(twin).run(tokens).prediction
    assert predicted is not None
    assert predicted.probabilities is not None
    np.testing.assert_allclose(made.probabilities, predicted.probabilities, atol=1e-5)
    assert made.trained == (backend.name != "scratch-untrained")


def test_weights_without_a_head_get_one_that_says_it_is_made_up(scratch_bert: Backend) -> None:
    known = ours(scratch_bert)
    other = ScratchBackend("scratch-bert:elsewhere", known.encoder, known.tokenizer)
    state = torch.random.get_rng_state()
    one, two = (readout(other, record(other.encoder, other.tokenize(A), layer=0)).prediction for _ in range(2))
    assert not one.trained
    assert "made up" in one.note
    np.testing.assert_array_equal(one.logits, two.logits)
    assert torch.equal(torch.random.get_rng_state(), state)


@pytest.mark.parametrize("key", ["embeddings", "scaling", "softmax", "heads", "residual", "layers"])
def test_what_a_line_says_adds_up(key: Any, backend: ScratchBackend, tokens: Tokens, seen: Record) -> None:
    for row, column in ((0, 0), (1, 2), (2, 1)):
        worked = WORKED[key](seen, head=HEAD, row=row, column=column)
        assert_adds_up(worked, lines=1)
        assert worth(sides_of(worked.lines[-1])[-1]) == pytest.approx(worked.value, rel=1e-3)


def test_a_key_and_a_value_are_worked_out_beside_the_query(backend: ScratchBackend, seen: Record) -> None:
    worked = WORKED["projections"](seen, head=HEAD, row=2, column=5)
    assert_adds_up(worked, lines=3)
    *_, query, key, value = worked.lines
    for line, array in ((query, seen.query), (key, seen.key), (value, seen.value)):
        assert worth(sides_of(line)[-1]) == pytest.approx(float(array[HEAD, 2, 5]), rel=1e-3)


def test_what_is_looked_up_is_named_by_its_ids() -> None:
    backend = ours(encoder.load("scratch-bert"))
    seen = record(backend.encoder, backend.tokenize(A), layer=0)
    looked_up, _ = WORKED["embeddings"](seen, head=0, row=2, column=5).lines
    assert r"E^\text{word}_{10029,5} + E^\text{position}_{2,5} + E^\text{type}_{0,5}" in looked_up


# Masks and what-ifs


@pytest.mark.parametrize("kind", MASKS)
def test_a_weight_under_a_mask_is_the_softmax_of_score_plus_mask(
    kind: Mask, backend: ScratchBackend, tokens: Tokens
) -> None:
    seen = masked(backend.encoder, tokens, layer=LAYER, mask=kind)
    np.testing.assert_array_equal(seen.unmasked[:, seen.allowed], seen.scores[:, seen.allowed])
    last = len(seen.allowed) - 1
    for row, column in ((0, 0), (0, last), (1, last), (last, 0)):
        worked = masked_weight(seen, head=HEAD, row=row, column=column)
        score_, mask, powers = worked.terms.values()
        assert worked.value == float(seen.weights[HEAD, row, column])
        assert float(powers[column] / powers.sum()) == pytest.approx(worked.value, abs=1e-6)
        np.testing.assert_array_equal(score_ + mask, seen.scores[HEAD, row])
        np.testing.assert_array_equal(np.isneginf(mask), ~seen.allowed[row])
        hidden = not seen.allowed[row, column]
        assert (worked.value == 0) == hidden
        assert (r"- \infty = -\infty" in worked.lines[0]) == hidden
        assert_adds_up(worked, lines=2)


@pytest.mark.parametrize("what_ifs", CHANGES)
def test_a_changed_weight_stands_beside_the_models_own(
    what_ifs: tuple[WhatIf, ...], backend: ScratchBackend, tokens: Tokens, seen: Record
) -> None:
    new = changed(backend.encoder, tokens, layer=LAYER, what_ifs=what_ifs)
    of = 0 if "one-head" in what_ifs else HEAD
    last = len(tokens) - 1
    for row, column in ((0, 0), (last, 1), (1, last)):
        worked = changed_weight(seen, new, head=HEAD, row=row, column=column)
        own, own_powers, other, powers = worked.terms.values()
        np.testing.assert_array_equal(own, seen.scores[HEAD, row])
        np.testing.assert_array_equal(other, new.scores[of, row])
        assert float(own_powers[column] / own_powers.sum()) == pytest.approx(
            float(seen.weights[HEAD, row, column]), abs=1e-6
        )
        assert float(powers[column] / powers.sum()) == pytest.approx(float(new.softmax[of, row, column]), abs=1e-6)
        assert worked.value == float(new.weights[of, row, column])
        assert len(worked.lines) == (2 if worked.value == float(new.softmax[of, row, column]) else 3)
        assert_adds_up(worked, lines=2)


def test_dropout_sets_a_weight_to_0_or_scales_it_up(scratch_bert: Backend) -> None:
    backend, tokens = ours(scratch_bert), scratch_bert.tokenize(A)
    seen = record(backend.encoder, tokens, layer=0)
    new = changed(backend.encoder, tokens, layer=0, what_ifs=("dropout",))
    zero = tuple(int(at) for at in np.argwhere(new.weights == 0)[0])
    kept = tuple(int(at) for at in np.argwhere(new.weights > 0.01)[0])
    gone, scaled = (changed_weight(seen, new, head=head, row=row, column=column) for head, row, column in (zero, kept))
    assert gone.value == 0
    assert gone.lines[-1].endswith(r"\to 0")
    assert scaled.value == pytest.approx(float(new.softmax[kept]) / 0.9, rel=1e-5)
    assert r"{1 - 0.1}" in scaled.lines[-1]
    assert_adds_up(scaled, lines=3)


# Both ends of the walk


@pytest.mark.parametrize(("row", "column"), [(0, 0), (0, 1), (3, 4), (17, 383), (40, 5), (500, 100)])
def test_a_number_of_the_sinusoidal_encoding_is_its_sine_or_cosine(row: int, column: int) -> None:
    table = sinusoidal_table(512, 384)
    worked = wave(table, row=row, column=column)
    angle = row * 10000 ** (-(column // 2 * 2) / 384)
    assert worked.value == float(table[row, column])
    # The table is made in single precision, where an angle of 500 is known to 3e-5.
    assert worked.value == pytest.approx(math.cos(angle) if column % 2 else math.sin(angle), abs=1e-4)
    for side in sides_of(worked.lines[0]):
        assert worth(side) == pytest.approx(worked.value, abs=1e-4 * max(1, abs(angle)))


def test_two_positions_are_compared_by_the_vectors_that_the_model_adds(backend: ScratchBackend) -> None:
    table = position_table(backend.encoder)
    for one, other in ((0, 0), (2, 7), (9, 1)):
        worked = position_product(table, one=one, other=other)
        first, second, products = worked.terms.values()
        np.testing.assert_array_equal(first, table[one])
        np.testing.assert_array_equal(second, table[other])
        assert float(products.sum(dtype=np.float64)) == pytest.approx(worked.value, rel=1e-5, abs=1e-6)


def test_probabilities_and_the_score_are_the_heads_own(backend: ScratchBackend, tokens: Tokens, seen: Record) -> None:
    read = readout(backend, seen)
    assert read.prediction.probabilities is not None
    for row in range(len(read.prediction.labels)):
        worked = probability(read, row=row)
        logits, powers = worked.terms.values()
        np.testing.assert_array_equal(logits, read.prediction.logits)
        assert worked.value == float(read.prediction.probabilities[row])
        assert float(powers[row] / powers.sum()) == pytest.approx(worked.value, abs=1e-6)
        assert_adds_up(worked, lines=1)
    worked = score(read)
    assert worked.value == pytest.approx(read.prediction.score)
    total = float(worked.terms["product"].sum(dtype=np.float64)) + float(read.bias[-1])
    assert total == pytest.approx(read.raw_score, abs=1e-4)
    assert len(worked.lines) == (3 if read.squashed else 2)
    assert_adds_up(worked, lines=1)
