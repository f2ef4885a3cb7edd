"""Measures of what words add to the likeliest class, and of whether removing them confirms it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from encoder.attribution.questions import Method, Question, Removal
from encoder.attribution.removal_curves import verdict
from encoder.attribution.target import Target, resolve_target
from encoder.errors import SelectionError
from encoder.measures.near_ties import largest_first
from encoder.runs.trace import Trace
from viz.claims.subject import Subject
from viz.state.selection import DEFAULT, Selection
from viz.tours.tour import Measure
from viz.views.why.steps import curve_of, random_curves_of, values_of

METHODS: Mapping[str, Method] = {
    "gradients": "integrated-gradients",
    "decompx": "decompx",
    "leave_one_out": "leave-one-out",
    "shapley": "shapley",
}


def attribution(measure: Measure, subject: Subject) -> float:
    """What a word adds to the likeliest class, in the unit of the method."""
    place = subject.find(measure.words[0])
    question, target = _asked(subject, subject.traces[place.run])
    found = subject.result(values_of(question, target, _selection(measure)))
    added = [float(value) for unit, value in zip(found.units, found.values, strict=True) if unit[0] in place.positions]
    if not added:
        raise SelectionError("A special token frames the text: it is never removed, and adds nothing.")
    return sum(added)


def faithfulness(measure: Measure, subject: Subject) -> float:
    """How many of 20 random orders the order of a method beats when words are removed."""
    question, target = _asked(subject, subject.first)
    selection = _selection(measure)
    found = subject.result(values_of(question, target, selection))
    units = len(found.units)
    random = subject.result(iter(random_curves_of(question, target, units, selection)))
    own = subject.result(iter(curve_of(question, target, largest_first(found.values), selection)))
    result = verdict(own, random, units=units)
    if not result.testable:
        raise SelectionError(f"A text of {units} pieces has too few orders for random ones to differ.")
    return float(result.beaten)


def _asked(subject: Subject, trace: Trace) -> tuple[Question, Target]:
    """The question about the likeliest class of a run."""
    question = Question(kind="class", texts=trace.tokens.texts)
    return question, resolve_target(subject.backend, question)


def _selection(measure: Measure) -> Selection:
    """What *Why this prediction?* would show for a claim."""
    method = METHODS[measure.option("by") or "gradients"]
    removal: Removal = "delete" if measure.option("removal") == "delete" else "mask"
    return replace(DEFAULT, level="wordpieces", why=replace(DEFAULT.why, method=method, removal=removal))
