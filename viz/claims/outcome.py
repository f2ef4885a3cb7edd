"""Checks whether a claim holds on the current model."""

from __future__ import annotations

from dataclasses import dataclass
from operator import ge, gt, le, lt

from encoder.errors import HeadlightError, SelectionError
from encoder.runs.generation import Generation
from viz.claims.of_encoders import OF_ENCODERS
from viz.claims.of_tables import OF_TABLES, TableSubject
from viz.claims.of_writers import OF_WRITERS
from viz.claims.subject import Subject, check_number
from viz.tours.grammar import measure_in_words
from viz.tours.tour import Claim, Measure, Number
from viz.wording.numbers import written

SIGNS = {">": ">", "<": "<", ">=": "≥", "<=": "≤", "=": "="}
RELATIONS = {">": gt, "<": lt, ">=": ge, "<=": le}
ROUNDING = 1e-5  # difference of a number between two machines, in 32-bit arithmetic; relative above 1
MOST_DECIMALS = 9
COUNTS = ("errors", "place")  # whole numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of a claim.

    Attributes:
        holds: None where the claim does not apply to this model or text.
        value, bound: the two numbers; None where it does not apply.
        why: why it does not apply, as a sentence; else "".
    """

    claim: Claim
    holds: bool | None
    value: float | None = None
    bound: float | None = None
    why: str = ""

    @property
    def sentence(self) -> str:
        """The outcome in words: the number, "does not hold here: …", or why it does not apply."""
        if self.holds is None:
            return f"does not apply here: {self.why}"
        return self.numbers if self.holds else f"does not hold here: {self.numbers}"

    @property
    def in_words(self) -> str:
        """The outcome with what is measured: "flies → time 0.80"; a measured bound follows the relation."""
        if self.holds is None:
            return self.sentence
        value, _, bound = self.numbers.partition(" and ")
        if self.claim.measure.name == "faithfulness":
            value = f"{self.value:.0f} times of 20"
        said = f"{measure_in_words(self.claim.measure)} {value}"
        if isinstance(self.claim.bound, Measure):
            said += f" {SIGNS[self.claim.relation]} {measure_in_words(self.claim.bound)} {bound}"
        elif not self.holds:
            said += f", not {SIGNS[self.claim.relation]} {self.claim.bound.text}"
        return said if self.holds else f"does not hold here: {said}"

    @property
    def numbers(self) -> str:
        """The number, and the bound if it is measured too."""
        if self.value is None or self.bound is None:
            return ""
        if self.claim.measure.name in COUNTS:
            numbers = [self.value] if isinstance(self.claim.bound, Number) else [self.value, self.bound]
            return " and ".join(f"{number:,.0f}" for number in numbers)
        if not isinstance(self.claim.bound, Number):
            digits = _telling_digits(self.value, self.bound, fewest=3)
            return f"{written(self.value, f'.{digits}f')} and {written(self.bound, f'.{digits}f')}"
        decimals = self.claim.bound.decimals
        if self.claim.relation == "=" and self.holds:
            return written(self.value, f".{decimals}f")
        return written(self.value, f".{_telling_digits(self.value, self.bound, fewest=max(decimals, 2))}f")


def work_out(claim: Claim, subject: Subject | Generation | TableSubject) -> Outcome:
    """Whether a claim holds.

    Args:
        subject: the encoder's runs over the texts of the stop, or what an encoder-decoder wrote.
    """
    try:
        value = measured(claim.measure, subject)
        bound = claim.bound.value if isinstance(claim.bound, Number) else measured(claim.bound, subject)
    except HeadlightError as error:
        return Outcome(claim=claim, holds=None, why=str(error))
    if claim.relation == "=":
        decimals = claim.bound.decimals if isinstance(claim.bound, Number) else 0
        holds = round(value, decimals) == round(bound, decimals)
    else:
        holds = bool(RELATIONS[claim.relation](0 if _are_same(value, bound) else value - bound, 0))
    return Outcome(claim=claim, holds=holds, value=value, bound=bound)


def measured(measure: Measure, subject: Subject | Generation | TableSubject) -> float:
    """The number of a measure.

    Raises:
        HeadlightError: it does not apply to this model or this text.
    """
    if isinstance(subject, Generation):
        if measure.name not in OF_WRITERS:
            raise SelectionError(f"“{measure.name}” is measured of encoders, not in the view Decoder.")
        if measure.option("text") is not None:
            raise SelectionError("In the view Decoder, a claim is about the text of the stop.")
        return check_number(OF_WRITERS[measure.name](measure, subject))
    if isinstance(subject, TableSubject):
        if measure.name not in OF_TABLES:
            raise SelectionError(f"“{measure.name}” is measured of a text, not of a table.")
        return check_number(OF_TABLES[measure.name](measure, subject))
    if measure.name in OF_TABLES:
        raise SelectionError(f"“{measure.name}” is measured in the views of a table of texts.")
    if measure.name not in OF_ENCODERS or measure.option("kind") not in (None, "encoder"):
        raise SelectionError("This is measured in the view Decoder.")
    return check_number(OF_ENCODERS[measure.name](measure, subject))


def _are_same(value: float, bound: float) -> bool:
    return abs(value - bound) <= ROUNDING * max(1, abs(bound))


def _telling_digits(value: float, bound: float, *, fewest: int) -> int:
    """Decimals needed to distinguish two numbers, or to show that they are equal."""
    if _are_same(value, bound):
        return fewest
    for digits in range(fewest, MOST_DECIMALS):
        if f"{value:.{digits}f}" != f"{bound:.{digits}f}":
            return digits
    return MOST_DECIMALS
