"""The word lens on slides: profiles and the map of senses, with the numbers of the page's figures."""

from __future__ import annotations

import numpy as np
import pytest

from encoder import Backend
from encoder.experiments.senses.sentence_search import shipped_sentences
from encoder.experiments.silencing import sweep_heads
from encoder.shipped.probes import load_probes
from tests.viz.slides.stops import models_of, slide_at
from viz.exports.slides import Slide
from viz.figures.profiles import profile_bars
from viz.figures.sense_map import accuracy_line, sense_scatter
from viz.theme import THEMES

A, B = "time flies like an arrow", "fruit flies like a banana"
STATE = f"view: word lens\na: {A}\nb: {B}\nlayer: 0\nhead: 4\n"


def test_a_claim_about_a_weight_shows_what_the_word_looks_at(bundled: Backend) -> None:
    claim = 'weight(layer=0, head=4, A:"flies" → "time") > 0.5'
    pointed = 'points:\n  - cell(A:"flies" → "time")\n  - token(B:"fruit")\n'
    in_a, in_b = slide_at(models_of(bundled), f"{STATE}{pointed}claims:\n  - {claim}").charts
    weights = bundled.trace(A).weights(0)[4]
    assert in_a.grid.columns == ["[CLS]", "time", "flies", "like", "an", "arrow", "[SEP]"]
    figure = profile_bars(
        in_a.grid.values[1], in_a.grid.values[0], in_a.grid.columns, word=2, colour="#000000", theme=THEMES["light"]
    )
    np.testing.assert_allclose(in_a.grid.values, [weights[:, 2], weights[2]], atol=1e-6)
    np.testing.assert_allclose([figure.data[0].x, figure.data[1].x], in_a.grid.values, atol=1e-6)
    assert in_a.grid.high == in_b.grid.high == pytest.approx(max(in_a.grid.values.max(), in_b.grid.values.max()))
    assert in_a.grid.caption == "What “flies” in A looks at, and what looks at it, L0 H4"
    assert in_a.frames == [(0, 2, 2, 1)]
    assert (in_a.rings, in_b.rings) == ([(1, 1, 1, 1)], [(0, 1, 2, 1)])


@pytest.fixture(scope="module")
def without_claims(bundled: Backend) -> Slide:
    return slide_at(models_of(bundled), f"{STATE}".replace("layer: 0", "layer: 5"))


def test_a_stop_without_claims_shows_how_the_word_parts_looks_and_lies(without_claims: Slide) -> None:
    assert [chart.look for chart in without_claims.charts] == ["curves", "profile", "profile", "points", "curves"]


def test_the_map_of_senses_has_the_points_of_the_page(without_claims: Slide, bundled: Backend) -> None:
    _, _, _, drawn, accuracy = without_claims.charts
    sentences = shipped_sentences(bundled, "flies")
    assert len(drawn.grid.rows) == len(drawn.hover) == 2 + len(sentences.occurrences)
    assert drawn.grid.rows[0] == f"A · {A}"
    names = [drawn.series[group].name for group in drawn.groups]
    assert names[:2] == ["sentence A", "sentence B"]
    assert names[2:] == [each.sense for each in sentences.occurrences]
    groups = ["A", "B", *names[2:]]
    page = sense_scatter(drawn.grid.values, groups, drawn.hover, explained=[0.5, 0.2], theme=THEMES["light"])
    assert [trace.name for trace in page.data] == [series.name for series in drawn.series]
    states = np.stack([trace.hidden_states[-1, 2] for trace in map(bundled.trace, (A, B))])
    distance = np.linalg.norm(drawn.grid.values[0] - drawn.grid.values[1])
    assert 0 < distance <= np.linalg.norm(states[0] - states[1]) * 1.001  # a projection brings nothing apart
    assert drawn.hover[0].split("\n")[1] == "nearest by cosine:"
    assert len(drawn.hover[0].split("\n")) == 5
    commonest, found = accuracy.grid.values
    line = accuracy_line(found, majority=float(commonest[0]), chosen=6, theme=THEMES["light"])
    np.testing.assert_allclose(line.data[0].y, found)
    assert (found >= 0).all()
    assert accuracy.lines == [(6, "the map")]


def test_sentences_that_a_stop_names_are_mapped_beside_what_it_claims(bundled: Backend) -> None:
    typed = 'further: own\ntyped: "insect | flies buzz\\nthe pilot flies at night"\n'
    claim = 'cosine(layer=5, A:"flies", B:"flies") < 1'
    parting, drawn = slide_at(models_of(bundled), f"{STATE}{typed}claims:\n  - {claim}").charts
    assert parting.look == "curves"
    assert [drawn.series[group].name for group in drawn.groups] == ["sentence A", "sentence B", "insect", "no label"]


@pytest.mark.parametrize(
    ("effect", "unit"),
    [
        ("part of speech", "change of the log-odds, VERB against NOUN, control 0.681)"),
        ("shift", "change of the distance from A to B, control 0.016)"),
    ],
)
def test_the_effect_that_a_stop_names_is_mapped(bundled: Backend, effect: str, unit: str) -> None:
    pointed = "points:\n  - head(layer=0, head=4)\n"
    charts = slide_at(models_of(bundled), f"{STATE}effect: {effect}\n{pointed}").charts[-2:]
    assert charts[0].grid.caption.startswith(f"Effect of each head on “flies” in A ({unit}")
    traces = [bundled.trace(text) for text in (A, B)]
    finals = [trace.hidden_states[-1, 2] for trace in traces]
    for chart, trace, other in zip(charts, traces, reversed(finals), strict=True):
        found = sweep_heads(bundled, trace.tokens, [(2,)], probes=load_probes("bundled"), other=other)
        exact = found.shift if effect == "shift" else found.log_odds
        assert exact is not None
        np.testing.assert_allclose(chart.grid.values, exact[0], atol=1e-3)
        assert (chart.grid.low, chart.grid.signed) == (-chart.grid.high, True)
        assert chart.rings == [(0, 4, 1, 1)]


def test_a_shift_of_one_sentence_falls_back_to_the_final_vector(bundled: Backend) -> None:
    state = f"view: word lens\na: {A}\nb: ''\neffect: shift\npoints:\n  - head(layer=0, head=4)\n"
    assert "cosine distance" in slide_at(models_of(bundled), state).charts[-1].grid.caption
