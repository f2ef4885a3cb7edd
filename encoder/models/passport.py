"""What a model was proved to do when it was opened: checks, each with its outcome and one sentence."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from encoder.cache_folder import read_stored, store
from encoder.columns import Columns
from encoder.errors import HeadlightError
from encoder.models.files import checksum_of
from encoder.models.weight_report import WeightReport

if TYPE_CHECKING:
    from encoder.models.base import Backend
    from encoder.runs.trace import Trace

Outcome = Literal["holds", "differs", "does not apply"]
CODE = Path(__file__).parents[1]
LIBRARIES = ("torch", "transformers", "tokenizers")
version = cache(metadata.version)  # which searches all packages each time


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
        revision: of the files that it was read from; "" for a model in memory.
        example: a run of the model that ships with it; None without one.
        weights: how its checkpoint fills the model.
        code: the class that comes with the folder, which is not run; "" without one.
    """

    folder: Path | None = None
    revision: str = ""
    example: Callable[[], Trace] | None = None
    weights: WeightReport = field(default_factory=WeightReport)
    code: str = ""


CheckFunction = Callable[[Any], Check]  # of a model


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
                found.append(function(opened))
            except HeadlightError as error:
                name = function.__name__.removeprefix("check_").capitalize()
                found.append(Check(name=name, outcome="differs", sentence=str(error)))
        return cls(tuple(found))

    @classmethod
    def stored_or_of(cls, opened: Backend, functions: Iterable[CheckFunction]) -> Self:
        """The passport that another process has stored, if files, code and libraries are the same; else a new one.

        A passport of a later revision replaces that of the earlier one. Only models with a revision have a stored one.
        """
        facts = opened.facts
        if not facts.revision:
            return cls.of(opened, functions)
        device = str(next(opened.modules[0].parameters()).device)
        key = [facts.revision, device, _revision_of_code(), *map(version, LIBRARIES)]
        # A prefix of the name may be another way to read the folder.
        place = f"{opened.name}\n{facts.folder.resolve() if facts.folder else 'ships'}"
        file = f"passports/{hashlib.blake2b(place.encode(), digest_size=12).hexdigest()}.json"
        found = read_stored(file)
        try:
            if found is not None and found["key"] == key:
                return cls(tuple(Check(**check) for check in found["checks"]))
        except (KeyError, TypeError):  # another form
            pass
        made = cls.of(opened, functions)
        store(file, {"key": key, "checks": [asdict(check) for check in made.checks]})
        return made

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


@cache
def _revision_of_code() -> str:
    """A checksum of Headlight's own files: those of a checkout change more often than its version."""
    return checksum_of(sorted(CODE.rglob("*.py")), within=CODE)
