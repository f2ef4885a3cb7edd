"""The anatomy: one layer of our own encoder with all its tensors, and as it is with something changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from encoder import Backend
from encoder.experiments.anatomy.changes import Changed, Masked, changed, masked
from encoder.experiments.anatomy.names import Mask, WhatIf
from encoder.experiments.anatomy.parameter_counts import count_preset
from encoder.experiments.anatomy.record import Record, ours, record
from viz.recipes.step import Step
from viz.state.selection import Selection
from viz.views.anatomy.answer.step import StepRuns
from viz.views.anatomy.answer.steps import inputs

Texts = tuple[str, str | None]


def recorded(texts: Texts, layer: int) -> Step[Record]:
    """One layer with all its tensors."""
    return Step(record_layer, (texts, layer))


def step_runs(
    texts: Texts,
    layer: int,
    selection: Selection,
    *,
    run: Callable[[Step[Any]], Any],
    open_model: Callable[[str], Backend],
) -> StepRuns:
    """What a step of the anatomy may need besides, computed on demand.

    Args:
        run: returns the result of a step.
    """
    anatomy = selection.anatomy
    return StepRuns(
        masked=lambda: run(Step(masked_layer, (texts, layer, anatomy.mask))),
        changed=lambda: run(Step(changed_layer, (texts, layer, anatomy.what_ifs))),
        learned_elsewhere=lambda: ours(open_model(inputs.LEARNED_ELSEWHERE)).encoder,
        count=lambda name: run(Step(count_preset, (name,), needs_model=False)),
    )


def record_layer(backend: Backend, texts: Texts, layer: int) -> Record:
    """One layer of our own encoder. Raises InputError."""
    return record(ours(backend).encoder, backend.tokenize(*texts), layer=layer)


def masked_layer(backend: Backend, texts: Texts, layer: int, mask: Mask) -> Masked:
    """One layer's attention with a mask and without."""
    return masked(ours(backend).encoder, backend.tokenize(*texts), layer=layer, mask=mask)


def changed_layer(backend: Backend, texts: Texts, layer: int, what_ifs: tuple[WhatIf, ...]) -> Changed:
    """One layer's attention in a pass with something changed."""
    return changed(ours(backend).encoder, backend.tokenize(*texts), layer=layer, what_ifs=what_ifs)
