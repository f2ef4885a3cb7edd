"""Norms on a page without a server: heat maps and bars over the tokens of a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from encoder.measures.similarity import l2_norms
from encoder.measures.units import units_of
from encoder.models.base import Backend
from viz.answers import norms as norms_answers
from viz.answers.answer import Answer, Sentence
from viz.figures.axes import EVERY_LABEL
from viz.figures.matrix import EDGE, LABELLED_CELLS, colours_of_numbers
from viz.figures.norms import BARS_BELOW, BARS_HEIGHT, MOST_PATTERNS
from viz.html.answers import WIDER_FONT
from viz.site.templates import Reference, References, ReferencesOf, html_of_template, template_of
from viz.theme import Theme
from viz.wording.labels import name_of_state

# Tokens up to which a chart has the same parts: numbers in its cells, patterns of its bars, a name for each token.
MOST_TOKENS: Final = (LABELLED_CELLS, MOST_PATTERNS, EVERY_LABEL)
SENTENCE_OF_NORMS: Final = norms_answers.in_words(
    longest="“{longest}” ({length})", shortest="“{shortest}” ({least})", place="{place}", mean="{mean}"
)
WORD: Final = "a"  # of the texts from which answers are made; any would do


def norms_template(model: Backend) -> dict[str, Any]:
    """The view with references; `viz/html/browser/site/answers.mjs` describes the JSON."""
    traces = [model.trace(" ".join([WORD] * (tokens - 2))) for tokens in (*MOST_TOKENS, EVERY_LABEL + 1)]
    answers = [norms_answers.norms(trace, units_of(trace.tokens), "wordpieces") for trace in traces]
    of_charts = {
        "hidden-states": _map_of("norms", 1, 3, spans=True),
        "embedding": _bars,
        "cosines": _map_of("cosines", 2, 4),
    }
    return {
        "html": html_of_template(Answer((Sentence(SENTENCE_OF_NORMS), *answers[0].charts))),
        "states": [name_of_state(index) for index in range(traces[0].num_layers + 1)],
        "parts": _norms_of_parts(model),
        "charts": {chart.name: _variants(answers, chart.name, of_charts[chart.name]) for chart in answers[0].charts},
    }


def _norms_of_parts(model: Backend) -> dict[str, list[float]]:
    """The norms of what is added to a word's vector: by the token's position, and by its type."""
    longest = model.trace(" ".join([WORD] * model.tokenizer.max_length))
    types = model.trace(WORD, WORD).embedding_parts.get("token type")
    norms = {"position": l2_norms(longest.embedding_parts["position"]).tolist()}
    return norms | ({} if types is None else {"token type": l2_norms(types)[[0, -1]].tolist()})


def _variants(answers: Sequence[Answer], name: str, references: ReferencesOf) -> list[dict[str, Any]]:
    """The templates of a chart, each with the number of tokens up to which it holds; the last one has none."""
    return [
        {"most": most, "contents": template_of(chart, references)}
        for answer, most in zip(answers, (*MOST_TOKENS, None), strict=True)
        for chart in answer.charts
        if chart.name == name
    ]


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
        low, middle, high = ({"$": f"{array}.{end}"} for end in ("low", "middle", "high"))
        rows: Reference = {"$": f"{array}.rows"}
        found: References = {
            "data.0.z": rows,
            "data.0.x": {"$": "places"},
            "data.0.colorbar.len": {"$": "map.bar"},
            "data.0.colorbar.y": {"$": "map.height", "to": [["times", 1 / height], ["plus", 1 + 2 / height]]},
            "layout.height": {"$": "map.height", "to": [["plus", above + height + EDGE], ["rounded"]]},
            "layout.margin.t": {"$": "map.height", "to": [["plus", above]]},
            "layout.margin.r": {"$": "map.right"},
            "layout.annotations.0.yshift": {
                "$": "map.height",
                "to": [["plus", layout["annotations"][0]["yshift"] - label_height]],
            },
            "layout.annotations.2.yshift": {"$": "map.height"},
            **_axis(layout["xaxis"], "map"),
        }
        if not _is_thinned(layout):
            found["layout.annotations.2.text"] = {"$": "map.named", "to": [["framed", "", " →"]]}
        if spans:
            found |= {"data.0.zmin": low, "data.0.zmax": high, "data.0.colorbar.tickvals": [low, middle, high]}
        if not numbers:
            return found
        names = [hovers[0].split("<br>")[1] for hovers in cells["hovertext"]]
        span = [low, high] if spans else [0, 1]
        return found | {
            "data.0.hovertext": {"$": "hovers", "to": [["rows", names]]},
            "data.0.text": rows | {"to": [["written", hover_digits]]},
            "data.1.x": {"$": "places", "to": [["tiled", len(names)]]},
            "data.1.y": {"$": f"{array}.places"},
            "data.1.text": {"$": f"{array}.cells", "to": [["written", digits]]},
            "data.1.textfont.color": {"$": f"{array}.cells", "to": [["coloured", *span, colours_of_numbers(theme)]]},
        }

    return references


def _bars(figure: Mapping[str, Any], _: Theme) -> References:
    """The references of bars of the embedding's parts, over tokens."""
    layout = figure["layout"]
    found: References = {
        "layout.height": {"$": "bars.height", "to": [["plus", BARS_HEIGHT], ["rounded"]]},
        "layout.margin.l": {"$": "bars.left", "to": [["times", WIDER_FONT]]},
        "layout.margin.b": {"$": "bars.height", "to": [["plus", BARS_BELOW]]},
        **_axis(layout["xaxis"], "bars"),
    }
    if not _is_thinned(layout):
        found["layout.xaxis.title.text"] = {"$": "bars.named"}
    for index in range(len(figure["data"])):
        found |= {f"data.{index}.x": {"$": "places"}, f"data.{index}.y": {"$": f"parts.{index}"}}
    return found


def _is_thinned(layout: Mapping[str, Any]) -> bool:
    return bool(layout["xaxis"]["tickmode"] == "auto")


def _axis(axis: Mapping[str, Any], chart: str) -> References:
    """The references of an axis of tokens; `chart` is what it is the axis of."""
    of_axis = {
        "range": {"$": "range"},
        "tickangle": {"$": f"{chart}.angle"},
        "tickvals": {"$": "places"},
        "ticktext": {"$": "ticks"},
        "labelalias": {"$": "aliases"},
        "dtick": {"$": f"{chart}.step"},
    }
    return {f"layout.xaxis.{name}": reference for name, reference in of_axis.items() if name in axis}
