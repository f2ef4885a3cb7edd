"""What a step of the walk is: words, a formula with this text's sizes, tensors, and the code that made them."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from encoder.experiments.anatomy.names import TITLES, StepKey
from encoder.experiments.anatomy.record import Record
from encoder.trace import FloatArray

ROOT = Path(__file__).parents[3]
Made = type | Callable[..., Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shown:
    """A tensor of a step, (R, C), one of those that the model used unless `aside` says otherwise.

    Attributes:
        name: what it is, in a few words and without sizes.
        rows, columns: what its axes count: "token", "query", "key", "position", "dimension", "unit". Where another
            tensor of the step counts the same, a cell of one has its row or column in the other, too.
        kind: "weight" for numbers in [0, 1], "signed" for any.
        head_width: columns of one head, where heads stand side by side; else 0.
        aside: it was made for comparison; the model does not use it.
    """

    name: str
    array: FloatArray
    rows: str = "token"
    columns: str = "dimension"
    kind: Literal["weight", "signed"] = "signed"
    head_width: int = 0
    aside: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Step:
    """One step of the walk.

    Attributes:
        text: what happens and why, for someone who knows matrix products and nothing of transformers; Markdown.
        formula: LaTeX with this text's sizes.
        tensors: rows of pictures; those of one row share their colours.
        sources: what did it, to be read with `source_of`.
        opens: the name of the tensor of which any cell can be worked out; "" for none.
    """

    key: StepKey
    text: str
    formula: str
    sources: tuple[Made, ...]
    tensors: tuple[tuple[Shown, ...], ...] = ()
    opens: str = ""

    @property
    def title(self) -> str:
        """The step's title."""
        return TITLES[self.key]

    @property
    def opened(self) -> Shown | None:
        """The tensor whose cells can be worked out."""
        return next((shown for row in self.tensors for shown in row if shown.name == self.opens), None)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sizes:
    """The sizes that formulas are filled with: tokens, heads, widths."""

    T: int
    H: int
    D: int
    K: int
    F: int
    V: int
    L: int


def sizes_of(record: Record) -> Sizes:
    """The sizes of one record."""
    config = record.config
    return Sizes(
        T=len(record.tokens),
        H=config.num_attention_heads,
        D=config.hidden_size,
        K=config.head_width,
        F=config.intermediate_size,
        V=config.vocab_size,
        L=config.num_hidden_layers,
    )


def by(rows: int, columns: int) -> str:
    """A shape in LaTeX."""
    return rf"\underset{{{rows} \times {columns}}}"


def lines(*formulas: str) -> str:
    """Formulas below each other, as one: a line of LaTeX is not broken, and a page is not wide."""
    return r"\begin{gathered}" + r"\\[8pt]".join(formulas) + r"\end{gathered}"


@dataclass(frozen=True, slots=True)
class Source:
    """A piece of our own code: the file, its first line there, and the text."""

    file: str
    line: int
    code: str


def source_of(made: Made) -> Source:
    """The source of a class or function, read now."""
    plain = inspect.unwrap(made)  # a decorator of torch would name its own file
    lines, first = inspect.getsourcelines(plain)
    file = inspect.getsourcefile(plain)
    return Source(
        file=Path(file).relative_to(ROOT).as_posix() if file else "",
        line=first,
        code=textwrap.dedent("".join(lines)).rstrip(),
    )
