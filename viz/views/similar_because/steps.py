"""Similar because: the similarity of two texts, split over pairs of their words, and the test of that split."""

from __future__ import annotations

from functools import partial

from encoder import Backend
from encoder.attribution.removal_curves import RANDOM_ORDERS, removal_counts
from encoder.attribution.removals import removable_units
from encoder.collection.search import exact_split_of_texts, tokens_of_hit
from encoder.comparison.exact_splits import ExactSplit
from encoder.comparison.pair_removals import Pair, PairRemovals, largest_pairs_first, random_pair_curves
from encoder.comparison.similarity_map import (
    POINTS,
    SimilarityMap,
    goes_first,
    map_of_paths,
    similarity_map,
    tokens_to_run,
)
from encoder.comparison.text_path import TextPath, text_parts, text_path
from encoder.measures.units import Level, units_of
from encoder.models.pooling import Pooling
from encoder.progress import Progress, no_progress
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from encoder.text.tokens import USUAL_TOKENS, Tokens
from viz.answers.answer import Answer, Sentence
from viz.answers.room import PAGE, Room
from viz.recipes.step import LongStep, Recipe, Step
from viz.views.similar_because import answer as answers
from viz.wording.explanations import Explanation

ESTIMATE_POINTS = 4  # rank correlation with 24 points .98, lowest .96, over 12 pairs of sentences

Texts = tuple[str, str]  # A and B, each encoded alone


def similar_because(a: Trace, b: Trace, *, pooling: Pooling, level: Level, room: Room = PAGE) -> Recipe[Explanation]:
    """The similarity of A and B, its pairs of words, and the test of their order.

    Args:
        a, b: the runs of each text alone.
        pooling: of their model.
        room: at a stop, no claim is about the test.
    Returns:
        How to read it.
    Raises:
        HeadlightError: the model or the texts do not support it.
    """
    texts, tokens = (a.tokens.sentences[0], b.tokens.sentences[0]), (a.tokens, b.tokens)
    found: SimilarityMap | ExactSplit | None
    if pooling.splits_exactly:
        found = yield from Step(exact_split_of_texts, (*texts, level))
        yield answers.exact(found)
    else:
        yield answers.similarity(a, b, pooling=pooling)
        if max(map(len, tokens)) > USUAL_TOKENS:
            yield Answer((Sentence(answers.NO_PAIRS_OF_LONG, "caption"),))
            return answers.EXPLANATION
        found = yield from split_of(texts, tokens, level)
        if found is None:
            return answers.EXPLANATION
        yield answers.pairs(found, tokens, level)
        if found.points < POINTS:
            return answers.EXPLANATION
    if room is PAGE:
        yield from _test(texts, tokens, found, level, a.model_name)
    return answers.EXPLANATION


def _test(
    texts: Texts, tokens: tuple[Tokens, Tokens], found: SimilarityMap | ExactSplit, level: Level, model_name: str
) -> Recipe[None]:
    order = largest_pairs_first(found.values)
    own = yield from Step(curve, (texts, order, level))
    random = yield from LongStep(
        random_pairs,
        (texts, level),
        tokens=RANDOM_ORDERS * len(removal_counts(len(order))) * sum(map(len, tokens)),
        what=f"{RANDOM_ORDERS} random orders of random pairs",
        key="random",
    )
    exact = found if isinstance(found, ExactSplit) else None
    yield answers.removals(own, random, units=len(order), model_name=model_name, texts=tokens, exact=exact)


def split_of(texts: Texts, tokens: tuple[Tokens, Tokens], level: Level) -> LongStep[SimilarityMap]:
    """The cosine split over pairs of words, which fewer points estimate."""
    return LongStep(
        similarity_map,
        tokens,
        identity=texts,
        options={"level": level},
        tokens=_tokens_to_run(tokens, level, POINTS),
        what="Pairs of words",
        key="map",
        estimate=(partial(estimate, texts, level), _tokens_to_run(tokens, level, ESTIMATE_POINTS)),
    )


def estimate(texts: Texts, level: Level) -> Recipe[SimilarityMap]:
    """The split at `ESTIMATE_POINTS` points; the part of each text is a step, which the other text does not change."""
    a = yield from Step(path, (texts[0], level))
    b = yield from Step(path, (texts[1], level))
    parts = yield from Step(text_parts, (a if goes_first(a, b) else b,), by_parts=True)
    return (yield from Step(map_of_paths, (a, b, parts), by_parts=True))


def path(backend: Backend, text: str, level: Level) -> TextPath:
    """The interpolation from masks to a text, with the points of an estimate."""
    tokens = backend.tokenize(text)
    return text_path(backend, tokens, removable_units(tokens, level=level), points=ESTIMATE_POINTS)


def curve(backend: Backend, texts: Texts, pairs: tuple[Pair, ...], level: Level) -> FloatArray:
    """(S,) the remaining cosine as pairs are removed in an order."""
    return _removals(backend, texts, level).curve(pairs)


def random_pairs(backend: Backend, texts: Texts, level: Level, *, progress: Progress = no_progress) -> FloatArray:
    """(20, S) `curve` for random pairs in random orders."""
    return random_pair_curves(_removals(backend, texts, level), progress=progress)


def _removals(backend: Backend, texts: Texts, level: Level) -> PairRemovals:
    a, b = tokens_of_hit(backend, *texts) if backend.pooling.splits_exactly else map(backend.tokenize, texts)
    units_a, units_b = (removable_units(tokens, level=level) for tokens in (a, b))
    return PairRemovals(backend=backend, a=a, b=b, units_a=units_a, units_b=units_b)


def _tokens_to_run(tokens: tuple[Tokens, Tokens], level: Level, points: int) -> int:
    a, b = ((len(each), len(units_of(each, level=level, special="hide"))) for each in tokens)
    return tokens_to_run(a, b, points=points)
