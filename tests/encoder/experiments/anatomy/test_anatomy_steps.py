"""Words, formulas and code of the steps."""

import numpy as np

import encoder
from encoder.experiments.anatomy.cells import WORKED
from encoder.experiments.anatomy.names import STEPS, TITLES
from encoder.experiments.anatomy.record import Record, record
from encoder.experiments.anatomy.steps import ROOT, source_of
from encoder.experiments.anatomy.walk import BUILDERS, build, ours
from encoder.models.scratch import ScratchBackend

A = "time flies like an arrow"
HEAD = 2


def test_every_step_has_words_a_formula_and_real_code(backend: ScratchBackend, seen: Record) -> None:
    assert tuple(BUILDERS) == STEPS == tuple(TITLES)
    for key in STEPS:
        step = build(key, backend, seen, head=HEAD)
        assert step.key == key
        assert len(step.text.split()) > 30
        assert step.formula.count("{") == step.formula.count("}")
        assert (step.opened is not None) == (key in WORKED)
        for made in step.sources:
            source = source_of(made)
            lines = (ROOT / source.file).read_text(encoding="utf-8").splitlines()
            assert lines[source.line - 1].strip() == source.code.splitlines()[0].strip()
        for row in step.tensors:
            for shown in row:
                assert shown.array.ndim == 2
                assert np.isfinite(shown.array).all()


def test_formulas_carry_the_sizes_of_this_text() -> None:
    backend = ours(encoder.load("scratch-bert"))
    seen = record(backend.encoder, backend.tokenize(A), layer=0)
    formulas = {key: build(key, backend, seen, head=4).formula for key in STEPS}
    assert r"\underset{7 \times 32}{Q}" in formulas["projections"]
    assert r"\underset{384 \times 32}{W_Q}" in formulas["projections"]
    assert r"\underset{7 \times 7}{S}" in formulas["scores"]
    assert r"\underset{7 \times 384}{C}" in formulas["heads"]
    assert "1536" in formulas["feed-forward"]
