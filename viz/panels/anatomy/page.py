"""The state of the page while one step of the anatomy is rendered."""

from __future__ import annotations

from dataclasses import dataclass, field

from viz.answers.anatomy.step import RecordedRun
from viz.answers.anatomy.tensors import Drawn, Opened
from viz.components.wires.plot_clicks import Chart
from viz.state.selection import Selection


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AnatomyPage:
    """The state of the page while one step is rendered.

    Attributes:
        texts: as `viz.caches` takes them.
        opened: the opened cell; None on steps without one.
        charts: the rendered tensors by Streamlit's key, with the field that a click on each axis sets.
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
        """Options for rendering the tensors of the step."""
        return Drawn(
            labels=self.labels,
            opened=self.opened,
            sentence_b_start=self.run.record.tokens.sentence_b_start,
            head=self.run.head,
        )
