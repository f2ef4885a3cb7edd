"""What words add to a model's numbers, and the jobs that put that to the test."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from encoder import Backend, Trace
from encoder.attribution.asking import Number, ask
from encoder.attribution.explaining import WordValues, explain, player_of
from encoder.attribution.questions import Method, Question, Removal
from encoder.attribution.removal_test import random_curves, removal_curve
from encoder.attribution.removals import Player
from encoder.attribution.sampling import greedy_order, guided_order
from encoder.measures.units import Level
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Prediction
from viz.caches.run_cache import model, trace
from viz.computing.job import Job, Progress
from viz.computing.worker import in_worker

VALUES = 128  # numbers alone: jobs hold no model and no trace

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


@st.cache_resource(max_entries=VALUES, show_spinner=False)
def number(model_name: str, question: Question) -> Number:
    """The number that a question is about. Raises HeadlightError, which is not kept."""

    def run(a: str, b: str | None = None) -> Trace:
        return trace(model_name, a, b)

    return ask(model(model_name), question, run)


@st.cache_resource(max_entries=VALUES, show_spinner="Working out what each word adds …")
def word_values(model_name: str, question: Question, method: Method, level: Level, removal: Removal) -> WordValues:
    """What each word adds to a number. Raises HeadlightError, which is not kept."""
    backend, asked = model(model_name), number(model_name, question)
    return in_worker(lambda: explain(backend, asked, method, level=level, removal=removal))


@st.cache_resource(max_entries=VALUES, show_spinner=False)
def shapley(model_name: str, question: Question, level: Level, removal: Removal) -> Job[WordValues]:
    """The same by Shapley sampling, not begun; whoever wants it starts it."""
    asked = number(model_name, question)

    def work(backend: Backend, progress: Progress) -> WordValues:
        return explain(backend, asked, "shapley", level=level, removal=removal, progress=progress)

    return Job(work, name="headlight-shapley")


@st.cache_resource(max_entries=VALUES, show_spinner=False)
def curve(model_name: str, question: Question, order: Order, level: Level, removal: Removal) -> FloatArray:
    """(S,) a number as words are taken away in an order. Raises HeadlightError, which is not kept."""
    player = _player(model_name, question, level, removal)
    return in_worker(lambda: removal_curve(player, order))


@st.cache_resource(max_entries=VALUES, show_spinner=False)
def random_orders(model_name: str, question: Question, level: Level, removal: Removal) -> Job[FloatArray]:
    """(20, S) the same in random orders, not begun."""
    asked = number(model_name, question)

    def work(backend: Backend, progress: Progress) -> FloatArray:
        return random_curves(player_of(backend, asked, level=level, removal=removal), progress=progress)

    return Job(work, name="headlight-random-orders")


@st.cache_resource(max_entries=VALUES, show_spinner=False)
def greedy(model_name: str, question: Question, level: Level, removal: Removal) -> Job[Searched]:
    """The same in the order that a greedy search finds, not begun."""
    asked = number(model_name, question)

    def work(backend: Backend, progress: Progress) -> Searched:
        player = player_of(backend, asked, level=level, removal=removal)
        order = greedy_order(player, progress=progress)
        return Searched(order, removal_curve(player, order))

    return Job(work, name="headlight-greedy")


@st.cache_resource(max_entries=VALUES, show_spinner=False)
def guided(model_name: str, question: Question, level: Level, removal: Removal) -> Job[Searched]:
    """The same in the order of a short search that integrated DecompX leads, not begun."""
    asked = number(model_name, question)

    def work(backend: Backend, progress: Progress) -> Searched:
        player = player_of(backend, asked, level=level, removal=removal)
        values = explain(backend, asked, "integrated-decompx", level=level).values
        progress(1, 2)
        order = guided_order(replace(player, quantity=asked.additive), values)
        return Searched(order, removal_curve(player, order))

    return Job(work, name="headlight-guided")


@st.cache_resource(max_entries=VALUES, show_spinner=False)
def left(model_name: str, question: Question, gone: Order, level: Level, removal: Removal) -> Left:
    """What is left without some units. Raises HeadlightError, which is not kept."""
    player = _player(model_name, question, level, removal)

    def work() -> Left:
        tokens, (a, b) = player.without(gone), player.typed_without(gone)
        return Left(
            text=(a, b),
            same=bool(a) and player.backend.tokenize(a, b or None).ids == tokens.ids,
            value=float(player.values([gone])[0]),
            prediction=player.backend.run(tokens).prediction,
        )

    return in_worker(work)


def _player(model_name: str, question: Question, level: Level, removal: Removal) -> Player:
    return player_of(model(model_name), number(model_name, question), level=level, removal=removal)
