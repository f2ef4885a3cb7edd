"""Slides of a tour: every stop has its words, its claims with their numbers, and its picture or why there is none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from encoder import Backend
from encoder.catalogue import load_writer
from encoder.errors import UnknownModelError
from encoder.measures.similarity import cosines_by_layer
from tests.viz.exports.reading import blocks_of, weights_in
from viz.claims.stops import written_by
from viz.exports.slides import ALL_PARTS, Slides
from viz.exports.slides_document import slides_document
from viz.slides.making import slides_of
from viz.slides.models import Models
from viz.state.selection import DEFAULT, Selection
from viz.tours.files import parse_tour
from viz.tours.shipped import shipped_tour

A, B = "time flies like an arrow", "fruit flies like a banana"
STATE = f"a: {A}\nb: {B}\n"


@pytest.fixture(scope="module")
def models(bundled: Backend) -> Models:
    def open_model(name: str) -> Backend:
        if name != "bundled":
            raise UnknownModelError(f"The model {name!r} is not opened unasked.")
        return bundled

    return Models(
        open=open_model,
        trace=lambda name, a, b: open_model(name).trace(a, b),
        write=lambda selection: written_by(selection, load_writer()),
    )


@pytest.fixture(scope="module")
def flies(models: Models) -> Slides:
    return slides_of(shipped_tour("time-flies"), DEFAULT, models)


def made(models: Models, *blocks: str, page: Selection = DEFAULT) -> Slides:
    """Slides of a tour that has a stop with each block."""
    stops = "\n\n".join(f"## Stop\n\n```yaml\n{block}\n```\n\nWords." for block in blocks)
    return slides_of(parse_tour(f"# Tour\n\n{stops}\n"), page, models)


def test_the_tour_of_the_flies_takes_less_than_2_mb(flies: Slides) -> None:
    assert len(slides_document(flies).encode()) < 2_000_000


def test_runs_are_in_the_file_once_with_what_slides_draw_of_them(flies: Slides, bundled: Backend) -> None:
    assert [run.place for run in flies.runs] == ["A", "B", "pair"]
    assert [slide.picture.runs for slide in flies.slides if slide.picture] == [(0, 1)] * 4 + [(2,), (0, 1)]
    html = slides_document(flies)
    kinds = sorted(message.split(".")[1] for message, _, _ in blocks_of(html))
    assert kinds == ["attention"] * 3 + ["map"] * 3  # no stop shows queries and keys
    assert [bool(run.norms) for run in flies.runs] == [True, True, False]
    pair = bundled.trace(A, B)
    for layer, weights in weights_in(html, f"{flies.runs[2].name}.attention").items():
        np.testing.assert_allclose(weights, pair.weights(layer), atol=5.1e-5)


def test_claims_have_their_numbers_and_the_name_of_the_model(flies: Slides) -> None:
    third = flies.slides[2]
    assert [(claim.holds, claim.sentence) for claim in third.claims] == [(True, "0.80"), (True, "0.81")]
    assert third.claims_of == "Pretrained BERT (bundled)"
    assert all(claim.holds for slide in flies.slides for claim in slide.claims)


def test_a_claim_that_does_not_hold_says_so(models: Models) -> None:
    claim = 'weight(layer=0, head=4, A:"flies" → "time") > 0.9'
    [slide] = made(models, f"{STATE}mode: separate\nview: heat map\nclaims:\n  - {claim}").slides
    assert [(each.holds, each.sentence, each.claim) for each in slide.claims] == [
        (False, "does not hold here: 0.80", claim)
    ]


def test_a_stop_points_where_the_tour_does(flies: Slides) -> None:
    picture = flies.slides[2].picture
    assert picture is not None
    assert picture.selection["points"] == [
        {"kind": "cell", "run": "A", "query": [2], "key": [1]},
        {"kind": "cell", "run": "B", "query": [2], "key": [1]},
    ]
    assert (picture.view, picture.selection["layer"], picture.selection["head"]) == ("heat map", 0, 4)


def test_every_stop_has_a_picture_or_numbers_and_a_remark(flies: Slides) -> None:
    for slide in flies.slides:
        assert bool(slide.picture) != bool(slide.grids and slide.remark)
    assert "Parts of speech in A" in flies.slides[3].lines[0].caption
    assert dict(flies.slides[3].lines[0].pairs)["flies"] == "VERB"


def test_the_lens_has_the_numbers_that_the_stop_is_about(flies: Slides, bundled: Backend) -> None:
    a, b = (bundled.trace(text).hidden_states[:, 2] for text in (A, B))
    [parting] = flies.slides[4].grids
    np.testing.assert_allclose(parting.values[0], cosines_by_layer(a, b), atol=1e-6)
    in_a, in_b = flies.slides[7].grids
    assert np.unravel_index(in_a.values.argmax(), in_a.values.shape) == (0, 4)
    assert in_a.high == in_b.high == in_a.values.max()
    assert in_a.caption == "Effect of each head on “flies” in A (cosine distance, control 0.017)"
    [patched] = flies.slides[8].grids
    assert patched.values[0][-1] == pytest.approx(1)


def test_views_that_only_the_app_has_become_others_and_say_so(models: Models) -> None:
    data, bertviz = made(models, f"{STATE}view: data", f"{STATE}view: bertviz").slides
    assert data.picture
    assert data.picture.view == "heat map"
    assert "Data is in the app" in data.remark
    assert bertviz.picture
    assert bertviz.picture.view == "head view"
    assert "BertViz is in the app" in bertviz.remark


def test_the_anatomy_has_its_tensors(models: Models, scratch_bert: Backend) -> None:
    ours = replace(models, open=lambda name: scratch_bert)
    weights, ids = made(
        ours, f"{STATE}view: anatomy\nwalk: softmax\nlayer: 1\nhead: 2", f"{STATE}view: anatomy\nwalk: ids"
    ).slides
    [grid] = weights.grids
    np.testing.assert_allclose(grid.values, scratch_bert.trace(A, B).weights(1)[2], atol=1e-5)
    assert grid.rows == grid.columns
    assert len(grid.rows) == 13
    assert ids.lines[0].pairs[1] == ("time", "2051")
    assert "in the app" in weights.remark


def test_predictions_are_those_of_the_model(models: Models, bundled: Backend) -> None:
    [slide] = made(models, f"{STATE}mode: separate\nview: predictions").slides
    [grid] = slide.grids
    for text, row, name in zip((A, B), grid.values, grid.rows, strict=True):
        prediction = bundled.trace(text).prediction
        assert prediction is not None
        np.testing.assert_allclose(row, prediction.probabilities, atol=1e-6)
        assert name.startswith("Sentence")
    assert slide.texts == f"A: “{A}” B: “{B}”"


def test_a_model_without_a_head_for_classes_has_no_predictions(models: Models) -> None:
    headless = replace(models, trace=lambda name, a, b: replace(models.trace(name, a, b), prediction=None))
    [slide] = made(headless, f"{STATE}view: predictions").slides
    assert slide.picture is None
    assert slide.remark == "There is no picture here. This model has no head that predicts classes."


def test_a_model_that_nobody_agreed_to_is_not_opened(models: Models) -> None:
    claim = 'weight(layer=0, head=4, "time" → "flies") > 0.9'
    [slide] = made(models, f"{STATE}model: somebody/else\nview: heat map\nclaims:\n  - {claim}").slides
    assert slide.words == "Words."
    assert "'somebody/else' is not opened unasked" in slide.remark
    assert slide.claims[0].holds is None


def test_stops_without_texts_are_about_those_of_the_page(models: Models) -> None:
    page = replace(DEFAULT, texts=replace(DEFAULT.texts, a="my own words", b=""))
    slides = made(models, "view: heat map", page=page)
    assert len(slides.slides[0].about[0].split())
    assert "5 tokens" in slides.slides[0].about[0]


def test_of_a_long_text_a_file_has_the_layers_that_are_shown(models: Models) -> None:
    text = "time " * 150
    slides = made(models, *(f"a: {text}\nb: ''\nview: heat map\nlayer: {layer}" for layer in (3, 1, 3)))
    assert [run.layers for run in slides.runs] == [(1, 3)]
    assert "Of so long a text, the file has layer 3 alone." in slides.slides[0].about


def test_a_decoders_stop_shows_its_attention_as_far_as_it_was_written(models: Models) -> None:
    block = f"view: decoder\ntask: reverse\nsource: {A}\n"
    cross, masked, every = made(
        models, f"{block}kind: cross\nat_step: 2", f"{block}kind: decoder", f"{block}kind: all"
    ).slides
    pictures = [slide.picture for slide in (cross, masked, every)]
    assert [picture and picture.part for picture in pictures] == [0, 1, ALL_PARTS]
    assert [picture and picture.runs for picture in pictures] == [(0,)] * 3
    assert cross.picture
    assert cross.picture.until == 7 + 3
    assert [7, 5] in cross.picture.marks[0]  # the first word that is written is the last of the source
    assert cross.lines[0].pairs == (("[START]", "arrow"), ("arrow", "an"), ("an", "like"))


def test_a_text_whose_tokens_are_all_hidden_has_no_picture(models: Models) -> None:
    [slide] = made(models, "a: '[SEP]'\nb: ''\nspecial: hide\nview: heat map").slides
    assert slide.remark == "There is no picture here. This text has special tokens only, and the stop hides them."
