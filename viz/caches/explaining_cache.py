"""What words add to a model's numbers, and the jobs that test this.

Functions that take a model are called by `run_cache.cached_with_model`, those that report progress by `cached_job`, and
those that take its name by `VALUES.get`.
"""

from __future__ import annotations

from functools import partial
from typing import Final

import streamlit as st

from encoder import Backend
from encoder.attribution.exact_orders import ExactOrders, exact_orders, subset_values
from encoder.attribution.explaining import LONGER_PATH, PATH, WordValues, explain, guided_curve, removal_game
from encoder.attribution.questions import Method, Question, Removal
from encoder.attribution.removal_curves import random_curves, removal_curve
from encoder.attribution.removals import Remainder, RemovalGame, greedy_order
from encoder.attribution.target import Target, resolve_target
from encoder.measures.units import Level
from encoder.runs.arrays import FloatArray
from viz.caches.run_cache import model, trace
from viz.computing.job import Progress
from viz.computing.worker import in_worker

Order = tuple[int, ...]
PASSES_OF_GRADIENTS: Final = 3 * (PATH.points + LONGER_PATH.points)  # forward passes that take as long, at most


def target(backend: Backend, question: Question) -> Target:
    """The target of a question. Raises HeadlightError."""
    return resolve_target(backend, question, partial(trace, backend.name))


def word_values(model_name: str, question: Question, method: Method, level: Level, removal: Removal) -> WordValues:
    """What each word adds to a number. Raises HeadlightError."""
    backend = model(model_name)
    with st.spinner("Working out what each word adds …"):
        return in_worker(lambda: explain(backend, target(backend, question), method, level=level, removal=removal))


def explained(
    backend: Backend, progress: Progress, question: Question, method: Method, level: Level, removal: Removal
) -> WordValues:
    """`word_values` as a job."""
    return explain(backend, target(backend, question), method, level=level, removal=removal, progress=progress)


def curve(backend: Backend, question: Question, order: Order, level: Level, removal: Removal) -> FloatArray:
    """(S,) a number as words are removed in an order. Raises HeadlightError."""
    return removal_curve(_game(backend, question, level, removal), order)


def random_orders(
    backend: Backend, progress: Progress, question: Question, level: Level, removal: Removal
) -> FloatArray:
    """(20, S) `curve` in random orders."""
    return random_curves(_game(backend, question, level, removal), progress=progress)


def greedy(backend: Backend, progress: Progress, question: Question, level: Level, removal: Removal) -> FloatArray:
    """(S,) `curve` in the order of a greedy search."""
    game = _game(backend, question, level, removal)
    return removal_curve(game, greedy_order(game, progress=progress))


def guided(backend: Backend, progress: Progress, question: Question, level: Level, removal: Removal) -> FloatArray:
    """(S,) `curve` in the order of a short search guided by integrated DecompX."""
    return guided_curve(backend, target(backend, question), level=level, removal=removal, progress=progress)


def all_orders(backend: Backend, progress: Progress, question: Question, level: Level, removal: Removal) -> ExactOrders:
    """The worst and the best of all orders of a short text."""
    return exact_orders(subset_values(_game(backend, question, level, removal), progress=progress))


def without_words(backend: Backend, question: Question, removed: Order, level: Level, removal: Removal) -> Remainder:
    """The number, and the text, without some units. Raises HeadlightError."""
    return _game(backend, question, level, removal).remainder(removed)


def _game(backend: Backend, question: Question, level: Level, removal: Removal) -> RemovalGame:
    return removal_game(backend, target(backend, question), level=level, removal=removal)
