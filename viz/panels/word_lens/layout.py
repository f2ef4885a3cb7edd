"""How the page renders one of the lens's answers."""

from __future__ import annotations

from viz.answers.answer import Answer
from viz.panels.answer import show_answer
from viz.panels.captions import show_explanation


def show_picture(answer: Answer) -> None:
    """One of the six pictures, and how to read it."""
    show_answer(answer, view="lens")
    if answer.explanation:
        show_explanation(answer.explanation)
