"""Why this prediction? on a page without a server: what is lost of the likeliest class without each word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from encoder.attribution.explaining import WordValues, explain
from encoder.attribution.questions import Question
from encoder.attribution.target import resolve_target
from encoder.models.base import Backend
from encoder.runs.trace import Trace
from viz.answers.answer import Answer, Sentence, Table
from viz.figures.word_values import (
    FEW_DECIMALS,
    GAP,
    LEAST_WIDTH,
    LINE,
    PADDING,
    SLACK,
    WORD_SIZE,
    colour_of_share,
)
from viz.saved_page.contents import Page, ViewName
from viz.site.templates import References, among, each, html_of_template, template, template_of_chart, value
from viz.state.selection import DEFAULT, Selection
from viz.theme import Theme, ink_on
from viz.views.why.answer.words import EXPLANATION, WIDTH, words, words_heading
from viz.wording.explanations import Explanation
from viz.wording.labels import LONGEST_WORD
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
    if any(trace.prediction is None for trace in traces.values()):
        return page
    runs = []
    for run in page.runs:
        answer = removed_words(model, Question(kind="class", texts=traces[run.place].tokens.texts))
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


def removed_words_template(model: Backend, labels: Sequence[str]) -> dict[str, Any]:
    """The view with references, and what the browser needs in order to fill them in; `labels` are the model's classes.

    Its values are "words", with the box and the value of each; "losses", the values alone; "low" and "high", the ends
    of the colours; "total", the probability of the class; "label" and "against", the indices of the two classes;
    "lines", the height of all words.
    """
    question = Question(kind="class", texts=(WORD, None), label=0, rival=1)
    target = resolve_target(model, question)
    made_up = WordValues(words=(WORD,), units=((1,),), values=np.ones(1, np.float32), unit=target.unit, total=TOTAL)
    heading = words_heading(question, target)
    named = heading.text.replace(target.label, "{label}").replace(target.against, "{against}")
    answer = words(target, made_up, DEFAULT)
    [chart] = answer.charts
    html = html_of_template(Answer((replace(heading, text=named), *answer.parts[:2])))
    of_text = {
        **{name: among(value(name), labels) for name in ("label", "against")},
        "total": value("total", ("written", 2)),
        "count": value("words.length", ("written", 0)),
    }
    return {
        "answer": template(
            html.replace(written(TOTAL, ".2f"), "{total}").replace("of 1 words", "of {count} words"),
            {chart.name: template_of_chart(chart, lambda figure, theme: _of_words(figure, theme, target.unit))},
            of_text,
        ),
        "missing": template(html_of_template(Answer((Sentence(MISSING, "info"),)))),
        "most": MOST_TOKENS,
        "mask": model.tokenizer.inner.mask_token_id,
        "box": {
            "limit": LONGEST_WORD,
            "size": SLACK * WORD_SIZE,
            "least": LEAST_WIDTH,
            "padding": 2 * PADDING,
            "gap": GAP,
            "room": WIDTH,
            "pitch": LINE,
        },
    }


def _of_words(figure: Mapping[str, Any], theme: Theme, unit: str) -> References:
    """The references of words in lines, each on the colour of its value, and of the scale below them."""
    layout, (named, numbers, ramp, ends) = figure["layout"], figure["data"]
    [shape], height = layout["shapes"], layout["height"]
    colours = [colour_of_share(share, theme) for share in np.linspace(-1, 1, STEPS).tolist()]
    scale = value("low"), value("high")
    inks = value("losses", ("coloured", *scale, [ink_on(colour) for colour in colours]))
    signed = "signed", among(value("high", ("reaches", FEW_DECIMALS)), (3, 2))
    below = [value("lines", ("plus", place - LINE)) for place in (*ramp["y"], *ends["y"], height)]
    framed = shape | {
        "x0": value("left", ("plus", shape["x0"])),
        "x1": value("right"),
        "y0": value("top", ("plus", shape["y0"])),
        "y1": value("top", ("plus", shape["y1"])),
        "fillcolor": value("value", ("coloured", *scale, colours)),
    }
    hover = "framed", value("hover"), f" {unit}<extra></extra>"
    return {
        "data.0.x": each("words", value("middle")),
        "data.0.y": each("words", value("top", ("plus", named["y"][0]))),
        "data.0.text": each("words", value("label", ("framed", "<b>", "</b>"))),
        "data.0.textfont.color": inks,
        "data.0.hovertemplate": each("words", value("value", ("signed", 4), hover)),
        "data.1.x": each("words", value("middle")),
        "data.1.y": each("words", value("top", ("plus", numbers["y"][0]))),
        "data.1.text": each("words", value("value", signed)),
        "data.1.textfont.color": inks,
        "data.2.z": [value("high", ("scaled", *ramp["z"]))],
        "data.2.zmin": scale[0],
        "data.2.zmax": scale[1],
        "data.2.y": below[:2],
        "data.3.y": below[2:4],
        "data.3.text": [
            value("low", signed, ("framed", "lowers it ", "")),
            value("high", signed, ("framed", "", f" raises it ({unit})")),
        ],
        "layout.height": below[4],
        "layout.yaxis.range": [below[4], 0],
        "layout.shapes": each("words", framed),
    }
