"""What the figures share: input checks, axes by position, the layout of a theme.

Axes are linear over positions 0, 1, 2, ..., and `labelalias` replaces the numbers with names. A category axis would
merge repeated tokens; `ticktext` cannot thin its labels and also appears in hover. With an alias, Plotly thins and
reveals labels itself when zooming, and hover may say more than the tick: ticks are formatted "3", hover "+3", and each
has its own entry. So no figure has a copy of its labels for every cell.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from encoder.errors import ShapeError
from viz.figures.labels import plotly_text, text_width
from viz.theme import Theme
from viz.wording.labels import make_visible, shorten, state_names

FONT_SIZE = 14
TITLE_SIZE = 13
FONT_FAMILY = '"Source Sans", "Source Sans Pro", "Helvetica Neue", Arial, sans-serif'
LABEL_LIMIT = 16  # characters of a tick label; hover has them all
RING = "ring"  # names shapes around what a stop points at; slides hide them until the question is answered
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")  # of the lines of a figure
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "x", "star-triangle-down", "hexagon")  # of points
PATTERNS = ("", "/", ".", "x", "-", "\\", "+", "|")  # of its bars
EVERY_LABEL = 64  # positions up to which every label is shown; beyond, as many as fit


def checked_array(name: str, array: ArrayLike, *, axes: str) -> NDArray[np.float32]:
    """The array in float32. Raises ShapeError unless it has the named axes, such as "QK", none of them empty."""
    numbers = np.asarray(array, dtype=np.float32)  # Plotly copies its input
    if numbers.ndim != len(axes) or numbers.size == 0:
        wanted = f"({', '.join(axes)})" if len(axes) > 1 else f"({axes},)"
        raise ShapeError(f"{name} must have the shape {wanted}, none of it empty; got {numbers.shape}.")
    return numbers


def check_count(name: str, count: int, labels: Sequence[str]) -> None:
    """Raises ShapeError unless there is one label for each of the `count` things that `name` has."""
    if count != len(labels):
        raise ShapeError(f"{name}: {count}, but {len(labels)} labels. Pass one label for each.")


@dataclass(frozen=True, slots=True)
class Positions:
    """One axis of positions 0..n-1, with tick labels and hover names.

    Attributes:
        title: what the axis counts.
        ticks: short visible names, not escaped.
        hover: full names, escaped.
        first: the first position, if the axis shows a crop.
    """

    title: str
    ticks: tuple[str, ...]
    hover: tuple[str, ...]
    first: int = 0

    def __len__(self) -> int:
        return len(self.ticks)

    @property
    def places(self) -> range:
        """The positions."""
        return range(self.first, self.first + len(self))

    @property
    def width(self) -> float:
        """Pixels of the longest tick label."""
        return max(text_width(tick, size=FONT_SIZE) for tick in self.ticks)

    @property
    def thinned(self) -> bool:
        """Whether there are too many positions to show every label."""
        return len(self) > EVERY_LABEL

    def axis(self, *, length: float, theme: Theme, fixed: bool = False) -> dict[str, Any]:
        """Axis settings; `length` in pixels determines how many labels are shown.

        Args:
            fixed: uses tick texts, which also appear in hover. Streamlit renders a figure with aliases twice.
        """
        if fixed:
            ticks: dict[str, Any] = {
                "tickmode": "array",
                "tickvals": list(self.places),
                "ticktext": [plotly_text(tick) for tick in self.ticks],
                "fixedrange": True,
            }
        else:
            ticks = self._aliased_ticks(length)
        return {
            **ticks,
            "range": [self.first - 0.5, self.first + len(self) - 0.5],
            "tickfont": {"size": FONT_SIZE, "color": theme.text},
            "ticks": "",
            "ticklabeloverflow": "allow",  # Plotly would drop a label at the figure's edge
            "showgrid": False,
            "zeroline": False,
            "automargin": False,
        }

    def _aliased_ticks(self, length: float) -> dict[str, Any]:
        alias = {str(i): plotly_text(tick) for i, tick in enumerate(self.ticks, self.first)}
        alias |= {f"+{i}": name for i, name in enumerate(self.hover, self.first)}
        if self.thinned:
            # Zoomed in, Plotly adds ticks between the positions: these stay blank.
            alias |= {f"{i}.{tenth}": "" for i in self.places for tenth in (2, 4, 5, 6, 8)}
            ticks: dict[str, Any] = {"tickmode": "auto", "nticks": max(2, int(length / (FONT_SIZE + 4)))}
        else:
            ticks = {"tickmode": "linear", "tick0": 0, "dtick": 1, "fixedrange": True}
        return {**ticks, "labelalias": alias, "hoverformat": "+d"}


def token_positions(labels: Sequence[str], *, title: str, limit: int = LABEL_LIMIT, first: int = 0) -> Positions:
    """Tokens as an axis: ticks shortened to `limit` characters, in hover the whole token and its position.

    Args:
        first: the position of the first label in its text.
    """
    return Positions(
        title=title,
        ticks=tuple(shorten(make_visible(label), limit) for label in labels),
        hover=tuple(f"<b>{plotly_text(label)}</b> · position {i}" for i, label in enumerate(labels, first)),
        first=first,
    )


def layer_positions(count: int) -> Positions:
    """The hidden states as an axis: the embeddings and `count` - 1 layers after them."""
    ticks = state_names(count)
    return Positions("layer", ticks=tuple(ticks), hover=("embeddings", *(f"after {name}" for name in ticks[1:])))


def layer_axis(count: int, *, theme: Theme) -> dict[str, Any]:
    """Settings of an x axis over the hidden states, in a figure that stretches to its column; see `state_hover`."""
    axis = layer_positions(count).axis(length=900, theme=theme, fixed=True)
    return axis | {
        "ticktext": ["emb.", *axis["ticktext"][1:]],  # "embeddings" would be cut off in a narrow column
        "range": [-0.4, count - 0.6],
        "title": axis_title("layer", theme),
        "ticklabelstandoff": 6,
    }


def state_hover(count: int) -> list[str]:
    """Hover names of the hidden states, such as "after L0"; "%{x}" would be the tick label "L0"."""
    return list(layer_positions(count).hover)


def axis_title(text: str, theme: Theme) -> dict[str, object]:
    """An axis' title, in the small muted type that all figures share."""
    return {"text": text, "font": {"size": TITLE_SIZE, "color": theme.muted}, "standoff": 8}


