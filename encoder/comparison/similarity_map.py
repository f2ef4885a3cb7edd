"""The cosine of two texts, split over pairs of their words by integrated Jacobians.

A text's vector u, of length 1, is compared with that of its reference r, the same text with `[MASK]` in place of every
word. Along the straight line from r to the text, in the space of embedding outputs, the integrated Jacobian says what
each word i adds: u(A) − u(r_A) = Σᵢ vᵢ. A cosine is a product of two such vectors, so that

    cos(A, B) = Σᵢⱼ vᵢ · wⱼ + cos(r_A, B) + cos(A, r_B) − cos(r_A, r_B).

The whole Jacobian would take a backward pass for each of the D numbers of u. Of one text only its product with each
word's way from r is needed, which forward mode gives in one pass for each word. Of the other only the products of that
with the first text's vectors are: a way back for each of those gives them for all words at once. Several of these are
one pass.

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

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

import torch
from torch import Tensor

from encoder.attribution.gradients import repeated
from encoder.attribution.quantities import ROW_TOKENS
from encoder.attribution.removals import removable_units
from encoder.comparison.text_paths import Size, TextPath, text_path, vectors_at
from encoder.measures.units import Level
from encoder.models.base import Backend
from encoder.models.hooks import Hooks, Point
from encoder.models.tensors import Batch, to_numpy
from encoder.runs.arrays import FloatArray
from encoder.runs.finite import check_finite
from encoder.text.occurrences import Positions
from encoder.text.tokens import Tokens

SLOPE_PASSES = 2  # that a slope in forward mode is worth
KEPT_TOKENS = 512  # whose runs are kept at once for their way back
ONE_AT_A_TIME = Lock()  # torch's forward mode has one state for all threads: two at once end in errors
POINTS = 12  # of either text: pairs and references miss less than 1 % of the cosine on ordinary sentences
Progress = Callable[[int, int], object]  # how many batches of runs are done, and how many there are


def _keep_weights(_: Tensor, __: Point) -> None:
    """Changes nothing."""


# A layer whose weights are hooked runs without the fused kernel, which has no forward mode.
NOT_FUSED: Hooks = {Point("weights"): (_keep_weights,)}


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
    one, other = (text_path(backend, tokens, removable_units(tokens, level=level), points=points) for tokens in (a, b))
    first, second = (one, other) if goes_first(one, other) else (other, one)
    batches = _slope_batches(first), _product_batches(second, len(first.units))

    def report(done: int) -> None:
        if progress is not None:
            progress(done, sum(batches))

    parts = text_parts(backend, first, progress=report)
    return map_of_paths(backend, one, other, parts, progress=lambda done: report(batches[0] + done))


def goes_first(a: TextPath, b: TextPath) -> bool:
    """Whether it is the parts of A, and not those of B, that `map_of_paths` takes: the other way costs more."""
    return _tokens(a.size, b.size) <= _tokens(b.size, a.size)


def map_of_paths(
    backend: Backend, a: TextPath, b: TextPath, parts: Tensor, *, progress: Callable[[int], object] = lambda done: None
) -> SimilarityMap:
    """The map of two texts, of one of which it is known what each unit adds.

    Args:
        a, b: with as many points each.
        parts: from `text_parts`, of the text that `goes_first`.
        progress: called after each pass back with how many are done.
    Raises:
        NotFiniteError: a slope is NaN or infinite.
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
    )


def tokens_to_run(a: Size, b: Size, *, points: int = POINTS) -> int:
    """How many tokens go through the model for the map of two texts of these sizes, slopes counted as passes."""
    return points * min(_tokens(a, b), _tokens(b, a))


def _tokens(first: Size, second: Size) -> int:
    """The same at one point, with forward mode for the first text."""
    return SLOPE_PASSES * first[0] * first[1] + second[0] * (1 + first[1])


