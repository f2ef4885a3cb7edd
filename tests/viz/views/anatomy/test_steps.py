"""Words, formulas, tensors and the real code of the steps."""

import numpy as np
import pytest

from encoder.experiments.anatomy.names import STEPS as KEYS
from encoder.experiments.anatomy.names import StepKey
from encoder.experiments.anatomy.step_examples import SPLIT_EXAMPLE
from tests.viz.views.anatomy.conftest import answer_of
from viz.answers.answer import Code, Sentence
from viz.html.markdown import html_of_formula
from viz.views.anatomy.answer.step import ROOT, RecordedRun
from viz.views.anatomy.answer.steps import STEPS


def test_every_key_of_a_link_has_a_step_in_the_same_place() -> None:
    assert tuple(STEPS) == KEYS
    assert len({step.title for step in STEPS.values()}) == len(KEYS)


@pytest.mark.parametrize("key", KEYS)
def test_a_step_has_words_a_formula_and_finite_tensors(key: StepKey, run: RecordedRun) -> None:
    content = STEPS[key].content(run)
    assert 30 < len(content.words.split()) < 110
    assert html_of_formula(content.latex, "block").startswith("<math")
    for row in content.tensors:
        for shown in row:
            assert shown.array.ndim == 2
            assert np.isfinite(shown.array).all()


@pytest.mark.parametrize("key", KEYS)
def test_a_step_has_a_picture_and_works_out_the_cell_that_it_opens(key: StepKey, flies: RecordedRun) -> None:
    answer = answer_of(key, flies)
    assert answer.picture.parts
    assert bool(answer.worked.parts) == (answer.drawn is not None or key == "prediction")
    content = STEPS[key].content(flies)
    names = [shown.name for row in content.tensors for shown in row]
    assert names.count(content.opened) == bool(content.opened)


@pytest.mark.parametrize("key", KEYS)
def test_the_real_code_is_that_of_the_files_with_one_line_marked(key: StepKey, flies: RecordedRun) -> None:
    parts = [part for part in answer_of(key, flies).details.parts if isinstance(part, Code)]
    assert parts
    for part in parts:
        _, file, line = part.title.split(", ")
        lines = (ROOT / file).read_text(encoding="utf-8").splitlines()[int(line.removeprefix("line ")) - 1 :]
        shown = [line.strip() for line in part.source.splitlines()]
        assert [line.strip() for line in lines[: len(shown)]] == shown
        assert part.marked is not None


@pytest.mark.parametrize("key", KEYS)
def test_the_marked_line_is_the_only_one_of_its_kind(key: StepKey, run: RecordedRun) -> None:
    for source in STEPS[key].content(run).sources:
        lines = [line.strip() for line in source.code.source.splitlines()]
        assert sum(line.startswith(source.line) for line in lines) == 1, source.line


def test_attention_steps_share_their_code_and_mark_lines_of_their_own(flies: RecordedRun) -> None:
    keys: tuple[StepKey, ...] = ("scores", "scaling", "mask", "softmax", "context")
    codes = [STEPS[key].content(flies).sources[0].code for key in keys]
    assert len({code.source for code in codes}) == 1
    assert len({code.marked for code in codes}) == len(keys)


def test_positions_are_explained_before_they_are_added() -> None:
    assert KEYS.index("positions") + 1 == KEYS.index("embeddings")


def test_a_rare_word_is_a_row_of_the_first_table(flies: RecordedRun) -> None:
    [table] = answer_of("text", flies).picture.parts
    columns = table.columns()
    assert str(columns["word"][-1]).startswith(SPLIT_EXAMPLE)
    assert columns["wordpieces"][-1] == "un  ##bel  ##ie  ##va  ##bly"


def test_the_formula_of_softmax_subtracts_the_largest_score(flies: RecordedRun) -> None:
    assert r"e^{s_{ij} - m_i}" in STEPS["softmax"].content(flies).latex


@pytest.mark.parametrize("key", KEYS)
def test_a_picture_has_one_short_line_on_how_to_read_it(key: StepKey, flies: RecordedRun) -> None:
    parts = answer_of(key, flies, clickable=True).picture.parts
    said = [part.text for part in parts if isinstance(part, Sentence) and "Click a cell" in part.text]
    assert len(said) <= 1
    assert all(len(sentence.partition("Click")[2].split()) <= 20 for sentence in said)


def test_formulas_carry_the_sizes_of_this_text(flies: RecordedRun) -> None:
    formulas = {key: step.content(flies).latex for key, step in STEPS.items()}
    assert r"\underset{7 \times 32}{\boxed{Q}}" in formulas["projections"]
    assert r"\underset{384 \times 32}{W_Q}" in formulas["projections"]
    assert r"\underset{7 \times 7}{\boxed{S}}" in formulas["scores"]
    assert r"\underset{7 \times 384}{\boxed{C}}" in formulas["heads"]
    assert "1536" in formulas["feed-forward"]
    assert r"5\text{ of }30{,}522\text{ entries}" in formulas["text"]


def test_words_name_the_layer_and_the_head_that_are_followed(flies: RecordedRun) -> None:
    assert "follow layer 0, head 4; it reads the vectors of the embeddings" in STEPS["projections"].content(flies).words
    assert "layer 0, head 4" in STEPS["what-if"].content(flies).words


def test_the_prediction_says_what_its_head_reads_and_how_layers_count(run: RecordedRun) -> None:
    words = STEPS["prediction"].content(run).words
    if run.backend.name == "scratch-bert":
        assert "after layers 3 and 4 (counted from 0; layer 5 is the last)" in words
    else:
        assert "It reads the vector of `[CLS]` after the last layer, " in words


def test_only_a_model_that_projects_the_words_of_another_says_so(run: RecordedRun) -> None:
    words = STEPS["embeddings"].content(run).words
    assert ("the table of all-MiniLM-L6-v2" in words) == (run.backend.name == "scratch")
