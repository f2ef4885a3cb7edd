"""Norms on a page without a server: heat maps and bars over the tokens of a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from encoder.measures.units import units_of
from encoder.models.base import Backend
from viz.answers.answer import Answer, Sentence
from viz.figures.axes import EVERY_LABEL, FONT_SIZE, LABEL_LIMIT
from viz.figures.matrix import (
    BAR_SHARE,
    BAR_WIDTH,
    EDGE,
    LABELLED_CELLS,
    LARGEST_CELL,
    NAMED_EVERY,
    SLANTED,
    SMALLEST_CELL,
    colours_of_numbers,
)
from viz.figures.norms import BARS_BELOW, BARS_HEIGHT, BARS_LEFT, LEAST_WIDTH, MOST_PATTERNS
from viz.html.answers import WIDER_FONT
from viz.site.templates import (
    Reference,
    References,
    ReferencesOf,
    among,
    html_of_template,
    template,
    template_of_chart,
    value,
)
from viz.theme import Theme
from viz.views.norms import answer as norms_answers
from viz.wording.labels import LONGEST_WORD, name_of_state

# Tokens up to which a chart has the same parts: numbers in its cells, patterns of its bars, a name for each token.
MOST_TOKENS: Final = (LABELLED_CELLS, MOST_PATTERNS, EVERY_LABEL)
SENTENCE_OF_NORMS: Final = norms_answers.in_words(
    longest="“{longest}” ({longest_norm})", shortest="“{shortest}” ({shortest_norm})", place="{highest}", mean="{mean}"
)
WORD: Final = "a"  # of the texts from which answers are made; any would do


def axis_layout() -> dict[str, float]:
    """The layout of an axis of tokens, which the browser applies to the labels of a text."""
    return {
        "limit": LABEL_LIMIT,
        "font": FONT_SIZE,
        "edge": EDGE,
        "room": LEAST_WIDTH,
        "largest": LARGEST_CELL,
        "smallest": SMALLEST_CELL,
        "slanted": SLANTED,
        "named_every": NAMED_EVERY,
        "all_named": EVERY_LABEL,
        "bar_width": BAR_WIDTH,
        "bar_share": BAR_SHARE,
        "left": BARS_LEFT,
    }


def norms_template(model: Backend) -> dict[str, Any]:
    """The view with references."""
    traces = [model.trace(" ".join([WORD] * (tokens - 2))) for tokens in (*MOST_TOKENS, EVERY_LABEL + 1)]
    answers = [norms_answers.norms(trace, units_of(trace.tokens), "wordpieces") for trace in traces]
    of_charts = {
        "hidden-states": _map_of("norms", 1, 3, spans=True),
        "embedding": _bars,
        "cosines": _map_of("cosines", 2, 4),
    }
    states = [name_of_state(index) for index in range(traces[0].num_layers + 1)]
    return template(
        html_of_template(Answer((Sentence(SENTENCE_OF_NORMS), *answers[0].charts))),
        {chart.name: _by_length(answers, chart.name, of_charts[chart.name]) for chart in answers[0].charts},
        {
            **{name: _name_at(name) for name in ("longest", "shortest")},
            **{name: value(name, ("written", 1)) for name in ("longest_norm", "shortest_norm")},
            "highest": among(value("highest"), states),
            "mean": value("highest_mean", ("written", 1)),
        },
    )


def _name_at(index: str) -> Reference:
    """The label of a token in a sentence."""
    return value("labels", ("at", value(index)), ("shortened", LONGEST_WORD), ("isolated", value("characters")))


def _by_length(answers: Sequence[Answer], name: str, references: ReferencesOf) -> Reference:
    """The templates of a chart for texts of up to `MOST_TOKENS` and for longer ones."""
    charts = [chart for answer in answers for chart in answer.charts if chart.name == name]
    return among(
        value("labels", ("beyond", list(MOST_TOKENS))), [template_of_chart(chart, references) for chart in charts]
    )


def _map_of(array: str, digits: int, hover_digits: int, *, spans: bool = False) -> ReferencesOf:
    """The references of a heat map with tokens across.

    Args:
        array: the name of its numbers.
        digits, hover_digits: of its numbers, in cells and in hover.
        spans: whether the colours run from the smallest to the largest number; else from 0 to 1.
    """

    def references(figure: Mapping[str, Any], theme: Theme) -> References:
        layout, (cells, *numbers) = figure["layout"], figure["data"]
        label_height = layout["annotations"][2]["yshift"]
        above = layout["margin"]["t"] - label_height
        height = round(layout["height"] - layout["margin"]["t"] - EDGE)
        low, middle, high = (value(f"span.{end}") for end in range(3))
        found: References = {
            "data.0.z": value(array),
            "data.0.x": value("places"),
            "data.0.colorbar.len": value("map.bar"),
            "data.0.colorbar.y": value("map.height", ("times", 1 / height), ("plus", 1 + 2 / height)),
            "layout.height": value("map.height", ("plus", above + height + EDGE), ("rounded",)),
            "layout.margin.t": value("map.height", ("plus", above)),
            "layout.margin.r": value("map.right"),
            "layout.annotations.0.yshift": value(
                "map.height", ("plus", layout["annotations"][0]["yshift"] - label_height)
            ),
            "layout.annotations.2.yshift": value("map.height"),
            **_axis(layout["xaxis"], "map"),
        }
        if not _is_thinned(layout):
            found["layout.annotations.2.text"] = value("map.named", ("framed", "", " →"))
        if spans:
            found |= {"data.0.zmin": low, "data.0.zmax": high, "data.0.colorbar.tickvals": [low, middle, high]}
        if not numbers:
            return found
        names = [hovers[0].split("<br>")[1] for hovers in cells["hovertext"]]
        span = [low, high] if spans else [0, 1]
        return found | {
            "data.0.hovertext": value("hovers", ("rows", names)),
            "data.0.text": value(array, ("written", hover_digits)),
            "data.1.x": value("places", ("tiled", len(names))),
            "data.1.y": value(array, ("places",)),
            "data.1.text": value(array, ("flat",), ("written", digits)),
            "data.1.textfont.color": value(array, ("flat",), ("coloured", *span, colours_of_numbers(theme))),
        }

    return references


def _bars(figure: Mapping[str, Any], _: Theme) -> References:
    """The references of bars of the embedding's parts, over tokens."""
    layout = figure["layout"]
    found: References = {
        "layout.height": value("bars.height", ("plus", BARS_HEIGHT), ("rounded",)),
        "layout.margin.l": value("bars.left", ("times", WIDER_FONT)),
        "layout.margin.b": value("bars.height", ("plus", BARS_BELOW)),
        **_axis(layout["xaxis"], "bars"),
    }
    if not _is_thinned(layout):
        found["layout.xaxis.title.text"] = value("bars.named")
    for index in range(len(figure["data"])):
        found |= {f"data.{index}.x": value("places"), f"data.{index}.y": value(f"parts.{index}")}
    return found


def _is_thinned(layout: Mapping[str, Any]) -> bool:
    return bool(layout["xaxis"]["tickmode"] == "auto")


def _axis(axis: Mapping[str, Any], chart: str) -> References:
    """The references of an axis of tokens; `chart` is what it is the axis of."""
    of_axis = {
        "range": value("range"),
        "tickangle": value(f"{chart}.angle"),
        "tickvals": value("places"),
        "ticktext": value("ticks"),
        "labelalias": value("aliases"),
        "dtick": value(f"{chart}.step"),
    }
    return {f"layout.xaxis.{name}": reference for name, reference in of_axis.items() if name in axis}
