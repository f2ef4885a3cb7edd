"""What a model was proved to do when it was opened: checks, each with its outcome and one sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from encoder.columns import Columns
from encoder.errors import HeadlightError
from encoder.models.weight_report import WeightReport

if TYPE_CHECKING:
    from encoder.runs.trace import Trace

Outcome = Literal["holds", "differs", "does not apply"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """The result of one check.

    Attributes:
        name: what was checked: "Attention", "Tokens", "Inputs", "Length", "Vectors", "Weights" or "Head".
        outcome: whether the model does what its files and its library say.
        sentence: what was compared and, where it differs, what Headlight does about it.
        value: the number that decides, such as the largest difference; None without one.
    """

    name: str
    outcome: Outcome
    sentence: str
    value: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What loading found out and checks need: files are not read again.

    Attributes:
        folder: of the model; None for one in memory, and for those that ship.
        example: a run of the model that ships with it; None without one.
        weights: how its checkpoint fills the model.
    """

    folder: Path | None = None
    example: Callable[[], Trace] | None = None
    weights: WeightReport = field(default_factory=WeightReport)


CheckFunction = Callable[[Any], "Check | Iterable[Check]"]  # of a model


@dataclass(frozen=True, slots=True, repr=False)
class Passport(Columns):
    """The checks of a model, in order."""

    checks: tuple[Check, ...] = ()

    @classmethod
    def of(cls, opened: Any, functions: Iterable[CheckFunction]) -> Self:
        """Check a model. An error that a function raises for its files is what differs."""
        found: list[Check] = []
        for function in functions:
            try:
                results = function(opened)
            except HeadlightError as error:
                name = function.__name__.removeprefix("check_").capitalize()
                results = Check(name=name, outcome="differs", sentence=str(error))
            found += [results] if isinstance(results, Check) else results
        return cls(tuple(found))

    @property
    def remarks(self) -> tuple[Check, ...]:
        """The checks that differ."""
        return tuple(check for check in self.checks if check.outcome == "differs")

    @property
    def summary(self) -> str:
        """How many checks there are, and which differ."""
        differ = ", ".join(check.name for check in self.remarks)
        return f"{len(self.checks)} checks, {f'{differ} differ' if differ else 'nothing differs'}"

    @property
    def line(self) -> str:
        """All checks in one line, for saved runs and pages."""
        if self.remarks:
            return "Checked: " + " ".join(f"{check.name}: {check.sentence}" for check in self.remarks)
        held = [check.name.lower() for check in self.checks if check.outcome == "holds"]
        return f"Checked: {', '.join(held)}; nothing differs." if held else ""

    @property
    def columns(self) -> dict[str, list[Any]]:
        """The checks as columns, for pandas: name, outcome, sentence, value."""
        return {name: [getattr(check, name) for check in self.checks] for name in Check.__dataclass_fields__}

    def __repr__(self) -> str:
        return f"<Passport: {self.summary}>"
