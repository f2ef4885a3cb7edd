"""Steps of the anatomy, and the recorded run that they explain."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from encoder.experiments.anatomy.record import Record
from encoder.models.scratch import ScratchBackend
from viz.answers.anatomy.tensors import Shown
from viz.answers.anatomy.worked_out import WorkedOut
from viz.answers.answer import Answer, Code, Formula

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorSizes:
    """The sizes that formulas are filled with: tokens, heads, widths of model, head and feed-forward, words, layers."""

    T: int
    H: int
    D: int
    K: int
    F: int
    V: int
    L: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecordedRun:
    """One text in one of our models, recorded at one layer, and the head that the steps follow."""

    backend: ScratchBackend
    record: Record
    head: int

    @property
    def sizes(self) -> TensorSizes:
        """The sizes of this run's tensors."""
        config = self.record.config
        return TensorSizes(
            T=len(self.record.tokens),
            H=config.num_attention_heads,
            D=config.hidden_size,
            K=config.head_width,
            F=config.intermediate_size,
            V=config.vocab_size,
            L=config.num_hidden_layers,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StepContent:
    """What a step says and shows about one run.

    Attributes:
        words: what happens and why, as Markdown, for readers who know matrix products but not transformers.
        latex: its formulas with this text's sizes, one on each line.
        sources: the code that ran.
        tensors: in rows; those of one row share their colours.
        opened: the name of the tensor of which any cell can be worked out; "" for none.
    """

    words: str
    latex: str
    sources: tuple[type | Callable[..., Any], ...]
    tensors: tuple[tuple[Shown, ...], ...] = ()
    opened: str = ""

    @property
    def opened_tensor(self) -> Shown | None:
        """The tensor whose cells can be worked out."""
        return next((shown for row in self.tensors for shown in row if shown.name == self.opened), None)

    @property
    def formula(self) -> Answer:
        """The formula alone."""
        return Answer((Formula(self.latex),))

    @property
    def code(self) -> Answer:
        """The source of the classes and functions that ran, as it is in the files now."""
        return Answer(tuple(map(_code, self.sources)))


def _code(definition: type | Callable[..., Any]) -> Code:
    plain = inspect.unwrap(definition)  # a decorator of torch would name its own file
    lines, first = inspect.getsourcelines(plain)
    file = Path(inspect.getsourcefile(plain) or "").relative_to(ROOT).as_posix()
    title = f"The code that did it: `{definition.__qualname__}`, {file}, line {first}"
    return Code(title, textwrap.dedent("".join(lines)).rstrip())


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the anatomy.

    Attributes:
        title: its heading.
        content: what it says and shows about a run.
        work_out: explains the cell at a row and a column of the opened tensor; None if the step opens none.
    """

    title: str
    content: Callable[[RecordedRun], StepContent]
    work_out: Callable[[RecordedRun, int, int], WorkedOut] | None = None
