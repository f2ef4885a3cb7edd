"""Answers of texts that the browser reads: the app's own answers, with references where they depend on the text.

Python makes each answer from a text of its own, and replaces every number and name in it that comes from the text by a
reference such as `{"$": "norms"}`. `viz/html/browser/site/answers.mjs` replaces the references by what they refer to.
A test compares the result with the answers that Python makes of the same texts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, Final, cast

from encoder.measures.similarity import l2_norms
from encoder.measures.units import units_of
from encoder.models.base import Backend
from viz.answers import norms as norms_answers
from viz.answers.answer import Answer, Chart, Part, Row, Sentence
from viz.figures.axes import EVERY_LABEL
from viz.figures.labels import EM
from viz.figures.matrix import EDGE, LABELLED_CELLS, colours_of_numbers
from viz.figures.norms import BARS_BELOW, BARS_HEIGHT, MOST_PATTERNS
from viz.html.answers import WIDER_FONT, contents_of_chart, figures_of_chart, html_of_answer, html_of_chart
from viz.html.document import HTML, PLOTLY
from viz.theme import THEMES, Theme, ThemeName

Reference = dict[str, Any]
References = dict[str, Any]  # by the path in a figure, such as "data.0.z"
ReferencesOf = Callable[[Mapping[str, Any], Theme], References]
# Tokens up to which a chart has the same parts: numbers in its cells, patterns of its bars, a name for each token.
MOST_TOKENS: Final = (LABELLED_CELLS, MOST_PATTERNS, EVERY_LABEL)
ANSWERS: Final = "answers.json"
SENTENCE_OF_NORMS: Final = norms_answers.in_words(
    longest="“{longest}” ({length})", shortest="“{shortest}” ({least})", place="{place}", mean="{mean}"
)
WORD: Final = "a"  # of the texts from which answers are made; any would do


def answer_files(model: Backend) -> dict[str, bytes]:
    """The answers of a model's runs, and what draws their charts, by the names of their files."""
    answers = json.dumps(answers_of(model), ensure_ascii=False, separators=(",", ":"))
    return {ANSWERS: answers.encode(), PLOTLY: (HTML / PLOTLY).read_bytes()}


def answers_of(model: Backend) -> dict[str, Any]:
    """The views of a model's runs that are answers; `viz/html/browser/site/answers.mjs` describes the JSON."""
    return {"widths": EM, "views": {"norms": _norms(model)}}


def _norms(model: Backend) -> dict[str, Any]:
    traces = [model.trace(" ".join([WORD] * (tokens - 2))) for tokens in (*MOST_TOKENS, EVERY_LABEL + 1)]
    answers = [norms_answers.norms(trace, units_of(trace.tokens), "wordpieces") for trace in traces]
    of_charts = {
        "hidden-states": _map_of("norms", 1, 3, spans=True),
        "embedding": _bars,
        "cosines": _map_of("cosines", 2, 4),
    }
    return {
        "html": _html(answers[0], [SENTENCE_OF_NORMS]),
        "states": [norms_answers.name_of_state(index) for index in range(traces[0].num_layers + 1)],
        "parts": _norms_of_parts(model),
        "charts": {chart.name: _variants(answers, chart.name, of_charts[chart.name]) for chart in answers[0].charts},
    }


def _norms_of_parts(model: Backend) -> dict[str, list[float]]:
    """The norms of what is added to a word's vector: by the token's position, and by its type."""
    longest = model.trace(" ".join([WORD] * model.tokenizer.max_length))
    types = model.trace(WORD, WORD).embedding_parts.get("token type")
    norms = {"position": l2_norms(longest.embedding_parts["position"]).tolist()}
    return norms | ({} if types is None else {"token type": l2_norms(types)[[0, -1]].tolist()})


def _html(answer: Answer, sentences: Sequence[str]) -> str:
    """The elements of an answer without its tables; the sentences replace its own, in order."""
    words = iter(sentences)

    def of_part(part: Part | Row) -> str:
        if isinstance(part, Chart):
            return html_of_chart(part, "", is_wide=figures_of_chart(part)[1])
        return html_of_answer(Answer((Sentence(next(words), part.role),))) if isinstance(part, Sentence) else ""

    return "\n".join(map(of_part, answer.parts))


def _variants(answers: Sequence[Answer], name: str, references: ReferencesOf) -> list[dict[str, Any]]:
    """The templates of a chart, each with the number of tokens up to which it holds; the last one has none."""
    return [
        {"most": most, "contents": template_of(chart, references)}
        for answer, most in zip(answers, (*MOST_TOKENS, None), strict=True)
        for chart in answer.charts
        if chart.name == name
    ]


def template_of(chart: Chart, references: ReferencesOf) -> dict[str, Any]:
    """A chart's contents, as `browser/plots.mjs` reads them, with references."""
    figures, _ = figures_of_chart(chart)
    return contents_of_chart(
        chart,
        {
            name: _with_references(figure, references(figure, THEMES[cast(ThemeName, name)]))
            for name, figure in figures.items()
        },
    )


def _with_references(figure: Mapping[str, Any], references: References) -> dict[str, Any]:
    found = deepcopy(dict(figure))
    for path, reference in references.items():
        *places, last = (int(key) if key.isdigit() else key for key in path.split("."))
        inner: Any = found
        for key in places:
            inner = inner[key]
        inner[last] = reference
    return found


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
            "data.0.colorbar.y": {"$": "map.height", "times": 1 / height, "plus": 1 + 2 / height},
            "layout.height": {"$": "map.height", "plus": above + height + EDGE, "rounds": True},
            "layout.margin.t": {"$": "map.height", "plus": above},
            "layout.margin.r": {"$": "map.right"},
            "layout.annotations.0.yshift": {
                "$": "map.height",
                "plus": layout["annotations"][0]["yshift"] - label_height,
            },
            "layout.annotations.2.yshift": {"$": "map.height"},
            **_axis(layout["xaxis"], "map"),
        }
        if not _is_thinned(layout):
            found["layout.annotations.2.text"] = {"$": "map.named", "after": " →"}
        if spans:
            found |= {"data.0.zmin": low, "data.0.zmax": high, "data.0.colorbar.tickvals": [low, middle, high]}
        if not numbers:
            return found
        names = [hovers[0].split("<br>")[1] for hovers in cells["hovertext"]]
        span = [low, high] if spans else [0, 1]
        return found | {
            "data.0.hovertext": {"$": "hovers", "rows": names},
            "data.0.text": rows | {"digits": hover_digits},
            "data.1.x": {"$": "places", "tiled": len(names)},
            "data.1.y": {"$": f"{array}.places"},
            "data.1.text": {"$": f"{array}.cells", "digits": digits},
            "data.1.textfont.color": {"$": f"{array}.cells", "span": span, "colours": colours_of_numbers(theme)},
        }

    return references


def _bars(figure: Mapping[str, Any], _: Theme) -> References:
    """The references of bars of the embedding's parts, over tokens."""
    layout = figure["layout"]
    found: References = {
        "layout.height": {"$": "bars.height", "plus": BARS_HEIGHT, "rounds": True},
        "layout.margin.l": {"$": "bars.left", "times": WIDER_FONT},
        "layout.margin.b": {"$": "bars.height", "plus": BARS_BELOW},
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
