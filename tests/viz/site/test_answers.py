"""Answers that the browser fills in are those that Python makes of the same text."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from encoder import Trace
from encoder.attribution.explaining import explain
from encoder.attribution.questions import Question
from encoder.attribution.target import resolve_target
from encoder.experiments.senses.states import band_of_model
from encoder.measures.similarity import ReferenceBand, l2_norms, successive_cosines
from encoder.measures.units import units_of
from encoder.models.base import Backend
from encoder.models.labels import SENTIMENTS
from encoder.models.scratch import ScratchBackend
from tests.encoder.exported_measures import Measures, Modules
from tests.rounding import rounding
from tests.viz.site.node import run_node
from viz.answers.answer import Answer, Sentence
from viz.answers.word_places import Occurrence, occurrences_of, place_word
from viz.html.answers import contents_of_chart, figures_of_chart
from viz.site.answers import answers_of
from viz.site.characters import characters
from viz.site.removed_words import removed_words
from viz.site.strips import inflections
from viz.site.templates import html_of_template
from viz.site.word_lens import MISSING, word_lens
from viz.views.norms.answer import norms
from viz.views.predictions.answer import answer_of

CLOSE = rounding(384)  # the longest sums are over the width of the model
TEXTS = (
    "flies",
    "time flies like an arrow",
    "<b>$x$ 100% of the \u05d0\u05d1\u05d2 unbelievable electroencephalographically 日本語",
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen",
    "to be or not to be that is the question " * 3,
    "to be or not to be that is the question " * 6,
    "to be or not to be that is the question " * 12,
)
FILMS = ("What a film!", "The movie was not bad at all, just too long.", "a dull, awful waste of time")
REMOVED = (*FILMS, TEXTS[2], TEXTS[4])
PAIRS = (
    ("time flies like an arrow", "fruit flies like a banana"),
    ("The bank raised its rates.", "We sat on the bank of the river."),
    ("She can play.", "The can is red, unbelievably."),
    ("It was unbelievably late!", "Nobody came, unbelievably."),
    ("Time flies.", "a time to fly"),
    ("She played well.", "He will play."),  # another inflection
    ("Is it \u05d0\u05d1\u05d2?", "\u05d0\u05d1\u05d2, here."),
)
COLOUR, MOST_SHADES = re.compile("#[0-9A-F]{6}"), 2  # the browser's scale has 257 colours


@pytest.fixture(scope="module")
def model(bundled: ScratchBackend) -> ScratchBackend:
    return bundled


@pytest.fixture(scope="module")
def band(model: Backend) -> ReferenceBand:
    return band_of_model(model)


@pytest.fixture(scope="module")
def measures(model: ScratchBackend, band: ReferenceBand) -> Measures:
    return Modules(model, band)


def as_lists(arrays: Mapping[str, Any]) -> dict[str, Any]:
    return {name: array.tolist() for name, array in arrays.items()}


def norms_in(measures: Measures, trace: Trace) -> dict[str, Any]:
    """Python's own numbers, so that their digits are equal."""
    own = {"norms": l2_norms(trace.hidden_states), "cosines": successive_cosines(trace.hidden_states)}
    own["parts"] = np.stack(
        [np.broadcast_to(l2_norms(part), len(trace.tokens)) for part in trace.embedding_parts.values()]
    )
    return as_lists(measures.norms(trace) | own)


def predicted_in(measures: Measures, trace: Trace) -> dict[str, Any]:
    """The same of the head."""
    found = as_lists(measures.run("predicted", states=trace.hidden_states))
    return found | {"probabilities": trace.prediction.probabilities.tolist(), "score": trace.prediction.score}


def plain(value: Any) -> Any:
    """Numbers as lists, without Plotly's encoding."""
    if isinstance(value, Mapping) and "bdata" in value:
        array = np.frombuffer(base64.b64decode(value["bdata"]), value["dtype"])
        shape = value.get("shape")
        return (array.reshape([int(side) for side in shape.split(",")]) if shape else array).tolist()
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list) else value


def in_dark(contents: Mapping[str, Any]) -> Any:
    """The figure with what is different in the dark theme."""
    figure = json.loads(json.dumps(contents["figure"]))
    for (*places, last), value in contents["dark"]:
        inner = figure
        for place in places:
            inner = inner[place]
        inner[last] = value
    return plain(figure)


def colour_of(text: str) -> list[int]:
    """Red, green and blue."""
    return [int(text[start : start + 2], 16) for start in (1, 3, 5)]


def assert_equal(mine: Any, wanted: Any, path: str = "") -> None:
    if isinstance(wanted, Mapping):
        assert mine.keys() == wanted.keys(), path
        for key, value in wanted.items():
            assert_equal(mine[key], value, f"{path}.{key}")
    elif isinstance(wanted, list):
        assert len(mine) == len(wanted), path
        for index, value in enumerate(wanted):
            assert_equal(mine[index], value, f"{path}.{index}")
    elif isinstance(wanted, str) and COLOUR.fullmatch(wanted):
        assert colour_of(mine) == pytest.approx(colour_of(wanted), abs=MOST_SHADES), path
    elif isinstance(wanted, float) or isinstance(mine, float):
        assert mine == pytest.approx(wanted, rel=CLOSE, abs=CLOSE), path
    else:
        assert mine == wanted, path


