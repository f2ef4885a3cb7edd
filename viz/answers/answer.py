"""The content of a view as records: sentences, charts, tables, formulas and code, in reading order.

A page, a slide, a saved page and a notebook render the same `Answer`. Nothing here renders: a chart holds a
function from a theme to a Plotly figure, a table a function to its columns. Neither is called before it is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
from numpy.typing import NDArray

from encoder.errors import HeadlightError
from encoder.runs.arrays import FloatArray
from encoder.text.readings import TextReading
from viz.theme import Theme
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown, first_sentence, isolate_quoted

if TYPE_CHECKING:  # Plotly takes a while to import, and a page without charts needs none
    import plotly.graph_objects as go

Role = Literal["text", "plain", "heading", "subheading", "caption", "left out", "info", "warning", "error"]
OnPage = Literal["open", "folded", "download"]
SPOKEN: Final[frozenset[Role]] = frozenset({"text", "plain", "caption"})
Columns = Mapping[str, Sequence[object] | NDArray[np.generic]]  # by name, of one length


@dataclass(frozen=True, slots=True)
class Sentence:
    """Text as Markdown without HTML; texts and tokens in it are escaped.

    Attributes:
        role: a "heading" or "subheading" stands above what follows; "info" says why something is missing; "left out"
            names the charts that a stop of a tour has no room for; "plain" is text that a user typed, shown as it is,
            without Markdown.
    """

    text: str
    role: Role = "text"

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", isolate_quoted(self.text))


def explained(error: HeadlightError, role: Role = "info") -> Sentence:
    """The sentence of an error: what does not apply, and what to do."""
    return Sentence(escape_markdown(str(error)), role)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Chart:
    """A Plotly figure.

    Attributes:
        name: tells the charts of an answer apart and names the saved file; letters, digits and "-".
        title: the heading above the chart, Markdown as in a sentence; "" where the chart needs none.
        alt: text alternative in plain words.
        figure: makes a new figure in a theme's colours.
        heads: the layer and the head that a click on each point selects on the page; None for a point of no head.
        changes: the change of the selection that a click on each point makes on the page, by names of fields.
        axes: the field of the selection that a click on a cell sets, by axis, as in {"x": "column", "y": "row"}.
        width: the page's column, or the figure's own width where the column has room for it.
        least_height: pixels; the figure does not shrink below this height.
    """

    name: str
    title: str = ""
    alt: str
    figure: Callable[[Theme], go.Figure]
    heads: Sequence[tuple[int, int] | None] = ()
    changes: Sequence[Mapping[str, object]] = ()
    axes: Mapping[str, str] | None = None
    width: Literal["column", "figure"] = "column"
    least_height: int = 0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Table:
    """Numbers as rows: the text alternative of a chart, and its download.

    Attributes:
        name: of the CSV file; identifies the table within its answer.
        title: label of the expander.
        columns: makes the columns.
        on_page: whether the page shows the table, folds it, or only offers it as a download. A file folds every table.
        note: caption under the table, as Markdown; not of a mere download.
        decimals: digits shown in a file, and in an open table on the page, whose download has the exact numbers.
            None for exact numbers in the table, too.
        changes: the changes of the selection that a click on each row makes, in an open table on the page.
    """

    name: str
    title: str
    columns: Callable[[], Columns]
    on_page: OnPage = "folded"
    note: str = ""
    decimals: int | None = None
    changes: Sequence[Mapping[str, object]] = ()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ShadedWords:
    """The words of a text, each shaded in proportion to its weight.

    Use it next to a chart only: the content security policy of a file without charts forbids style attributes.

    Attributes:
        title: in front of the words.
        weights: (U,) non-negative; the largest gets the strongest colour.
        marked: index of the framed word.
        sentence: "A" or "B"; its colour is used.
    """

    title: str
    words: Sequence[str]
    weights: FloatArray
    marked: int
    sentence: str


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TokenRows:
    """A text as aligned rows: characters as typed, normalised, pieces with their ids, and words.

    Attributes:
        differing: indices of words that are marked: another model cuts them differently.
    """

    reading: TextReading
    differing: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Formula:
    """LaTeX without dollars; each line is a formula of its own."""

    latex: str


@dataclass(frozen=True, slots=True)
class Code:
    """Python code.

    Attributes:
        title: Markdown; the code is folded under it, or open if it is "".
        marked: index of the line that the text is about; None for none.
    """

    title: str
    source: str
    marked: int | None = None


Part = Sentence | Chart | Table | ShadedWords | TokenRows | Formula | Code


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """Parts next to each other: one column for each text, or for each side of a comparison.

    Attributes:
        columns: the parts of each, from top to bottom.
        width: whether the columns on a page have equal widths, or the widths of their charts.
    """

    columns: tuple[tuple[Part, ...], ...]
    width: Literal["equal", "content"] = "equal"


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """The parts of a view, in reading order.

    Attributes:
        explanation: how to read one of several answers of a view, directly below it. A view's own explanation is what
            the view returns.
    """

    parts: tuple[Part | Row, ...]
    explanation: Explanation | None = None

    @property
    def charts(self) -> tuple[Chart, ...]:
        """All charts, including those in rows."""
        columns = [column for part in self.parts for column in (part.columns if isinstance(part, Row) else ((part,),))]
        return tuple(part for column in columns for part in column if isinstance(part, Chart))

    def finding(self) -> Answer:
        """The first of its sentences alone, for an audience."""
        said = next((part for part in self.parts if isinstance(part, Sentence)), Sentence(""))
        return Answer((Sentence(first_sentence(said.text), said.role),))

    def as_picture(self) -> Answer:
        """The answer before an audience, to whom the speaker says the rest: charts with their headings, and notices.

        An answer without charts is unchanged.
        """
        if not self.charts:
            return self
        parts = (
            Row(tuple(tuple(filter(_is_shown, column)) for column in part.columns), part.width)
            if isinstance(part, Row)
            else part
            for part in self.parts
        )
        return Answer(tuple(part for part in parts if isinstance(part, Row) or _is_shown(part)))


def _is_shown(part: Part) -> bool:
    return not isinstance(part, Table) and not (isinstance(part, Sentence) and part.role in SPOKEN)


@dataclass(frozen=True, slots=True)
class TokenLine:
    """Tokens or words, each above something about it, such as its part of speech.

    Attributes:
        pairs: the upper and the lower text.
    """

    caption: str
    pairs: tuple[tuple[str, str], ...]
