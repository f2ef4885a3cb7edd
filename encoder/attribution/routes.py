"""Routes: the links that carry an output, and what is left of it by few of them, next to other orders of links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from encoder.attribution.carriers import (
    OPENED,
    Carriers,
    cut_effects,
    cut_estimates,
    gate_gradients,
)
from encoder.attribution.questions import Question, QuestionKind
from encoder.attribution.target import Target, resolve_target
from encoder.errors import ArgumentError
from encoder.measures.ranks import rank_correlation
from encoder.models.base import Backend
from encoder.progress import Progress, no_progress
from encoder.runs.arrays import FloatArray
from encoder.runs.links import Link
from encoder.runs.trace import Trace

SHARE: Final = 0.9  # of the output, which the smallest set keeps
HALF: Final = 0.5  # of the output, below which it falls without the links that are needed
DRAWS: Final = 20  # random orders
MOST_CUTS: Final = 400  # links that are cut one at a time
LEAST_WEIGHT: Final = 0.01  # of such a link
WORDED: Final[tuple[QuestionKind, ...]] = ("class", "score", "tag", "part of speech")
PREFIXES: Final = ("As I see it:", "In other words:", "To put it plainly:", "This is what I would say:", "Well,")
SHUFFLES: Final = 200


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Routes:
    """What each link contributes to an output, and what is left of it by the strongest alone.

    Attributes:
        values: (L, H, T, T), query by key, in the target's additive unit; 0 for links that cannot reach the output.
        weights: (L, H, T, T) of attention.
        counts: C numbers of links, upwards from 0 to all that reach the output.
        kept: (C,) the output, as people read it, with so many of the strongest links alone.
        smallest: the first of the counts that keeps `SHARE` of the output; None for an output that is not positive.
        needed: where no link is enough, the first of the counts of strongest links whose cut leaves less than `HALF` of
            the output; None if none does.
    """

    values: FloatArray
    weights: FloatArray
    counts: tuple[int, ...]
    kept: FloatArray
    smallest: int | None
    needed: int | None = None

    @property
    def whole(self) -> float:
        """The output with all links."""
        return float(self.kept[-1])

    @property
    def size(self) -> int:
        """The number of links that reach the output."""
        return self.counts[-1]

    @property
    def opening(self) -> int:
        """The number of links to begin with: those that are enough or needed, or about 1 % of all."""
        if self.smallest or self.needed:
            return self.smallest or self.needed or 0
        return max(count for count in self.counts if count <= max(1, self.size // 100))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OtherOrders:
    """The output at C numbers of links.

    Attributes:
        counts: upwards from 0 to all.
        cut: (C,) without the strongest links; all others stay.
        weights: (C,) with the links of the largest weight alone.
        random: (R, C) with random links alone.
        random_cut: (R,) without as many random links as the routes begin with.
    """

    counts: tuple[int, ...]
    cut: FloatArray
    weights: FloatArray
    random: FloatArray
    random_cut: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class OtherWordings:
    """How far the heads that carry an output are the same in other wordings of a text.

    Attributes:
        correlations: (N,) rank correlations of the sums of each head's contributions with those of the text.
        shuffled: (S,) medians of the same where the heads are shuffled.
    """

    correlations: FloatArray
    shuffled: FloatArray


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Agreement:
    """The exact effects of cutting single links, whose rows keep their sums, and rank correlations with them.

    Attributes:
        links: (N, 4) layer, head, query and key of links in `single_cuts`.
        effects: (N,) what the cut of each alone changes, in the target's additive unit.
        contributions: the correlation of the integrated gradient.
        estimates: that of the estimates from the gradient at the text.
    """

    links: NDArray[np.intp]
    effects: FloatArray
    contributions: float
    estimates: float


def find_routes(backend: Backend, target: Target, trace: Trace, *, progress: Progress = no_progress) -> Routes:
    """The links that carry a target.

    Args:
        trace: of the target's text.
    Raises:
        SelectionError: the model's attention cannot be changed, or no link reaches the output.
    """
    weights = trace.all_weights()
    progress(0, 2)
    values = gate_gradients(backend, target.tokens, target.additive, OPENED).mean(0)
    of_links = Carriers(backend=backend, target=target, values=values, weights=weights)
    progress(1, 2)
    counts, kept, smallest = of_links.search(SHARE)
    smallest, needed = smallest if kept[-1] > 0 else None, None
    if smallest == 0:
        tried, _, needed = of_links.search(HALF, cut=True)
        more = sorted({*tried} - {*counts})
        every = dict(zip([*counts, *more], [*kept, *of_links.curve(more)], strict=True))
        counts = sorted(every)
        kept = np.array([every[count] for count in counts], np.float32)
    return Routes(values=values, weights=weights, counts=tuple(counts), kept=kept, smallest=smallest, needed=needed)


def other_orders(backend: Backend, target: Target, found: Routes, *, progress: Progress = no_progress) -> OtherOrders:
    """The output by other orders of links, at the counts of some routes. Raises SelectionError as `find_routes`."""
    of_links = Carriers(backend=backend, target=target, values=found.values, weights=found.weights)
    done, counts, reaching = DRAWS + 2, found.counts, np.flatnonzero(found.values)
    progress(0, done)
    cut = of_links.curve(counts, cut=True)
    progress(1, done)
    weights = of_links.curve(counts, reaching[np.argsort(-found.weights.ravel()[reaching], kind="stable")])
    random, random_cut = [], []
    for draw in range(DRAWS):
        progress(draw + 2, done)
        order = np.random.default_rng(draw).permutation(reaching)
        random.append(of_links.curve(counts, order))
        random_cut.append(of_links.curve([found.opening], order, cut=True)[0])
    return OtherOrders(
        counts=counts, cut=cut, weights=weights, random=np.stack(random), random_cut=np.array(random_cut)
    )


def agreement(
    backend: Backend,
    target: Target,
    contributions: FloatArray,
    weights: FloatArray,
    *,
    most: int | None = MOST_CUTS,
    renormalised: bool = True,
    progress: Progress = no_progress,
) -> Agreement:
    """How well estimates order links by what cutting each alone changes.

    Args:
        contributions, weights: (L, H, T, T).
        most: links that are cut, drawn at random but the same each time; None for all.
    """
    tokens, quantity = target.tokens, target.additive
    [gradients] = gate_gradients(backend, tokens, quantity, [1.0])
    seen = np.random.default_rng(0).permutation(single_cuts(contributions, weights))[:most]
    links = [Link(query=query, key=key, layer=layer, head=head) for layer, head, query, key in seen.tolist()]
    estimates = cut_estimates(gradients, weights, renormalised=renormalised)
    effects = cut_effects(backend, tokens, quantity, links, renormalised=renormalised, progress=progress)
    return Agreement(
        links=seen,
        effects=effects,
        contributions=rank_correlation(-contributions[tuple(seen.T)], effects),
        estimates=rank_correlation(estimates[tuple(seen.T)], effects),
    )


def single_cuts(contributions: FloatArray, weights: FloatArray) -> NDArray[np.intp]:
    """(N, 4) layer, head, query and key of the links of weight `LEAST_WEIGHT` or more that reach the output."""
    return np.argwhere((weights >= LEAST_WEIGHT) & (contributions != 0))


def other_wordings(
    backend: Backend,
    question: Question,
    target: Target,
    values: FloatArray,
    *,
    progress: Progress = no_progress,
) -> OtherWordings:
    """The routes of an output where a few words that change no meaning are put before its text.

    Args:
        question: about a class, a score, a tag or a part of speech.
        target: of the question, whose label and rival are kept.
        values: (L, H, T, T) contributions for the text itself.
    Raises:
        ArgumentError: the question is of another kind.
        HeadlightError: the text with those words has no such output.
    """
    if question.kind not in WORDED:
        raise ArgumentError(f"Other wordings are for {', '.join(WORDED)}; this question is about a {question.kind}.")
    a, b = question.texts
    rival = target.against or None
    reaching, own = values.any((-2, -1)), len(backend.tokenize(a, b).words)  # (L, H)
    sums = [values.sum((-2, -1))[reaching]]  # (M,) each
    for done, prefix in enumerate(PREFIXES):
        progress(done, len(PREFIXES))
        worded = f"{prefix} {a}"
        added = len(backend.tokenize(worded, b).words) - own
        asked = replace(
            question, texts=(worded, b), word=question.word + added, label=target.label or None, rival=rival
        )
        other = resolve_target(backend, asked)
        sums.append(gate_gradients(backend, other.tokens, other.additive, OPENED).mean(0).sum((-2, -1))[reaching])
    correlations = _correlations(sums[0], sums[1:])
    rng = np.random.default_rng(0)
    shuffled = [np.median(_correlations(rng.permutation(sums[0]), sums[1:])) for _ in range(SHUFFLES)]
    return OtherWordings(correlations, np.array(shuffled, np.float32))


def _correlations(sums: FloatArray, others: Sequence[FloatArray]) -> FloatArray:
    return np.array([rank_correlation(sums, other) for other in others], np.float32)
