"""Steps that slides, claims and commands run at once: each of them once, within a number of tokens."""

from __future__ import annotations

import pytest

from encoder import Backend
from encoder.errors import SelectionError
from encoder.progress import Progress, no_progress
from viz.answers.answer import Answer, Sentence
from viz.recipes import runner
from viz.recipes.runner import StepRunner
from viz.recipes.step import LongStep, Recipe, Step, Widgets

NAME = "bundled"


def count_tokens(backend: Backend, text: str, *, progress: Progress = no_progress) -> int:
    return len(backend.tokenize(text))


def long_step(tokens: int, *, is_optional: bool = False) -> LongStep[int]:
    return LongStep(count_tokens, ("time flies",), tokens=tokens, what="The tokens", key="", is_optional=is_optional)


def test_a_step_is_run_once_for_its_model_and_arguments(bundled: Backend) -> None:
    seen: list[str] = []

    def note(backend: Backend, text: str) -> str:
        seen.append(text)
        return text

    steps = StepRunner(lambda name: bundled)
    assert [steps.run(Step(note, (text,)), NAME) for text in ("a", "b", "a")] == ["a", "b", "a"]
    assert seen == ["a", "b"]
    steps.run(Step(note, ("a",)), "another")
    assert seen == ["a", "b", "a"]


def test_a_known_result_opens_no_model() -> None:
    steps = StepRunner(lambda name: pytest.fail("the model is opened"), known=lambda step, name: 7)
    assert steps.run(long_step(10**9), NAME) == 7


def test_what_takes_too_long_is_refused_or_named(bundled: Backend) -> None:
    steps, long = StepRunner(lambda name: bundled), runner.MOST_TOKENS + 1
    with pytest.raises(SelectionError, match="The tokens: this takes 200,001 tokens"):
        steps.run(long_step(long), NAME)

    def recipe() -> Recipe[int | None]:
        found = yield from long_step(long, is_optional=True)
        yield Widgets("none")
        yield Answer((Sentence(f"{found} tokens"),))
        return (yield from long_step(4))

    answer, result = steps.answer(recipe(), NAME)
    assert result == 4
    assert [part.text for part in answer.parts if isinstance(part, Sentence)] == [
        "None tokens",
        "The tokens: this takes too long for a slide. The app runs it.",
    ]
