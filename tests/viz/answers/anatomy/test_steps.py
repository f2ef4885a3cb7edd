"""Words, formulas, tensors and code of the steps."""

import numpy as np
import pytest

from encoder.experiments.anatomy.names import STEPS as KEYS
from viz.answers.anatomy.step import ROOT, RecordedRun
from viz.answers.anatomy.steps import STEPS
from viz.answers.answer import Code
from viz.html.markdown import html_of_formula


def test_every_key_of_a_link_has_a_step_in_the_same_place() -> None:
    assert tuple(STEPS) == KEYS
    assert len({step.title for step in STEPS.values()}) == len(KEYS)


@pytest.mark.parametrize("key", KEYS)
def test_a_step_has_words_a_formula_and_finite_tensors(key: str, run: RecordedRun) -> None:
    content = STEPS[key].content(run)
    assert len(content.words.split()) > 30
    assert html_of_formula(content.latex, "block").startswith("<math")
    for row in content.tensors:
        for shown in row:
            assert shown.array.ndim == 2
            assert np.isfinite(shown.array).all()


@pytest.mark.parametrize("key", KEYS)
def test_a_step_can_work_out_the_tensor_that_it_opens(key: str, flies: RecordedRun) -> None:
    content = STEPS[key].content(flies)
    names = [shown.name for row in content.tensors for shown in row]
    assert (content.opened in names) == bool(STEPS[key].work_out)
    assert names.count(content.opened) == bool(content.opened)


@pytest.mark.parametrize("key", KEYS)
def test_the_code_of_a_step_is_that_of_the_files(key: str, flies: RecordedRun) -> None:
    parts = STEPS[key].content(flies).code.parts
    assert parts
    for part in parts:
        assert isinstance(part, Code)
        _, file, line = part.title.split(", ")
        lines = (ROOT / file).read_text(encoding="utf-8").splitlines()[int(line.removeprefix("line ")) - 1 :]
        shown = [line.strip() for line in part.source.splitlines()]
        assert [line.strip() for line in lines[: len(shown)]] == shown


def test_formulas_carry_the_sizes_of_this_text(flies: RecordedRun) -> None:
    formulas = {key: step.content(flies).latex for key, step in STEPS.items()}
    assert r"\underset{7 \times 32}{Q}" in formulas["projections"]
    assert r"\underset{384 \times 32}{W_Q}" in formulas["projections"]
    assert r"\underset{7 \times 7}{S}" in formulas["scores"]
    assert r"\underset{7 \times 384}{C}" in formulas["heads"]
    assert "1536" in formulas["feed-forward"]
    assert r"5\text{ of }30{,}522\text{ entries}" in formulas["text"]


def test_words_name_the_layer_and_the_head_that_are_followed(flies: RecordedRun) -> None:
    assert "head 4 of layer 0, which reads the vectors of the embeddings" in STEPS["projections"].content(flies).words
    assert "layer 0, head 4" in STEPS["what-if"].content(flies).words


def test_the_last_step_says_what_its_head_reads(run: RecordedRun) -> None:
    words = STEPS["prediction"].content(run).words
    if run.backend.name == "scratch-bert":
        assert "vectors joined into one: " in words
        assert "`[CLS]` stands for no word" not in words
    else:
        assert "It reads the vector of `[CLS]` after the last layer, " in words
        assert "`[CLS]` stands for no word" in words


def test_only_a_model_that_projects_the_words_of_another_says_so(run: RecordedRun) -> None:
    words = STEPS["embeddings"].content(run).words
    assert ("the table of the bundled BERT" in words) == (run.backend.name == "scratch")
