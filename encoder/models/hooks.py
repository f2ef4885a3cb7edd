"""Observing a run and changing it, from outside: hooks on named points of a model.

======================================  ===================================================================
point                                   tensor
======================================  ===================================================================
`embedding`                             (B, T, D) embedding output, hidden state 0
`query`, `key`, `value` of a layer      (B, H, T, K)
`mask` of a layer                       broadcastable to (B, H, T, T): boolean, True = may be attended, or a
                                        number added to the score; there is no such point without a mask
`scaling` of a layer                    a number that the products q · k are multiplied with; read only
`scores` of a layer                     (B, H, T, T) scaled and masked; read only
`weights` of a layer                    (B, H, T, T) after softmax, as they multiply the values
`context` of a layer                    (B, H, T, K) weights @ value
`output` of a layer                     (B, T, D), hidden state layer + 1
======================================  ===================================================================

Both kinds of models pass them: our own (`encoder.models.own_points`) and those of `transformers`
(`encoder.models.pretrained_points`). The fused attention kernel forms neither scores nor weights. A layer whose scores
or weights are hooked runs without it; the others keep it.

A decoder has two attentions in a layer. There the layer of an attention's points is the attention's number in the
order of the run: 2l is the self-attention of layer l, 2l + 1 its attention to the source.

Threads: a model is shared by all threads of a server. torch's hook handles belong to a module, so that a hook which is
there for one run would see the runs of other threads as well. Here every module gets its torch hook once, for good. It
looks up the hooks of the current run in a context variable, which each thread has its own value of, and does nothing
where there are none. What is looked up ends with the `with` block, also when the run fails.
"""

from __future__ import annotations

import threading
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from torch import Tensor, nn

from encoder.errors import SelectionError


class Point(NamedTuple):
    """A named place that a tensor passes; without a layer, a hook on a layer's point is called in every layer."""

    name: str
    layer: int | None = None

    def __str__(self) -> str:
        return self.name if self.layer is None else f"{self.name} of layer {self.layer}"


def state_point(state_index: int) -> Point:
    """Where a hidden state passes: 0 is the embedding output, l + 1 leaves layer l."""
    return Point("embedding") if state_index == 0 else Point("output", state_index - 1)


# Gets the tensor and its point; returns what is to replace the tensor, or None to leave it.
Hook = Callable[[Tensor, Point], Tensor | None]
Hooks = Mapping[Point, Sequence[Hook]]


@dataclass(slots=True)
class HookedRun:
    """The hooks of one `with hooked(...)` block, and how often each module has been called in it."""

    model: nn.Module
    hooks: tuple[Hooks, ...]
    calls: Counter[Any] = field(default_factory=Counter)

    def count_call(self, what: object) -> int:
        """How often this was called before, from 0 on."""
        self.calls[what] += 1
        return self.calls[what] - 1

    def has_hooks(self, layer: int, *names: str) -> bool:
        """Whether anything is hooked at one of a layer's points."""
        points = {Point(name, number) for name in names for number in (layer, None)}
        return any(not points.isdisjoint(hooks) for hooks in self.hooks)

    def apply(self, point: Point, tensor: Tensor) -> Tensor:
        """The tensor that goes on after all hooks at its point, in their order."""
        for hook in self._at(point):
            replacement = hook(tensor, point)
            tensor = tensor if replacement is None else replacement
        return tensor

    def observe(self, point: Point, tensor: Tensor) -> None:
        """Call the hooks at a point that cannot be changed.

        Raises:
            SelectionError: a hook returns a replacement.
        """
        for hook in self._at(point):
            if hook(tensor, point) is not None:
                raise SelectionError(f"The {point} can be observed and not changed.")

    def _at(self, point: Point) -> Iterator[Hook]:
        for hooks in self.hooks:
            yield from hooks.get(point, ())
            if point.layer is not None:
                yield from hooks.get(Point(point.name), ())


_names = {"embedding", "query", "key", "value", "mask", "scaling", "scores", "weights", "context", "output"}
_run: ContextVar[HookedRun | None] = ContextVar("headlight_run", default=None)


def current_run() -> HookedRun | None:
    """The run that this thread's innermost `hooked` block is about, or None outside of one."""
    return _run.get()


@contextmanager
def hooked(model: nn.Module, *hooks: Hooks) -> Iterator[None]:
    """Call hooks while the model runs inside, in this thread only.

    The model may run once in a block: the layers of a second pass would be counted on from those of the first. A block
    inside another one replaces its hooks until it ends.

    Args:
        hooks: for each point its hooks; those of the first mapping are called first.
    Raises:
        SelectionError: no model has a point of that name.
    """
    for point in chain.from_iterable(hooks):
        if point.name not in _names:
            raise SelectionError(f"There is no point {point.name!r}; there are {', '.join(sorted(_names))}.")
    token = _run.set(HookedRun(model, hooks))
    try:
        yield
    finally:
        _run.reset(token)


Kept = TypeVar("Kept")


class Recorder(Generic[Kept]):
    """Keeps what passes some points.

    Attributes:
        hooks: for `hooked`.
        seen: by point, what was kept of the tensor that passed last.
    """

    def __init__(self, *points: Point, keep: Callable[[Tensor], Kept]) -> None:
        self.keep = keep
        self.hooks: Hooks = dict.fromkeys(points, (self._note,))
        self.seen: dict[Point, Kept] = {}

    def _note(self, tensor: Tensor, point: Point) -> None:
        self.seen[point] = self.keep(tensor)


_exposing = threading.Lock()
_exposed: weakref.WeakKeyDictionary[nn.Module, set[tuple[weakref.ref[nn.Module], Point]]] = weakref.WeakKeyDictionary()


def expose(model: nn.Module, point: Point, module: nn.Module, *, side: Literal["input", "output"] = "output") -> None:
    """Make what passes a module of a model a point; calling it again changes nothing.

    Args:
        point: one of the table, or a further one under a name of its own.
        side: what the module is given first, or what it returns.
    """
    owner = weakref.ref(model)

    def before(_: nn.Module, arguments: tuple[Any, ...]) -> tuple[Any, ...] | None:
        run = _run.get()
        if run is None or run.model is not owner():
            return None
        return (run.apply(point, arguments[0]), *arguments[1:])

    def after(_: nn.Module, __: tuple[Any, ...], output: Any) -> Any:
        run = _run.get()
        return None if run is None or run.model is not owner() else run.apply(point, output)

    if not first_time(model, point, module):
        return
    if side == "input":
        module.register_forward_pre_hook(before)
    else:
        module.register_forward_hook(after)


def first_time(model: nn.Module, point: Point, module: nn.Module) -> bool:
    """Whether this module is made this point of a model for the first time; from then on it counts as made."""
    with _exposing:
        exposed = _exposed.setdefault(module, set())
        key = (weakref.ref(model), point)
        if key in exposed:
            return False
        exposed.add(key)
        _names.add(point.name)
        return True
