"""Observe or change a run from outside, by hooks on named points of a model.

======================================  ===================================================================
point                                   tensor
======================================  ===================================================================
`embedding`                             (B, T, D) embedding output, hidden state 0
`query`, `key`, `value` of a layer      (B, H, T, K)
`mask` of a layer                       broadcastable to (B, H, T, T): boolean, True = may be attended, or
                                        additive; absent without a mask
`sink` of a layer                       (1, H, 1, 1) score of no token, in the softmax of each row; read-only, absent
                                        in most models
`scaling` of a layer                    factor of the products q · k; read-only
`scores` of a layer                     (B, H, T, T) scaled and masked; read-only
`weights` of a layer                    (B, H, T, T) after softmax, as they multiply the values
`context` of a layer                    (B, H, T, K) weights @ value
`output` of a layer                     (B, T, D), hidden state layer + 1
`decoder embedding`                     (B, T, D) embedding output of a decoder that reads the text, too, each token
                                        one position later
======================================  ===================================================================

Our own models have these points (`encoder.models.own_points`), and so have those of `transformers`
(`encoder.models.pretrained_points`, `encoder.models.projection_points`). The fused attention kernel computes neither
scores nor weights: only layers whose scores or weights are hooked run without it.

A decoder layer has two attentions. Their points are numbered in running order: 2l is the self-attention of layer l,
2l + 1 its cross-attention.

Threads: a model is shared by all threads of a server, and a torch hook on a module sees the runs of all threads. So
each module gets one permanent torch hook. It looks up the hooks of the current run in a context variable, which is per
thread, and does nothing if there are none. The context variable is reset when the `with` block exits, also on errors.
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
    """A named point that a tensor passes; without a layer, it stands for that point in every layer."""

    name: str
    layer: int | None = None

    def __str__(self) -> str:
        return self.name if self.layer is None else f"{self.name} of layer {self.layer}"


def state_point(state_index: int) -> Point:
    """The point of a hidden state: 0 is the embedding output, l + 1 the output of layer l."""
    return Point("embedding") if state_index == 0 else Point("output", state_index - 1)


# Called with the tensor and its point; returns a replacement, or None.
Hook = Callable[[Tensor, Point], Tensor | None]
Hooks = Mapping[Point, Sequence[Hook]]


@dataclass(slots=True)
class HookedRun:
    """The hooks of one `with hooked(...)` block, the number of calls of each module in it, and what points keep."""

    model: nn.Module
    hooks: tuple[Hooks, ...]
    calls: Counter[Any] = field(default_factory=Counter)
    kept: dict[Point, Any] = field(default_factory=dict)

    def count_call(self, what: object) -> int:
        """Count a call, and return the number of earlier calls."""
        self.calls[what] += 1
        return self.calls[what] - 1

    def has_hooks(self, layer: int, *names: str) -> bool:
        """Whether any of a layer's points has hooks."""
        points = {Point(name, number) for name in names for number in (layer, None)}
        return any(not points.isdisjoint(hooks) for hooks in self.hooks)

    def apply(self, point: Point, tensor: Tensor) -> Tensor:
        """The tensor after all hooks at its point, applied in order."""
        for hook in self._at(point):
            replacement = hook(tensor, point)
            tensor = tensor if replacement is None else replacement
        return tensor

    def observe(self, point: Point, tensor: Tensor) -> None:
        """Call the hooks at a read-only point.

        Raises:
            SelectionError: a hook returns a replacement.
        """
        for hook in self._at(point):
            if hook(tensor, point) is not None:
                raise SelectionError(f"The {point} can be observed but not changed.")

    def _at(self, point: Point) -> Iterator[Hook]:
        for hooks in self.hooks:
            yield from hooks.get(point, ())
            if point.layer is not None:
                yield from hooks.get(Point(point.name), ())


EMBEDDING, DECODER_EMBEDDING = Point("embedding"), Point("decoder embedding")
_names = {"embedding", "query", "key", "value", "mask", "sink", "scaling", "scores", "weights", "context", "output"}
_names.add(DECODER_EMBEDDING.name)
_run: ContextVar[HookedRun | None] = ContextVar("headlight_run", default=None)


def current_run() -> HookedRun | None:
    """The run of this thread's innermost `hooked` block, or None."""
    return _run.get()


def run_of(model: weakref.ref[nn.Module]) -> HookedRun | None:
    """This thread's run if it is one of this model, else None."""
    run = _run.get()
    return run if run is not None and run.model is model() else None


@contextmanager
def hooked(model: nn.Module, *hooks: Hooks) -> Iterator[None]:
    """Call hooks while the model runs inside the block, in this thread only.

    The model may run only once per block, because layers are counted across passes. A nested block replaces the outer
    hooks until it exits.

    Args:
        hooks: by point; those of the first mapping are called first.
    Raises:
        SelectionError: there is no point of that name.
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
    """Records what `keep` returns for the last tensor at each point, in `seen`; `hooks` are for `hooked`."""

    def __init__(self, *points: Point, keep: Callable[[Tensor], Kept]) -> None:
        self.keep = keep
        self.hooks: Hooks = dict.fromkeys(points, (self._note,))
        self.seen: dict[Point, Kept] = {}

    def _note(self, tensor: Tensor, point: Point) -> None:
        self.seen[point] = self.keep(tensor)


_exposing = threading.Lock()
_exposed: weakref.WeakKeyDictionary[nn.Module, set[tuple[weakref.ref[nn.Module], Point]]] = weakref.WeakKeyDictionary()


def expose(model: nn.Module, point: Point, module: nn.Module, *, side: Literal["input", "output"] = "output") -> None:
    """Make a module's input or output a point of a model; idempotent.

    Args:
        point: one of the table above, or a new one.
        side: the module's first input, or its output.
    """
    owner = weakref.ref(model)

    def before(_: nn.Module, arguments: tuple[Any, ...]) -> tuple[Any, ...] | None:
        run = run_of(owner)
        return None if run is None else (run.apply(point, arguments[0]), *arguments[1:])

    def after(_: nn.Module, __: tuple[Any, ...], output: Any) -> Any:
        run = run_of(owner)
        return None if run is None else run.apply(point, output)

    if not first_time(model, point, module):
        return
    if side == "input":
        module.register_forward_pre_hook(before)
    else:
        module.register_forward_hook(after)


def first_time(model: nn.Module, point: Point, module: nn.Module) -> bool:
    """Whether the module has not yet been made this point of the model; marks it as made."""
    with _exposing:
        exposed = _exposed.setdefault(module, set())
        key = (weakref.ref(model), point)
        if key in exposed:
            return False
        exposed.add(key)
        _names.add(point.name)
        return True
