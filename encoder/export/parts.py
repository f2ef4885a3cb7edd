"""Our encoder as ONNX files for a page without a server, by parts that a browser loads one at a time.

The table of word vectors is no part of a graph: the browser loads the rows of the words that it reads. What follows is
one graph for the embeddings and one for each layer, so that the first layer can be shown before the last one arrives.
Matrices can be stored as whole numbers of 16 bits with a scale for each row, in the bytes of float16 and three times as
exact; all arithmetic is in float32. `viz/site/requirements.txt` has the packages.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final, cast

import numpy as np
import torch
from numpy.typing import NDArray
from onnx import ModelProto
from onnx.utils import Extractor
from torch import Tensor, nn
from torch.export import Dim

from encoder.errors import UnsupportedModelError
from encoder.export.graph import Graphs, Precision, axis, graph_of, scaled, with_numbers
from encoder.shipped.multi_task import ProjectedEmbedding
from encoder.transformer.attention import Attention, scaled_dot_product_attention
from encoder.transformer.encoder import Embeddings, Encoder, EncoderLayer

_TOKENS: Final = 5  # of the text that is traced; any number from 2 on would do


def export_embeddings(encoder: Encoder, *, precision: Precision = "int16", graphs: Graphs | None = None) -> bytes:
    """From "words", (T, E) rows of `word_vectors`, and "types", (T,) token types, to "states", (T, D).

    "parts" are (3, T) norms of what is added: of the word, of its position and of its token type.

    Args:
        graphs: those of encoders of one configuration, such as steps of a training, which are traced once.
    """
    part = _EmbeddingsPart(encoder.embeddings)
    tokens = _tokens_of(encoder)
    inputs = {
        "words": (torch.zeros(_TOKENS, _table_of(encoder).shape[1]), {0: tokens}),
        "types": (torch.zeros(_TOKENS, dtype=torch.int64), {0: tokens}),
    }
    return with_numbers(graph_of(part, inputs, ("states", "parts"), graphs=graphs), part, precision)


def export_layers(encoder: Encoder, *, precision: Precision = "int16", graphs: Graphs | None = None) -> Iterator[bytes]:
    """The layers of the encoder, in order; `graphs` as in `export_embeddings`.

    Inputs: "states", (T, D) of the layer below, and "kept", (H,), 0 for each silenced head and 1 for the others.
    Outputs: "next", (T, D); "query" and "key", (H, T, K); "weights", (H, T, T) after softmax. A silenced head keeps
    its weights, and adds nothing.
    """
    graphs = {} if graphs is None else graphs
    for number, layer in enumerate(encoder.layers):
        is_last = number == len(encoder.layers) - 1
        part = _LayerPart(cast(EncoderLayer, layer), encoder.final_norm if is_last else nn.Identity())
        yield with_numbers(_graph_of_layer(encoder, part, graphs), part, precision)


def export_first_heads(encoder: Encoder, *, precision: Precision = "int16", graphs: Graphs | None = None) -> bytes:
    """The heads of layer 0, enough for its attention: a sixth of the layer's bytes; `graphs` as in `export_embeddings`.

    Input: "states", (T, D) hidden state 0. Outputs: "query" and "key", (H, T, K); "weights", (H, T, T).
    """
    part = _LayerPart(cast(EncoderLayer, encoder.layers[0]), nn.Identity())
    layer = Extractor(_graph_of_layer(encoder, part, graphs))
    return with_numbers(layer.extract_model(["states"], ["query", "key", "weights"]), part, precision)


def _graph_of_layer(encoder: Encoder, part: _LayerPart, graphs: Graphs | None) -> ModelProto:
    """All layers share one graph, except for the final norm."""
    config = encoder.config
    inputs = {
        "states": (torch.zeros(_TOKENS, config.hidden_size), {0: _tokens_of(encoder)}),
        "kept": (torch.ones(config.num_attention_heads), {}),
    }
    kind = f"layer with {type(part.norm).__name__}"
    return graph_of(part, inputs, ("next", "query", "key", "weights"), graphs=graphs, kind=kind)


def _tokens_of(encoder: Encoder) -> Dim:
    return axis("tokens", least=2, most=encoder.config.max_position_embeddings)


def word_vectors(encoder: Encoder) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """The table of word vectors: (V, E) whole numbers and (V, 1) scales, whose product approximates it.

    E is the model's width, unless the model projects them.

    Raises:
        UnsupportedModelError: the encoder has no such table.
    """
    return scaled(_table_of(encoder).numpy())


def _table_of(encoder: Encoder) -> Tensor:
    """The (V, E) table that `word_vectors` approximates. Raises UnsupportedModelError."""
    word = encoder.embeddings.word
    if isinstance(word, ProjectedEmbedding):
        return word.table
    if isinstance(word, nn.Embedding):
        return word.weight.detach()
    raise UnsupportedModelError("Only a model with one table of word vectors can run in a browser.")


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

    def forward(self, words: Tensor, types: Tensor) -> tuple[Tensor, Tensor]:
        cast(_GivenWords, self.embeddings.word).given.tensors = (words[None],)
        last = self.embeddings.token_type.num_embeddings - 1
        ids = torch.minimum(types, torch.tensor(last))[None]  # (1, T); as ids of words they count for their number only
        norms = [torch.linalg.vector_norm(part[0], dim=-1) for part in self.embeddings.parts(ids, ids).values()]
        return self.embeddings(ids, ids)[0], torch.stack(norms)


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
        following = self.norm(self.layer(states[None]))  # (1, T, D)
        return tuple(batch[0] for batch in (following, *attend.noted.tensors))
