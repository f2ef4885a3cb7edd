"""Our encoder as ONNX files for a page without a server, by parts that a browser loads one at a time.

The table of word vectors is no part of a graph: the browser loads the rows of the words that it reads. What follows is
one graph for the embeddings and one for each layer, so that the first layer can be shown before the last one arrives.
Matrices can be stored as whole numbers of 16 bits with a scale for each row, in the bytes of float16 and three times as
exact; all arithmetic is in float32. `viz/site/requirements.txt` has the packages.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

import numpy as np
import torch
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper, numpy_helper
from onnx.utils import Extractor
from torch import Tensor, nn

from encoder.errors import UnsupportedModelError
from encoder.shipped.multi_task import ProjectedEmbedding
from encoder.transformer.attention import Attention, scaled_dot_product_attention
from encoder.transformer.encoder import Embeddings, Encoder, EncoderLayer

Precision = Literal["float32", "int16"]
Graphs = dict[type[nn.Module], ModelProto]  # by the kind of a part
OPSET: Final = 18
INT16_MAX: Final = np.iinfo(np.int16).max
_TOKENS: Final = 5  # of the text that is traced; any number from 2 on would do


def export_embeddings(encoder: Encoder, *, precision: Precision = "int16", graphs: Graphs | None = None) -> bytes:
    """From "words", (1, T, E) rows of `word_vectors`, and "types", (1, T) token types, to "states", (1, T, D).

    Args:
        graphs: those of encoders of one configuration, such as steps of a training, which are traced once.
    """
    part = _EmbeddingsPart(encoder.embeddings)
    types = torch.zeros(1, _TOKENS, dtype=torch.int64)
    named = {"words": torch.zeros(1, _TOKENS, _table_of(encoder).shape[1]), "types": types}
    return _with_numbers(_traced(encoder, part, named, ("states",), type(part), graphs), part, precision)


def export_layers(encoder: Encoder, *, precision: Precision = "int16", graphs: Graphs | None = None) -> Iterator[bytes]:
    """The layers of the encoder, in order; `graphs` as in `export_embeddings`.

    Inputs: "states", (1, T, D) of the layer below, and "kept", (H,), 0 for each silenced head and 1 for the others.
    Outputs: "next", (1, T, D); "query" and "key", (1, H, T, K); "weights", (1, H, T, T) after softmax. A silenced
    head keeps its weights, and adds nothing.
    """
    graphs = {} if graphs is None else graphs  # layers differ in their numbers only, but for the norm at the end
    for number, layer in enumerate(encoder.layers):
        is_last = number == len(encoder.layers) - 1
        part = _LayerPart(cast(EncoderLayer, layer), encoder.final_norm if is_last else nn.Identity())
        yield _with_numbers(_traced_layer(encoder, part, graphs), part, precision)


def export_first_heads(encoder: Encoder, *, precision: Precision = "int16", graphs: Graphs | None = None) -> bytes:
    """The heads of layer 0, enough for its attention: a sixth of the layer's bytes; `graphs` as in `export_embeddings`.

    Input: "states", (1, T, D) hidden state 0. Outputs: "query" and "key", (1, H, T, K); "weights", (1, H, T, T).
    """
    part = _LayerPart(cast(EncoderLayer, encoder.layers[0]), nn.Identity())
    layer = Extractor(_traced_layer(encoder, part, graphs))
    return _with_numbers(layer.extract_model(["states"], ["query", "key", "weights"]), part, precision)


def _traced_layer(encoder: Encoder, part: _LayerPart, graphs: Graphs | None) -> ModelProto:
    config = encoder.config
    named = {
        "states": torch.zeros(1, _TOKENS, config.hidden_size),
        "kept": torch.ones(config.num_attention_heads),
    }
    return _traced(encoder, part, named, ("next", "query", "key", "weights"), type(part.norm), graphs)


def _traced(
    encoder: Encoder,
    part: nn.Module,
    named: dict[str, Tensor],
    outputs: Sequence[str],
    kind: type[nn.Module],
    graphs: Graphs | None,
) -> ModelProto:
    """The graph of a part, from `graphs` if there is one of its kind."""
    graphs = {} if graphs is None else graphs
    if kind not in graphs:
        graphs[kind] = _graph_of(part, named, outputs, encoder.config.max_position_embeddings)
    return graphs[kind]


def word_vectors(encoder: Encoder) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """The table of word vectors: (V, E) whole numbers and (V, 1) scales, whose product approximates it.

    E is the model's width, unless the model projects them.

    Raises:
        UnsupportedModelError: the encoder has no such table.
    """
    return _scaled(_table_of(encoder).numpy())


def _table_of(encoder: Encoder) -> Tensor:
    word = encoder.embeddings.word
    if isinstance(word, ProjectedEmbedding):
        return word.table
    if isinstance(word, nn.Embedding):
        return word.weight.detach()
    raise UnsupportedModelError("Only a model with one table of word vectors can run in a browser.")


def _scaled(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """(R, C) whole numbers and (R, 1) scales, whose product approximates the matrix."""
    scales = np.abs(matrix).max(axis=1, keepdims=True) / np.float32(INT16_MAX)
    return np.rint(matrix / np.where(scales, scales, 1)).astype(np.int16), scales


@dataclass
class _Passed:
    """Tensors that reach or leave a module in addition to its arguments: a traced module may not keep any itself."""

    tensors: tuple[Tensor, ...] = ()


class _GivenWords(nn.Module):
    """Stands for the table of words: whatever the ids are, it projects the vectors that it was given."""

    def __init__(self, projection: nn.Module) -> None:
        super().__init__()
        self.projection = projection
        self.given = _Passed()

    def forward(self, _: Tensor) -> Tensor:
        return cast(Tensor, self.projection(self.given.tensors[0]))


class _EmbeddingsPart(nn.Module):
    """The embeddings without the table of words."""

    def __init__(self, embeddings: Embeddings) -> None:
        super().__init__()
        word = embeddings.word
        given = _GivenWords(word.projection if isinstance(word, ProjectedEmbedding) else nn.Identity())
        self.embeddings = deepcopy(embeddings, {id(word): given})

    def forward(self, words: Tensor, types: Tensor) -> Tensor:
        cast(_GivenWords, self.embeddings.word).given.tensors = (words,)
        return cast(Tensor, self.embeddings(types, types))  # (1, T, D); the ids count for their number only


class _RecordedAttention(nn.Module):
    """The textbook's attention, which notes its inputs and weights, and silences the heads that are not kept."""

    def __init__(self) -> None:
        super().__init__()
        self.kept = _Passed()  # (H,)
        self.noted = _Passed()

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Attention:
        found = scaled_dot_product_attention(query, key, value, mask)
        self.noted.tensors = query, key, cast(Tensor, found.weights)
        return found._replace(context=found.context * self.kept.tensors[0][:, None, None])  # (1, H, T, K)


