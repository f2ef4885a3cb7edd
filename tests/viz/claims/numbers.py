"""Two texts, and the number of a measure."""

from encoder.runs.generation import Generation
from viz.claims.outcome import measured
from viz.claims.subject import Subject
from viz.tours.grammar import parse_claim

A, B = "time flies like an arrow", "unflappable fruit flies"
CLOSE = {"rtol": 1e-4, "atol": 1e-5}


def number(measure: str, subject: Subject | Generation) -> float:
    """The number of a measure."""
    return measured(parse_claim(f"{measure} > 0").measure, subject)
