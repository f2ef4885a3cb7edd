"""Templates and their swaps: the parser, shifts and means against a slow loop, intervals, and a planted head."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

import encoder
from encoder import Backend
from encoder.collection.names import SwapMeasure
from encoder.collection.shipped_sets import shipped_collection
from encoder.collection.swap_heads import HeadShifts, shifts_without_heads
from encoder.collection.swaps import (
    FEWEST_TEMPLATES,
    Swaps,
    Template,
    class_labels,
    has_slots,
    parse_template,
    run_swaps,
    texts_by_set,
)
from encoder.collection.table import Collection
from encoder.errors import DataError, UnsupportedModelError
from encoder.measures.word_tags import word_tags
from encoder.models.labels import TAGS
from encoder.shipped.probes import word_classes
from tests.encoder.random_models import FAMILIES, HEADS, LAYERS, WIDTH, bert_folder, family_folder, family_model, save
from tests.rounding import rounding

TWO_SLOTS = "{He|She} is a {nurse|pilot|judge}."
MASKED = "The {nurse|pilot} said that [MASK] was tired."
FILLER = st.text(st.characters(exclude_characters="{}|", exclude_categories=("C", "Z")), min_size=1, max_size=5)


def test_a_template_is_filled_in_every_way() -> None:
    template = parse_template(TWO_SLOTS)
    texts = [template.fill(choice) for choice in template.choices]
    assert texts == [f"{who} is a {what}." for who, what in product(("He", "She"), ("nurse", "pilot", "judge"))]


@given(
    st.lists(st.lists(FILLER, min_size=2, max_size=3, unique=True), min_size=1, max_size=3),
    st.lists(FILLER, min_size=4, max_size=4),
)
def test_parsing_a_written_template_gives_its_slots(slots: list[list[str]], around: list[str]) -> None:
    parts = around[: len(slots) + 1]
    written = parts[0] + "".join("{" + "|".join(slot) + "}" + part for slot, part in zip(slots, parts[1:], strict=True))
    assert parse_template(written) == Template(written, tuple(parts), tuple(map(tuple, slots)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no slot", "needs a slot with at least two fillers"),
        ("{one} filler", "needs a slot with at least two fillers"),
        (" ".join(["{a|b}"] * 7), "has 128 fillings; at most 64"),
    ],
)
def test_faulty_templates_are_refused_in_one_sentence(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        parse_template(text)


@pytest.mark.parametrize("text", ["{he|she left", "he|she} left", "{a|b} {c|d"])
def test_a_slot_without_one_of_its_braces_is_not_taken_for_plain_text(text: str) -> None:
    assert has_slots(text)
    with pytest.raises(DataError, match="a brace is not closed"):
        parse_template(text)
    assert not has_slots("a | b, {c}")


def test_all_shipped_templates_can_be_read() -> None:
    texts = shipped_collection("swaps").column("template")
    assert all(map(has_slots, texts))
    assert all(len(parse_template(text).choices) >= 2 for text in texts)


def test_a_template_that_stands_twice_counts_once() -> None:
    rows = pa.table({"text": ["{a|b} x", "{a|b} x", "{a|b}  x ", "no slot"]})
    assert texts_by_set(Collection.of("t", rows, text="text")) == {"": ["{a|b} x"]}


def test_shifts_equal_those_of_a_slow_loop(tuned: Backend) -> None:
    found = run_swaps(tuned, [parse_template(TWO_SLOTS)], "class", 2)

    def positive(text: str) -> float:
        prediction = tuned.trace(text).prediction
        return float(prediction.probabilities[2])

    for swap in found.swaps:
        others = ("nurse", "pilot", "judge") if swap.slot == 0 else ("He", "She")
        pairs = [
            (f"{swap.before} is a {other}.", f"{swap.after} is a {other}.")
            if swap.slot == 0
            else (f"{other} is a {swap.before}.", f"{other} is a {swap.after}.")
            for other in others
        ]
        assert swap.shift == pytest.approx(np.mean([positive(b) - positive(a) for a, b in pairs]), abs=1e-5)
        assert swap.of == len(pairs)
        assert swap.texts == pairs[0]
    assert [(swap.before, swap.after) for swap in found.swaps] == [
        ("He", "She"),
        ("nurse", "pilot"),
        ("nurse", "judge"),
    ]
    assert found.sizes[0] == pytest.approx(np.mean([abs(swap.shift) for swap in found.swaps]))


def made_up(sources: Sequence[str], values: Sequence[ArrayLike], measure: SwapMeasure = "class") -> Swaps:
    """What a made-up model says of the fillings of templates."""
    templates = tuple(map(parse_template, sources))
    numbers = tuple(np.asarray(each, np.float32) for each in values)
    said = tuple(tuple("high" if number > 0.5 else "low" for number in each.tolist()) for each in numbers)
    return Swaps(measure=measure, templates=templates, values=numbers, said=said, skipped=0)


SHARED = (
    "{He|She} is {a nurse|a judge|a pilot}.",
    "Where is {he|she}, with {a judge|a nurse}?",
    "{She|He|They} left, and {he|she} stayed.",
    "I know {a pilot|a nurse|a judge}.",
    "{Good|GOOD} morning.",
)


def test_means_over_templates_equal_those_of_a_slow_loop() -> None:
    generator = np.random.default_rng(0)
    found = made_up(SHARED, [generator.random(len(parse_template(source).choices)) for source in SHARED])
    for mean in found.means:
        shifts, changed, of = [], 0, 0
        for template, values, said in zip(found.templates, found.values, found.said, strict=True):
            number, of_slots = dict(zip(template.choices, range(len(values)), strict=True)), []
            for slot, fillers in enumerate(template.slots):
                exact = mean.before.lower() == mean.after.lower()
                names = list(fillers) if exact else [filler.lower() for filler in fillers]
                before, after = (name if exact else name.lower() for name in (mean.before, mean.after))
                if before not in names or after not in names:
                    continue
                differences = []
                for choice in template.choices:
                    if choice[slot] == names.index(before):
                        other = list(choice)
                        other[slot] = names.index(after)
                        one, two = number[choice], number[tuple(other)]
                        differences.append(float(values[two]) - float(values[one]))
                        changed, of = changed + (said[one] != said[two]), of + 1
                of_slots.append(np.mean(differences))
            if of_slots:
                shifts.append(np.mean(of_slots))
        np.testing.assert_allclose(mean.shifts, shifts, atol=1e-6)
        assert mean.shift == pytest.approx(np.mean(shifts), abs=1e-6)
        assert (mean.changed, mean.of) == (changed, of)
        assert np.isnan([*mean.mean[1:3], mean.p]).all()  # of fewer than five templates
    assert {(mean.before, mean.after, len(mean.shifts)) for mean in found.means} == {
        ("He", "She", 3),
        ("a nurse", "a judge", 3),
        ("a nurse", "a pilot", 2),
        ("a pilot", "a judge", 2),
        ("She", "They", 1),
        ("Good", "GOOD", 1),
    }
    sizes = [abs(mean.shift) for mean in found.means]
    assert sizes == sorted(sizes, reverse=True)


def test_a_swap_and_its_reverse_are_one_unless_the_first_filling_matters() -> None:
    sources, values = ("{he|she} left.", "{she|he} stayed."), ([0.2, 0.5], [0.9, 0.4])
    [both] = made_up(sources, values).means
    np.testing.assert_allclose(both.shifts, [0.3, 0.5], atol=1e-6)
    assert (both.changed, both.of) == (1, 2)
    found = made_up(sources, values)
    assert found.shift_of("He", "She") == -(found.shift_of("she", "he") or 0) == both.shift
    assert found.shift_of("he", "they") is None
    relative = made_up(sources, values, "cosine")
    assert relative.shift_of("he", "she") == pytest.approx(0.3)
    assert relative.shift_of("she", "he") == pytest.approx(-0.5)


def test_swaps_that_do_nothing_look_clear_in_five_per_cent_of_sets() -> None:
    """Each set has six swaps in five templates, so that some shift of one looks large in most sets."""
    generator, swaps, templates = np.random.default_rng(2), 6, 5
    sources = [f"{{a{swap}|b{swap}}} in {number}" for swap in range(swaps) for number in range(templates)]
    found = [made_up(sources, [[0, shift] for shift in generator.normal(size=len(sources))]).means for _ in range(200)]
    assert {len(means) for means in found} == {swaps}
    assert np.mean([any(mean.is_clear for mean in means) for means in found]) == pytest.approx(0.05, abs=0.03)
    assert np.mean([any(mean.mean.low > 0 for mean in means) for means in found]) > 0.1  # without a correction


def test_only_swaps_in_enough_templates_have_clear_effects() -> None:
    sources = [f"{{a|b}} in {number}" for number in range(FEWEST_TEMPLATES)]
    values = [[0, 0.1 + 0.01 * number] for number in range(FEWEST_TEMPLATES)]
    [enough], [few] = made_up(sources, values).means, made_up(sources[1:], values[1:]).means
    assert enough.is_clear
    assert np.isnan([few.mean.low, few.p]).all()
    assert not few.is_clear
    both = made_up([*sources, "{c|d} once"], [*values, [0, 0.9]]).means
    assert [swap.before for swap in both] == ["a", "c"]
    mixed = [[0, number - 2] for number in range(FEWEST_TEMPLATES)]
    assert not made_up(sources, mixed).means[0].is_clear


def test_templates_with_the_same_slots_are_grouped() -> None:
    sources = ("{He|She} ran.", "So {he|she} slept.", "{a|b} and {c|d}", "{c|d}, {a|b}", "Then {she|he} left.")
    assert made_up(sources, [[0, 1], [0, 1], [0] * 4, [0] * 4, [0, 1]]).groups == [(0, 1)]


def test_cosines_are_those_of_the_first_filling(bundled: Backend) -> None:
    found = run_swaps(bundled, [parse_template("A {dog|dog|cat} slept.")], "cosine")
    vectors = bundled.embed(["A dog slept.", "A cat slept."])
    cosine = vectors[0] @ vectors[1] / np.linalg.norm(vectors[0]) / np.linalg.norm(vectors[1])
    np.testing.assert_allclose(found.values[0], [1, 1, cosine], atol=2e-5)
    assert found.swaps[0].shift == pytest.approx(0, abs=1e-6)


def test_a_masked_word_is_followed_from_the_first_filling(bundled: Backend) -> None:
    found = run_swaps(bundled, [parse_template(MASKED), parse_template(TWO_SLOTS)], "masked word")
    assert (len(found.templates), found.skipped) == (1, 1)
    first = bundled.trace("The nurse said that [MASK] was tired.").token_prediction
    assert found.said[0][0] == first.candidates[0][0]
    assert found.values[0][0] == pytest.approx(float(first.probabilities[0, 0]), abs=1e-5)


def test_templates_that_a_model_cannot_answer_are_named(bundled: Backend) -> None:
    with pytest.raises(UnsupportedModelError, match="No template here has a"):
        run_swaps(bundled, [parse_template(TWO_SLOTS)], "masked word")
    with pytest.raises(UnsupportedModelError, match="no head that chooses a class"):
        run_swaps(bundled, [parse_template(MASKED)], "class")
    with pytest.raises(DataError, match="no templates"):
        run_swaps(bundled, [], "cosine")


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Backend:
    """A random classifier in which one head alone, layer 1, head 2, moves anything from one token to another."""
    model, tokenizer = family_model(FAMILIES["bert"], "ForSequenceClassification")
    for layer in range(LAYERS):
        weight = model.get_parameter(f"bert.encoder.layer.{layer}.attention.output.dense.weight")
        planted = weight.detach()[:, 2 * WIDTH // HEADS : 3 * WIDTH // HEADS].clone()
        with torch.no_grad():
            weight.zero_()
            if layer == 1:
                weight[:, 2 * WIDTH // HEADS : 3 * WIDTH // HEADS] = planted
    return encoder.load(str(save(model, tmp_path_factory.mktemp("planted"), tokenizer)))


def test_a_planted_head_carries_the_shifts_of_templates_it_was_not_chosen_on(planted: Backend) -> None:
    templates = [parse_template(f"{{time|fruit}} flies {number}") for number in range(2 * FEWEST_TEMPLATES)]
    found = shifts_without_heads(planted, templates, "class", 1)
    whole = run_swaps(planted, templates, "class", 1)
    np.testing.assert_allclose(found.sizes, [abs(swap.shift) for swap in whole.swaps], atol=1e-6)
    assert found.falls[1, 2] == pytest.approx(found.sizes.mean(), abs=1e-5)
    np.testing.assert_allclose(np.delete(found.falls.ravel(), HEADS + 2), 0, atol=1e-5)
    held_out = found.on_other_half
    assert held_out.head == (1, 2)
    np.testing.assert_allclose(held_out.falls, found.sizes[1::2], atol=1e-5)
    np.testing.assert_allclose(held_out.random, 0, atol=1e-5)
    assert held_out.exceeds
    assert np.argwhere(found.in_both_halves).tolist() == [[1, 2]]
    columns = found.columns
    assert (columns["layer"][0], columns["head"][0]) == (1, 2)
    assert columns["chosen"][0] == pytest.approx(found.sizes[::2].mean(), abs=1e-5)
    assert columns["held_out"][0] == pytest.approx(found.sizes[1::2].mean(), abs=1e-5)


def test_heads_are_held_out_only_with_enough_templates() -> None:
    sizes = np.ones(2 * FEWEST_TEMPLATES - 1, np.float32)
    without = np.zeros((1, 2, len(sizes)), np.float32)
    assert HeadShifts(sizes=sizes, without=without).on_other_half is None
    single = HeadShifts(sizes=sizes[:1], without=without[..., :1])
    assert list(single.columns) == ["layer", "head", "falls"]


def test_a_silenced_head_is_measured_as_a_run_without_it(tmp_path: Path) -> None:
    model = encoder.load(str(bert_folder(tmp_path, "BertForSequenceClassification")))
    found = shifts_without_heads(model, [parse_template("the {fruit|banana} flies")], "class", 1)
    assert found.without.shape == (LAYERS, HEADS, 1)
    values = []
    for what in ("fruit", "banana"):
        prediction = model.trace(f"the {what} flies", silenced_heads=[(2, 3)]).prediction
        values.append(float(prediction.probabilities[1]))
    assert found.without[2, 3, 0] == pytest.approx(abs(values[1] - values[0]), abs=1e-5)


def test_classes_are_those_of_the_head(tuned: Backend) -> None:
    assert class_labels(tuned) == ("negative", "neutral", "positive")


def test_tags_of_the_words_that_stay_are_those_of_the_probes(bundled: Backend) -> None:
    templates = [parse_template(text) for text in ("The {old|young} man the {boat|boats}s.", MASKED)]
    found = run_swaps(bundled, templates, "tag")
    assert (len(found.templates), found.skipped) == (1, 1)
    texts = [f"The {who} man the {what}s." for who, what in product(("old", "young"), ("boat", "boats"))]
    shares = [word_classes(bundled.trace(text)).combined[[0, 2, 3, 5]] for text in texts]  # The, man, the and the stop
    first = shares[0].argmax(axis=1)
    np.testing.assert_allclose(found.values[0], [each[range(4), first].mean() for each in shares], atol=1e-5)
    assert found.said[0][2] == " ".join(
        f"{word}/{TAGS[tag]}" for word, tag in zip(("The", "man", "the", "."), shares[2].argmax(axis=1), strict=True)
    )
    silenced = run_swaps(bundled, list(found.templates), "tag", silenced_heads=[(0, 4)])
    assert abs(silenced.values[0] - found.values[0]).max() > 1e-4


def test_tags_of_the_words_that_stay_are_those_of_the_models_head(tmp_path: Path) -> None:
    tagger = encoder.load(str(bert_folder(tmp_path, "BertForTokenClassification", num_labels=3)))
    found = run_swaps(tagger, [parse_template("{time|fruit} flies like a banana")], "tag")
    shares = []
    for text in ("time flies like a banana", "fruit flies like a banana"):
        tags = word_tags(tagger.trace(text))
        shares.append(tags.probabilities[1:])
    first = shares[0].argmax(axis=1)
    np.testing.assert_allclose(found.values[0], [each[range(4), first].mean() for each in shares], atol=1e-5)
    with pytest.raises(UnsupportedModelError, match="has no head that chooses a class"):
        run_swaps(tagger, [parse_template("{time|fruit} flies")], "class")


def test_a_typed_mask_is_that_of_any_model(tmp_path: Path) -> None:
    filler, chooser = (
        encoder.load(family_folder(tmp_path / head, "roberta", head))
        for head in ("ForMaskedLM", "ForSequenceClassification")
    )
    own = filler.tokenizer.inner.mask_token
    assert own != "[MASK]"
    typed, written = parse_template("{a|b} [MASK] c"), parse_template(f"{{a|b}} {own} c")
    found = run_swaps(filler, [typed, written, parse_template("{a|b} c")], "masked word")
    np.testing.assert_allclose(found.values[0], found.values[1], rtol=0, atol=rounding(WIDTH))
    assert found.skipped == 1
    assert run_swaps(chooser, [typed, written, parse_template("{a|b} c")], "class").skipped == 2
