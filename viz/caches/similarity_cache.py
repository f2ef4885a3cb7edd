"""Why two texts are alike: the cosine split over pairs of words, and the jobs that put that to the test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from encoder import Backend
from encoder.attribution.removals import removable_units
from encoder.comparison.pair_removals import Pair, PairRemovals, random_pair_curves
from encoder.comparison.similarity_map import SimilarityMap, goes_first, map_of_paths, similarity_map
from encoder.comparison.text_path import TextPath, text_parts, text_path
from encoder.measures.units import Level
from encoder.runs.arrays import FloatArray
from viz.caches.run_cache import model
from viz.computing.job import Job, Progress
from viz.computing.worker import in_worker, in_worker_by_parts

if TYPE_CHECKING:
    from torch import Tensor

VALUES = 64  # numbers alone: jobs hold no model and no trace

ESTIMATE_POINTS = 4  # rank correlation with 24 points .98, lowest .96, over 12 pairs of sentences
PATHS = 8  # of texts: 3 MB each at 512 tokens of BERT-base, as much as their words' parts

Texts = tuple[str, str]  # A and B, each encoded alone


@st.cache_resource(max_entries=VALUES, show_spinner=False)
def similarity(model_name: str, texts: Texts, level: Level) -> Job[SimilarityMap]:
    """The cosine split over pairs, not begun; whoever wants it starts it."""

    def work(backend: Backend, progress: Progress) -> SimilarityMap:
        a, b = map(backend.tokenize, texts)
        return similarity_map(backend, a, b, level=level, progress=progress)

    return Job(work, name="headlight-similarity")


@st.cache_resource(max_entries=VALUES, show_spinner="Working out pairs of words …")
def estimate(model_name: str, texts: Texts, level: Level) -> SimilarityMap:
    """The same at `ESTIMATE_POINTS` points; what is needed of a text that did not change is there.

    Raises HeadlightError, which is not kept.
    """
    backend = model(model_name)
    a, b = (_path(model_name, text, level) for text in texts)
    parts = _parts(model_name, texts[0] if goes_first(a, b) else texts[1], level)
    return in_worker_by_parts(
        lambda end_if_overtaken: map_of_paths(backend, a, b, parts, progress=lambda _: end_if_overtaken())
    )


@st.cache_resource(max_entries=PATHS, show_spinner=False)
def _path(model_name: str, text: str, level: Level) -> TextPath:
    """The way from masks to a text, with the points of an estimate."""
    backend = model(model_name)

    def work() -> TextPath:
        tokens = backend.tokenize(text)
        return text_path(backend, tokens, removable_units(tokens, level=level), points=ESTIMATE_POINTS)

    return in_worker(work)


@st.cache_resource(max_entries=PATHS, show_spinner=False)
def _parts(model_name: str, text: str, level: Level) -> Tensor:
    """(U, D) what each unit of a text adds to its vector, as an estimate."""
    backend, path = model(model_name), _path(model_name, text, level)
    return in_worker_by_parts(lambda end_if_overtaken: text_parts(backend, path, progress=lambda _: end_if_overtaken()))


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
