"""Our encoder as ONNX: its numbers are those of a trace, and its files say nothing of where they were written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray
from torch import Tensor

from encoder.export.graph import Graphs, Precision
from encoder.export.parts import export_embeddings, export_first_heads, export_layers, word_vectors
from encoder.measures.similarity import l2_norms
from encoder.models.checkpoint import load_bert_folder
from encoder.models.scratch import ScratchBackend
from encoder.runs.trace import Trace
from encoder.shipped.bundled import bundled_folder
from encoder.shipped.multi_task import ProjectedEmbedding, load_scratch
from encoder.text.tokenizer import Tokenizer
from encoder.transformer.config import EncoderConfig
from encoder.transformer.encoder import Encoder
from tests.rounding import Written, rounding

pytestmark = pytest.mark.usefixtures("operators_read_once")

TEXTS = ("time flies like an arrow", "ok", "Ça va ? 漢字 🙂 don't", "one two three four " * 128)
MOST: dict[Precision, tuple[float, float]] = {
    "float32": (rounding(384), rounding(384, 12)),
    "int16": (Written(5e-4), Written(2e-3)),
}  # of weights, and others

GRAPHS: Graphs = {}  # of the small encoder

Weights = Sequence[NDArray[np.float32]]


class Exported:
    """The parts of an encoder, as a browser would run them."""

    def __init__(self, encoder: Encoder, precision: Precision, graphs: Graphs | None = None) -> None:
        embeddings = export_embeddings(encoder, precision=precision, graphs=graphs)
        self.files = (embeddings, *export_layers(encoder, precision=precision, graphs=graphs))
        whole, scales = word_vectors(encoder)
        word = encoder.embeddings.word
        exact = (word.table if isinstance(word, ProjectedEmbedding) else cast(Tensor, word.weight)).detach().numpy()
        self.words = exact if precision == "float32" else whole * scales
        self.embeddings, *self.layers = map(onnxruntime.InferenceSession, self.files)

    def run(self, trace: Trace, kept: NDArray[np.float32]) -> tuple[Weights, list[dict[str, NDArray[np.float32]]]]:
        """The hidden states, and what each layer returns."""
        ids, types = np.array(trace.tokens.ids), np.array(trace.tokens.token_type_ids)
        words = self.words[ids]
        states, self.parts = self.embeddings.run(None, {"words": words, "types": types})
        hidden, found = [states], []
        for layer, of_layer in zip(self.layers, kept, strict=True):
            names = [output.name for output in layer.get_outputs()]
            arrays = dict(zip(names, layer.run(None, {"states": hidden[-1], "kept": of_layer}), strict=True))
            hidden.append(arrays["next"])
            found.append(arrays)
        return hidden, found


@pytest.fixture(scope="module")
def bundled() -> ScratchBackend:
    folder = bundled_folder()
    return ScratchBackend("bundled", load_bert_folder(folder), Tokenizer.from_file(folder))


def everything(backend: ScratchBackend) -> NDArray[np.float32]:
    return np.ones((backend.num_layers, backend.num_heads), np.float32)


@pytest.fixture(scope="module")
def scratch() -> ScratchBackend:
    return load_scratch(bundled_folder())


def test_weights_of_the_bundled_model_are_those_of_a_trace(bundled: ScratchBackend) -> None:
    expect_numbers_of(bundled, Exported(bundled.encoder, "int16"), "int16")


@pytest.mark.parametrize("precision", ["float32", "int16"])
def test_weights_are_those_of_a_trace(scratch: ScratchBackend, precision: Precision) -> None:
    expect_numbers_of(scratch, Exported(scratch.encoder, precision, GRAPHS), precision)


def test_steps_of_a_training_share_their_graphs(scratch: ScratchBackend) -> None:
    step = load_scratch(bundled_folder(), step=28)
    expect_numbers_of(step, Exported(step.encoder, "float32", GRAPHS), "float32")


def expect_numbers_of(backend: ScratchBackend, exported: Exported, precision: Precision) -> None:
    weight, other = MOST[precision]
    for text in TEXTS:
        trace = backend.trace(text, TEXTS[0])
        hidden, found = exported.run(trace, everything(backend))
        for layer, arrays in enumerate(found):
            np.testing.assert_allclose(arrays["weights"], trace.weights(layer), rtol=0, atol=weight)
            np.testing.assert_allclose(arrays["query"], trace.queries(layer), rtol=0, atol=other)
            np.testing.assert_allclose(arrays["key"], trace.keys(layer), rtol=0, atol=other)
        np.testing.assert_allclose(hidden, trace.hidden_states, rtol=0, atol=other)
        norms = [np.broadcast_to(l2_norms(part), len(trace.tokens)) for part in trace.embedding_parts.values()]
        np.testing.assert_allclose(exported.parts, norms, rtol=1e-3)


@pytest.fixture(scope="module")
def tiny(bundled: ScratchBackend) -> ScratchBackend:
    """A pre-norm model, whose last layer ends with a norm of its own."""
    config = EncoderConfig(hidden_size=12, num_hidden_layers=2, num_attention_heads=3, intermediate_size=8, norm="pre")
    return ScratchBackend("tiny", Encoder(config), bundled.tokenizer)


@pytest.fixture(scope="module")
def tiny_graphs() -> Graphs:
    return {}


@pytest.fixture(scope="module")
def exported(tiny: ScratchBackend, tiny_graphs: Graphs) -> Exported:
    return Exported(tiny.encoder, "float32", tiny_graphs)


def test_a_head_that_is_not_kept_adds_nothing(tiny: ScratchBackend, exported: Exported) -> None:
    trace = tiny.trace(TEXTS[0], silenced_heads=[(0, 1), (1, 2)])
    kept = everything(tiny)
    kept[0, 1] = kept[1, 2] = 0
    hidden, found = exported.run(trace, kept)
    np.testing.assert_allclose(hidden, trace.hidden_states, rtol=0, atol=1e-5)
    for layer, arrays in enumerate(found):
        np.testing.assert_allclose(arrays["weights"], trace.weights(layer), rtol=0, atol=1e-5)


def test_the_heads_of_the_first_layer_alone_give_its_attention(tiny: ScratchBackend, tiny_graphs: Graphs) -> None:
    trace = tiny.trace(TEXTS[0])
    file = export_first_heads(tiny.encoder, precision="float32", graphs=tiny_graphs)
    heads = onnxruntime.InferenceSession(file)
    found = heads.run(None, {"states": trace.hidden_states[0]})
    for array, wanted in zip(found, (trace.queries(0), trace.keys(0), trace.weights(0)), strict=True):
        np.testing.assert_allclose(array, wanted, rtol=0, atol=1e-5)


def test_a_model_of_one_token_type_reads_a_second_text_as_the_first() -> None:
    config = EncoderConfig(hidden_size=12, num_hidden_layers=1, num_attention_heads=3, type_vocab_size=1)
    embeddings = onnxruntime.InferenceSession(export_embeddings(Encoder(config), precision="float32"))
    words = np.random.default_rng(0).normal(size=(3, 12)).astype(np.float32)
    states = [
        embeddings.run(["states"], {"words": words, "types": np.array(types)}) for types in ([0, 0, 0], [0, 1, 1])
    ]
    np.testing.assert_array_equal(*states)


def test_files_name_no_folder(exported: Exported) -> None:
    assert not any(b"encoder/export" in file or b"stack_trace" in file for file in exported.files)
