"""The steps of a model's training that a page without a server can run, each loaded when it is chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, cast

import encoder
from encoder.models.scratch import UNTRAINED_NOTE, ScratchBackend
from encoder.shipped.names import SCRATCH, is_untrained, step_name, steps
from viz.wording.training import training_step_label

STEPS: Final = "steps/"


def steps_of(model: ScratchBackend) -> dict[str, ScratchBackend]:
    """The model at each step before the last, by the folder of its files; none of a model whose steps do not ship."""
    before = steps()[:-1] if model.name == SCRATCH else ()
    return {f"{STEPS}{step}/": cast(ScratchBackend, encoder.load(step_name(step))) for step in before}


def training_facts(model: ScratchBackend, about: Callable[[str, Sequence[str]], list[str]]) -> Mapping[str, Any] | None:
    """What the page knows of the training; None without steps.

    Args:
        about: what the page says of a model, from its name and notes.
    """
    if model.name != SCRATCH:
        return None
    *before, last = steps()
    of_steps = [
        {"step": step, "folder": f"{STEPS}{step}/", "about": about(step_name(step), _notes(step_name(step)))}
        for step in before
    ]
    at_end = {"step": last, "folder": "", "about": about(model.name, model.notes)}
    return {"label": training_step_label(), "steps": [*of_steps, at_end]}


def _notes(name: str) -> tuple[str, ...]:
    return (UNTRAINED_NOTE,) if is_untrained(name) else ()
