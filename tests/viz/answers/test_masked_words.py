"""Words for masked tokens, as answers: numbers, order, and what is said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from encoder import Backend
from encoder.errors import SelectionError
from encoder.experiments.mask_lens import Filling, mask_lens, sweep_mask
from encoder.models.loading import load_folder
from encoder.runs.trace import Trace
from encoder.shipped.mask_accuracy import mask_accuracy
from tests.encoder.random_models import FAMILIES, build, save
from viz.answers.answer import Chart, Sentence, Table
from viz.answers.masked_words import (
    every_head,
    filled_together,
    lens,
    masked_words,
    reads_masks,
    shares_at_masks,
    without_heads,
)
from viz.state.selection import DEFAULT
from viz.theme import THEMES
from viz.views.predictions.answer import NO_MASK, predictions
from viz.wording.numbers import percent

TEXT = "time [MASK] like an arrow"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Backend:
    family = FAMILIES["bert"]
    tokenizer = family.tokenizer()
    head = build("BertForMaskedLM", family.config_class, vocab_size=len(tokenizer), **family.settings)
    return load_folder("m", save(head, Path(tmp_path_factory.mktemp("mask")), tokenizer))


@pytest.fixture(scope="module")
def trace(model: Backend) -> Trace:
    return model.trace(TEXT)


def test_a_mask_has_its_likeliest_words_as_bars(trace: Trace) -> None:
    found = trace.token_prediction
    said, bars, table = predictions(trace).parts
    share = percent(float(found.probabilities[0, 0]))
    assert said.text.startswith("For the mask the model says **")
    assert said.text.endswith(f"** ({share}).")
    np.testing.assert_allclose(bars.figure(THEMES["light"]).data[0].x, found.probabilities[0, :8], rtol=1e-6)
    columns = table.columns()
    assert list(columns) == ["mask", "rank", "word", "logit", "probability"]
    assert len(columns["word"]) == len(found.candidates[0])


@pytest.mark.parametrize("position", [1, -1, 99])
def test_heads_are_silenced_for_a_mask_alone(model: Backend, position: int) -> None:
    with pytest.raises(SelectionError, match=f"Token {position} is no mask"):
        sweep_mask(model, model.tokenize(TEXT), position)


def test_several_masks_stand_side_by_side(model: Backend) -> None:
    row, alone, table = masked_words(model.trace("time [MASK] like an [MASK]"))
    assert alone == Sentence(
        "Each mask is filled as if the others stayed masked: together, these words need not fit.", "caption"
    )
    assert [parts[0].text[:10] for parts in row.columns if isinstance(parts[0], Sentence)] == [
        "For mask 1",
        "For mask 2",
    ]
    assert isinstance(table, Table)


def test_words_for_several_masks_together_have_their_probability() -> None:
    found = (Filling(("new", "york"), 0.25), Filling(("the", "end"), 0.0001))
    [said] = filled_together(found).parts
    assert said.text.endswith("the likeliest are **“new york”** (25.0 %), then **“the end”** (under 0.1 %).")
    assert "each mask after the words before it" in said.text


def test_a_text_with_unknown_words_says_so_after_the_words_for_masks(model: Backend) -> None:
    parts = predictions(model.trace("😂 [MASK] time")).parts
    assert Sentence(r"The model knows 2 of 3 words: it reads \[UNK\] for the other.", "info") == parts[-1]
    assert all(part != parts[-1] for part in predictions(model.trace("time [MASK]")).parts)


def test_a_text_without_a_mask_says_how_to_make_one(model: Backend) -> None:
    trace = model.trace("time flies")
    assert reads_masks(trace)
    assert predictions(trace).parts == (NO_MASK,)
    assert shares_at_masks(trace) == {}


def test_every_layer_has_its_words_and_the_followed_one_its_place(model: Backend, trace: Trace) -> None:
    found = mask_lens(model, trace, "like")
    answer = lens(found, trace.tokens, "m", followed="like")
    said, grid, table = answer.parts
    rank = int(found.ranks[-1, 0])
    assert said.text.startswith(f"**“like”** is word {rank:,} of {found.vocabulary:,}")
    cells, labels = grid.figure(THEMES["dark"]).data
    np.testing.assert_allclose(np.array(cells.z), found.probabilities[:, 0], rtol=1e-6)
    assert len(labels.text) == found.probabilities[:, 0].size
    columns = table.columns()
    assert list(columns["layer"]) == ["embeddings", *(f"L{layer}" for layer in range(trace.num_layers))]
    np.testing.assert_array_equal(columns["rank of like"], found.ranks[:, 0])


def test_silenced_heads_are_named_with_the_word_that_changes(model: Backend, trace: Trace) -> None:
    changed = model.trace(TEXT, silenced_heads=[(0, 1), (1, 0)])
    said, bars = without_heads(trace, changed).parts
    assert said.text.startswith("Without layer 0, head 1 and layer 1, head 0 the model ")
    old, new = (run.token_prediction for run in (trace, changed))
    assert ("still says" in said.text) == (old.candidates[0][0] == new.candidates[0][0])
    assert isinstance(bars, Chart)


def test_every_head_is_silenced_alone(model: Backend, trace: Trace) -> None:
    found = trace.token_prediction
    seen: list[tuple[int, int]] = []
    swept = sweep_mask(model, trace.tokens, found.positions[0], progress=lambda done, of: seen.append((done, of)))
    assert seen == [(done, swept.log_odds.size) for done in range(1, swept.log_odds.size + 1)]
    without = model.trace(TEXT, silenced_heads=[(1, 2)]).token_prediction
    assert swept.log_odds.dtype == np.float32
    assert swept.words[1][2] == without.candidates[0][0]
    odds = dict(zip(without.candidates[0], without.logits[0].tolist(), strict=True))
    before = float(found.logits[0, 0] - found.logits[0, 1])
    assert swept.log_odds[1, 2] == pytest.approx(odds[swept.word] - odds[swept.rival] - before, abs=1e-4)
    said, tiles, table = every_head(swept, DEFAULT).parts
    assert isinstance(said, Sentence)
    assert tiles.figure(THEMES["light"]).data[1].z[1][2] == pytest.approx(float(swept.log_odds[1, 2]))
    assert len(table.columns()["word"]) == swept.log_odds.size


def test_the_head_trained_here_says_what_it_is_worth(bundled: Backend) -> None:
    trace = bundled.trace(TEXT)
    accuracy = mask_accuracy("bundled")
    assert accuracy.shares.shape == (bundled.num_layers + 1, 3)
    captions = [part.text for part in predictions(trace).parts if isinstance(part, Sentence) and part.role == "caption"]
    assert f"{accuracy.n:,} words of {accuracy.test_set}, masked one at a time" in captions[0]
    assert percent(float(accuracy.shares[-1, 0])) in captions[0]
    assert reads_masks(replace(trace, token_prediction=None))
