"""Why this prediction? on a page without a server: what is lost of the likeliest class without each word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from encoder.attribution.explaining import WordValues, explain
from encoder.attribution.questions import Question
from encoder.attribution.target import resolve_target
from encoder.models.base import Backend
from encoder.runs.trace import Trace
from encoder.shipped.sentiment import SentimentBackend
from viz.answers.answer import Answer, Sentence, Table
from viz.answers.why.words import EXPLANATION, WIDTH, words, words_heading
from viz.figures.word_values import (
    FEW_DECIMALS,
    GAP,
    LABEL_LIMIT,
    LEAST_WIDTH,
    LEGEND,
    LINE,
    PADDING,
    SLACK,
    WORD_SIZE,
    colour_of_share,
)
from viz.saved_page.contents import Page, ViewName
from viz.site.templates import Reference, References, html_of_template, template_of
from viz.state.selection import DEFAULT, Selection
from viz.theme import Theme, ink_on
from viz.wording.explanations import Explanation
from viz.wording.numbers import written

VIEW: Final[ViewName] = "why"
MOST_TOKENS: Final = 128  # each word takes a run of its own, in a browser with one thread
HOW: Final = Explanation(
    f"Each word is removed alone: [MASK] stands in its place. {EXPLANATION.how_to_read.partition(' The test')[0]}",
    EXPLANATION.what_it_does_not_show,
)
MISSING: Final = (
    f"Words are removed from texts of one word to {MOST_TOKENS} tokens, as the page runs the model once for each. The "
    "app does it for longer ones."
)
WORD: Final = "zebra"  # replaced by the words of a text
TOTAL: Final = 0.123  # replaced by the probability of the class
STEPS: Final = 257  # colours of the scale


def with_removed_words(page: Page, model: Backend, traces: Mapping[str, Trace]) -> Page:
    """The page with what each word adds to the likeliest class of its text; unchanged for a model without a head."""
    if not isinstance(model, SentimentBackend):
        return page
    runs = []
    for run in page.runs:
        a, *b = traces[run.place].tokens.sentences
        answer = removed_words(model, Question(kind="class", texts=(a, b[0] if b else None)))
        runs.append(replace(run, answers={**run.answers, VIEW: answer}, explanations={**run.explanations, VIEW: HOW}))
    return replace(page, runs=tuple(runs), views=(*page.views, VIEW))


def removed_words(model: Backend, question: Question, *, selection: Selection = DEFAULT) -> Answer:
    """The view: the words on the colours of what is lost without each, or why there are none."""
    target = resolve_target(model, question)
    if len(target.tokens) > MOST_TOKENS:
        return Answer((Sentence(MISSING, "info"),))
    found = explain(model, target, "leave-one-out", level=selection.level)
    answer = words(target, found, selection)
    return Answer((words_heading(question, target), *(part for part in answer.parts if not isinstance(part, Table))))


def removed_words_template(model: SentimentBackend) -> dict[str, Any]:
    """The view with references; `viz/html/browser/site/removed_words.mjs` describes the JSON."""
    question = Question(kind="class", texts=(WORD, None), label=0, rival=1)
    target = resolve_target(model, question)
    made_up = WordValues(words=(WORD,), units=((1,),), values=np.ones(1, np.float32), unit=target.unit, total=TOTAL)
    heading = words_heading(question, target)
    named = heading.text.replace(target.label, "{label}").replace(target.against, "{against}")
    answer = words(target, made_up, DEFAULT)
    [chart] = answer.charts
    html = html_of_template(Answer((replace(heading, text=named), *answer.parts[:2])))
    return {
        "html": html.replace(written(TOTAL, ".2f"), "{total}").replace("of 1 words", "of {count} words"),
        "missing": html_of_template(Answer((Sentence(MISSING, "info"),))),
        "most": MOST_TOKENS,
        "mask": model.tokenizer.inner.mask_token_id,
        "chart": template_of(chart, lambda figure, theme: _of_words(figure, theme, target.unit)),
        "box": {
            "limit": LABEL_LIMIT,
            "size": SLACK * WORD_SIZE,
            "least": LEAST_WIDTH,
            "padding": 2 * PADDING,
            "gap": GAP,
            "room": WIDTH,
            "pitch": LINE,
            "legend": LEGEND,
            "few_decimals": FEW_DECIMALS,
        },
    }


def _of_words(figure: Mapping[str, Any], theme: Theme, unit: str) -> References:
    """The references of words in lines, each on the colour of its value, and of the scale below them."""
    layout, (named, numbers, ramp, ends) = figure["layout"], figure["data"]
    [shape], height = layout["shapes"], layout["height"]
    colours = [colour_of_share(share, theme) for share in np.linspace(-1, 1, STEPS).tolist()]
    scale = [{"$": "low"}, {"$": "high"}]
    inks: Reference = {"$": "values", "to": [["coloured", *scale, [ink_on(colour) for colour in colours]]]}
    signed = ["signed", {"$": "decimals"}]
    hover = ["framed", {"$": "hover"}, f" {unit}<extra></extra>"]
    framed = shape | {
        "x0": _plus("left", shape["x0"]),
        "x1": {"$": "left", "to": [["plus", {"$": "width"}]]},
        "y0": _plus("top", shape["y0"]),
        "y1": _plus("top", shape["y1"]),
        "fillcolor": {"$": "values", "to": [["coloured", *scale, colours], ["at", {"$": "place"}]]},
    }
    below = {index: _plus("height", place - height) for index, place in enumerate((*ramp["y"], *ends["y"]))}
    return {
        "data.0.x": _each({"$": "middle"}),
        "data.0.y": _each(_plus("top", named["y"][0])),
        "data.0.text": _each({"$": "label", "to": [["framed", "<b>", "</b>"]]}),
        "data.0.textfont.color": inks,
        "data.0.hovertemplate": _each({"$": "value", "to": [["signed", 4], hover]}),
        "data.1.x": _each({"$": "middle"}),
        "data.1.y": _each(_plus("top", numbers["y"][0])),
        "data.1.text": _each({"$": "value", "to": [signed]}),
        "data.1.textfont.color": inks,
        "data.2.z": [{"$": "high", "to": [["scaled", *ramp["z"]]]}],
        "data.2.zmin": {"$": "low"},
        "data.2.zmax": {"$": "high"},
        "data.2.y": [below[0], below[1]],
        "data.3.y": [below[2], below[3]],
        "data.3.text": [
            {"$": "low", "to": [signed, ["framed", "lowers it ", ""]]},
            {"$": "high", "to": [signed, ["framed", "", f" raises it ({unit})"]]},
        ],
        "layout.height": {"$": "height"},
        "layout.yaxis.range": [{"$": "height"}, 0],
        "layout.shapes": _each(framed),
    }


def _each(template: Any) -> dict[str, Any]:
    """A list with a template for each word, which refers to the word's own values."""
    return {"each": "words", "as": template}


def _plus(name: str, added: float) -> Reference:
    return {"$": name, "to": [["plus", added]]}
