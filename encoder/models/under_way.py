"""A run that is looked at while it goes on: the trace of the layers that it has reached."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from torch import Tensor

from encoder.models.hooks import Hooks, Point
from encoder.models.tensors import AttentionRecorder, to_numpy
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace

# Called after each layer with its number and with what makes the trace of the layers until there. The run waits for it.
OnLayer: TypeAlias = Callable[[int, Callable[[], Trace]], None]


def layer_hooks(
    on_layer: OnLayer,
    recorder: AttentionRecorder,
    trace_of: Callable[..., Trace],
) -> Hooks:
    """Hooks for one run of one text, to be called behind those of the recorder.

    Args:
        recorder: of the same run.
        trace_of: makes a trace of its `layers` and `hidden_states`.
    """
    states: list[FloatArray] = []  # (T, D) each

    def note(state: Tensor, point: Point) -> None:
        states.append(to_numpy(state[0]))
        if point.layer is not None:
            on_layer(point.layer, lambda: trace_of(layers=recorder.layers, hidden_states=np.stack(states)))

    return {Point("embedding"): (note,), Point("output"): (note,)}
