"""A view's computation, whoever runs it, is a recipe: a generator that yields steps, answers and places of widgets.

It is sent the result of each step. The page caches results, starts long steps as jobs and shows their progress
(`viz.widgets.recipe`). Slides, claims and commands compute at once, within a number of tokens
(`viz.recipes.runner`). Page and slide show the answers in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from encoder.errors import HeadlightError, NotFiniteError
from viz.answers.answer import Answer, Role, explained

if TYPE_CHECKING:
    from encoder.collection.table import Collection

Result = TypeVar("Result")
Recipe = Generator["AnyStep | Answer | Widgets", Any, Result]


@dataclass(frozen=True, slots=True)
class Step(Generic[Result]):
    """A function of a model that takes a second at most. `found = yield from step` is its result in a recipe.

    Attributes:
        function: called with the model and `args`.
        what: what it computes, if that may take more than a moment.
        by_parts: whether it takes about a second, and reports to its keyword `progress`.
        options: its keyword arguments.
        identity: plain values that identify the result, if `args` themselves do not.
        table: the table of texts that the result is about.
        needs_model: whether the function takes the model.
    """

    function: Callable[..., Result]
    args: tuple[Any, ...] = ()
    what: str = ""
    by_parts: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    identity: tuple[Any, ...] | None = None
    table: Collection | None = None
    needs_model: bool = True

    def __iter__(self) -> Recipe[Result]:
        found: Result = yield self
        return found


@dataclass(frozen=True, slots=True)
class LongStep(Generic[Result]):
    """A function of a model that may take minutes, and reports to its keyword `progress`.

    `found = yield from step` is None in a recipe where the page has no result yet, and where an optional step takes too
    long for a slide; there another one is refused.

    Attributes:
        function: called with the model and `args`: plain values, or `identity` names them.
        tokens: an upper bound of the tokens that it runs.
        what: what it computes, as the subject of a sentence.
        key: identifies it among the steps of its view; "" for the only one.
        is_optional: whether the view's answer does without it.
        estimate: a recipe of short steps for a preliminary result, and the tokens that these run.
        options, identity, table: as of a `Step`.
        nbytes: of the result, at most.
    """

    function: Callable[..., Result]
    args: tuple[Any, ...]
    tokens: int
    what: str
    key: str = ""
    is_optional: bool = False
    estimate: tuple[Callable[[], Recipe[Result]], int] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    identity: tuple[Any, ...] | None = None
    table: Collection | None = None
    nbytes: int = 100_000

    def __iter__(self) -> Recipe[Result | None]:
        found: Result | None = yield self
        return found


def plain_arguments(step: AnyStep) -> tuple[Any, ...]:
    """What identifies a result, with the function, the model and the keyword arguments: plain values."""
    args = step.args if step.identity is None else step.identity
    return args if step.table is None else (step.table, *(each for each in args if each is not step.table))


def answered(step: LongStep[Result], answer: Callable[[Result], Answer]) -> Recipe[None]:
    """A recipe of one step and the answer about its result."""
    found = yield from step
    if found is not None:
        yield answer(found)


def or_why_not(recipe: Recipe[Result], role: Role = "info") -> Recipe[Result | None]:
    """A recipe that ends with a sentence, and returns None, where it does not apply. Raises NotFiniteError."""
    try:
        return (yield from recipe)
    except NotFiniteError:
        raise
    except HeadlightError as error:
        yield Answer((explained(error, role),))
        return None


@dataclass(frozen=True, slots=True)
class Widgets:
    """The place of some widgets of the page; slides, claims and commands pass over it.

    Attributes:
        name: of the function that renders them.
        args: that function's.
    """

    name: str
    args: tuple[Any, ...] = ()


AnyStep = Step[Any] | LongStep[Any]


def follow_recipe(
    recipe: Recipe[Result],
    *,
    run: Callable[[AnyStep], Any],
    show: Callable[[Answer | Widgets], object] = lambda part: None,
) -> Result:
    """Run a recipe to its end. Returns its result.

    Args:
        run: returns the result of a step. The recipe may catch a HeadlightError that it raises.
        show: called with each answer and each place of widgets.
    """
    resume: Callable[[], AnyStep | Answer | Widgets] = partial(next, recipe)
    while True:
        try:
            item = resume()
        except StopIteration as end:
            result: Result = end.value
            return result
        if isinstance(item, (Answer, Widgets)):
            show(item)
            resume = partial(next, recipe)
            continue
        try:
            resume = partial(recipe.send, run(item))
        except HeadlightError as error:
            resume = partial(recipe.throw, error)