def value_axis(title: str, theme: Theme, **more: Any) -> dict[str, Any]:
    """Settings of a y axis of numbers."""
    return {
        "title": axis_title(title, theme),
        "gridcolor": theme.border,
        "zerolinecolor": theme.border,
        "tickfont": {"size": TITLE_SIZE, "color": theme.muted},
        "fixedrange": True,
        **more,
    }


def named_rows(names: Sequence[str], theme: Theme, *, room: int = 0) -> dict[str, Any]:
    """Settings of a y axis of names, the first on top, with `room` pixels between them and the plot.

    Uses tick texts, not the aliases of `Positions`: Streamlit renders a figure with aliases twice.
    """
    return {
        "tickmode": "array",
        "tickvals": list(range(len(names))),
        "ticktext": [plotly_text(name) for name in names],
        "tickfont": {"size": FONT_SIZE, "color": theme.text},
        "range": [len(names) - 0.4, -0.6],
        "ticks": "outside" if room else "",
        "ticklen": room,
        "tickcolor": "rgba(0,0,0,0)",
        "ticklabeloverflow": "allow",
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
        "automargin": False,
        "title": axis_title("", theme),
    }


def bare_axis(**more: Any) -> dict[str, Any]:
    """Settings of an axis of cells, without a grid."""
    return {
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
        "ticks": "",
        "tickfont": {"size": FONT_SIZE},
        **more,
    }


def vertical_line(x: float, theme: Theme) -> dict[str, Any]:
    """A dashed line across the figure, as one of a layout's `shapes`."""
    line = {"color": theme.primary, "width": 2, "dash": "dash"}
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "y domain", "line": line}


