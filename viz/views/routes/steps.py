"""Routes: the links that carry an output, next to other orders of links."""

from __future__ import annotations

from functools import partial
from typing import Final

from encoder.attribution.carriers import OPENED
from encoder.attribution.questions import Question
from encoder.attribution.routes import (
    DRAWS,
    MOST_CUTS,
    PREFIXES,
    Agreement,
    OtherOrders,
    Routes,
    agreement,
    find_routes,
    other_orders,
    other_wordings,
    single_cuts,
)
from encoder.attribution.target import Target
from encoder.errors import ArgumentError
from encoder.measures.units import Level, units_of
from encoder.runs.trace import Trace
from viz.answers.answer import Answer
from viz.answers.room import PAGE, Room
from viz.payloads.message import Message
from viz.payloads.routes import routes_message
from viz.recipes.step import LongStep, Recipe, Step, Widgets, answered
from viz.views.routes import answer as answers

MOST_AT_ONCE: Final = 64  # tokens of a text whose routes take about a second
MOST_EXACT: Final = 16  # tokens of a text whose links are cut one at a time
GRADIENTS: Final = 3 * len(OPENED)  # runs that take as long as the gradients
COUNTS: Final = 20  # runs with some links alone, at most
PICTURE, CURVE = "picture", "curve"


def routes(question: Question, target: Target, trace: Trace, room: Room = PAGE) -> Recipe[Routes | None]:
    """How few links keep an output, their picture, the same of other links, and how good the estimates are.

    Args:
        target: of the question.
        trace: of the target's text.
        room: at a stop, no curves and no exact cuts.
    Returns:
        What was found; None while it is computed.
    Raises:
        HeadlightError: the text is too long, or the model's attention cannot be changed.
    """
    tokens = len(target.tokens)
    if tokens > answers.MOST_TOKENS:
        raise ArgumentError(answers.TOO_LONG.format(most=answers.MOST_TOKENS, tokens=tokens))
    found = yield from routes_of(question, target, trace)
    if found is None:
        return None
    yield answers.kept(target, found, model_name=trace.model_name)
    yield Widgets(PICTURE, (found,))
    if said := answers.sinks(target, found):
        yield Answer((said,))
    others = yield from orders_step(question, target, found)
    if others is not None:
        yield Widgets(CURVE, (found, others))
        yield answers.orders(target, found, others, room)
    if room is PAGE:
        exact = (yield from exact_of(question, target, found)) if tokens <= MOST_EXACT else None
        yield Answer((answers.links(target, found, exact),))
    return found


def wordings(question: Question, target: Target, found: Routes) -> Recipe[None]:
    """How far the routes hold in other wordings of the text. Raises HeadlightError."""
    yield from answered(
        LongStep(
            other_wordings,
            (question, target, found.values),
            tokens=len(PREFIXES) * GRADIENTS * len(target.tokens),
            what="Routes in other wordings",
            key="wordings",
            identity=(question,),
        ),
        answers.wordings,
    )


def every_cut(question: Question, target: Target, found: Routes) -> Recipe[None]:
    """The exact effect of each link, cut by itself. Raises HeadlightError."""
    count = len(single_cuts(found.values, found.weights))
    yield from answered(
        LongStep(
            agreement,
            (target, found.values, found.weights),
            options={"most": None},
            tokens=count * len(target.tokens),
            what=f"{count:,} links cut one at a time",
            key="every",
            identity=(question,),
            nbytes=64 * count,
        ),
        partial(answers.every_cut, target, found),
    )


def routes_of(question: Question, target: Target, trace: Trace) -> Recipe[Routes | None]:
    """The links that carry an output."""
    tokens, args = len(target.tokens), (target, trace)
    if tokens <= MOST_AT_ONCE:
        return (yield from Step(find_routes, args, identity=(question,)))  # the panel waits for the picture
    return (
        yield from LongStep(
            find_routes,
            args,
            tokens=(GRADIENTS + COUNTS) * tokens,
            what="Which links carry it",
            key="links",
            identity=(question,),
            nbytes=8 * tokens**2 * 1_000,
        )
    )


def picture_of(target: Target, found: Routes, level: Level = "wordpieces", *, identity: str | None = None) -> Message:
    """The message of the view of routes; `identity` is its id, by default a digest."""
    return routes_message(
        found.values,
        found.weights,
        units_of(target.tokens, level=level),
        counts=found.counts,
        kept=found.kept,
        opens=found.opening,
        name=answers.output_name(target),
        unit=target.unit,
        adds=target.additive_unit,
        identity=identity,
    )


def orders_step(question: Question, target: Target, found: Routes) -> LongStep[OtherOrders]:
    """The output by other orders of links."""
    runs = (DRAWS + 2) * len(found.counts)
    return LongStep(
        other_orders,
        (target, found),
        tokens=runs * len(target.tokens),
        what=f"Other links: the largest weights, and {DRAWS} random draws",
        key="orders",
        is_optional=True,
        identity=(question,),
    )


def exact_of(question: Question, target: Target, found: Routes) -> LongStep[Agreement]:
    """How well estimates order exact cuts of single links."""
    return LongStep(
        agreement,
        (target, found.values, found.weights),
        tokens=MOST_CUTS * len(target.tokens),
        what=f"Up to {MOST_CUTS} links cut one at a time",
        key="exact",
        is_optional=True,
        identity=(question,),
    )
