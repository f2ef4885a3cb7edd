"""MaxSim of a query and texts by the vectors of their tokens, and its exact split over pairs of words.

MaxSim is the sum, over the tokens of the query, of their largest product with a token of the text. Each of these
products belongs to one token of either, so that those of a pair of words add up to its part; special tokens, markers
and the tokens that expand a query belong to no word, and are the rest.

Source: Khattab and Zaharia (2020), ColBERT, equation 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from encoder.errors import UnsupportedModelError
from encoder.measures.units import Level, Units, units_of
from encoder.models.base import Backend
from encoder.models.late_interaction import LateInteraction
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


def late_of(model: Backend) -> LateInteraction:
    """How a model makes vectors of tokens. Raises UnsupportedModelError where it does not."""
    late = model.pooling.late
    if late is None:
        raise UnsupportedModelError(f"{model.name} makes one vector of a text: MaxSim does not compare its tokens.")
    return late


def compared_positions(model: Backend, tokens: Tokens, role: Role) -> list[int]:
    """The positions of the tokens of a text that are compared. Raises UnsupportedModelError."""
    skipped = late_of(model).skipped.get(role, frozenset())
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
        row: late_of(model).vectors(of_text[-1])[compared_positions(model, texts[row], role)]
        for row, of_text in zip(order, states, strict=True)
    }
    return [found[row] for row in range(len(texts))]


def max_sims(model: Backend, queries: TokenVectors, texts: TokenVectors) -> FloatArray:
    """(Q, N) MaxSim of queries and texts; the mean over the query's tokens where the folder says so."""
    best = np.maximum.reduceat(queries.flat @ texts.flat.T, texts.starts, axis=1)  # (tokens of all queries, N)
    sums = np.add.reduceat(best, queries.starts, axis=0)
    if late_of(model).mean:
        sums /= np.diff(np.append(queries.starts, len(queries.flat)))[:, None]
    return sums


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LateSplit:
    """MaxSim of a query A and a text B, split over pairs of units.

    Attributes:
        a, b: labels of the units; units_a, units_b: the positions of their tokens.
        values: (U_A, U_B) what each pair adds.
        score: MaxSim.
        products: (T_A, T_B) of the compared tokens, and labels_a and labels_b of these.
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
    similarity: ClassVar[str] = "maxsim"

    @property
    def rest(self) -> float:
        """What belongs to no pair of units: the part of special tokens, markers and the query's expansion."""
        return self.score - float(self.values.sum())


def late_split(model: Backend, a: Tokens, b: Tokens, *, level: Level) -> LateSplit:
    """MaxSim of two texts, split over pairs of units. Errors as in `token_vectors`.

    Args:
        a, b: as `model.for_role` reads a query and a document.
    """
    of_a, of_b = compared_positions(model, a, "query"), compared_positions(model, b, "document")
    products = token_vectors(model, [a], "query")[0] @ token_vectors(model, [b], "document")[0].T  # (T_A, T_B)
    units = units_of(a, level=level, special="hide"), units_of(b, level=level, special="hide")
    row_of, column_of = map(_unit_by_position, units)
    weight = 1 / len(of_a) if late_of(model).mean else 1.0
    values = np.zeros((len(units[0]), len(units[1])), np.float32)
    for token, best in enumerate(products.argmax(axis=1).tolist()):
        if of_a[token] in row_of and of_b[best] in column_of:
            values[row_of[of_a[token]], column_of[of_b[best]]] += weight * products[token, best]
    return LateSplit(
        a=units[0].labels,
        b=units[1].labels,
        units_a=units[0].members,
        units_b=units[1].members,
        values=values,
        score=weight * float(products.max(axis=1).sum()),
        products=products,
        labels_a=tuple(a.labels[place] for place in of_a),
        labels_b=tuple(b.labels[place] for place in of_b),
    )


def _unit_by_position(units: Units) -> dict[int, int]:
    return {position: unit for unit, members in enumerate(units.members) for position in members}
