"""Heads of `transformers`: every head of every family gives the logits of `transformers` itself."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from encoder.attribution.quantities import batch_of
from encoder.errors import InputError, ShapeError, TraceFileError
from encoder.models.interventions import Intervention
from encoder.models.loading import load_folder
from encoder.models.pretrained import PretrainedBackend
from encoder.models.task_heads import choices_in
from encoder.runs.trace import TokenPrediction, Trace
from encoder.runs.trace_file import pack, unpack
from encoder.text.tokens import Tokens
from tests.encoder.random_models import FAMILIES, ROBERTA, A, B, Family, edit_config, family_model, run_eager, save

CLOSE = 2e-5  # measured: at most 2e-6
LABELS = ("O", "B-LOC", "I-LOC")
NAMES = {"id2label": dict(enumerate(LABELS)), "label2id": {label: index for index, label in enumerate(LABELS)}}
XLM_R = Family("xlm-roberta", "XLMRobertaModel", "XLMRobertaConfig", ROBERTA, tokenizer=FAMILIES["roberta"].tokenizer)
TESTED = [FAMILIES[name] for name in ("bert", "roberta", "distilbert", "electra", "albert", "modernbert", "deberta-v2")]
FAMILY = pytest.mark.parametrize("family", [*TESTED, XLM_R], ids=lambda family: family.name)

Make = Callable[..., tuple[PretrainedBackend, Any]]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """A model of a family with a head, loaded by us, and the same in eager mode."""

    def made(family: Family, head: str, **settings: Any) -> tuple[PretrainedBackend, Any]:
        model, tokenizer = family_model(family, head, **settings, attn_implementation="eager")
        return load_folder("m", save(model, tmp_path / head, tokenizer)), model

    return made


def of_tokens(trace: Trace) -> TokenPrediction:
    assert trace.prediction is None
    assert trace.token_prediction is not None
    return trace.token_prediction


def assert_batches_agree(backend: PretrainedBackend, expected: np.ndarray) -> None:
    """A padded batch gives the text its own logits at each token."""
    texts = [backend.tokenize(A, B), backend.tokenize(A)]
    with torch.inference_mode():
        logits = backend.run_batch(batch_of(backend, texts)).token_logits
    assert_allclose(logits[0].numpy(), expected, atol=CLOSE)


@FAMILY
def test_tags_equal_those_of_transformers(make: Make, family: Family) -> None:
    backend, model = make(family, "ForTokenClassification", **NAMES)
    trace = backend.trace(A, B)
    found, expected = of_tokens(trace), run_eager(model, trace.tokens).logits[0]
    assert (found.task, found.labels, found.positions) == ("tags", LABELS, tuple(range(len(trace.tokens))))
    assert_allclose(found.logits, expected.numpy(), atol=CLOSE)
    assert_allclose(found.probabilities, expected.softmax(-1).numpy(), atol=CLOSE)
    assert_batches_agree(backend, expected.numpy())


@FAMILY
def test_starts_and_ends_equal_those_of_transformers(make: Make, family: Family) -> None:
    backend, model = make(family, "ForQuestionAnswering")
    trace = backend.trace(A, B)
    found, expected = of_tokens(trace), run_eager(model, trace.tokens)
    logits = np.stack((expected.start_logits[0].numpy(), expected.end_logits[0].numpy()), -1)
    assert (found.task, found.labels) == ("span", ("start", "end"))
    assert_allclose(found.logits, logits, atol=CLOSE)
    assert_allclose(found.probabilities.sum(0), 1, atol=CLOSE)
    assert_batches_agree(backend, logits)


@FAMILY
def test_masked_words_equal_those_of_transformers(make: Make, family: Family) -> None:
    backend, model = make(family, "ForMaskedLM")
    mask = backend.tokenizer.inner.mask_token
    trace = backend.trace(f"time {mask} like an {mask}")
    found, expected = of_tokens(trace), run_eager(model, trace.tokens).logits[0]
    assert found.task == "mask"
    assert [trace.tokens.pieces[place] for place in found.positions] == [mask, mask]
    for row, place in enumerate(found.positions):
        likeliest = expected[place].topk(len(found.candidates[row]))
        assert_allclose(found.logits[row], likeliest.values.numpy(), atol=CLOSE)
        assert_array_equal(found.candidate_ids[row], likeliest.indices.numpy())
        assert_allclose(found.probabilities[row], expected[place].softmax(-1)[likeliest.indices].numpy(), atol=CLOSE)
        assert found.candidates[row] == backend.tokenizer.labels_of(likeliest.indices.tolist())
    assert of_tokens(backend.trace(A)).logits.shape[0] == 0
    [states] = backend.hidden_states([trace.tokens])
    assert_allclose(states, trace.hidden_states, atol=CLOSE)
    with torch.inference_mode():
        output = backend.run_batch(batch_of(backend, [trace.tokens]))
    assert output.token_logits is None  # of all tokens and the whole vocabulary
    read = backend.read_mask(torch.stack(output.hidden_states), found.positions[0])
    assert_allclose(read[0].detach().numpy(), expected[found.positions[0]].numpy(), atol=CLOSE)
    if backend.captured:
        [silenced] = backend.hidden_states([trace.tokens], [Intervention(silenced_heads=((0, 1),))])
        assert_allclose(silenced, backend.run(trace.tokens, silenced_heads=[(0, 1)]).hidden_states, atol=CLOSE)


@FAMILY
def test_choices_equal_those_of_transformers(make: Make, family: Family) -> None:
    backend, model = make(family, "ForMultipleChoice")
    choices = ("fruit flies", "like a banana", "over the arrow, time flies")
    trace = backend.trace(A, " | ".join(choices))
    assert trace.prediction.labels == choices
    assert trace.prediction.probabilities is not None
    expected = torch.tensor([of_choice(model, backend.tokenize(A, choice)) for choice in choices])
    assert_allclose(trace.prediction.logits, expected.numpy(), atol=CLOSE)
    assert_allclose(trace.prediction.probabilities, expected.softmax(-1).numpy(), atol=CLOSE)
    assert trace.tokens.sentences == (A, choices[int(expected.argmax())])
    assert "that of A with the likeliest one" in trace.notes[-1]


def test_many_texts_are_choices_as_one_is(make: Make) -> None:
    backend, _ = make(FAMILIES["bert"], "ForMultipleChoice")
    texts = [(A, f"{B} | over the arrow"), (B, "time\nflies")]
    alone = [backend.trace(*text) for text in texts]
    for found, expected in zip(backend.traces(texts), alone, strict=True):
        assert found.tokens.sentences == expected.tokens.sentences
        assert_array_equal(found.prediction.logits, expected.prediction.logits)
    table = backend.predict(texts)
    assert table.labels == ("choice 0", "choice 1")
    assert_array_equal(table.logits, [trace.prediction.logits for trace in alone if trace.prediction])
    with pytest.raises(ShapeError, match="between 2 and 3 choices"):
        backend.predict([*texts, (A, "a | b | c")])


def of_choice(model: Any, tokens: Tokens) -> float:
    """The logit that `transformers` gives to one choice."""
    inputs = {"input_ids": tokens.ids, "attention_mask": tokens.attention_mask}
    if getattr(model.config, "type_vocab_size", 0) > max(tokens.token_type_ids):
        inputs["token_type_ids"] = tokens.token_type_ids
    with torch.inference_mode():
        return float(model(**{name: torch.tensor([[row]]) for name, row in inputs.items()}).logits)


@pytest.mark.parametrize(
    ("text", "choices"),
    [
        ("one | two", ("one", "two")),
        ("one\ntwo | three\n", ("one", "two", "three")),
        ("one", ("one",)),
        (" | ", ()),
        (None, ()),
    ],
)
def test_choices_stand_on_lines_or_between_bars(text: str | None, choices: tuple[str, ...]) -> None:
    assert choices_in(text) == choices


def test_too_many_choices_are_one_clear_error() -> None:
    with pytest.raises(InputError, match="There are 21 choices in B; at most 20"):
        choices_in("\n".join(["a"] * 21))


def test_replaced_tokens_equal_those_of_a_discriminator(make: Make) -> None:
    backend, model = make(FAMILIES["electra"], "ForPreTraining")
    trace = backend.trace(A)
    found, expected = of_tokens(trace), run_eager(model, trace.tokens).logits[0]
    assert found.labels == ("original", "replaced")
    assert_allclose(found.logits[:, 1] - found.logits[:, 0], expected.numpy(), atol=CLOSE)
    assert_allclose(found.probabilities[:, 1], expected.sigmoid().numpy(), atol=CLOSE)


def test_a_pretraining_head_is_shown_without_its_sentence_head(make: Make) -> None:
    for name in ("bert", "albert"):
        backend, model = make(FAMILIES[name], "ForPreTraining")
        trace = backend.trace("time [MASK] like an arrow")
        found = of_tokens(trace)
        expected = run_eager(model, trace.tokens).prediction_logits[0, found.positions[0]]
        assert_allclose(found.logits[0], expected.topk(len(found.logits[0])).values.numpy(), atol=CLOSE)
        (note,) = trace.notes
        assert "for pairs of sentences" in note


def test_a_next_sentence_head_is_a_choice_of_two(make: Make) -> None:
    backend, model = make(FAMILIES["bert"], "ForNextSentencePrediction")
    trace = backend.trace(A, B)
    assert_allclose(trace.prediction.logits, run_eager(model, trace.tokens).logits[0].numpy(), atol=CLOSE)
    assert trace.prediction.labels == ("B follows A", "B is from another text")


def test_a_checkpoint_without_its_pretraining_head_shows_its_encoder(folder: Path) -> None:
    edit_config(folder, architectures=["BertForMaskedLM"])
    trace = load_folder("m", folder).trace(A)
    assert trace.prediction is None is trace.token_prediction
    assert "has no head for masked words, which its config.json names (BertForMaskedLM)" in trace.notes[0]


@pytest.mark.parametrize("head", ["ForTokenClassification", "ForMaskedLM"])
def test_a_trace_file_keeps_the_prediction_of_tokens(make: Make, head: str) -> None:
    trace = make(FAMILIES["bert"], head)[0].trace("time [MASK] like an arrow")
    found, kept = of_tokens(trace), of_tokens(Trace.from_bytes(trace.to_bytes()))
    assert dataclasses.replace(kept, logits=found.logits, normaliser=found.normaliser) == found
    for name, array in found.arrays.items():
        assert_array_equal(kept.arrays[name], array)
        assert not array.flags.writeable


def test_a_damaged_prediction_of_tokens_is_one_clear_error(make: Make) -> None:
    trace = make(FAMILIES["bert"], "ForTokenClassification")[0].trace(A)
    arrays, about = unpack(trace.to_bytes())
    for damage in ({"labels": ["O"]}, {"task": "poem"}, {"positions": [99] * len(trace.tokens)}):
        damaged = about | {"token_prediction": about["token_prediction"] | damage}
        with pytest.raises(TraceFileError):
            Trace.from_bytes(pack(arrays, damaged))
    with pytest.raises(ShapeError, match="do not match"):
        TokenPrediction(task="mask", positions=(0,), logits=np.zeros((1, 3), np.float32))