@torch.no_grad()
def text_parts(backend: Backend, text: TextPath, *, progress: Callable[[int], object] = lambda done: None) -> Tensor:
    """What each unit of a text adds to its vector, by Jacobians that are integrated from masks to the text.

    Args:
        progress: called after each batch of runs with how many are done.
    Returns:
        (U, D), which sum to the text's vector minus its reference's up to the error of the integral.
    Raises:
        NotFiniteError: a slope is NaN or infinite.
    """
    ways = torch.zeros(len(text.units), *text.way.shape).to(text.way)  # (U, T, D)
    for unit, positions in enumerate(text.units):
        ways[unit, list(positions)] = text.way[list(positions)]
    at_once, parts, done = _nodes_at_once(text), torch.zeros(len(ways), ways.shape[-1]).to(ways), 0  # (U, D)
    for some, of_some in zip(text.places.split(at_once), text.weights.split(at_once), strict=True):
        found = []
        for chosen in ways.split(_units_at_once(text)):
            with backend.threads(SLOPE_PASSES * len(some) * len(chosen) * len(text.way)):
                found.append(_slopes(backend, text.batch, some, chosen))  # (S, U', D)
            done += 1
            progress(done)
        parts += torch.einsum("s,sud->ud", of_some, torch.cat(found, 1))
    check_finite(backend.name, [("the words' parts", to_numpy(parts))])
    return parts


def products_of_parts(
    backend: Backend, text: TextPath, vectors: Tensor, *, progress: Callable[[int], object] = lambda done: None
) -> FloatArray:
    """The products of what `text_parts` would give with K vectors (K, D), without the parts themselves.

    Args:
        progress: called after each pass back with how many are done.
    Returns:
        (K, U).
    Raises:
        NotFiniteError: a slope is NaN or infinite.
    """
    at_once, slopes, done = _kept_at_once(text), torch.zeros(len(vectors), *text.way.shape).to(text.way), 0  # (K, T, D)
    chosen = torch.eye(len(vectors)).to(vectors).split(_vectors_at_once(text))  # (K', K) each
    for some, of_some in zip(text.places.split(at_once), text.weights.split(at_once), strict=True):
        places = some.clone().requires_grad_()  # (S, T, D)
        with torch.enable_grad(), backend.threads(len(some) * len(text.way) * (1 + len(vectors))):
            found = vectors_at(backend, repeated(text.batch, len(some)), places)  # (S, D)
            sums = of_some @ found @ vectors.T  # (K,)
            back = []
            for rows in chosen:
                of_rows = torch.autograd.grad(sums, places, rows, retain_graph=True, is_grads_batched=True)[0]
                back.append(of_rows.sum(1))  # (K', T, D)
                done += 1
                progress(done)
            slopes += torch.cat(back)
    of_tokens = (slopes * text.way).sum(-1)  # (K, T)
    products = to_numpy(torch.stack([of_tokens[:, list(positions)].sum(-1) for positions in text.units], 1))
    check_finite(backend.name, [("the pairs of words", products)])
    return products


def _units_at_once(text: TextPath) -> int:
    return max(1, ROW_TOKENS // len(text.way))


def _nodes_at_once(text: TextPath) -> int:
    return max(1, ROW_TOKENS // (len(text.way) * len(text.units)))


def _kept_at_once(text: TextPath) -> int:
    return max(1, KEPT_TOKENS // len(text.way))


def _vectors_at_once(text: TextPath) -> int:
    return max(1, ROW_TOKENS // (min(_kept_at_once(text), len(text.places)) * len(text.way)))


def _slope_batches(text: TextPath) -> int:
    """In how many batches `text_parts` runs a text."""
    return -(-len(text.places) // _nodes_at_once(text)) * -(-len(text.units) // _units_at_once(text))


def _product_batches(text: TextPath, count: int) -> int:
    """How many passes back `products_of_parts` takes for so many vectors."""
    return -(-len(text.places) // _kept_at_once(text)) * -(-count // _vectors_at_once(text))


def _slopes(backend: Backend, batch: Batch, places: Tensor, ways: Tensor) -> Tensor:
    """(N, U, D) how a text's vector changes along each of U ways (U, T, D), at each of N embedding outputs (N, T, D).

    The places are a batch, and the ways are mapped over, so that they share the run at their place.
    """
    batch = repeated(batch, len(places))

    def slopes(way: Tensor) -> Tensor:
        ways_of_all = way.expand_as(places).clone()  # (N, T, D); forward mode takes no view of one way
        changed: Tensor = torch.func.jvp(
            lambda states: vectors_at(backend, batch, states, NOT_FUSED), (places,), (ways_of_all,)
        )[1]
        return changed

    with ONE_AT_A_TIME:
        found: Tensor = torch.func.vmap(slopes, out_dims=1)(ways)
    return found
