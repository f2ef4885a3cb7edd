"""Why this prediction? What each word adds to a number of the model, and whether their order holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, TypedDict

from encoder import Backend
from encoder.attribution.exact_orders import MOST_UNITS, ExactOrders, exact_orders, subset_values
from encoder.attribution.explaining import LONGER_PATH, PATH, WordValues, explain, guided_curve, removal_game
from encoder.attribution.questions import Question, Removal
from encoder.attribution.removal_curves import (
    FEWEST_UNITS,
    RANDOM_ORDERS,
    random_curves,
    removal_counts,
    removal_curve,
)
from encoder.attribution.removals import PERMUTATIONS, Remainder, greedy_order
from encoder.attribution.target import Target
from encoder.errors import ArgumentError, UnsupportedModelError
from encoder.measures.near_ties import largest_first
from encoder.measures.units import Level
from encoder.progress import Progress, no_progress
from encoder.runs.arrays import FloatArray
from encoder.text.tokens import USUAL_TOKENS
from viz.answers.answer import Answer, Sentence
from viz.recipes.step import LongStep, Recipe, Step, or_why_not
from viz.state.selection import Selection
from viz.tours.pictures import WhyPicture
from viz.views.why.answer.removals import GUIDED, GUIDED_RUNS, TEST, Curves, removal_test
from viz.views.why.answer.removals import remainder as remainder_in_words
from viz.views.why.answer.words import NO_TEST_OF_LONG, why_not_for_long, words, words_heading
from viz.wording.labels import escape_markdown

PASSES_OF_GRADIENTS: Final = 3 * (PATH.points + LONGER_PATH.points)  # forward passes that take as long, at most

Order = tuple[int, ...]


class _Arguments(TypedDict):
    """Of a step: with the target itself, which its question identifies."""

    args: tuple[Any, ...]
    identity: tuple[Any, ...]
    options: Mapping[str, Any]


def why(
    question: Question,
    target: Target,
    selection: Selection,
    *,
    model_name: str,
    about: WhyPicture | None = None,
    points: Sequence[Mapping[str, Any]] = (),
) -> Recipe[Order]:
    """The words of a question's text, and the test of their order.

    Args:
        target: of the question.
        about: only the words or only the test; None for both.
        points: of a stop, as `viz.tours.pointing.placed_points` gives them.
    Returns:
        The tested order; () without a test.
    Raises:
        HeadlightError: the method does not apply.
    """
    if about != "test":
        yield Answer((words_heading(question, target),))
    found = yield from values_of(question, target, selection)
    if found is not None and about != "test":
        yield words(target, found, selection, points=points)
    if about == "words" or found is None:
        return ()
    if len(target.tokens) > USUAL_TOKENS:
        yield Answer((Sentence(NO_TEST_OF_LONG, "caption"),))
        return ()
    yield Answer((TEST,))
    order = largest_first(found.values)
    curves = yield from or_why_not(_curves(question, target, order, selection))
    if curves is None:
        return ()
    yield removal_test(target, curves, model_name=model_name, removed=selection.why.removed)
    return order


def remainder(question: Question, target: Target, removed: Order, selection: Selection) -> Recipe[Remainder]:
    """The text without some units, and what the model predicts for it. Raises HeadlightError."""
    left = yield from Step(without_words, **_about(question, target, selection, removed))
    yield remainder_in_words(target, question.kind, left)
    return left


def values_of(question: Question, target: Target, selection: Selection) -> Recipe[WordValues | None]:
    """What each word adds to a number. Raises HeadlightError."""
    method, num_tokens = selection.why.method, len(target.tokens)
    about = _about(question, target, selection, method)
    if method == "shapley":
        tokens = PERMUTATIONS * num_tokens**2
        return (yield from LongStep(explain, **about, tokens=tokens, what="Shapley values", key="shapley"))
    if num_tokens <= USUAL_TOKENS:
        return (yield from Step(explain, **about, what="What each word adds"))
    if why_not := why_not_for_long(method, num_tokens):
        raise ArgumentError(why_not)
    tokens = PASSES_OF_GRADIENTS * num_tokens
    return (yield from LongStep(explain, **about, tokens=tokens, what="Integrated gradients", key="gradients"))


def _curves(question: Question, target: Target, order: Order, selection: Selection) -> Recipe[Curves]:
    units, tokens = len(order), len(target.tokens)
    search = partial(LongStep, **_about(question, target, selection), is_optional=True)
    own = yield from curve_of(question, target, order, selection)
    random = yield from random_curves_of(question, target, units, selection)
    greedy = yield from search(
        greedy_curve, tokens=units * (units + 1) // 2 * tokens, what="Greedy search for the best order", key="greedy"
    )
    guided = exact = None
    if question.kind in GUIDED:
        try:
            guided = yield from search(guided_curve, tokens=GUIDED_RUNS * tokens, what="Guided search", key="guided")
        except UnsupportedModelError as error:
            yield Answer((Sentence(f"There is no guided search: {escape_markdown(str(error))}", "caption"),))
    if FEWEST_UNITS <= units <= MOST_UNITS:
        exact = yield from search(
            all_orders, tokens=(1 << units) * tokens, what=f"All orders of {units} words", key="exact"
        )
    return Curves(units=units, own=own, random=random, greedy=greedy, guided=guided, exact=exact)


def curve_of(question: Question, target: Target, order: Order, selection: Selection) -> Step[FloatArray]:
    """(S,) the number as words are removed in an order."""
    return Step(curve, **_about(question, target, selection, order))


def random_curves_of(question: Question, target: Target, units: int, selection: Selection) -> LongStep[FloatArray]:
    """(20, S) the number as words are removed in random orders."""
    return LongStep(
        random_orders,
        **_about(question, target, selection),
        tokens=RANDOM_ORDERS * len(removal_counts(units)) * len(target.tokens),
        what=f"{RANDOM_ORDERS} random orders",
        key="random",
    )


def curve(backend: Backend, target: Target, order: Order, *, level: Level, removal: Removal) -> FloatArray:
    """(S,) the number as words are removed in an order."""
    return removal_curve(removal_game(backend, target, level=level, removal=removal), order)


def random_orders(
    backend: Backend, target: Target, *, level: Level, removal: Removal, progress: Progress = no_progress
) -> FloatArray:
    """(20, S) `curve` in random orders."""
    return random_curves(removal_game(backend, target, level=level, removal=removal), progress=progress)


def greedy_curve(
    backend: Backend, target: Target, *, level: Level, removal: Removal, progress: Progress = no_progress
) -> FloatArray:
    """(S,) `curve` in the order of a greedy search."""
    game = removal_game(backend, target, level=level, removal=removal)
    return removal_curve(game, greedy_order(game, progress=progress))


def all_orders(
    backend: Backend, target: Target, *, level: Level, removal: Removal, progress: Progress = no_progress
) -> ExactOrders:
    """The worst and the best of all orders of a short text."""
    return exact_orders(subset_values(removal_game(backend, target, level=level, removal=removal), progress=progress))


def without_words(backend: Backend, target: Target, removed: Order, *, level: Level, removal: Removal) -> Remainder:
    """The number, and the text, without some units."""
    return removal_game(backend, target, level=level, removal=removal).remainder(removed)


def _about(question: Question, target: Target, selection: Selection, *args: Any) -> _Arguments:
    return {
        "args": (target, *args),
        "identity": (question, *args),
        "options": {"level": selection.level, "removal": selection.why.removal},
    }
