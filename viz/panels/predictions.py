"""What the model's own head predicts for the text."""

from __future__ import annotations

from encoder import Trace
from viz.answers import predictions as answers
from viz.panels.answer import show_answer
from viz.state.selection import Selection
from viz.wording.explanations import Explanation

CAPTION = 34  # pixels at a stop of a tour: two lines above the chart


def predictions(trace: Trace, _: Selection, *, place: str) -> Explanation | None:
    """Probabilities of the classification head and the regression score, as far as the model has them."""
    answer = answers.predictions(trace)
    new = (trace.model_name, trace.tokens.sentences)
    show_answer(answer, view="predictions", place=place, new=new, above=CAPTION)
    return answers.EXPLANATION if trace.prediction else None
