"""What every step of the walk is drawn from."""

from __future__ import annotations

from dataclasses import dataclass, field

from encoder.experiments.anatomy.record import Record
from encoder.models.scratch import ScratchBackend
from viz.panels.anatomy.windows import Opened
from viz.state.selection import Selection


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Walk:
    """One text in one of our models, at the selected layer and head.

    Attributes:
        texts: as `viz.cache` asks for them.
        head: the selected one; the first where the page shows a mean.
        opened: the cell that is worked out; None on steps that have none.
        charts: the pictures that this run has drawn, by Streamlit's key, with what a click on their axes chooses.
    """

    backend: ScratchBackend
    record: Record
    texts: tuple[str, str | None]
    head: int
    selection: Selection
    opened: Opened | None = None
    charts: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def labels(self) -> tuple[str, ...]:
        """T tokens."""
        return self.record.tokens.labels