class _LayerPart(nn.Module):
    """A layer with what its attention notes."""

    def __init__(self, layer: EncoderLayer, norm: nn.Module) -> None:
        super().__init__()
        self.layer = deepcopy(layer)
        self.layer.attention.attend = cast(Any, _RecordedAttention())
        self.norm = norm

    def forward(self, states: Tensor, kept: Tensor) -> tuple[Tensor, ...]:
        attend = cast(_RecordedAttention, self.layer.attention.attend)
        attend.kept.tensors = (kept,)
        following = self.norm(self.layer(states))  # (1, T, D)
        return following, *attend.noted.tensors


def _graph_of(part: nn.Module, named: dict[str, Tensor], outputs: Sequence[str], max_length: int) -> ModelProto:
    """The graph of a module for texts of up to so many tokens; T is the second axis of inputs with several axes."""
    tokens = torch.export.Dim("tokens", min=2, max=max_length)
    with _quiet():
        program = torch.onnx.export(
            part.eval(),
            tuple(named.values()),
            input_names=list(named),
            output_names=list(outputs),
            opset_version=OPSET,
            dynamic_shapes=tuple({1: tokens} if tensor.dim() > 1 else {} for tensor in named.values()),
            optimize=False,  # which would rename the parameters
            verbose=False,
        )
    if program is None:
        raise UnsupportedModelError("torch could not write this model as ONNX.")
    graph = program.model_proto
    _forget_origins(graph)
    return graph


@contextmanager
def _quiet() -> Iterator[None]:
    """Without torch's notes on packages that are missing and on parts of its own that are out of date."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)


def _forget_origins(model: ModelProto) -> None:
    """Remove notes on where the code was, so that the file is the same wherever it is built."""
    for noted in (model, model.graph, *model.graph.node, *model.graph.value_info, *model.graph.initializer):
        del noted.metadata_props[:]
        noted.doc_string = ""
    for ends in (model.graph.input, model.graph.output):
        for value in ends:
            del value.metadata_props[:]


def _with_numbers(graph: ModelProto, part: nn.Module, precision: Precision) -> bytes:
    """The file of a graph with the parameters of a module; matrices in 16 bits are converted where the graph begins."""
    model = ModelProto()
    model.CopyFrom(graph)
    parameters = {name: parameter.detach().numpy() for name, parameter in part.named_parameters()}
    names = [stored.name for stored in model.graph.initializer if stored.name in parameters]
    others = [stored for stored in model.graph.initializer if stored.name not in parameters]
    arrays, converted = [], []
    for name in names:
        if precision == "int16" and parameters[name].ndim > 1:
            whole, scales = _scaled(parameters[name])
            arrays += [(f"{name}.whole", whole), (f"{name}.scales", scales)]
            converted += [
                helper.make_node("Cast", [f"{name}.whole"], [f"{name}.float"], to=TensorProto.FLOAT),
                helper.make_node("Mul", [f"{name}.float", f"{name}.scales"], [name]),
            ]
        else:
            arrays.append((name, parameters[name]))
    stored = [*others, *(numpy_helper.from_array(array, name) for name, array in arrays)]
    nodes = [*converted, *model.graph.node]
    del model.graph.initializer[:], model.graph.node[:]
    model.graph.initializer.extend(stored)
    model.graph.node.extend(nodes)
    return model.SerializeToString(deterministic=True)
