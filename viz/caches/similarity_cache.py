"""Why two texts are alike: the cosine split over pairs of words, and the jobs that put that to the test."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from encoder import Backend
from encoder.attribution.removals import removable_units
from encoder.comparison.pair_removals import Pair, PairRemovals, random_pair_curves
from encoder.comparison.similarity_map import SimilarityMap, similarity_map
from encoder.comparison.text_vectors import text_vectors
from encoder.measures.units import Level
from encoder.runs.arrays import FloatArray
from viz.caches.run_cache import model
from viz.computing.job import Job, Progress
from viz.computing.worker import in_worker, in_worker_by_parts

VALUES = 64  # numbers alone: jobs hold no model and no trace

ESTIMATE_POINTS = 8  # rank correlation with 20 points .98 (median of 12 pairs of sentences), at half of the time

Texts = tuple[str, str]  # A and B, each encoded alone


@st.cache_resource(max_entries=VALUES, show_spinner=False)
def cosine(model_name: str, texts: Texts) -> float:
    """The cosine of two texts. Raises HeadlightError, which is not kept."""
    backend = model(model_name)

    def work() -> float:
        a, b = text_vectors(backend, [backend.tokenize(text) for text in texts])
        return float(a @ b)

    return in_worker(work)


@st.cache_resource(max_entries=VALUES, show_spinner=False)
def similarity(model_name: str, texts: Texts, level: Level) -> Job[SimilarityMap]:
    """The cosine split over pairs, not begun; whoever wants it starts it."""

    def work(backend: Backend, progress: Progress) -> SimilarityMap:
        a, b = map(backend.tokenize, texts)
        return similarity_map(backend, a, b, level=level, progress=progress)

    return Job(work, name="headlight-similarity")


@st.cache_resource(max_entries=VALUES, show_spinner="Working out pairs of words …")
def estimate(model_name: str, texts: Texts, level: Level) -> SimilarityMap:
    """The same at `ESTIMATE_POINTS` points. Raises HeadlightError, which is not kept."""
    backend = model(model_name)

    def work(end_if_overtaken: Callable[[], None]) -> SimilarityMap:
        a, b = map(backend.tokenize, texts)
        return similarity_map(
            backend, a, b, level=level, points=ESTIMATE_POINTS, progress=lambda *_: end_if_overtaken()
        )

    return in_worker_by_parts(work)


@st.cache_resource(max_entries=VALUES, show_spinner=False)
def curve(model_name: str, texts: Texts, pairs: tuple[Pair, ...], level: Level) -> FloatArray:
    """(S,) what is left of what the map splits as pairs are taken away in an order.

    Raises HeadlightError, which is not kept.
    """
    backend = model(model_name)
    return in_worker(lambda: _removals(backend, texts, level).curve(pairs))


@st.cache_resource(max_entries=VALUES, show_spinner=False)
def random_pairs(model_name: str, texts: Texts, level: Level) -> Job[FloatArray]:
    """(20, S) the same for random pairs in random orders, not begun."""

    def work(backend: Backend, progress: Progress) -> FloatArray:
        return random_pair_curves(_removals(backend, texts, level), progress=progress)

    return Job(work, name="headlight-random-pairs")


def _removals(backend: Backend, texts: Texts, level: Level) -> PairRemovals:
    a, b = map(backend.tokenize, texts)
    units_a, units_b = (removable_units(tokens, level=level) for tokens in (a, b))
    return PairRemovals(backend=backend, a=a, b=b, units_a=units_a, units_b=units_b)
