"""The cosine of two texts, split over pairs of their words by integrated Jacobians.

A text's vector u, of length 1, is compared with that of its reference r, the same text with `[MASK]` in place of every
word. Along the straight line from r to the text, in the space of embedding outputs, the integrated Jacobian says what
each word i adds: u(A) − u(r_A) = Σᵢ vᵢ. A cosine is a product of two such vectors, so that

    cos(A, B) = Σᵢⱼ vᵢ · wⱼ + cos(r_A, B) + cos(A, r_B) − cos(r_A, r_B).

The whole Jacobian would take a backward pass for each of the D numbers of u. Only its product with each word's way from
r is needed, which forward mode gives in one pass for each word; those of a text share the run that they are taken at,
and the runs of a short text are a batch.

Source: Möller et al. (2023), "An Attribution Method for Siamese Encoders", equations 3 to 6.

```python
import encoder
from encoder.comparison.similarity_map import similarity_map

model = encoder.load("bundled")
found = similarity_map(model, model.tokenize("a dog barks"), model.tokenize("the puppy barks"), level="words")
print(found.values.round(2), found.cosine)
```
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock

import torch
from torch import Tensor

from encoder.attribution.gradients import EMBEDDING, Path, masked_ends, repeated
from encoder.attribution.quantities import ROW_TOKENS
from encoder.attribution.removals import removable_units
from encoder.comparison.text_vectors import text_vector
from encoder.errors import ArgumentError
from encoder.measures.units import Level
from encoder.models.base import Backend
from encoder.models.hooks import Hooks, Point
from encoder.models.tensors import Batch, to_numpy
from encoder.runs.arrays import FloatArray
from encoder.runs.finite import check_finite
from encoder.text.occurrences import Positions
from encoder.text.tokens import Tokens

SLOPE_PASSES = 2  # that a slope in forward mode is worth
ONE_AT_A_TIME = Lock()  # torch's forward mode has one state for all threads: two at once end in errors
POINTS = 20  # nearer to the sum than 1 % on ordinary sentences
Progress = Callable[[int, int], object]  # how many batches of runs are done, and how many there are


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TextParts:
    """A text's vector, and what each of its units adds to it on the way from the reference.

    Attributes:
        units: U, the positions of each unit's tokens; special tokens are in none.
        parts: (U, D), which sum to `vector` minus `reference` up to the error of the integral.
        vector, reference: (D,) of length 1, of the text and of masks in place of its units.
    """

    units: tuple[Positions, ...]
    parts: FloatArray
    vector: FloatArray
    reference: FloatArray


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SimilarityMap:
    """The cosine of two texts A and B, split over pairs of units.

    Attributes:
        units_a, units_b: U_A and U_B, the positions of each unit's tokens in its text.
        values: (U_A, U_B) what each pair adds to the cosine.
        cosine: of A and B.
        cosine_a_masked, cosine_b_masked: of B with A's reference, and of A with B's.
        cosine_both_masked: of the two references.
        points: at how many points of the way the Jacobians were taken.
    """

    units_a: tuple[Positions, ...]
    units_b: tuple[Positions, ...]
    values: FloatArray
    cosine: float
    cosine_a_masked: float
    cosine_b_masked: float
    cosine_both_masked: float
    points: int

    @property
    def references(self) -> float:
        """What the references add to the cosine."""
        return self.cosine_a_masked + self.cosine_b_masked - self.cosine_both_masked

    @property
    def completeness_error(self) -> float:
        """How far the pairs and the references together are from the cosine."""
        return abs(float(self.values.sum()) + self.references - self.cosine)


def similarity_map(
    backend: Backend,
    a: Tokens,
    b: Tokens,
    *,
    level: Level = "wordpieces",
    points: int = POINTS,
    progress: Progress | None = None,
) -> SimilarityMap:
    """What every pair of units of two texts adds to their cosine.

    Args:
        a, b: each is encoded alone.
        level: words, or wordpieces.
        progress: called after each batch of runs; an exception that it raises ends the work.
    Raises:
        ArgumentError: a text has no word, or fewer than 1 point was asked for.
        UnsupportedModelError: the tokenizer has no mask token.
        SelectionError: the model's embeddings cannot be hooked.
        NotFiniteError: the model's states are NaN or infinite.
    """
    path = Path(points)
    units = [removable_units(tokens, level=level) for tokens in (a, b)]
    batches = [_batches(points, tokens, own) for tokens, own in zip((a, b), units, strict=True)]

    def report(done: int) -> None:
        if progress is not None:
            progress(done, sum(batches))

    one = text_parts(backend, a, units[0], path=path, progress=report)
    other = text_parts(backend, b, units[1], path=path, progress=lambda done: report(batches[0] + done))
    return SimilarityMap(
        units_a=one.units,
        units_b=other.units,
        values=one.parts @ other.parts.T,
        cosine=float(one.vector @ other.vector),
        cosine_a_masked=float(one.reference @ other.vector),
        cosine_b_masked=float(one.vector @ other.reference),
        cosine_both_masked=float(one.reference @ other.reference),
        points=points,
    )


@torch.no_grad()
def text_parts(
    backend: Backend,
    tokens: Tokens,
    units: tuple[Positions, ...],
    *,
    path: Path,
    progress: Callable[[int], object] = lambda done: None,
) -> TextParts:
    """What each unit of a text adds to its vector, by Jacobians that are integrated from masks to the text.

    Args:
        units: U, the positions of each unit's tokens; together all that can be taken away.
        progress: called after each batch of runs with how many are done.
    Raises:
        ArgumentError: there is no unit.
        UnsupportedModelError, SelectionError, NotFiniteError: as `similarity_map` says.
    """
    if not units:
        raise ArgumentError("A text has no word whose part of the cosine could be told: type one.")
    ends = masked_ends(backend, tokens, mean_share=path.mean_share)
    way = ends.text - ends.baseline  # (T, D)
    ways = torch.zeros(len(units), *way.shape).to(way)  # (U, T, D)
    for unit, positions in enumerate(units):
        ways[unit, list(positions)] = way[list(positions)]
    nodes, weights = (torch.tensor(each).to(way) for each in path.nodes())  # (N,) each
    places = ends.baseline + nodes[:, None, None] * way  # (N, T, D)
    at_once, parts, done = _nodes_at_once(tokens, units), torch.zeros(len(units), way.shape[-1]).to(way), 0  # (U, D)
    for some, of_some in zip(places.split(at_once), weights.split(at_once), strict=True):
        found = []
        for chosen in ways.split(_units_at_once(tokens)):
            with backend.threads(SLOPE_PASSES * len(some) * len(chosen) * len(tokens)):
                found.append(_slopes(backend, ends.batch, some, chosen))  # (S, U', D)
            done += 1
            progress(done)
        parts += torch.einsum("s,sud->ud", of_some, torch.cat(found, 1))
    both = _vectors(backend, repeated(ends.batch, 2), torch.stack((ends.text, ends.baseline)))  # (2, D)
    check_finite(backend.name, [("the vectors of the text", to_numpy(both)), ("the words' parts", to_numpy(parts))])
    vector, reference = to_numpy(both)
    return TextParts(units=units, parts=to_numpy(parts), vector=vector, reference=reference)


def _units_at_once(tokens: Tokens) -> int:
    return max(1, ROW_TOKENS // len(tokens))


def _nodes_at_once(tokens: Tokens, units: Sequence[Positions]) -> int:
    return max(1, ROW_TOKENS // (len(tokens) * len(units)))


def _batches(points: int, tokens: Tokens, units: Sequence[Positions]) -> int:
    """In how many batches `text_parts` runs a text; 0 where it has no unit."""
    return -(-points // _nodes_at_once(tokens, units)) * -(-len(units) // _units_at_once(tokens)) if units else 0


def _slopes(backend: Backend, batch: Batch, places: Tensor, ways: Tensor) -> Tensor:
    """(N, U, D) how a text's vector changes along each of U ways (U, T, D), at each of N embedding outputs (N, T, D).

    The places are a batch, and the ways are mapped over, so that they share the run at their place.
    """
    batch = repeated(batch, len(places))

    def slopes(way: Tensor) -> Tensor:
        ways_of_all = way.expand_as(places).clone()  # (N, T, D); forward mode takes no view of one way
        changed: Tensor = torch.func.jvp(lambda states: _vectors(backend, batch, states), (places,), (ways_of_all,))[1]
        return changed

    with ONE_AT_A_TIME:
        found: Tensor = torch.func.vmap(slopes, out_dims=1)(ways)
    return found


def _vectors(backend: Backend, batch: Batch, states: Tensor) -> Tensor:
    """(N, D) the vectors of a batch of N, where embedding outputs (N, T, D) are put in place of its own."""
    hooks: Hooks = {EMBEDDING: (lambda _, __: states,), Point("weights"): (_keep_weights,)}
    return text_vector(backend.run_batch(batch, hooks))


def _keep_weights(_: Tensor, __: Point) -> None:
    """Changes nothing; a layer whose weights are hooked runs without the fused kernel, which has no forward mode."""
