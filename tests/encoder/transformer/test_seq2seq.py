"""An encoder-decoder writes what it would write without its cache, and its record says how."""

import copy
import dataclasses
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import nn

from encoder.errors import CheckpointError, SelectionError, ShapeError
from encoder.models.tensors import CANDIDATES
from encoder.runs.generation import KINDS, Generation
from encoder.shipped.seq2seq import Seq2SeqBackend, load_seq2seq
from encoder.shipped.task_tokenizer import TaskTokenizer, vocabulary
from encoder.shipped.tasks import EXAMPLES, LEXICON
from encoder.transformer.seq2seq import Seq2Seq
from tests.encoder.observing import observe
from tests.encoder.random_models import SMALL

TINY = dataclasses.replace(SMALL, vocab_size=len(vocabulary()), type_vocab_size=1, initializer_range=0.5, norm="pre")
CLOSE = 5e-5  # measured: weights differ by 2.4e-6 at most, hidden states by 9.5e-6; the order of sums
texts = st.lists(st.sampled_from(LEXICON), min_size=1, max_size=10).map(" ".join)


@cache
def tiny(seed: int = 0) -> Seq2SeqBackend:
    tokenizer = TaskTokenizer(vocabulary(), max_length=16)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Seq2Seq(TINY, start_id=tokenizer.start_id, end_id=tokenizer.end_id)
        with torch.no_grad():
            for parameter in model.parameters():
                if parameter.dim() == 1:
                    parameter.add_(0.3 * torch.randn_like(parameter))
    return Seq2SeqBackend("tiny", model, tokenizer)


@pytest.fixture(scope="module")
def backend() -> Seq2SeqBackend:
    return tiny()


@pytest.fixture(scope="module")
def generation(backend: Seq2SeqBackend) -> Generation:
    return backend.generate("reverse", EXAMPLES["reverse"])


# Writing --------------------------------------------------------------------------------------------------------------


def greedy_without_a_cache(model: Seq2Seq, source_ids: torch.Tensor) -> list[int]:
    """Everything read again for every token."""
    ids = [model.start_id]
    while len(ids) <= TINY.max_position_embeddings and model.end_id not in ids:
        with torch.inference_mode():
            ids.append(int(model(source_ids, torch.tensor([ids]))[0, -1].argmax()))
    return ids[1:]


@given(texts, st.integers(0, 3))
@settings(max_examples=10)  # each is written token by token
def test_greedy_decoding_with_a_cache_writes_what_it_writes_without(text: str, seed: int) -> None:
    model, tokenizer = tiny(seed).model, tiny(seed).tokenizer
    ids = torch.tensor([tokenizer.source("sort", text).ids])
    assert model.write(ids).ids[0].tolist() == greedy_without_a_cache(model, ids)


def test_writing_stops_at_the_end_token_or_where_the_positions_end(backend: Seq2SeqBackend) -> None:
    model, ids = backend.model, torch.tensor([[3, 20, 21, 2]])
    end = model.write(ids).ids[0, 1]
    stopping = Seq2Seq(TINY, start_id=1, end_id=int(end))
    stopping.load_state_dict(model.state_dict())
    assert stopping.eval().write(ids).ids[0].tolist() == model.write(ids).ids[0, :2].tolist()
    with torch.no_grad():
        model_without_end = copy.deepcopy(model)
        model_without_end.decoder.output_bias[model.end_id] = -1e9
    assert model_without_end.write(ids).ids.shape == (1, TINY.max_position_embeddings)


def test_texts_of_a_batch_are_written_as_they_are_alone(backend: Seq2SeqBackend) -> None:
    tokenizer, pad = backend.tokenizer, TINY.pad_token_id
    rows = [tokenizer.source("sort", text).ids for text in ("a", "time flies like an arrow", "milk")]
    batch = torch.tensor([[*row, *[pad] * (7 - len(row))] for row in rows])
    written = backend.model.write(batch, (batch != pad).long()).ids
    for row, ids in zip(rows, written.tolist(), strict=True):
        alone = backend.model.write(torch.tensor([row])).ids[0].tolist()
        assert ids[: len(alone)] == alone
        assert set(ids[len(alone) :]) <= {pad}


def test_both_halves_and_the_output_share_one_table(backend: Seq2SeqBackend) -> None:
    tables = [module for module in backend.model.modules() if isinstance(module, nn.Embedding)]
    assert sum(table.num_embeddings == TINY.vocab_size for table in tables) == 1
    assert backend.model.encoder.embeddings.word is backend.model.decoder.embeddings.word


# The record -----------------------------------------------------------------------------------------------------------


