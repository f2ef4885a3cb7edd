"""Why two texts are similar: the cosine split over pairs of words, and the jobs that test this.

Functions that take a model are called by `run_cache.cached_with_model`, and those that report progress by `cached_job`.
"""

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
from viz.caches.memo import VALUES
from viz.caches.run_cache import cached_with_model, model
from viz.computing.job import Progress
from viz.computing.worker import in_worker_by_parts

if TYPE_CHECKING:
    from torch import Tensor

ESTIMATE_POINTS = 4  # rank correlation with 24 points .98, lowest .96, over 12 pairs of sentences

Texts = tuple[str, str]  # A and B, each encoded alone


def similarity(backend: Backend, progress: Progress, texts: Texts, level: Level) -> SimilarityMap:
    """The cosine split over pairs."""
    a, b = map(backend.tokenize, texts)
    return similarity_map(backend, a, b, level=level, progress=progress)


def estimate(model_name: str, texts: Texts, level: Level) -> SimilarityMap:
    """An estimate of `similarity` at `ESTIMATE_POINTS` points; the part of each text is cached on its own.

    Raises:
        HeadlightError: the model or the texts do not support it.
    """
    return VALUES.get(_estimate, model_name, texts, level)


def _estimate(model_name: str, texts: Texts, level: Level) -> SimilarityMap:
    with st.spinner("Working out pairs of words …"):
        backend = model(model_name)
        a, b = (cached_with_model(_path, model_name, text, level) for text in texts)
        parts = VALUES.get(_parts, model_name, texts[0] if goes_first(a, b) else texts[1], level)
        return in_worker_by_parts(lambda check: map_of_paths(backend, a, b, parts, progress=lambda _: check()))


def _path(backend: Backend, text: str, level: Level) -> TextPath:
    """The interpolation from masks to a text, with the points of an estimate."""
    tokens = backend.tokenize(text)
    return text_path(backend, tokens, removable_units(tokens, level=level), points=ESTIMATE_POINTS)


def _parts(model_name: str, text: str, level: Level) -> Tensor:
    """(U, D) estimate of what each unit of a text adds to its vector."""
    backend, path = model(model_name), cached_with_model(_path, model_name, text, level)
    return in_worker_by_parts(lambda check: text_parts(backend, path, progress=lambda _: check()))


def curve(backend: Backend, texts: Texts, pairs: tuple[Pair, ...], level: Level) -> FloatArray:
    """(S,) the remaining cosine as pairs are removed in an order. Raises HeadlightError."""
    return _removals(backend, texts, level).curve(pairs)


def random_pairs(backend: Backend, progress: Progress, texts: Texts, level: Level) -> FloatArray:
    """(20, S) `curve` for random pairs in random orders."""
    return random_pair_curves(_removals(backend, texts, level), progress=progress)


def _removals(backend: Backend, texts: Texts, level: Level) -> PairRemovals:
    a, b = map(backend.tokenize, texts)
    units_a, units_b = (removable_units(tokens, level=level) for tokens in (a, b))
    return PairRemovals(backend=backend, a=a, b=b, units_a=units_a, units_b=units_b)
