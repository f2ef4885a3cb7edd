"""Measures of what words add to the likeliest class, and of whether removing them confirms it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from encoder.attribution.explaining import WordValues, explain, removal_game
from encoder.attribution.questions import Method, Question, Removal
from encoder.attribution.removal_curves import RANDOM_ORDERS, random_curves, removal_counts, removal_curve, verdict
from encoder.attribution.removals import PERMUTATIONS
from encoder.attribution.target import Target, resolve_target
from encoder.errors import SelectionError
from encoder.measures.near_ties import largest_first
from encoder.runs.trace import Trace
from viz.claims.subject import MOST_TOKENS, Subject
from viz.tours.tour import Measure

METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "gradients": "integrated-gradients",
        "decompx": "decompx",
        "leave_one_out": "leave-one-out",
        "shapley": "shapley",
    }
)


def attribution(measure: Measure, subject: Subject) -> float:
    """What a word adds to the likeliest class, in the unit of the method."""
    place = subject.find(measure.words[0])
    target = _target(subject, subject.traces[place.run])
    found = _explained(measure, subject, target)
    added = [float(value) for unit, value in zip(found.units, found.values, strict=True) if unit[0] in place.positions]
    if not added:
        raise SelectionError("A special token frames the text: it is never removed, and adds nothing.")
    return sum(added)


def faithfulness(measure: Measure, subject: Subject) -> float:
    """How many of 20 random orders the order of a method beats when words are removed."""
    target = _target(subject, subject.first)
    found, removal = _explained(measure, subject, target), _removal(measure)
    units = len(found.units)
    _check_tokens(RANDOM_ORDERS * len(removal_counts(units)) * len(target.tokens))
    game = removal_game(subject.backend, target, level="wordpieces", removal=removal)
    if removal not in subject.random_curves:
        subject.random_curves[removal] = random_curves(game)
    own = removal_curve(game, largest_first(found.values))
    result = verdict(own, subject.random_curves[removal], units=units)
    if not result.testable:
        raise SelectionError(f"A text of {units} pieces has too few orders for random ones to differ.")
    return float(result.beaten)


def _target(subject: Subject, trace: Trace) -> Target:
    a, *rest = trace.tokens.sentences
    return resolve_target(subject.backend, Question(kind="class", texts=(a, rest[0] if rest else None)))


def _explained(measure: Measure, subject: Subject, target: Target) -> WordValues:
    method = METHODS[measure.option("by") or "gradients"]
    if method == "shapley":
        _check_tokens(PERMUTATIONS * len(target.tokens) ** 2)
    return explain(subject.backend, target, method, level="wordpieces", removal=_removal(measure))


def _removal(measure: Measure) -> Removal:
    return "delete" if measure.option("removal") == "delete" else "mask"


def _check_tokens(tokens: int) -> None:
    if tokens > MOST_TOKENS:
        raise SelectionError(f"This takes {tokens:,} tokens; claims run at most {MOST_TOKENS:,}.")
