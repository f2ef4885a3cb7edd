"""The word lens on slides: which of its answers a stop shows."""

from __future__ import annotations

from encoder import Backend
from tests.viz.slides.stops import models_of, slide_at
from viz.slides.contents import Slide, Slides
from viz.slides.document import slides_document
from viz.theme import THEMES

A, B = "time flies like an arrow", "fruit flies like a banana"
STATE = f"view: word lens\na: {A}\nb: {B}\nlayer: 0\nhead: 4\n"


def names(slide: Slide) -> list[str]:
    """The charts of a slide's answer."""
    [(_, answer)] = slide.answers
    return [chart.name for chart in answer.charts]


def test_a_claim_about_a_weight_shows_what_the_word_looks_at(bundled: Backend) -> None:
    claim = 'weight(layer=0, head=4, A:"flies" → "time") > 0.5'
    pointed = 'points:\n  - cell(A:"flies" → "time")\n'
    slide = slide_at(models_of(bundled), f"{STATE}{pointed}claims:\n  - {claim}")
    assert names(slide) == ["profile-A", "profile-B"]
    [(_, answer)] = slide.answers
    assert [len(chart.figure(THEMES["light"]).layout.shapes) for chart in answer.charts] == [1, 0]
    assert "What it looks at, what looks at it · L0 H4" in slides_document(Slides(title="Tour", slides=(slide,)))


def test_a_stop_without_claims_shows_the_picture_that_leads_the_page(bundled: Backend) -> None:
    slide = slide_at(models_of(bundled), STATE)
    assert names(slide) == ["belief-A", "belief-B"]
    assert slide.remark == ""


def test_sentences_that_a_stop_names_are_mapped_unless_it_claims_something_else(bundled: Backend) -> None:
    typed = 'further: own\ntyped: "insect | flies buzz\\nthe pilot flies at night"\n'
    claim = 'cosine(layer=5, A:"flies", B:"flies") < 1'
    assert names(slide_at(models_of(bundled), f"{STATE}{typed}")) == ["sense-map"]
    assert names(slide_at(models_of(bundled), f"{STATE}{typed}claims:\n  - {claim}")) == ["parting"]


def test_a_shift_of_one_sentence_falls_back_to_the_final_vector(bundled: Backend) -> None:
    state = f"view: word lens\na: {A}\nb: ''\neffect: shift\npoints:\n  - head(layer=0, head=4)\n"
    slide = slide_at(models_of(bundled), state)
    assert names(slide)[-1] == "heads-A"
    assert "The shift needs the word in both sentences: the final vector is shown." in str(slide.answers)
