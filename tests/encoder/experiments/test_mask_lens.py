"""Words for masked tokens: every layer's, a word's place, and what silenced heads change."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from encoder.attribution.explaining import explain
from encoder.attribution.questions import Method, Question
from encoder.attribution.target import resolve_target
from encoder.errors import SelectionError, UnsupportedModelError
from encoder.experiments.mask_lens import BEAM, FILLED, MaskLens, fill_masks, mask_lens, piece_for_mask
from encoder.models.base import Backend
from encoder.models.loading import load_folder
from encoder.runs.trace import Trace
from tests.encoder.random_models import family_folder

CLOSE = 2e-5  # measured: at most 2e-6
TEXT = "time [MASK] like an [MASK]"
FAMILY = pytest.mark.parametrize(
    "family", ["bert", "roberta", "distilbert", "electra", "albert", "modernbert", "deberta-v2"]
)
Load = Callable[[str], Backend]


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Load:
    """A tiny random model of a family with a head for masked words, loaded once."""
    loaded: dict[str, Backend] = {}

    def of_family(name: str) -> Backend:
        if name not in loaded:
            loaded[name] = load_folder("m", family_folder(tmp_path_factory.mktemp(name), name, "ForMaskedLM"))
        return loaded[name]

    return of_family


@FAMILY
def test_a_typed_mask_is_the_mask_of_every_family(load: Load, family: str) -> None:
    backend = load(family)
    tokens = backend.tokenize(TEXT)
    masked = [place for place, token_id in enumerate(tokens.ids) if token_id == backend.tokenizer.inner.mask_token_id]
    assert [tokens.words[word] for place in masked if (word := tokens.word_ids[place]) is not None] == ["[MASK]"] * 2


@FAMILY
def test_the_last_layer_of_the_lens_is_the_models_own_head(load: Load, family: str) -> None:
    backend = load(family)
    trace = backend.trace(TEXT)
    found, said = mask_lens(backend, trace), trace.token_prediction
    assert found.positions == said.positions
    assert found.probabilities.shape == (trace.num_layers + 1, 2, 5)
    assert found.pieces[-1] == tuple(row[:5] for row in said.candidates)
    assert_allclose(found.probabilities[-1], said.probabilities[:, :5], atol=CLOSE)
    assert_allclose(found.followed[-1], said.probabilities[:, 0], atol=CLOSE)
    assert_array_equal(found.ranks[-1], [1, 1])


def test_an_earlier_layer_is_read_by_the_same_head(load: Load) -> None:
    backend = load("bert")
    trace = backend.trace(TEXT)
    head = backend.modules[0].get_submodule("cls")
    found = mask_lens(backend, trace)
    with torch.inference_mode():
        expected = head(torch.tensor(trace.hidden_states[1, list(found.positions)])).softmax(-1)
    assert found.vocabulary == expected.shape[-1]
    assert_allclose(found.probabilities[1], expected.topk(5).values.numpy(), atol=CLOSE)


@pytest.mark.parametrize(
    ("family", "norm", "head"),
    [("modernbert", "model.final_norm", ("head", "decoder")), ("megatron-bert", "bert.encoder.ln", ("cls",))],
)
def test_a_head_reads_earlier_states_through_the_last_norm(
    load: Load, family: str, norm: str, head: tuple[str, ...]
) -> None:
    backend = load(family)
    trace = backend.trace(TEXT)
    found = mask_lens(backend, trace)
    with torch.inference_mode():
        read = torch.tensor(trace.hidden_states[1, list(found.positions)])
        for name in (norm, *head):
            read = backend.modules[0].get_submodule(name)(read)
    assert_allclose(found.probabilities[1], read.softmax(-1).topk(5).values.numpy(), atol=CLOSE)


@FAMILY
def test_a_word_has_a_place_among_all_words(load: Load, family: str) -> None:
    backend = load(family)
    trace = backend.trace(TEXT)
    said = trace.token_prediction
    for rank, piece in enumerate(said.candidates[0], 1):
        if piece.isalpha() and (found := _lens_or_none(backend, trace, piece)) is not None:
            assert found.ranks[-1, 0] == rank
            return
    pytest.fail("no candidate is one piece of the vocabulary when it is typed")


def _lens_or_none(backend: Backend, trace: Trace, word: str) -> MaskLens | None:
    try:
        return mask_lens(backend, trace, word)
    except SelectionError:
        return None


def test_a_word_of_several_pieces_is_refused_in_words(load: Load) -> None:
    backend = load("bert")
    trace = backend.trace(TEXT)
    for word, pieces in (("time flies", 2), ("\u200b", 0)):
        with pytest.raises(SelectionError, match=f"one piece of the vocabulary, and “{word}” is {pieces}:"):
            piece_for_mask(backend, trace.tokens, 2, word)
    with pytest.raises(SelectionError, match=r"^No token of this text is masked\.$"):
        mask_lens(backend, backend.trace("time flies"))


def test_a_model_without_the_head_is_refused_in_words(scratch_bert: Backend) -> None:
    with pytest.raises(UnsupportedModelError, match="no head for masked words"):
        mask_lens(scratch_bert, scratch_bert.trace(TEXT))


@pytest.mark.parametrize("method", ["integrated-gradients", "leave-one-out", "shapley"])
@pytest.mark.parametrize("family", ["bert", "roberta", "modernbert"])
def test_words_explain_the_word_at_a_mask(load: Load, family: str, method: Method) -> None:
    backend = load(family)
    trace = backend.trace("time [MASK] like an arrow")
    said = trace.token_prediction
    word = trace.tokens.words.index("[MASK]")
    target = resolve_target(backend, Question(kind="masked word", texts=("time [MASK] like an arrow", None), word=word))
    assert (target.label, target.against) == said.candidates[0][:2]
    found = explain(backend, target, method)
    odds = float(said.logits[0, 0] - said.logits[0, 1])
    total = odds if method == "integrated-gradients" else 1 / (1 + np.exp(-odds))
    assert found.total == pytest.approx(total, abs=CLOSE)
    assert said.positions[0] not in [position for unit in found.units for position in unit]
    if found.completeness_error is not None:
        assert found.completeness_error < 0.05


def test_a_word_that_is_not_masked_has_no_candidates(load: Load) -> None:
    with pytest.raises(SelectionError, match="not masked"):
        resolve_target(load("bert"), Question(kind="masked word", texts=(TEXT, None), word=0))


@FAMILY
def test_several_masks_are_filled_from_left_to_right(load: Load, family: str) -> None:
    model = load(family)
    tokens = model.tokenize(TEXT)
    first = model.run(tokens).token_prediction
    every: list[tuple[float, tuple[str, ...]]] = []
    likeliest = zip(first.candidates[0], first.candidate_ids[0][:BEAM], first.probabilities[0], strict=False)
    for word, piece, share in likeliest:
        ids = list(tokens.ids)
        ids[first.positions[0]] = piece
        second = model.run(replace(tokens, ids=tuple(ids))).token_prediction
        assert second.positions == first.positions[1:]
        shares = (share * second.probabilities[0]).tolist()
        every += [(of_both, (word, other)) for other, of_both in zip(second.candidates[0], shares, strict=True)]
    best = sorted(every, reverse=True)[:FILLED]
    found = fill_masks(model, tokens)
    assert [filling.words for filling in found] == [words for _, words in best]
    assert [filling.probability for filling in found] == pytest.approx([share for share, _ in best], rel=1e-4)
    assert fill_masks(model, model.tokenize("time flies")) == ()
