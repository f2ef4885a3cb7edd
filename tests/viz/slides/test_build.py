"""Slides of a tour: every stop has its words, its claims with their numbers, and its picture or why there is none."""

from __future__ import annotations

from dataclasses import replace
from typing import cast
from unittest.mock import Mock

import numpy as np
import pytest

from encoder import Backend
from encoder.attribution.methods.facts import MethodName, Quantity, Reach
from encoder.attribution.methods.maps import planes
from encoder.catalogue import load, load_writer
from encoder.errors import UnknownModelError, UnsupportedModelError
from tests.rounding import Written
from tests.viz.html.reading import blocks_of, weights_in
from viz.answers.answer import Table
from viz.claims.stops import written_by
from viz.recipes.runner import StepRunner
from viz.recipes.slide import Models
from viz.slides.build import slides_of
from viz.slides.contents import ALL_PARTS, Slides
from viz.slides.document import slides_document
from viz.state.selection import DEFAULT, Selection
from viz.theme import THEMES
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
        trace=lambda name, a, b, **changes: open_model(name).trace(a, b, **changes),
        write=lambda selection: written_by(selection, load_writer()),
        steps=StepRunner(open_model),
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
    assert [run.place for run in flies.runs] == ["A", "B", "A", "B", "pair"]  # stop 4 has two sentences of its own
    runs = [slide.picture.runs for slide in flies.slides if slide.picture]
    assert runs == [(0, 1), (0, 1), (2, 3), (0, 1), (4,), (0, 1), (0, 1)]
    html = slides_document(flies)
    kinds = sorted(message.split(".")[1] for message, _, _ in blocks_of(html))
    assert kinds == ["attention"] * 5 + ["map"] * 5  # no stop shows queries and keys
    pair = bundled.trace(A, B)
    for layer, weights in weights_in(html, f"{flies.runs[4].name}.attention").items():
        np.testing.assert_allclose(weights, pair.weights(layer), atol=Written(5.1e-5))


def test_a_slide_has_the_picture_of_its_routes_and_what_is_left_without_them(models: Models) -> None:
    block = "view: routes\nwhy: part of speech\na: time flies\nb: ''\n"
    slides = made(models, f"{block}why_word: 1", f"{block}why_word: 0", f"{block}why_word: 1")
    pictures = [slide.picture for slide in slides.slides]
    assert [(picture.view, picture.runs) for picture in pictures if picture] == [
        ("routes", (0,)),
        ("routes", (1,)),
        ("routes", (0,)),
    ]
    messages = [message for message, _, _ in blocks_of(slides_document(slides))]
    assert messages == [f"{run.name}.routes{part}" for run in slides.runs for part in ("", "-cut")]


def test_claims_have_their_numbers_and_the_name_of_the_model(flies: Slides) -> None:
    third = flies.slides[2]
    assert [(claim.holds, claim.sentence) for claim in third.claims] == [
        (True, "layer 0, head 4, flies → time 0.80"),
        (True, "layer 0, head 4, flies → fruit 0.81"),
        (True, "layer 0, head 4 joins words that go together, over a corpus 0.24"),
    ]
    assert third.claims_of == "all-MiniLM-L6-v2, a small BERT"
    assert all(claim.holds for slide in flies.slides for claim in slide.claims)


def test_a_claim_that_does_not_hold_says_so(models: Models) -> None:
    claim = 'weight(layer=0, head=4, A:"flies" → "time") > 0.9'
    [slide] = made(models, f"{STATE}mode: separate\nview: heat map\nclaims:\n  - {claim}").slides
    assert [(each.holds, each.sentence, each.claim) for each in slide.claims] == [
        (False, "does not hold here: layer 0, head 4, flies → time 0.80, not > 0.9", claim)
    ]


def test_a_stop_points_where_the_tour_does(flies: Slides) -> None:
    picture = flies.slides[2].picture
    assert picture.selection["points"] == [
        {"kind": "cell", "run": "A", "query": [2], "key": [1]},
        {"kind": "cell", "run": "B", "query": [2], "key": [1]},
    ]
    assert (picture.view, picture.selection["layer"], picture.selection["head"]) == ("heat map", 0, 4)