def legend_above() -> dict[str, Any]:
    """Settings of a legend in one line above the axes."""
    return {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": FONT_SIZE}}


def text_trace(
    x: Sequence[float], y: Sequence[float], text: Sequence[str], *, size: int, colour: str | Sequence[str], **more: Any
) -> dict[str, Any]:
    """Texts at places of a figure; no hover unless `more` sets one."""
    return {
        "type": "scatter",
        "mode": "text",
        "x": list(x),
        "y": list(y),
        "text": list(text),
        "textfont": {"size": size, "color": colour},
        "cliponaxis": False,
        "hoverinfo": "skip",
        **more,
    }


def unseen_squares(x: Sequence[int], y: Sequence[int], *, size: int, colour: str | Sequence[float]) -> dict[str, Any]:
    """Points for hover and clicks on cells, because a click on a heat map's cell never reaches Python."""
    unseen = {"marker": {"opacity": 0}}
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "mode": "markers",
        "marker": {"symbol": "square", "size": size, "color": colour, "opacity": 0},
        "selected": unseen,
        "unselected": unseen,
    }


def with_opacity(colour: str, opacity: float) -> str:
    """A colour "#RRGGBB" with an opacity between 0 and 1, as Plotly takes it."""
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:g})"


def pattern(shape: str, theme: Theme) -> dict[str, Any]:
    """A pattern in a bar's own colour, so that colour is not the only difference; "" for none."""
    return {
        "shape": shape,
        "fillmode": "overlay",
        "fgcolor": theme.background,
        "fgopacity": 0.6,
        "size": 7,
        "solidity": 0.2,
    }


def token_bars(
    values: Mapping[str, ArrayLike],
    labels: Sequence[str],
    *,
    what: str,
    hover: str,
    patterns: bool,
    theme: Theme,
    first: int = 0,
) -> list[dict[str, Any]]:
    """Traces with a bar for every token and name.

    Args:
        values: (T,) each, by their names.
        labels: T tokens.
        what: the values are, in errors.
        hover: hover text below the token; "{name}" is the name, "%{y}" the value.
        patterns: whether names differ by more than their colour.
        first: the position of the first token.
    """
    traces = []
    for index, (name, of_name) in enumerate(values.items()):
        array = checked_array(f"{what} of {name!r}", of_name, axes="T")
        check_count(f"tokens in the {what} of {name!r}", len(array), labels)
        shape = PATTERNS[index % len(PATTERNS)] if patterns else ""
        trace = {
            "type": "bar",
            "x": np.arange(first, first + len(array), dtype=np.float32),
            "y": array,
            "name": plotly_text(name),
            "marker": {
                "color": theme.head_colours[index % len(theme.head_colours)],
                "pattern": pattern(shape, theme),
                "line": {"width": 0},
            },
            "hovertemplate": f"%{{x}}<br>{hover.replace('{name}', plotly_text(name))}<extra></extra>",
        }
        traces.append(trace)
    return traces


def figure_from_traces(traces: Sequence[Mapping[str, Any]], theme: Theme, **layout: Any) -> go.Figure:
    """A figure from traces that are plain dictionaries, in the theme's colours, with `layout` on top.

    Streamlit renders each new figure twice. The browser skips the second time if the numbers of the traces are lists
    and nothing seems changed: hence the fixed `datarevision`, and no template. A figure with other numbers is another
    element of the page, so no old numbers remain.
    """
    return redrawn_figure(traces, theme, datarevision=1, **layout)


def redrawn_figure(traces: Sequence[Mapping[str, Any]], theme: Theme, **layout: Any) -> go.Figure:
    """A figure as from `figure_from_traces`, which the browser renders anew whenever it comes.

    Plotly's validation would take up to half the time of a run of the page. Tests validate the figures.
    """
    figure = go.Figure(data=list(traces), layout=_layout(theme) | layout, _validate=False)
    figure.layout.template = None  # the default would be Plotly's template
    return figure


def _layout(theme: Theme) -> dict[str, Any]:
    return {
        "template": "none",
        "font": {"family": FONT_FAMILY, "size": FONT_SIZE, "color": theme.text},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "hoverlabel": {
            "bgcolor": theme.secondary_background,
            "bordercolor": theme.border,
            "font": {"family": FONT_FAMILY, "size": FONT_SIZE, "color": theme.text},
            "align": "left",
            "namelength": -1,
        },
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": theme.muted, "activecolor": theme.primary},
        "hovermode": "closest",
        "dragmode": False,
        "legend": legend_above(),
    }
