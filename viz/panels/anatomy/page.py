"""What is on the page while one step of the anatomy is drawn."""

from __future__ import annotations

from dataclasses import dataclass, field

from viz.answers.anatomy.step import RecordedRun
from viz.answers.anatomy.tensors import Drawn, Opened
from viz.components.wires.plot_clicks import Chart
from viz.state.selection import Selection


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AnatomyPage:
    """What is on the page while one step is drawn.

    Attributes:
        texts: as `viz.caches` asks for them.
        opened: the cell that is worked out; None on steps that have none.
        charts: the pictures that this run has drawn, by Streamlit's key, with what a click on their axes chooses.
    """

    run: RecordedRun
    texts: tuple[str, str | None]
    selection: Selection
    opened: Opened | None = None
    charts: dict[str, Chart] = field(default_factory=dict)

    @property
    def labels(self) -> tuple[str, ...]:
        """T tokens."""
        return self.run.record.tokens.labels

    @property
    def drawn(self) -> Drawn:
        """What the tensors of the step are drawn with."""
        return Drawn(
            labels=self.labels,
            opened=self.opened,
            sentence_b_start=self.run.record.tokens.sentence_b_start,
            head=self.run.head,
        )
