"""The cached results of steps of recipes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from viz.caches import revisions
from viz.caches.memo import JOBS, VALUES, Memo, key_of
from viz.caches.run_cache import model
from viz.computing.worker import in_worker, in_worker_by_parts
from viz.recipes.step import AnyStep, LongStep, Recipe, Step, follow_recipe, plain_arguments

if TYPE_CHECKING:
    from viz.computing.job import Job

Result = TypeVar("Result")


def result_of(step: Step[Result], model_name: str) -> Result:
    """The cached result of a short step, or its result computed in the worker's thread. Raises HeadlightError."""
    name = revisions.current(model_name)

    def work() -> Result:
        models = [model(name)] if step.needs_model else []
        function = partial(step.function, *models, *step.args, **step.options)
        if step.by_parts:
            return in_worker_by_parts(lambda check: function(progress=lambda *_: check()))
        return in_worker(function)

    return _memo(step).compute(key_of(step.function, *_identity(step, name), **step.options), work)


def job_of(step: LongStep[Result], model_name: str) -> Job[Result]:
    """The cached job of a long step; the caller starts it."""
    from viz.computing.job import Job, work_of  # imports torch

    if step.table is not None:
        from viz.caches.collections import job_of_table  # imports pyarrow

        return job_of_table(step, model_name)
    return JOBS.compute(
        key_of(step.function, *_identity(step, revisions.current(model_name)), **step.options),
        lambda: Job(work_of(step.function, *step.args, **step.options), nbytes=step.nbytes),
    )


def known_result(step: AnyStep, model_name: str, *, waits: bool = False) -> Any:
    """The cached result of a step; None where there is none, or where it belongs to a session.

    It may be called in any thread.

    Args:
        waits: for a job that has begun, until it ends; not in a thread that the page waits for.
    """
    memo = JOBS if isinstance(step, LongStep) or step.table else VALUES
    found = memo.peek(step.function, *_identity(step, revisions.current(model_name)), **step.options)
    if found is None or not isinstance(step, LongStep):
        return found
    if waits:
        found.wait()
    return found.result


known_or_awaited_result = partial(known_result, waits=True)


class _UnknownResultError(Exception):
    pass


def is_known(recipe: Recipe[Any], model_name: str) -> bool:
    """Whether all steps of a recipe have cached results."""

    def known(step: AnyStep) -> Any:
        found = known_result(step, model_name)
        if found is None:
            raise _UnknownResultError
        return found

    try:
        follow_recipe(recipe, run=known)
    except _UnknownResultError:
        return False
    return True


def _memo(step: Step[Any]) -> Memo:
    if step.table is None:
        return VALUES
    from viz.caches.collections import memo_of  # imports pyarrow

    return memo_of(step.table)


def _identity(step: AnyStep, name: str) -> tuple[Any, ...]:
    needs_model = isinstance(step, LongStep) or step.needs_model
    return *([name] if needs_model else []), *plain_arguments(step)
