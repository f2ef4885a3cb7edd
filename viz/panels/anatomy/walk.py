"""What every step of the walk is drawn from."""

from __future__ import annotations

from dataclasses import dataclass

from encoder.anatomy.record import Record
from encoder.scratch import ScratchBackend
from viz.selection import Selection


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Walk:
    """One text in one of our models, at the selected layer and head.

    Attributes:
        texts: as `viz.cache` asks for them.
        head: the selected one; the first where the page shows a mean.
        row: the token that is looked at more closely.
    """

    backend: ScratchBackend
    record: Record
    texts: tuple[str, str | None]
    head: int
    row: int
    selection: Selection

    @property
    def labels(self) -> tuple[str, ...]:
        """T tokens."""
        return self.record.tokens.labels