@pytest.fixture(scope="module")
def filled(
    model: ScratchBackend, band: ReferenceBand, measures: Measures, tmp_path_factory: pytest.TempPathFactory
) -> Any:
    """What the browser makes of the views of TEXTS, PAIRS, FILMS and REMOVED."""
    traces = [model.trace(text) for text in TEXTS]
    norms = [{"labels": units_of(trace.tokens).labels, **norms_in(measures, trace)} for trace in traces]
    lens = [shared(measures, pair) for pair in pairs(model)]
    predicted = [predicted_in(measures, model.trace(film)) for film in FILMS]
    given = {
        "norms": norms,
        "lens": [*lens, {"kind": "missing"}, {"kind": "absent", "labels": ["<b>", "<b>"], "missing": 1}],
        "predictions": predicted,
        "why": [without_each_word(model, film) for film in REMOVED],
    }
    folder, runs = tmp_path_factory.mktemp("answers"), characters(model.tokenizer.inner.backend_tokenizer)
    return run_node("answers.mjs", folder, answers_of(model, band), given, runs)


def predictions(model: Backend) -> list[Any]:
    return [model.trace(text).prediction for text in FILMS]


def without_each_word(model: Backend, text: str) -> dict[str, Any]:
    """What the worker finds of the likeliest class without each word."""
    target = resolve_target(model, Question(kind="class", texts=(text, None)))
    found = explain(model, target, "leave-one-out", level="wordpieces")
    label, against = (SENTIMENTS.index(name) for name in (target.label, target.against))
    losses = found.values.astype(float).tolist()
    return {"labels": found.words, "losses": losses, "total": found.total, "label": label, "against": against}


def pairs(model: Backend) -> list[list[Occurrence]]:
    found = []
    for pair in PAIRS:
        traces = {letter: model.trace(text) for letter, text in zip("AB", pair, strict=True)}
        a, b = (trace.tokens for trace in traces.values())
        found.append(occurrences_of(traces, place_word(a, b, None, None)))
    return found


def shared(measures: Measures, pair: list[Occurrence]) -> dict[str, Any]:
    """What the worker finds of the word that two texts share."""
    a, b = pair
    found = measures.lens(a.trace, b.trace, (a.word_index, b.word_index))
    return {"labels": [a.name, b.name], "forms": int(a.name.lower() != b.name.lower()), **as_lists(found)}


def assert_answer(mine: Any, answer: Answer) -> None:
    """The charts and the words of an answer are those that the browser made."""
    for chart in answer.charts:
        wanted = contents_of_chart(chart, figures_of_chart(chart)[0])
        found = mine["charts"][chart.name]
        assert_equal(plain(found["figure"]), plain(wanted["figure"]), chart.name)
        assert_equal(in_dark(found), in_dark(wanted), f"{chart.name}, dark")
        assert found["config"] == wanted["config"]
    words = re.sub(r"\{(\w+)\}", lambda match: html.escape(mine["words"][match[1]]), mine["html"])
    assert normalised(words) == normalised(html_of_template(answer))


def normalised(text: str) -> str:
    """HTML with entities decoded and blanks collapsed, for comparison."""
    return re.sub(r"\s+", " ", html.unescape(text))


def test_norms_filled_in_by_the_browser_are_those_of_python(model: Backend, filled: Any) -> None:
    for text, mine in zip(TEXTS, filled["norms"], strict=True):
        trace = model.trace(text)
        assert_answer(mine, norms(trace, units_of(trace.tokens), "wordpieces"))


def test_word_lens_filled_in_by_the_browser_is_that_of_python(model: Backend, band: ReferenceBand, filled: Any) -> None:
    *found, missing, absent = filled["lens"]
    for pair, mine in zip(pairs(model), found, strict=True):
        assert_answer(mine, word_lens(band, {each.letter: each.trace for each in pair}))
    assert missing["html"] == html_of_template(Answer((Sentence(MISSING, "info"),)))
    assert absent["words"] == {"word": "<b>", "letter": "B"}


def test_inflections_of_the_vocabulary_share_a_line(model: Backend) -> None:
    lines = inflections(model.tokenizer).decode().split("\n")
    [line] = [line.split() for line in lines if "flies" in line.split()]
    assert {"fly", "flew"} <= set(line)


def test_predictions_filled_in_by_the_browser_are_those_of_python(model: Backend, filled: Any) -> None:
    for prediction, mine in zip(predictions(model), filled["predictions"], strict=True):
        assert_answer(mine, answer_of(prediction))


def test_removed_words_filled_in_by_the_browser_are_those_of_python(model: Backend, filled: Any) -> None:
    for text, mine in zip(REMOVED, filled["why"], strict=True):
        assert_answer(mine, removed_words(model, Question(kind="class", texts=(text, None))))
