"""A callback that keeps a training's steps, as folders that open with a slider of training steps, and as traces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from transformers import TrainerCallback, TrainerState

from encoder.errors import ArgumentError
from encoder.models.wrapping import wrap
from encoder.runs.trace import Trace


class StepsCallback(TrainerCallback):  # type: ignore[misc]
    """Keeps every n-th step of a `transformers.Trainer`, and the first and the last, in a folder.

    Each is a model folder `checkpoint-STEP`, named as the trainer's own: the page shows any of them with a slider of
    all. Beside it, `trace-STEP.safetensors` is a trace of a text, for `encoder.Trace.load`.
    """

    def __init__(self, folder: str | Path, a: str, b: str | None = None, *, every: int = 100, models: bool = True):
        """Keep steps.

        Args:
            folder: where they are kept; a trainer's own output folder may be the same.
            a, b: the text, or pair, that is traced.
            every: number of steps from one to the next.
            models: whether the model is kept, which the page needs; without it, only traces are.
        Raises:
            ArgumentError: `every` is below 1.
        """
        if every < 1:
            raise ArgumentError(f"Steps are kept every 1 or more steps, not every {every}.")
        self.folder, self.texts, self.every, self.models = Path(folder), (a, b), every, models

    def on_train_begin(self, args: Any, state: TrainerState, control: Any, **of_run: Any) -> None:
        """Keeps the model as it is before the first step."""
        self._keep(state, **of_run)

    def on_step_end(self, args: Any, state: TrainerState, control: Any, **of_run: Any) -> None:
        """Keeps every n-th step."""
        if state.global_step % self.every == 0:
            self._keep(state, **of_run)

    def on_train_end(self, args: Any, state: TrainerState, control: Any, **of_run: Any) -> None:
        """Keeps the last step."""
        if state.global_step % self.every:
            self._keep(state, **of_run)

    def _keep(self, state: TrainerState, *, model: Any, processing_class: Any, **_: Any) -> None:
        if not state.is_world_process_zero:
            return
        if processing_class is None:
            raise ArgumentError("Steps are kept with the model's tokenizer: give Trainer(processing_class=tokenizer).")
        name = f"checkpoint-{state.global_step}"
        trace: Trace = wrap(model, processing_class, name=name).trace(*self.texts)
        self.folder.mkdir(parents=True, exist_ok=True)
        trace.save(self.folder / f"trace-{state.global_step}.safetensors")
        if self.models:
            model.save_pretrained(self.folder / name)
            processing_class.save_pretrained(self.folder / name)