def test_a_stop_with_cut_links_shows_the_changed_run_and_says_so(models: Models) -> None:
    found = made(models, f"{STATE}mode: separate\nview: heat map\ncut: A2-1@0.4")
    [slide] = found.slides
    assert slide.remark == "The attention of “flies” (2) to “time” (1) was cut in layer 0, head 4."
    weights = weights_in(slides_document(found), f"{found.runs[0].name}.attention")
    assert weights[0][4, 2, 1] == 0
    [of_norms] = made(models, f"{STATE}mode: separate\nview: norms\ncut: A2-1x35").slides
    assert "The attention of “flies” (2) to “time” (1) was multiplied by 0.35 in all layers." in of_norms.remark


def test_every_stop_has_either_a_live_picture_or_answers(flies: Slides) -> None:
    for slide in flies.slides:
        assert bool(slide.picture) != bool(slide.answers)
    assert "Parts of speech in A" in flies.slides[4].lines[0].caption
    assert dict(flies.slides[4].lines[0].pairs)["flies"] == "VERB"


def test_a_stop_can_silence_heads_and_show_effects_on_the_part_of_speech(models: Models) -> None:
    silenced, effect = made(
        models,
        f"{STATE}view: word lens\nsilenced: 0.4\npoints:\n  - head(layer=0, head=4)\n"
        'claims:\n  - cosine(layer=5, A:"flies", B:"flies") < 1',
        f"{STATE}view: word lens\nsilenced: 0.4\neffect: part of speech\npoints:\n  - head(layer=0, head=4)\n"
        'claims:\n  - log_odds(layer=0, head=4, A:"flies") < 0',
    ).slides
    [(_, answer)] = silenced.answers
    assert "With layer 0, head 4 silenced, the cosine of the two" in str(answer.parts[0])
    assert "with the chosen heads silenced" in [line.name for line in answer.charts[0].figure(THEMES["light"]).data]
    [(_, answer)] = effect.answers
    assert isinstance(answer.parts[-1], Table)
    assert answer.parts[-1].name == "together"
    in_a, _ = answer.charts
    bar = in_a.figure(THEMES["light"]).data[1].colorbar
    assert bar.title.text == "change of the log-odds, VERB against NOUN"


def test_views_that_only_the_app_has_become_others_and_say_so(models: Models) -> None:
    data, bertviz = made(models, *(f"{STATE}view: {view}" for view in ("data", "bertviz"))).slides
    assert data.picture
    assert data.picture.view == "heat map"
    assert "Data is in the app" in data.remark
    assert bertviz.picture
    assert bertviz.picture.view == "head view"
    assert "BertViz is in the app" in bertviz.remark


def test_answers_are_those_of_both_texts(models: Models, bundled: Backend) -> None:
    predicted, lengths = made(
        models, *(f"{STATE}mode: separate\nview: {view}" for view in ("predictions", "norms"))
    ).slides
    assert [heading for heading, _ in predicted.answers] == ["Sentence A", "Sentence B"]
    for text, (_, answer) in zip((A, B), predicted.answers, strict=True):
        prediction = bundled.trace(text).prediction
        bars = answer.charts[0].figure(THEMES["light"]).data[0]
        np.testing.assert_allclose(bars.x, prediction.probabilities, atol=1e-6)
    assert predicted.texts == f"A: “{A}” B: “{B}”"
    assert [len(answer.charts) for _, answer in lengths.answers] == [3, 3]


def test_a_model_without_a_head_for_classes_says_so(models: Models) -> None:
    headless = replace(
        models, trace=lambda name, a, b, **changes: replace(models.trace(name, a, b, **changes), prediction=None)
    )
    [slide] = made(headless, f"{STATE}view: predictions").slides
    [(_, answer)] = slide.answers
    assert "This model fills in masked words" in str(answer.parts[0])


def test_a_model_that_nobody_agreed_to_is_not_opened(models: Models) -> None:
    claim = 'weight(layer=0, head=4, "time" → "flies") > 0.9'
    [slide] = made(models, f"{STATE}model: somebody/else\nview: heat map\nclaims:\n  - {claim}").slides
    assert slide.words == "Words."
    assert "'somebody/else' is not opened unasked" in slide.remark
    assert slide.claims[0].holds is None


def test_stops_without_texts_are_about_those_of_the_page(models: Models) -> None:
    page = replace(DEFAULT, texts=replace(DEFAULT.texts, a="my own words", b=""))
    slides = made(models, "view: heat map", page=page)
    assert slides.slides[0].picture


def test_of_a_long_text_a_file_has_the_layers_that_are_shown(models: Models) -> None:
    text = "time " * 150
    slides = made(models, *(f"a: {text}\nb: ''\nview: heat map\nlayer: {layer}" for layer in (3, 1, 3)))
    assert [run.layers for run in slides.runs] == [(1, 3)]
    assert "The text is long: the file has layer 3 alone." in slides.slides[0].about


