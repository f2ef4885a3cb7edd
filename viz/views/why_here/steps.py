"""Why here? One score, split by origin, and the run without its largest parts."""

from __future__ import annotations

from typing import Final

from encoder import Backend
from encoder.attribution.score_removals import CONTROLS, RemovalTest, removal_test
from encoder.attribution.score_terms import SIDES, Cell, ScoreTerms, score_terms
from encoder.progress import Progress, no_progress
from encoder.runs.trace import Trace
from viz.answers.answer import Answer
from viz.answers.room import PAGE, Room
from viz.recipes.step import LongStep, Recipe, Step, Widgets, or_why_not
from viz.state.selection import Selection
from viz.views.why_here import answer as answers

TOKENS_AT_ONCE: Final = 4_000  # about two seconds of BERT-base on two cores


def why_here(trace: Trace, cell: Cell, selection: Selection, room: Room = PAGE) -> Recipe[ScoreTerms]:
    """The score of a cell, where it came from, and the weight without its largest terms.

    Args:
        room: at a stop, no claim is about the test.
    Raises:
        SelectionError, ModelError: the model cannot be decomposed.
    """
    terms = yield from Step(score_terms, (trace, cell), what="Decomposing the score")
    yield answers.score(trace, terms, selection)
    if room is PAGE:
        yield Widgets("heads", (terms,))
        yield Answer((answers.PROOF,))
        tests = yield from or_why_not(_tests(trace, cell))
        if tests is not None:
            yield answers.proof(trace, terms, tests)
    return terms


def _tests(trace: Trace, cell: Cell) -> Recipe[tuple[RemovalTest, ...] | None]:
    args, runs = (*trace.tokens.texts, cell), len(SIDES) * (1 + CONTROLS)
    tokens, what = runs * len(trace.tokens), f"The weight without these parts, in up to {runs} runs"
    if tokens <= TOKENS_AT_ONCE:
        return (yield from Step(removal_tests, args))
    return (yield from LongStep(removal_tests, args, tokens=tokens, what=what, key="proof"))


def removal_tests(
    backend: Backend, a: str, b: str | None, cell: Cell, *, progress: Progress = no_progress
) -> tuple[RemovalTest, ...]:
    """The effect of removing the largest term of each side. Raises SelectionError, UnsupportedModelError."""
    run, found = backend.trace(a, b), list[RemovalTest]()
    terms = score_terms(backend, run, cell)
    for side in SIDES:
        progress(len(found), len(SIDES))
        found.append(removal_test(backend, run, terms, side))
    return tuple(found)
