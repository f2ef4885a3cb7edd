"""Decompose the cosine of two texts into pairs of words, by integrated Jacobians.

A text's unit vector u is compared with that of its reference r, the same text with every word replaced by `[MASK]`.
Integrating the Jacobian along the straight line from r to the text (`encoder.comparison.text_path`) gives the
contribution of each word i: u(A) − u(r_A) = Σᵢ vᵢ. A cosine is a product of two such vectors, so that

    cos(A, B) = Σᵢⱼ vᵢ · wⱼ + cos(r_A, B) + cos(A, r_B) − cos(r_A, r_B).

A dot product is split in the same way, over vectors that are not scaled.

The contributions are computed for one text only. For the other, their products with these are sufficient.

Source: Möller et al. (2023), "An Attribution Method for Siamese Encoders", equations 3 to 6.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from encoder.attribution.removals import removable_units
from encoder.comparison.text_path import (
    JVP_PASSES,
    Size,
    TextPath,
    jvp_batches,
    product_batches,
    products_of_parts,
    text_parts,
    text_path,
)
from encoder.measures.units import Level
from encoder.models.base import Backend
from encoder.models.pooling import Similarity
from encoder.progress import Progress, no_progress
from encoder.runs.arrays import FloatArray
from encoder.text.occurrences import Positions
from encoder.text.tokens import Tokens

POINTS = 12  # per text: the completeness error is below 1 % of the cosine on ordinary sentences


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SimilarityMap:
    """The cosine of two texts A and B, or their dot product, decomposed into pairs of units.

    Attributes:
        units_a, units_b: U_A and U_B, the positions of each unit's tokens in its text.
        values: (U_A, U_B) the contribution of each pair to the cosine.
        cosine: of A and B.
        cosine_a_masked, cosine_b_masked: of B with A's reference, and of A with B's.
        cosine_both_masked: of the two references.
        points: number of points at which the Jacobians were evaluated.
        similarity: what is split; "dot" stands for dot products in place of all cosines.
    """

    units_a: tuple[Positions, ...]
    units_b: tuple[Positions, ...]
    values: FloatArray
    cosine: float
    cosine_a_masked: float
    cosine_b_masked: float
    cosine_both_masked: float
    points: int
    similarity: Similarity = "cosine"

    @property
    def references(self) -> float:
        """The contribution of the references to the cosine."""
        return self.cosine_a_masked + self.cosine_b_masked - self.cosine_both_masked

    @property
    def completeness_error(self) -> float:
        """Difference between the cosine and the sum of pairs and references."""
        return abs(float(self.values.sum()) + self.references - self.cosine)


def similarity_map(
    backend: Backend,
    a: Tokens,
    b: Tokens,
    *,
    level: Level = "wordpieces",
    points: int = POINTS,
    progress: Progress = no_progress,
    reader_of_b: Backend | None = None,
) -> SimilarityMap:
    """The contribution of each pair of units of two texts to their cosine.

    Args:
        a, b: each is encoded alone.
        reader_of_b: the same model as it reads documents, where A is a query; None = `backend`.
        level: words, or wordpieces.
        progress: called after each batch; an exception raised there ends the work.
    Raises:
        ArgumentError: a text has no word, or fewer than 1 point was asked for.
        UnsupportedModelError: the tokenizer has no mask token.
        SelectionError: the model's embeddings cannot be hooked.
        NotFiniteError: the model's states are NaN or infinite.
    """
    readers = backend, reader_of_b or backend
    one, other = (
        text_path(reader, tokens, removable_units(tokens, level=level), points=points)
        for reader, tokens in zip(readers, (a, b), strict=True)
    )
    first, second = (one, other) if goes_first(one, other) else (other, one)
    reader_of_first, reader_of_second = readers if first is one else readers[::-1]
    batches = jvp_batches(first), product_batches(second, len(first.units))
    whole = sum(batches)
    parts = text_parts(reader_of_first, first, progress=lambda done, _: progress(done, whole))
    return map_of_paths(
        reader_of_second, one, other, parts, progress=lambda done, _: progress(batches[0] + done, whole)
    )


def goes_first(a: TextPath, b: TextPath) -> bool:
    """Whether `map_of_paths` takes A's contributions, not B's: whichever is cheaper."""
    return _tokens(a.size, b.size) <= _tokens(b.size, a.size)


def map_of_paths(
    backend: Backend, a: TextPath, b: TextPath, parts: Tensor, *, progress: Progress = no_progress
) -> SimilarityMap:
    """The map of two texts, given the contributions of one text's units.

    Args:
        a, b: with the same number of points.
        backend: as it reads the other text than the one that `goes_first`.
        parts: from `text_parts`, of the text that `goes_first`.
        progress: called after each backward pass.
    """
    is_a_first = goes_first(a, b)
    products = products_of_parts(backend, b if is_a_first else a, parts, progress=progress)
    return SimilarityMap(
        units_a=a.units,
        units_b=b.units,
        values=products if is_a_first else products.T,
        cosine=float(a.vector @ b.vector),
        cosine_a_masked=float(a.reference @ b.vector),
        cosine_b_masked=float(a.vector @ b.reference),
        cosine_both_masked=float(a.reference @ b.reference),
        points=len(a.weights),
        similarity=backend.pooling.split_by,
    )


def tokens_to_run(a: Size, b: Size, *, points: int = POINTS) -> int:
    """The cost of a map of two texts of these sizes, in tokens through the model; derivatives count as passes."""
    return points * min(_tokens(a, b), _tokens(b, a))


def _tokens(first: Size, second: Size) -> int:
    """The cost at one point, with forward mode for the first text."""
    return JVP_PASSES * first[0] * first[1] + second[0] * (1 + first[1])