def test_what_is_read_cut_off_and_left_out_of_the_second_text_is_named(models: Models) -> None:
    block = f"a: {A}\nb: {'time ' * 300}\nmode: separate\nview: heat map\nlayer: 3"
    about = " ".join(made(models, block).slides[0].about)
    for said in (
        "Sentence B is too long for the model: its last 46 tokens are cut off.",
        "Sentence B is long: the file has layer 3 of it alone.",
    ):
        assert said in about


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
    assert [7, 5] in cross.picture.marks  # the first word that is written is the last of the source
    assert cross.lines[0].pairs == (("[START]", "arrow"), ("arrow", "an"), ("an", "like"))


@pytest.mark.parametrize("quantity", ["", "method: norms\n"])
def test_a_text_whose_tokens_are_all_hidden_has_no_picture(models: Models, quantity: str) -> None:
    [slide] = made(models, f"a: '[SEP]'\nb: ''\nspecial: hide\nview: heat map\n{quantity}").slides
    assert slide.remark == "There is no picture here. This text has special tokens only, and the stop hides them."


@pytest.mark.parametrize(
    ("method", "reach", "per_head"), [("norms", "layer", 12), ("alti", "input", 0), ("rollout", "input", 0)]
)
def test_a_stop_draws_the_quantity_that_it_names(
    models: Models, bundled: Backend, method: str, reach: str, per_head: int
) -> None:
    block = f"a: {A}\nb: ''\nview: heat map\nlayer: 2\nmethod: {method}\nreach: {reach}"
    slides = made(models, block, block.replace("heat map", "head view"), f"a: {A}\nb: ''\nview: heat map")
    [shares, weights] = slides.runs
    assert [slide.picture and slide.picture.runs for slide in slides.slides] == [(0,), (0,), (1,)]
    assert slides.slides[0].remark == ""
    assert slides.slides[0].picture
    quantity = slides.slides[0].picture.quantity
    assert quantity
    assert quantity["heads"] == per_head
    assert any("is rounded" in note or "are rounded" in note for note in slides.slides[0].about)
    assert "Attention weights are rounded to four decimals." not in slides.slides[0].about
    trace = bundled.trace(A)
    drawn = Quantity(method=cast("MethodName", method), reach=cast("Reach", reach))
    expected = list(planes(bundled, trace, drawn))
    found = weights_in(slides_document(slides), f"{shares.name}.attention")
    for layer, maps in enumerate(expected):
        np.testing.assert_allclose(
            found[layer] * quantity["largest"], maps[..., :7], atol=Written(2e-4 * quantity["largest"])
        )
    np.testing.assert_allclose(
        weights_in(slides_document(slides), f"{weights.name}.attention")[2], trace.weights(2), atol=Written(5.1e-5)
    )


def test_a_method_that_does_not_apply_leaves_the_weights_and_says_why(
    models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = Mock(side_effect=UnsupportedModelError("The model has no such layers."))
    monkeypatch.setattr("viz.recipes.attributions.planes", refused)
    fresh = replace(models, steps=StepRunner(models.open))
    [slide] = made(fresh, f"{STATE}view: heat map\nmethod: alti\nreach: input").slides
    assert slide.picture
    assert slide.picture.quantity is None
    assert slide.remark == "“ALTI” does not apply here: The model has no such layers. Here are the attention weights."


def test_a_slide_has_a_run_of_every_model_side_by_side(models: Models) -> None:
    shipped = replace(models, trace=lambda name, a, b, **changes: load(name).trace(a, b, **changes))
    block = f"view: models\ntrained: 61\nlayer: 5\nhead: 9\na: {A}\nb: ''"
    slides = made(shipped, block, f"{block}\npictured: all heads")
    picture, of_all_heads = (slide.picture for slide in slides.slides)
    assert (picture.view, of_all_heads.view) == ("heat map", "model view")
    assert picture.runs == of_all_heads.runs
    assert [slides.runs[index].heading for index in picture.runs] == [
        "all-MiniLM-L6-v2, a small BERT",
        "Small encoder, untrained",
        "Small encoder, trained here, step 61",
    ]
    assert [follows["wanted"] for follows in picture.follows] == [(5, 9)] * 3
    [(_, answer)] = slides.slides[0].answers
    assert "a token spreads its attention over" in str(answer.parts)
    assert "step 61" in slides_document(slides)
