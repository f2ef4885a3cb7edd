"""A recipe on the page: steps are cached, long ones are jobs, and an answer stands above the progress of its step."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeVar

import streamlit as st

from encoder.errors import HeadlightError, NotFiniteError
from viz.answers.answer import Answer
from viz.caches import run_cache
from viz.caches.memo import key_of
from viz.caches.steps import job_of, result_of
from viz.recipes.step import AnyStep, LongStep, Recipe, Step, Widgets, follow_recipe, plain_arguments
from viz.widgets.answer import show_answer
from viz.widgets.jobs import SHORTER, follow
from viz.wording.labels import escape_markdown

Result = TypeVar("Result")

MOST_AT_ONCE: Final = 10**11  # multiplications while the page waits: about a second on two cores


def show_recipe(
    recipe: Recipe[Result],
    model_name: str,
    *,
    view: str,
    place: str = "",
    widgets: Mapping[str, Callable[..., object]] | None = None,
    below_title: bool = False,
    less: str = SHORTER,
) -> Result:
    """Show the answers of a recipe, as far as its steps have results. Returns its result. Raises HeadlightError.

    Args:
        view: begins the keys of its elements.
        place: "pair", "A" or "B" identifies its answers on the page; "" if there is only one.
        widgets: renders the widgets of the page by their name.
        below_title: whether its first part is the title of the fold that it is in.
        less: what makes a step that is refused shorter.
    """
    room, is_empty, is_titled = st.container(), True, below_title
    new: object = None
    unfollowed: list[Callable[[], object]] = []

    def follow_estimated() -> None:
        """Show the progress of a step whose estimate the browser has painted: its bar would delay that."""
        while unfollowed:
            if unfollowed.pop()() is not None:
                st.rerun()  # the result came meanwhile

    def run(step: AnyStep) -> Any:
        nonlocal room, new, is_empty
        follow_estimated()
        if isinstance(step, Step):
            with st.spinner(f"{step.what} …") if step.what else nullcontext():
                new = _key_of(step, model_name) if step.what else new
                return result_of(step, model_name)
        if not is_empty:
            room, is_empty = st.container(), True
        job = job_of(step, model_name)
        if job.error is not None:
            raise job.error.with_traceback(None)
        preliminary = _estimate(step, model_name, run)
        new = (_key_of(step, model_name), preliminary is not None) if step.estimate else new
        follow_step = partial(
            follow,
            job,
            model_name,
            tokens=step.tokens,
            what=step.what,
            key="_".join(filter(None, (view, step.key, place))),
            less=less,
        )
        if preliminary is None:
            return follow_step()
        unfollowed.append(follow_step)
        return preliminary

    def show(part: Answer | Widgets) -> None:
        nonlocal new, is_empty, is_titled
        with room:
            if isinstance(part, Answer):
                shown = replace(part, parts=part.parts[1:]) if is_titled else part
                show_answer(shown, view=view, place=place, new=new)
                new, is_titled = None, False
            elif widgets and part.name in widgets:
                widgets[part.name](*part.args)
        is_empty = False

    result = follow_recipe(recipe, run=run, show=show)
    follow_estimated()
    return result


def _key_of(step: AnyStep, model_name: str) -> Hashable:
    return key_of(step.function, model_name, *plain_arguments(step), **step.options)


def show_or_explain(recipe: Recipe[Result], model_name: str, **options: Any) -> Result | None:
    """As `show_recipe`, but a sentence says what does not apply, and the result is None then."""
    try:
        return show_recipe(recipe, model_name, **options)
    except NotFiniteError:
        raise
    except HeadlightError as error:
        st.info(escape_markdown(str(error)))
        return None


def _estimate(step: LongStep[Any], model_name: str, run: Callable[[AnyStep], Any]) -> Any:
    """A preliminary result, if it takes a second at most and the result itself is not there."""
    if step.estimate is None or job_of(step, model_name).result is not None:
        return None
    recipe, tokens = step.estimate
    if run_cache.model(model_name).multiplications(tokens) > MOST_AT_ONCE:
        return None
    with st.spinner(f"{step.what} …"):
        return follow_recipe(recipe(), run=run)