@given(texts, st.integers(0, 3))
@settings(max_examples=10)  # each is written token by token
def test_the_three_attentions_are_those_of_one_uncached_pass(text: str, seed: int) -> None:
    backend = tiny(seed)
    generation = backend.generate("sort", text)
    source, read = (torch.tensor([tokens.ids]) for tokens in (generation.source.tokens, generation.target.tokens))
    with torch.inference_mode():
        encoded, of_encoder = observe(backend.model.encoder, source)
        decoded, of_decoder = observe(backend.model.decoder, read, encoded.last_hidden_state)
    expected = {"encoder": of_encoder, "decoder": of_decoder[0::2], "cross": of_decoder[1::2]}
    for kind in KINDS:
        rows, columns = len(generation.query_tokens(kind)), len(generation.key_tokens(kind))
        for layer in range(2):
            weights = generation.weights(kind, layer)
            assert weights.shape == (3, rows, columns)
            np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-5)
            np.testing.assert_allclose(weights, expected[kind][layer].weights[0].numpy(), rtol=0, atol=CLOSE)
    for trace, output in ((generation.source, encoded), (generation.target, decoded)):
        states = torch.cat(output.hidden_states).numpy()
        np.testing.assert_allclose(trace.hidden_states, states, rtol=0, atol=CLOSE)
    assert generation.written.ids == tuple(decoded.logits[0].argmax(-1).tolist())


def test_what_is_written_is_read_next(generation: Generation) -> None:
    assert generation.target.tokens.labels[0] == "[START]"
    assert generation.target.tokens.ids[1:] == generation.written.ids[:-1]
    assert generation.complete == (generation.written.labels[-1] == "[END]")
    assert generation.query_tokens("cross") is generation.target.tokens
    assert generation.key_tokens("cross") is generation.source.tokens


def test_the_likeliest_candidate_is_what_was_written(generation: Generation) -> None:
    for step, label in zip(generation.candidates, generation.written.labels, strict=True):
        assert len(step) == CANDIDATES
        assert step[0].label == label
        probabilities = [candidate.probability for candidate in step]
        assert probabilities == sorted(probabilities, reverse=True)
        assert 0 < sum(probabilities) <= 1 + 1e-6


def test_embedding_parts_sum_to_what_is_normalised(backend: Seq2SeqBackend, generation: Generation) -> None:
    halves = ((generation.source, backend.model.encoder), (generation.target, backend.model.decoder))
    for trace, half in halves:
        total = torch.tensor(sum(trace.embedding_parts.values()))
        with torch.no_grad():
            np.testing.assert_allclose(half.embeddings.norm(total).numpy(), trace.hidden_states[0], atol=1e-5)


@pytest.mark.parametrize("layer", [-1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_a_layer_that_is_not_there_is_named(generation: Generation, kind: str, layer: int) -> None:
    with pytest.raises(SelectionError, match=rf"Layer {layer} .* {kind!r} has layers 0 to 1"):
        generation.weights(kind, layer)


def test_parts_that_do_not_fit_together_are_refused(generation: Generation) -> None:
    with pytest.raises(ShapeError, match=r"16 tokens were read, 16 written and 1 weighed|tokens were read"):
        dataclasses.replace(generation, candidates=generation.candidates[:1])
    with pytest.raises(ShapeError, match="query by key"):
        dataclasses.replace(generation, cross=generation.source.layers)


# The weights that ship ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trained() -> Seq2SeqBackend:
    with torch.random.fork_rng(devices=[]):
        return load_seq2seq()


@pytest.mark.parametrize(
    ("task", "text", "written"),
    [
        ("reverse", "time flies like an arrow", "arrow an like flies time"),
        (
            "reverse",
            "Time flies like an arrow fruit flies like a banana",
            "banana a like flies fruit arrow an like flies time",
        ),
        ("sort", "fruit flies like a banana", "a banana flies fruit like"),
        ("date", "the 3rd of March 1987", "1987-03-03"),
        ("date", "Saturday, July 20th, 1969", "1969-07-20"),
        ("date", "7/20/1969", "1969-07-20"),
        ("date", "20.7.1969", "1969-07-20"),
    ],
)
def test_the_trained_model_does_its_tasks(trained: Seq2SeqBackend, task: str, text: str, written: str) -> None:
    generation = trained.generate(task, text)
    assert generation.complete
    assert generation.written.sentences == (written,)


def copied(folder: Path, **changes: str) -> Path:
    """The shipped weights with other metadata."""
    path = Path("encoder/shipped/weights/seq2seq.safetensors")
    with safe_open(path, framework="pt") as file:
        metadata = file.metadata() | changes
    save_file(load_file(path), folder / path.name, metadata)
    return folder


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"vocabulary": "[]"}, "vocabulary of 0 pieces"),
        ({"vocabulary": "3"}, "no vocabulary"),
        ({"config": "{}"}, "vocabulary of"),
        ({"config": '{"hidden_size": 7}'}, "does not describe"),
    ],
    ids=["empty", "no list", "default config", "bad config"],
)
def test_weights_that_do_not_fit_together_are_refused(tmp_path: Path, changes: dict[str, str], named: str) -> None:
    with pytest.raises(CheckpointError, match=named):
        load_seq2seq(copied(tmp_path, **changes))


def test_missing_and_damaged_weights_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="cannot be loaded: No such file"):
        load_seq2seq(tmp_path)
    path = copied(tmp_path) / "seq2seq.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(CheckpointError, match="damaged, incomplete"):
        load_seq2seq(tmp_path)
