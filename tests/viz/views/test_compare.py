"""Compare as answers: the two runs of a selection, the numbers of charts and tables, and what is said of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import encoder
from encoder import Backend
from encoder.attribution.patching_estimates import agreement
from encoder.comparison.compare import Comparison, HeadDifferences, WordDifferences, compare
from encoder.comparison.run_differences import attention_difference, furthest_from_zero, pooled_differences
from encoder.errors import SelectionError
from encoder.measures.unit_attention import MEAN
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import TokenPrediction, Trace
from tests.viz.answers.parts import columns_of
from tests.viz.answers.parts import said as texts_of
from viz.answers.answer import Answer, Row, Sentence, Table
from viz.answers.patched_tokens import patched_tokens
from viz.state.selection import DEFAULT, Compare, Place
from viz.theme import THEMES
from viz.views.compare.answer import carriers
from viz.views.compare.answer import differences as answers
from viz.views.compare.answer.sides import Heads, Sides, sides_of
from viz.wording.models import title_of_model

A, B = "the key to the cabinets is on the table", "the keys to the cabinets are on the table"
LIGHT = THEMES["light"]
SELECTED = replace(DEFAULT, place=Place(layer=4, head=8))


def run(model_name: str, a: str, b: str | None, silenced: Heads) -> Trace:
    return encoder.load(model_name).trace(a, b, silenced_heads=silenced)


@pytest.fixture(scope="module")
def sides(bundled: Backend) -> Sides:
    return sides_of({"A": bundled.trace(A), "B": bundled.trace(B)}, SELECTED, run)


@pytest.fixture(scope="module")
def found(sides: Sides) -> Comparison:
    return compare(sides.a, sides.b)


@pytest.fixture(scope="module")
def heads(found: Comparison) -> HeadDifferences:
    assert found.heads is not None
    return found.heads


@pytest.fixture(scope="module")
def of_words(found: Comparison) -> WordDifferences:
    assert found.words is not None
    return found.words


def test_a_selection_names_both_runs(bundled: Backend, sides: Sides) -> None:
    assert (sides.names, sides.places, sides.texts) == (("A", "B"), ("A", "B"), (A, B))
    traces = {"pair": bundled.trace(A, B)}

    def compared(**what: object) -> Sides:
        return sides_of(traces, replace(SELECTED, compare=Compare(**what)), run)

    other = compared(kind="models", model="scratch")
    assert (other.names, other.measure, other.texts) == (
        (title_of_model("bundled"), title_of_model("scratch")),
        "structure",
        None,
    )
    assert other.b.tokens.sentences == (A, B)
    traces = {"pair": encoder.load("scratch").trace(A)}
    steps = compared(kind="steps", step=60)
    assert steps.names == ("step 61", "step 2057")
    assert (steps.a.model_name, steps.b.model_name) == ("scratch:step=61", "scratch")


def test_silenced_heads_are_those_of_the_word_lens(bundled: Backend) -> None:
    heads = replace(SELECTED, compare=Compare(kind="heads"))
    silenced = replace(heads, word_lens=replace(heads.word_lens, silenced=((1, 2),)))
    pair = {"pair": bundled.trace(A)}
    changed = sides_of(pair, silenced, run)
    np.testing.assert_array_equal(
        changed.b.hidden_states, bundled.trace(A, silenced_heads=[(1, 2)]).hidden_states, strict=True
    )
    assert "without layer 1, head 2" in changed.note
    assert "without layer 0, head 3" in sides_of(pair, replace(heads, place=Place(layer=0, head=3)), run).note
    with pytest.raises(SelectionError, match="No head is silenced yet"):
        sides_of(pair, replace(heads, place=Place(layer=0, head=MEAN)), run)


@pytest.mark.parametrize(
    ("model", "text", "head", "said"),
    [
        ("bundled", "time flies like an arrow", (0, 4), "“flies” as a verb with 47 %** and a noun with 48 %"),
        (
            "bundled-sentiment",
            "the film was not good",
            (5, 9),
            "the model says “negative” with 81 %**; with all heads 87 %",
        ),
    ],
)
def test_silencing_begins_with_what_is_at_stake(model: str, text: str, head: tuple[int, int], said: str) -> None:
    pair = {"A": encoder.load(model).trace(text)}
    place = Place(layer=head[0], head=head[1])
    sides = sides_of(pair, replace(DEFAULT, compare=Compare(kind="heads"), place=place), run)
    compared = compare(sides.a, sides.b)
    assert compared.heads is not None
    assert said in texts_of(answers.short_answer(compared, sides, compared.heads)).replace("\u00a0", " ")


def test_the_introduction_says_that_runs_are_alike(sides: Sides, bundled: Backend) -> None:
    same = replace(sides, b=bundled.trace(A))
    assert "**No difference.**" in texts_of(answers.introduction(compare(same.a, same.b), same))


@pytest.mark.parametrize(
    ("a", "b", "sentence"),
    [
        ("time", "time", "No difference."),
        ("time", "fruit", "share no word, so that neither heads nor words can be compared"),
        ("😀 😁", "😀 😂", "knows none of these words"),
        ("time", "time flies " * 300, "**B does not have the last 346 tokens, which were cut off.**"),
    ],
)
def test_texts_that_are_hardly_compared_say_why(a: str, b: str, sentence: str, bundled: Backend) -> None:
    sides = sides_of({"A": bundled.trace(a), "B": bundled.trace(b)}, SELECTED, run)
    assert sentence in texts_of(answers.introduction(compare(sides.a, sides.b), sides))


def test_the_chart_of_aligned_words_knows_its_height(found: Comparison, sides: Sides) -> None:
    [wide, narrow] = [answers.words_side_by_side(found, sides, line_width=width).charts[0] for width in (2000, 300)]
    for chart in (wide, narrow):
        assert chart.least_height == chart.figure(LIGHT).layout.height
    assert narrow.least_height > wide.least_height


def test_heads_are_ranked_by_their_distance(found: Comparison, sides: Sides, heads: HeadDifferences) -> None:
    [chart] = answers.all_heads(heads, SELECTED).charts
    assert chart.heads[:2] == [(0, 0), (0, 1)]
    np.testing.assert_allclose(chart.figure(LIGHT).data[1].z, heads.distances, atol=1e-6)
    layer, head = np.unravel_index(heads.distances.argmax(), heads.distances.shape)
    said = texts_of(answers.short_answer(found, sides, heads))
    assert f"**Layer {layer}, head {head} differs most**: from A to B, a word moves" in said
    assert f"{heads.distances.max():.0%} of its attention".replace("%", " %") in said
    assert said.count("layer") == answers.NAMED_HEADS - 1
    columns = columns_of(answers.all_heads_in_numbers(found, heads))
    np.testing.assert_array_equal(columns["distance"], np.sort(heads.distances.ravel())[::-1])
    assert (columns["layer"][0], columns["head"][0]) == (layer, head)
    assert np.all(np.asarray(columns["p"]) > 0)


def test_equal_attention_has_no_head_that_differs_most(found: Comparison, sides: Sides, heads: HeadDifferences) -> None:
    none = replace(found, heads=replace(heads, distances=np.zeros_like(heads.distances)))
    assert none.heads is not None
    assert "The attention of no head differs." in texts_of(answers.short_answer(none, sides, none.heads))


def test_rounding_errors_are_no_difference_of_a_head(bundled: Backend) -> None:
    found = compare(bundled.trace(A), bundled.trace(A, silenced_heads=[(5, 8), (5, 9)]))
    assert not found.is_without_difference  # the states after the last layer
    assert found.is_without_different_heads
    assert found.heads is not None
    assert (found.heads.p_values == 1).all()


def test_the_answer_shows_a_chosen_head_of_the_first_three_or_the_first(found: Comparison) -> None:
    first, second, third, fourth = found.largest_heads(4)

    def shown(head: tuple[int, int], tour: str = "") -> tuple[int, int]:
        return answers.shown_head(found, replace(SELECTED, place=Place(layer=head[0], head=head[1]), tour=tour))

    assert [shown(head) for head in (first, second, third, fourth)] == [first, second, third, first]
    assert shown(fourth, tour="time-flies") == fourth


def test_an_order_that_may_be_chance_says_so(found: Comparison, sides: Sides, heads: HeadDifferences) -> None:
    for p_value, is_said in ((0.5, True), (0.01, False)):
        tested = replace(heads, p_values=np.full_like(heads.p_values, p_value))
        said = texts_of(answers.short_answer(found, sides, tested))
        assert ("This order may be chance (p = 0.5)." in said) == is_said


@pytest.mark.parametrize("head", [8, -1])
def test_one_head_is_compared_on_the_shared_words(found: Comparison, sides: Sides, head: int) -> None:
    of_layer = attention_difference(found.runs, 4)
    answer = answers.one_head(found, sides, of_layer, SELECTED, layer=4, head=head)
    expected = of_layer.mean(0) if head == -1 else of_layer[head]
    np.testing.assert_allclose(answer.charts[0].figure(LIGHT).data[0].z, expected, atol=1e-6)
    columns = columns_of(answer)
    assert list(columns["query (from)"])[2:4] == ["2: to", "3: the"]
    np.testing.assert_array_equal(np.stack(list(columns.values())[1:], axis=1), expected)
    assert "Words of one text alone are left out." in texts_of(answer)


def test_small_pictures_show_every_head_with_its_signs(
    found: Comparison, sides: Sides, heads: HeadDifferences, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = len(found.runs.alignment.shared)
    pictures = pooled_differences(found.runs, count)
    answer = answers.pictures_of_heads(found, sides, heads, pictures, SELECTED)
    points, tiles = answer.charts[0].figure(LIGHT).data
    np.testing.assert_allclose(points.marker.color, furthest_from_zero(pictures).ravel(), atol=1e-6)
    tile = np.asarray(tiles.z)[4 * count : 5 * count, 8 * count : 9 * count]
    np.testing.assert_allclose(tile, attention_difference(found.runs, 4)[8], atol=1e-6)
    assert f"over the {count} shared words" in texts_of(answer)
    monkeypatch.setattr(answers, "SMALL_CELLS", count // 2)
    answer = answers.pictures_of_heads(found, sides, heads, pictures, SELECTED)
    assert "A cell stands for up to 3 × 3 words" in texts_of(answer)


def test_words_are_ranked_by_their_distance(found: Comparison, of_words: WordDifferences) -> None:
    answer = answers.words(found)
    np.testing.assert_allclose(answer.charts[0].figure(LIGHT).data[0].z, of_words.by_state, atol=1e-6)
    [largest] = found.largest_words(1)
    assert f"**“{answers.word_in_list(found, largest)}” differs most**" in texts_of(answer)
    columns = columns_of(answers.words_in_numbers(found, of_words))
    np.testing.assert_array_equal(columns["distance"], of_words.distances)
    np.testing.assert_array_equal(columns["distance_L2"], of_words.by_state[3])


def test_outputs_stand_side_by_side(found: Comparison, sides: Sides) -> None:
    first, second = sides.a.prediction, sides.b.prediction
    assert second is not None
    predictions, cosines = [part.columns() for part in answers.outputs(found, sides).parts if isinstance(part, Table)]
    count = len(first.labels)
    np.testing.assert_allclose(predictions["A"][:count], first.probabilities)
    np.testing.assert_allclose(predictions["difference"], np.asarray(predictions["B"]) - np.asarray(predictions["A"]))
    np.testing.assert_array_equal(cosines["texts"], found.text_cosines)
    neither = replace(sides, a=replace(sides.a, prediction=None), b=replace(sides.b, prediction=None))
    assert "This model predicts nothing of a text as a whole." in texts_of(answers.outputs(found, neither))


def test_heads_and_labels_of_one_run_alone_are_named(found: Comparison, sides: Sides) -> None:
    first, second = sides.a.prediction, sides.b.prediction
    assert first is not None
    alone = replace(sides, b=replace(sides.b, prediction=None))
    assert "Only A has a head that predicts something" in texts_of(answers.outputs(found, alone))
    [predictions, _] = [part.columns() for part in answers.outputs(found, alone).parts if isinstance(part, Table)]
    assert list(predictions) == ["prediction", "A"]
    letters = tuple("abcdefgh"[: len(second.labels)])
    renamed = replace(sides, b=replace(sides.b, prediction=replace(second, labels=letters)))
    said = texts_of(answers.outputs(found, renamed))
    assert "The labels differ: A has “negative”, “neutral”, “positive”" in said
    assert "and B has “a”, “b”, “c”" in said
    span = TokenPrediction(task="span", positions=(1,), logits=np.zeros((1, 2), np.float32), labels=("start", "end"))
    answering = replace(sides, b=replace(sides.b, token_prediction=span))
    assert "Only B answers questions." in texts_of(answers.outputs(found, answering))


def test_an_estimate_says_so_and_exact_values_say_how_good_it_was(bundled: Backend) -> None:
    a, b = (bundled.trace(text) for text in ("time flies like an arrow", "fruit flies like a banana"))
    shape = (bundled.num_layers + 1, len(a.tokens))
    estimates, exact = np.random.default_rng(0).normal(size=(2, *shape)).astype(np.float32)

    def patched(exact: FloatArray | None) -> Answer:
        return patched_tokens(a, b, estimates, exact, **carriers.describe_patches("score", (0.25, -1)))

    assert "An estimate from the gradients" in texts_of(patched(None))
    assert "The number is +0.25 in A and −1.00 in B (score)" in texts_of(patched(None))
    np.testing.assert_array_equal(patched(None).charts[0].figure(LIGHT).data[0].z, estimates)
    answer = patched(exact)
    np.testing.assert_array_equal(answer.charts[0].figure(LIGHT).data[0].z, exact)
    assert f"{agreement(estimates, exact):.2f}" in texts_of(answer).replace("−", "-")
    assert columns_of(answer)["token"][1] == "1: time → fruit"
    np.testing.assert_array_equal(columns_of(answer)["exact_change"], exact.ravel())


def test_silenced_heads_have_one_scale_in_both_texts() -> None:
    estimates = (np.full((2, 3), 0.5, np.float32), np.full((2, 3), -2, np.float32))
    answer = carriers.silenced_heads("score", ("score", "score"), estimates, None, SELECTED)
    assert isinstance(answer.parts[0], Row)
    tiles = [chart.figure(LIGHT).data[1] for chart in answer.charts]
    assert [(each.zmin, each.zmax) for each in tiles] == [(-2, 2)] * 2
    assert [each.colorbar.title.text for each in tiles] == ["estimate, score"] * 2
    columns = columns_of(answer)
    assert columns["sentence"] == ["A"] * 6 + ["B"] * 6
    np.testing.assert_array_equal(columns["estimated_change"], [0.5] * 6 + [-2] * 6)
    assert "exact_change" not in columns
    assert Sentence("An estimate from gradients.", "caption") in answer.parts
    exact = carriers.silenced_heads("score", ("score", "score"), estimates, estimates, SELECTED)
    assert exact.charts[0].figure(LIGHT).data[1].colorbar.title.text == "change, score"


def test_a_number_that_is_not_there_gives_way(sides: Sides) -> None:
    chosen = replace(SELECTED, compare=Compare(number="score"))
    assert carriers.number_of(sides, chosen)[0] == "score"
    headless = replace(sides, a=replace(sides.a, prediction=None))
    assert carriers.number_of(headless, chosen) == ("similarity", ("similarity",))
