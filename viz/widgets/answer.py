"""An answer on the page: its sentences, charts and tables as elements of Streamlit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

import pandas as pd
import streamlit as st

from encoder import Trace
from viz.answers.answer import Answer, Chart, Code, Formula, Part, Role, Row, Sentence, ShadedWords, Table, TokenRows
from viz.figures.rendering import plot_config
from viz.html.marked_code import html_of_code
from viz.html.shaded_words import html_of_shaded_words
from viz.html.token_rows import SHEET, html_of_token_rows
from viz.state import session
from viz.widgets.canvas import theme
from viz.widgets.captions import show_caption, show_explanation
from viz.widgets.first_answer import let_paint
from viz.widgets.room import fit_side_by_side, fit_stage, is_at_stop, stop_height
from viz.widgets.tables import csv_button, file_name, show_table

if TYPE_CHECKING:  # the first picture comes without Plotly
    import plotly.graph_objects as go

Width = Literal["stretch", "content"]

# Of a sentence at a stop of a tour: pixels of a line, characters in it, and pixels between two sentences.
LINE_OF_TEXT, CHARACTERS, BETWEEN = 14, 140, 4
LINE_OF_WORDS: Final = 27  # pixels of shaded words at a stop of a tour
MOST_ROWS: Final = 20  # of an open table that shows all of them; a longer one scrolls
FIRST_COLUMN: Final = 110  # pixels, for "embeddings"
LINE_BREAK: Final = r"\\[8pt]"  # LaTeX between two formulas
TABLE_ROW, LEAST_ROW, TABLE_BORDER = 35, 15, 2  # pixels: Streamlit's, at least at a stop of a tour, and around a table

_WRITE: Final[Mapping[Role, Callable[[str], Any]]] = {
    "text": st.markdown,
    "plain": st.text,  # Markdown makes links of addresses even where they are escaped
    "heading": lambda text: st.markdown(f"### {text}"),
    "subheading": lambda text: st.markdown(f"#### {text}"),
    "caption": show_caption,
    "left out": show_caption,
    "info": st.info,
    "warning": st.warning,
    "error": lambda text: st.error(text, icon=":material/warning:"),
}


def show_answer(answer: Answer, *, view: str, place: str = "", new: object = None, above: int = 0) -> None:
    """Render an answer and its explanation where the page is now; at a stop of a tour, its picture alone.

    Args:
        view: begins the keys of its elements.
        place: "pair", "A" or "B" identifies the answer on the page; "" if there is only one.
        new: plain values that the answer depends on. After a change, rendering pauses once, until the browser has
            painted the parts so far: before the second chart, the second column of a row or the first table on the
            page, whichever comes first; else after the last part. None never pauses.
        above: pixels of other parts above it at a stop of a tour.
    """
    said = [part.text for part in answer.parts if isinstance(part, Sentence) and part.role in ("text", "heading")]
    if said:
        session.note_finding(said[0])
    speaks = session.current().shows_collection  # at a stop as well, where a finding about a table is a sentence
    if is_at_stop(session.current()):
        above += _height_of_sentences(answer) if speaks else 0
        answer = answer if speaks else answer.as_picture()
    waits, has_chart = new is not None, False

    def pause() -> None:
        nonlocal waits
        if waits:
            let_paint(new, key=f"{view}_{place}")
        waits = False

    for part in answer.parts:
        match part:
            case Row(columns, "content"):
                with st.container(horizontal=True, vertical_alignment="top"):
                    for index, parts in enumerate(columns):
                        if index:
                            pause()
                        for each in parts:
                            _show_part(each, view, place, level=4, above=above, width="content")
            case Row(columns):
                for index, (column, parts) in enumerate(
                    zip(st.columns(len(columns), gap="medium"), columns, strict=True)
                ):
                    if index:
                        pause()
                    lines = sum(isinstance(each, ShadedWords) for each in parts) * LINE_OF_WORDS
                    with column:
                        for each in parts:
                            _show_part(each, view, place, level=4, columns=len(columns), above=above + lines)
            case _:
                if (has_chart and isinstance(part, Chart)) or (isinstance(part, Table) and part.on_page != "download"):
                    pause()
                has_chart = has_chart or isinstance(part, Chart)
                _show_part(part, view, place, level=3, least_headings=int(not speaks), above=above)
    pause()
    if answer.explanation:
        show_explanation(answer.explanation)


def show_answers(traces: Mapping[str, Trace], answers: Mapping[str, Answer], *, view: str) -> None:
    """An answer for each trace, by place; side by side for short texts."""
    side_by_side = len(traces) > 1 and fit_side_by_side(list(traces.values()))
    columns = st.columns(len(traces), gap="medium") if side_by_side else [st.container() for _ in traces]
    for column, (place, answer) in zip(columns, answers.items(), strict=True):
        with column:
            if len(traces) > 1:
                st.markdown(f"### Sentence {place}")
            show_answer(answer, view=view, place=place)


def _height_of_sentences(answer: Answer) -> int:
    """Pixels of its sentences at a stop of a tour, about."""
    lengths = [len(part.text) for part in answer.parts if isinstance(part, Sentence)]
    return sum(-(-length // CHARACTERS) * LINE_OF_TEXT + BETWEEN for length in lengths)


def _show_part(
    part: Part,
    view: str,
    place: str,
    *,
    level: int,
    columns: int = 1,
    least_headings: int = 1,
    above: int = 0,
    width: Width = "stretch",
) -> None:
    """Render one part, in one of `columns`; `level` is that of its heading.

    Args:
        least_headings: above a chart at a stop of a tour, its own included.
        above: pixels of other parts above it there.
    """

    def key(name: str) -> str:
        return "_".join(filter(None, (view, name, place)))

    match part:
        case Sentence(text, role):
            _WRITE[role](text)
        case Chart():
            headings = max(bool(part.title) + (place in ("A", "B")) + (level > 3), least_headings)
            columns = max(columns, 1 + (place in ("A", "B")))
            fit = partial(fit_stage, columns=columns, headings=headings, above=above, least=part.least_height)
            _show_chart(part, key=key(part.name), level=level, fit=fit, width=width)
        case Table():
            _show_table(part, place, key=key(f"{part.name}_table"), above=above)
        case TokenRows():
            st.html(SHEET)
            st.html(html_of_token_rows(part))
        case Formula(latex):
            st.latex(rf"\begin{{gathered}}{LINE_BREAK.join(latex.splitlines())}\end{{gathered}}")
        case Code(""):
            st.html(html_of_code(part))
        case Code(title):
            with st.expander(title):
                st.html(html_of_code(part))
        case ShadedWords(sentence=letter):
            st.html(html_of_shaded_words(part, theme().sentence(letter)))


def _show_chart(chart: Chart, *, key: str, level: int, fit: Callable[[go.Figure], None], width: Width) -> None:
    if chart.title:
        st.markdown(f"{'#' * level} {chart.title}")
    figure = chart.figure(theme())
    fit(figure)
    own_width = figure.layout.width if chart.width == "figure" else None
    if own_width or width == "stretch":
        figure.layout.width = None  # Streamlit would render it in this width, and again in the column's
    selects: dict[str, Any] = {}
    if chart.heads or chart.changes:
        selects = {"on_select": lambda: choose_point(chart, st.session_state.get(key)), "selection_mode": "points"}
    st.plotly_chart(figure, theme=None, width=own_width or width, config=plot_config(chart.name), key=key, **selects)


def choose_point(chart: Chart, state: Mapping[str, Any] | None) -> None:
    """Select the head of the clicked point, or make its change.

    Args:
        state: Streamlit's state of the chart, with the selected points.
    """
    for point in (state or {}).get("selection", {}).get("points", [])[:1]:
        index = point["point_index"]
        if index < len(chart.heads) and (chosen := chart.heads[index]):
            session.change(layer=chosen[0], head=chosen[1])
        elif index < len(chart.changes):
            session.change(**chart.changes[index])


def _show_table(table: Table, place: str, *, key: str, above: int) -> None:
    name = file_name(table.name, place or "pair")
    match table.on_page:
        case "folded":
            show_table(lambda: _frame(table), title=table.title, name=name, key=key, note=table.note)
        case "download":
            csv_button(lambda: _frame(table), name=name, key=key)
        case "open":
            show_open_table(table, name=name, key=key, above=above)


def show_open_table(table: Table, *, name: str, key: str, above: int = 0, height: int | None = None) -> None:
    """A table with its note and its CSV file, in which a click on a row makes its change.

    Args:
        name: of the file.
        key: Streamlit's.
        above: pixels of other parts above it at a stop of a tour.
        height: in pixels; None for that of its rows, if they are few.
    """
    rows = _frame(table)
    columns = {} if table.decimals is None else _round(rows, table.decimals)
    own_height, row_height = _size_of_table(len(rows), above=above)
    selects: dict[str, Any] = {}
    if table.changes:
        selects = {"on_select": lambda: choose_row(table, st.session_state[key]), "selection_mode": "single-row"}
    st.dataframe(
        rows,
        hide_index=True,
        column_config=columns,
        key=key,
        height=height or own_height,
        row_height=row_height,
        **selects,
    )
    if table.note:
        st.caption(table.note)
    if not session.current().stage:
        csv_button(lambda: _frame(table), name=name, key=f"{key}_csv")


def _frame(table: Table) -> pd.DataFrame:
    return pd.DataFrame(dict[str, Any](table.columns()))


def choose_row(table: Table, state: Mapping[str, Any]) -> None:
    """Make the change of the clicked row.

    Args:
        state: Streamlit's state of the table, with the selected rows.
    """
    for row in state["selection"]["rows"][:1]:
        session.change(**table.changes[row])


def _size_of_table(rows: int, *, above: int) -> tuple[int | Literal["content", "auto"], int | None]:
    """The height of a table and of each row below its header, None for Streamlit's.

    In pixels at a stop of a tour, where all rows share the room above the tour's words.
    """
    selection = session.current()
    if not is_at_stop(selection):
        return "content" if rows <= MOST_ROWS else "auto", None
    room = stop_height(selection, above=above)
    row = min(max((room - TABLE_ROW - TABLE_BORDER) // max(rows, 1), LEAST_ROW), TABLE_ROW)
    return min(room, TABLE_ROW + row * rows + TABLE_BORDER), row


def _round(table: pd.DataFrame, decimals: int) -> dict[str, Any]:
    """Round the numbers that are not whole; the settings of the columns. The first has the names of the rows."""
    first, *others = table.columns
    numbers = [column for column in others if table[column].dtype.kind == "f"]
    table[numbers] = table[numbers].round(decimals) + 0.0  # the browser writes -0.0001 and -0 as "-0.000"
    return {first: st.column_config.TextColumn(width=FIRST_COLUMN)} | {
        column: st.column_config.NumberColumn(format=f"%.{decimals}f") for column in numbers
    }
