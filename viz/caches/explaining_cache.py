"""What words add to a model's numbers, and the jobs that put that to the test.

Functions that take a model are called by `run_cache.cached_with_model`, those that report progress by `cached_job`, and
those that take its name by `VALUES.get`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from encoder import Backend
from encoder.attribution.explaining import WordValues, explain, removal_game
from encoder.attribution.questions import Method, Question, Removal
from encoder.attribution.removal_curves import random_curves, removal_curve
from encoder.attribution.removals import RemovalGame, greedy_order, guided_order
from encoder.attribution.target import Target, resolve_target
from encoder.measures.units import Level
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Prediction
from viz.caches.run_cache import model, trace
from viz.computing.job import Progress
from viz.computing.worker import in_worker

Order = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Searched:
    """The order that a search found, and (S,) the number as words are taken away in it."""

    order: Order
    curve: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Left:
    """What is left of a text without some of its words.

    Attributes:
        text: as it would be typed.
        same: whether the model reads just that where it is typed.
        value: the number that was asked about.
        prediction: what the model's head says, where it has one.
    """

    text: tuple[str, str | None]
    same: bool
    value: float
    prediction: Prediction | None


def number(backend: Backend, question: Question) -> Target:
    """The number that a question is about. Raises HeadlightError."""
    return resolve_target(backend, question, partial(trace, backend.name))


def word_values(model_name: str, question: Question, method: Method, level: Level, removal: Removal) -> WordValues:
    """What each word adds to a number. Raises HeadlightError."""
    backend = model(model_name)
    with st.spinner("Working out what each word adds …"):
        return in_worker(lambda: explain(backend, number(backend, question), method, level=level, removal=removal))


def shapley(backend: Backend, progress: Progress, question: Question, level: Level, removal: Removal) -> WordValues:
    """The same by Shapley sampling."""
    return explain(backend, number(backend, question), "shapley", level=level, removal=removal, progress=progress)


def curve(backend: Backend, question: Question, order: Order, level: Level, removal: Removal) -> FloatArray:
    """(S,) a number as words are removed in an order. Raises HeadlightError."""
    return removal_curve(_player(backend, question, level, removal), order)


def random_orders(
    backend: Backend, progress: Progress, question: Question, level: Level, removal: Removal
) -> FloatArray:
    """(20, S) the same in random orders."""
    return random_curves(_player(backend, question, level, removal), progress=progress)


def greedy(backend: Backend, progress: Progress, question: Question, level: Level, removal: Removal) -> Searched:
    """The same in the order that a greedy search finds."""
    player = _player(backend, question, level, removal)
    order = greedy_order(player, progress=progress)
    return Searched(order, removal_curve(player, order))


def guided(backend: Backend, progress: Progress, question: Question, level: Level, removal: Removal) -> Searched:
    """The same in the order of a short search that integrated DecompX leads."""
    asked = number(backend, question)
    player = removal_game(backend, asked, level=level, removal=removal)
    values = explain(backend, asked, "integrated-decompx", level=level).values
    progress(1, 2)
    order = guided_order(replace(player, quantity=asked.additive), values)
    return Searched(order, removal_curve(player, order))


def left(backend: Backend, question: Question, gone: Order, level: Level, removal: Removal) -> Left:
    """What is left without some units. Raises HeadlightError."""
    player = _player(backend, question, level, removal)
    tokens, (a, b) = player.without(gone), player.typed_without(gone)
    return Left(
        text=(a, b),
        same=bool(a) and backend.tokenize(a, b or None).ids == tokens.ids,
        value=float(player.values([gone])[0]),
        prediction=backend.run(tokens).prediction,
    )


def _player(backend: Backend, question: Question, level: Level, removal: Removal) -> RemovalGame:
    return removal_game(backend, number(backend, question), level=level, removal=removal)
