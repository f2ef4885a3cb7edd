"""Steps of the anatomy, and the recorded run that they explain."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal

from encoder.experiments.anatomy.changes import Changed, Masked
from encoder.experiments.anatomy.names import Mask, WhatIf
from encoder.experiments.anatomy.parameter_counts import ParameterCounts
from encoder.experiments.anatomy.record import Record
from encoder.models.scratch import ScratchBackend
from encoder.transformer.encoder import Encoder
from viz.answers.answer import Answer, Code, Formula, Part, Row, Table
from viz.views.anatomy.answer.tensors import Drawn, FollowedCell, Opened, Shown, opened_in, tensors
from viz.views.anatomy.answer.worked_out import WorkedOut

ROOT = Path(__file__).parents[4]
NOTHING: Final = Answer(())
Follows = Literal["nothing", "layer", "head"]
Folds = Mapping[str, Callable[[], Answer]]
NO_FOLDS: Final[Folds] = MappingProxyType({})


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
class StepRuns:
    """Runs that single steps need besides the recorded one; the page caches them.

    Attributes:
        masked, changed: with the selected mask, and with the selected changes.
        learned_elsewhere: another model, which learned its positions.
        count: parameters of a preset.
    """

    masked: Callable[[], Masked]
    changed: Callable[[], Changed]
    learned_elsewhere: Callable[[], Encoder]
    count: Callable[[str], ParameterCounts]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Chosen:
    """What is chosen within a step.

    Attributes:
        drawn: how tensors are rendered, without an opened cell.
        cell: the one that all steps follow.
        mask, what_ifs: of the steps that have a choice.
        label: of the class that is worked out; None for the likeliest.
    """

    drawn: Drawn
    cell: FollowedCell
    mask: Mask = "none"
    what_ifs: Sequence[WhatIf] = ()
    label: int | None = None

    def open(self, shown: Shown, labels: Sequence[str] | None = None) -> Drawn:
        """The rendering of tensors one of which is opened, with other labels where they are given."""
        labels = self.drawn.labels if labels is None else labels
        return replace(self.drawn, opened=opened_in(shown, self.cell), labels=labels)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StepContent:
    """What a step says and shows about one run.

    Attributes:
        words: what happens and why, as Markdown, for readers who know matrix products but not transformers.
        latex: its formulas with this text's sizes, one on each line; a box marks what the marked line of code computes.
        sources: the code that ran.
        tensors: in rows; those of one row share their colours.
        opened: the name of the tensor of which any cell can be worked out; "" for none.
    """

    words: str
    latex: str
    sources: tuple[Source, ...]
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StepAnswer:
    """One step, in the parts that a page places.

    Attributes:
        words: as `StepContent` has them.
        picture: charts or a table, and how to read them.
        worked: one number of the picture, from its formula to its value.
        code: a few lines of NumPy.
        details: tables and the code that ran, each folded under its title.
        folds: further parts by their titles, made when they are opened.
        drawn: with the opened cell; None if the step opens none.
    """

    words: str
    formula: Answer
    picture: Answer
    worked: Answer
    code: Answer
    details: Answer
    folds: Folds = field(default_factory=lambda: NO_FOLDS)
    drawn: Drawn | None = None

    @property
    def in_order(self) -> Answer:
        """All but words and folds, for a file, in which the details are folded."""
        parts: list[Part | Row] = []
        for answer in (self.formula, self.picture, self.worked, self.code, self.details):
            parts += answer.parts
        return Answer(tuple(parts))


@dataclass(frozen=True, slots=True)
class Source:
    """A class or function that ran, and the beginning of the line in it that a step is about."""

    definition: type | Callable[..., Any]
    line: str

    @property
    def code(self) -> Code:
        """The source as it is in the file now, with the line marked."""
        plain = inspect.unwrap(self.definition)  # a decorator of torch would name its own file
        lines, first = inspect.getsourcelines(plain)
        source = textwrap.dedent("".join(lines)).rstrip()
        file = Path(inspect.getsourcefile(plain) or "").relative_to(ROOT).as_posix()
        title = f"The real code: `{self.definition.__qualname__}`, {file}, line {first}"
        return Code(title, source, _line_of(source, self.line))


def snippet(*lines: str, marked: str, result: str) -> Answer:
    """Lines of NumPy that compute a step.

    Args:
        marked: begins the line that computes what the formula boxes.
        result: the last line, an expression, and its value as a comment.
    """
    source = "\n".join((*lines, result))
    return Answer((Code("", source, _line_of(source, marked)),))


def _line_of(source: str, beginning: str) -> int:
    return next(index for index, line in enumerate(source.splitlines()) if line.strip().startswith(beginning))


def result_of(opened: Opened, symbol: str) -> str:
    """The last line of a step's code: one cell, and its number as a comment."""
    row, column = opened.cell
    return f"{symbol}[{row}, {column}]  # {float(opened.shown.array[row, column]):.4g}"


