"""Similarities that are sums over pairs of tokens, and so are split exactly over pairs of words.

MaxSim of ColBERT is the sum, over the tokens of the query, of their largest product with a token of the text. The
product of SPLADE's weights is a sum over the words of the vocabulary, each weight of which comes from one token of its
text (or is a sum over tokens). Special tokens, markers and the tokens that expand a query belong to no word, and are
the rest.

Sources: Khattab and Zaharia (2020), ColBERT, equation 3; Formal et al. (2021), SPLADE v2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from encoder.comparison.text_vectors import similarities, text_vectors
from encoder.errors import UnsupportedModelError
from encoder.measures.similarity import unit_vectors
from encoder.measures.units import Level, Units, units_of
from encoder.models.base import Backend
from encoder.models.late_interaction import LateInteraction
from encoder.models.pooling import Similarity
from encoder.models.tensors import to_numpy
from encoder.runs.arrays import FloatArray
from encoder.text.occurrences import Positions
from encoder.text.tokenizer import Role
from encoder.text.tokens import Tokens


class TokenVectors(NamedTuple):
    """The vectors of the compared tokens of N texts, one text after the other.

    Attributes:
        flat: (M, D') of all tokens.
        starts: (N,) index of each text's first token.
    """

    flat: FloatArray
    starts: npt.NDArray[np.intp]

    @classmethod
    def of(cls, texts: Sequence[FloatArray]) -> TokenVectors:
        """From the vectors (T', D') of the tokens of each text."""
        return cls(np.concatenate(texts), np.cumsum([0, *map(len, texts[:-1])]))


Vectors = FloatArray | TokenVectors  # of N texts


def _late_of(model: Backend) -> LateInteraction:
    """How a model makes vectors of tokens. Raises UnsupportedModelError where it does not."""
    late = model.pooling.late
    if late is None:
        raise UnsupportedModelError(f"{model.name} makes one vector of a text: MaxSim does not compare its tokens.")
    return late


def _compared_positions(model: Backend, tokens: Tokens, role: Role) -> list[int]:
    """The positions of the tokens of a text that are compared. Raises UnsupportedModelError."""
    skipped = _late_of(model).skipped.get(role, frozenset())
    return [position for position, piece in enumerate(tokens.pieces) if piece not in skipped]


def token_vectors(model: Backend, texts: Sequence[Tokens], role: Role) -> list[FloatArray]:
    """(T', D') vectors of the compared tokens of each text.

    Args:
        texts: as `model.for_role(role)` reads them.
    Raises:
        UnsupportedModelError: the model makes one vector of a text.
        NotFiniteError: the model's states are NaN or infinite.
    """
    order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
    states = model.hidden_states([texts[row] for row in order])  # (L + 1, T, D) each
    found = {
        row: _late_of(model).vectors(of_text[-1])[_compared_positions(model, texts[row], role)]
        for row, of_text in zip(order, states, strict=True)
    }
    return [found[row] for row in range(len(texts))]


def _max_sims(model: Backend, queries: TokenVectors, texts: TokenVectors) -> FloatArray:
    """(Q, N) MaxSim of queries and texts; the mean over the query's tokens where the folder says so."""
    best = np.maximum.reduceat(queries.flat @ texts.flat.T, texts.starts, axis=1)  # (tokens of all queries, N)
    sums = np.add.reduceat(best, queries.starts, axis=0)
    if _late_of(model).mean:
        sums /= np.diff(np.append(queries.starts, len(queries.flat)))[:, None]
    return sums


def vectors_of_tokens(model: Backend, texts: Sequence[Tokens], role: Role) -> Vectors:
    """The vectors of texts as they are compared; `texts` are those of `model.for_role(role)`."""
    reader = model.for_role(role)
    if model.pooling.sparse is not None:
        weights = np.stack([to_numpy(reader.word_weights(tokens).sum(0)) for tokens in texts])
        return unit_vectors(weights) if model.pooling.similarity == "cosine" else weights
    if model.pooling.late is None:
        return text_vectors(reader, texts, model.pooling.similarity)
    return TokenVectors.of(token_vectors(reader, list(map(reader.tokenizer.expanded, texts)), role))


def similarities_of(model: Backend, queries: Vectors, texts: Vectors) -> FloatArray:
    """(Q, N) similarities of queries and texts, the largest for the most similar."""
    if isinstance(queries, TokenVectors) or isinstance(texts, TokenVectors):
        return _max_sims(model, cast(TokenVectors, queries), cast(TokenVectors, texts))
    return similarities(queries, texts, model.pooling.similarity)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ExactSplit:
    """The similarity of a query A and a text B, split over pairs of units.

    Attributes:
        a, b: labels of the units; units_a, units_b: the positions of their tokens.
        values: (U_A, U_B) what each pair adds.
        score: the whole similarity.
        products: (T_A, T_B) of the compared tokens, and labels_a and labels_b of these.
        similarity: what is split.
    """

    a: tuple[str, ...]
    b: tuple[str, ...]
    units_a: tuple[Positions, ...]
    units_b: tuple[Positions, ...]
    values: FloatArray
    score: float
    products: FloatArray
    labels_a: tuple[str, ...]
    labels_b: tuple[str, ...]
    similarity: Literal["maxsim"] | Similarity

    @property
    def rest(self) -> float:
        """What belongs to no pair of units: the part of special tokens, markers and the query's expansion."""
        return self.score - float(self.values.sum())


def exact_split(model: Backend, a: Tokens, b: Tokens, *, level: Level) -> ExactSplit:
    """The similarity of two texts, split over pairs of units.

    Args:
        a, b: as `model.for_role` reads a query and a document.
    Raises:
        UnsupportedModelError: the model makes one vector of a text, or compares weights of words by a distance.
        NotFiniteError: the model's states are NaN or infinite.
    """
    of_tokens = _of_words if model.pooling.sparse is not None else _of_vectors
    products, parts, of_a, of_b = of_tokens(model, a, b)
    units = units_of(a, level=level, special="hide"), units_of(b, level=level, special="hide")
    rows, columns = _members(units[0], of_a), _members(units[1], of_b)  # (U_A, T_A), (U_B, T_B)
    return ExactSplit(
        a=units[0].labels,
        b=units[1].labels,
        units_a=units[0].members,
        units_b=units[1].members,
        values=(rows @ parts @ columns.T).astype(np.float32),
        score=float(parts.sum()),
        products=products,
        labels_a=tuple(a.labels[place] for place in of_a),
        labels_b=tuple(b.labels[place] for place in of_b),
        similarity=model.pooling.similarity if model.pooling.late is None else "maxsim",
    )


def _of_vectors(model: Backend, a: Tokens, b: Tokens) -> tuple[FloatArray, FloatArray, list[int], list[int]]:
    """(T_A, T_B) products of the compared tokens, their parts of MaxSim, and the positions of these tokens."""
    of_a, of_b = _compared_positions(model, a, "query"), _compared_positions(model, b, "document")
    (query,), (text,) = token_vectors(model, [a], "query"), token_vectors(model, [b], "document")
    products: FloatArray = query @ text.T
    best = products.argmax(axis=1)[:, None]
    parts: FloatArray = np.zeros(products.shape, np.float32)
    np.put_along_axis(parts, best, np.take_along_axis(products, best, axis=1), axis=1)
    if _late_of(model).mean:
        parts /= len(of_a)
    return products, parts, of_a, of_b


def _of_words(model: Backend, a: Tokens, b: Tokens) -> tuple[FloatArray, FloatArray, list[int], list[int]]:
    """(T_A, T_B) what each pair of tokens adds over the words that both weigh, twice, and the positions of tokens."""
    weights = [to_numpy(model.word_weights(tokens)) for tokens in (a, b)]  # (T, V) each
    if model.pooling.similarity == "cosine":
        weights = [each / np.linalg.norm(each.sum(axis=0)) for each in weights]
    elif model.pooling.similarity != "dot":
        raise UnsupportedModelError(f"{model.name} ranks by a distance, which pairs of words do not add up to.")
    parts = weights[0] @ weights[1].T
    return parts, parts, list(range(len(a))), list(range(len(b)))


def heaviest_words(model: Backend, text: str, count: int) -> list[tuple[str, float]]:
    """The words of the vocabulary that weigh most for a text, of SPLADE, with their weights."""
    weights = to_numpy(model.word_weights(model.tokenize(text)).sum(0))  # (V,)
    order = [index for index in np.argsort(-weights, kind="stable")[:count].tolist() if weights[index] > 0]
    return list(zip(model.tokenizer.labels_of(order), weights[order].tolist(), strict=True))


def _members(units: Units, positions: Sequence[int]) -> FloatArray:
    """(U, T) whether each token belongs to each unit."""
    return np.array([[position in members for position in positions] for members in units.members], np.float32)
