"""What a view says and shows, as records: sentences, charts and tables, in reading order.

A page, a slide, a saved page and a notebook render the same `Answer`. Nothing in here draws: a chart is a function from
a theme to a Plotly figure, and a table one to its columns, so that what nobody looks at is not made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from encoder.runs.arrays import FloatArray
from viz.theme import Theme
from viz.wording.explanations import Explanation

if TYPE_CHECKING:  # Plotly takes a while to import, and a page without charts needs none
    import plotly.graph_objects as go

Role = Literal["text", "plain", "heading", "subheading", "caption", "info", "warning", "error"]
OnPage = Literal["open", "folded", "download"]
Columns = Mapping[str, Sequence[object] | NDArray[np.generic]]  # by name, of one length


@dataclass(frozen=True, slots=True)
class Sentence:
    """Text as Markdown without HTML; texts and tokens in it are escaped.

    Attributes:
        role: a "heading" or "subheading" stands above what follows; "info" says why something is missing; "plain" is
            no Markdown, but what a user typed, as it stands.
    """

    text: str
    role: Role = "text"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Chart:
    """A Plotly figure.

    Attributes:
        name: tells the charts of an answer apart and names the saved file; letters, digits and "-".
        title: the heading above the chart, Markdown as in a sentence; "" where the chart needs none.
        alt: what it shows, in plain words, for those who cannot see it.
        figure: makes a new figure in a theme's colours.
        heads: the layer and the head that a click on each point selects on the page; None for a point of no head.
        width: the page's column, or the figure's own width where the column has room for it.
        least_height: pixels below which the figure does not shrink where there is little room.
    """

    name: str
    title: str = ""
    alt: str
    figure: Callable[[Theme], go.Figure]
    heads: Sequence[tuple[int, int] | None] = ()
    width: Literal["column", "figure"] = "column"
    least_height: int = 0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Table:
    """Numbers as rows, for those who cannot see a chart or want to take the numbers along.

    Attributes:
        name: of the CSV file, and of the table among those of an answer.
        title: on the line that opens it.
        columns: makes the columns.
        on_page: whether the page shows the table, folds it, or offers it as a download only. A file folds every table.
        note: what the columns are, as Markdown, under a table that is folded.
        decimals: of the numbers of an open table on the page, which then offers all digits as a download; None for the
            numbers as they are.
    """

    name: str
    title: str
    columns: Callable[[], Columns]
    on_page: OnPage
    note: str = ""
    decimals: int | None = None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ShadedWords:
    """A text's words with a colour behind each: the larger its weight, the stronger.

    Stands next to a chart: a file without charts forbids attributes of style.

    Attributes:
        title: in front of the words.
        weights: (U,) from 0; the largest has the strongest colour.
        marked: which of the words has a frame.
        sentence: "A" or "B", whose colour it is.
    """

    title: str
    words: Sequence[str]
    weights: FloatArray
    marked: int
    sentence: str


Part = Sentence | Chart | Table | ShadedWords


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """Parts next to each other: a column for each text, or for each side of a comparison.

    Attributes:
        columns: the parts of each, from top to bottom.
        width: whether the columns of a page are of one width, or as wide as their charts.
    """

    columns: tuple[tuple[Part, ...], ...]
    width: Literal["equal", "content"] = "equal"


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """The parts of a view, in reading order.

    Attributes:
        explanation: how to read them; None where there is nothing to read.
    """

    parts: tuple[Part | Row, ...]
    explanation: Explanation | None = None

    @property
    def charts(self) -> tuple[Chart, ...]:
        """The charts among the parts, those in rows too."""
        columns = [column for part in self.parts for column in (part.columns if isinstance(part, Row) else ((part,),))]
        return tuple(part for column in columns for part in column if isinstance(part, Chart))