WorkOut = Callable[[RecordedRun, int, int], WorkedOut]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StepParts:
    """The parts of `StepAnswer` that are a step's own; `tables` begin its details."""

    picture: Answer
    code: Answer
    worked: Answer = NOTHING
    tables: tuple[Table, ...] = ()
    folds: Folds = field(default_factory=lambda: NO_FOLDS)
    drawn: Drawn | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of the anatomy.

    Attributes:
        title: its heading.
        follows: whether it depends on the selected layer, or on the head as well.
        content: what it says and shows about a run.
        work_out: explains the cell at a row and a column of the opened tensor.
        code: NumPy for the opened tensor, which ends with the number of a cell.
        below: parts below the tensors.
        folds: further parts by their titles, made when they are opened.
        parts: the parts of a step that shows more, or other tensors than those of the recorded run.
    """

    title: str
    follows: Follows = "nothing"
    content: Callable[[RecordedRun], StepContent]
    work_out: WorkOut | None = None
    code: Callable[[RecordedRun, Opened], Answer] | None = None
    below: Callable[[RecordedRun, Opened], Answer] | None = None
    folds: Callable[[RecordedRun, Opened], Folds] | None = None
    parts: Callable[[RecordedRun, StepRuns, Chosen], StepParts] | None = None

    def answer(self, run: RecordedRun, runs: StepRuns, chosen: Chosen) -> StepAnswer:
        """All that the step shows."""
        content = self.content(run)
        parts = self.parts(run, runs, chosen) if self.parts else self._parts_of_tensors(run, content, chosen)
        return StepAnswer(
            words=content.words,
            formula=content.formula,
            picture=parts.picture,
            worked=parts.worked,
            code=parts.code,
            details=Answer((*parts.tables, *(source.code for source in content.sources))),
            folds=parts.folds,
            drawn=parts.drawn,
        )

    def _parts_of_tensors(self, run: RecordedRun, content: StepContent, chosen: Chosen) -> StepParts:
        shown = content.opened_tensor
        if not (shown and self.work_out and self.code):
            raise TypeError(f"The step {self.title!r} opens no tensor, so it needs parts of its own.")
        drawn = chosen.open(shown)
        opened = drawn.opened_cell
        picture = tensors(content.tensors, drawn).parts
        below = self.below(run, opened).parts if self.below else ()
        worked, tables = worked_parts(opened, self.work_out(run, *opened.cell), drawn.labels)
        return StepParts(
            picture=Answer((*picture, *below)),
            worked=worked,
            tables=tables,
            code=self.code(run, opened),
            folds=self.folds(run, opened) if self.folds else NO_FOLDS,
            drawn=drawn,
        )


def worked_parts(
    opened: Opened, worked: WorkedOut, labels: Sequence[str], *, name: str = "cell"
) -> tuple[Answer, tuple[Table, ...]]:
    """The computation of the opened cell, and the table of its terms."""
    return Answer((opened.heading(labels), worked.formula)), worked.tables(name, labels)
