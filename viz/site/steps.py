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


def training_facts(model: ScratchBackend, about: Callable[[str, Sequence[str]], list[str]]) -> list[dict[str, Any]]:
    """What the page knows of each step of the training; nothing of a model whose steps do not ship.

    Args:
        about: the page's sentences on a model, from its name and notes.
    """
    if model.name != SCRATCH:
        return []
    *before, last = steps()
    names = {step: step_name(step) for step in before}
    of_steps = [
        {"number": step, "step": f"{STEPS}{step}/", "model": name, "about": about(name, _notes(name)), "cards": None}
        for step, name in names.items()
    ]
    return [*of_steps, {"number": last, "step": "", "model": model.name, "about": about(model.name, model.notes)}]


def steps_slider(training: Sequence[Mapping[str, Any]]) -> str:
    """The field that chooses a step, as HTML; "" without steps."""
    if not training:
        return ""
    end = len(training) - 1
    label, batch = training_step_label().split(": ")
    return (
        f'<label class="steps"><span>{label} <span class="step"></span> (each is {batch})</span>'
        f'<input type="range" name="training" min="0" max="{end}" value="{end}"></label>'
    )


def _notes(name: str) -> tuple[str, ...]:
    return (UNTRAINED_NOTE,) if is_untrained(name) else ()
