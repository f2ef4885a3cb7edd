"""Plotly figures as lines: what they show, and not how they are styled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.golden.facts import fact

OF_TRACES = (
    "type", "name", "mode", "orientation", "x", "y", "z", "text", "texttemplate", "hovertext", "hovertemplate",
    "customdata", "base", "width", "zmin", "zmax", "error_x", "error_y", "fill", "showlegend", "visible",
)  # fmt: skip
OF_AXES = ("type", "range", "tickvals", "ticktext", "tickformat", "ticksuffix", "visible", "autorange", "dtick")
OF_ANNOTATIONS = ("text", "x", "y", "xref", "yref", "hovertext")
OF_SHAPES = ("type", "x0", "x1", "y0", "y1", "xref", "yref", "path")


def facts_of_figure(figure: Mapping[str, Any]) -> Iterator[str]:
    """The traces, the axes and what is written and drawn over them."""
    layout = figure["layout"]
    yield f"title: {_title(layout)}"
    for index, trace in enumerate(figure["data"]):
        yield from fact(f"trace {index}", _those(trace, OF_TRACES))
        for part in ("marker", "line"):
            yield from fact(f"trace {index}.{part}", _those(trace.get(part, {}), ("symbol", "dash")))
        if "colorbar" in trace:
            yield from fact(f"trace {index}.colorbar", _axis(trace["colorbar"]))
    for name in sorted(layout):
        if name.startswith(("xaxis", "yaxis", "coloraxis")):
            yield from fact(name, _axis(layout[name]))
    yield from fact("", _those(layout, ("barmode", "showlegend")))
    yield from fact("annotations", [_those(each, OF_ANNOTATIONS) for each in layout.get("annotations", [])])
    yield from fact("shapes", [_those(each, OF_SHAPES) for each in layout.get("shapes", [])])


def _axis(axis: Mapping[str, Any]) -> dict[str, Any]:
    found = {"title": _title(axis), **_those(axis, OF_AXES), **_those(axis, ("cmin", "cmax", "cmid"))}
    if "colorbar" in axis:
        found["colorbar"] = _axis(axis["colorbar"])
    return found


def _title(part: Mapping[str, Any]) -> str:
    title = part.get("title") or {}
    return str(title.get("text", "")) if isinstance(title, Mapping) else str(title)


def _those(part: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: part[name] for name in names if name in part}
