"""Templates and their swaps: the parser, shifts against a slow loop, intervals, and heads."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import encoder
from encoder import Backend
from encoder.collection.results import no_progress
from encoder.collection.shipped_sets import shipped_collection
from encoder.collection.swaps import (
    Template,
    class_labels,
    has_slots,
    parse_template,
    run_swaps,
    shifts_without_heads,
)
from encoder.errors import DataError, UnsupportedModelError
from encoder.measures.intervals import bootstrap_interval
from encoder.measures.word_tags import word_tags
from encoder.models.labels import TAGS
from encoder.shipped.probes import word_classes
from tests.encoder.random_models import BERT_SIZES, ROBERTA, build, byte_tokenizer, save, wordpiece_tokenizer

TWO_SLOTS = "{He|She} is a {nurse|pilot|judge}."
MASKED = "The {nurse|pilot} said that [MASK] was tired."
FILLER = st.text(st.characters(exclude_characters="{}|", exclude_categories=("C", "Z")), min_size=1, max_size=5)


@pytest.fixture(scope="module")
def sentiment() -> Backend:
    return encoder.load("bundled-sentiment")


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
        ("{a|b} and {c|d", "a brace is not closed"),
        ("{a|b} and c}", "a brace is not closed"),
        (" ".join(["{a|b}"] * 7), "has 128 fillings; at most 64"),
    ],
)
def test_faulty_templates_are_refused_in_one_sentence(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        parse_template(text)


def test_all_shipped_templates_can_be_read() -> None:
    texts = shipped_collection("swaps").column("template")
    assert all(map(has_slots, texts))
    assert all(len(parse_template(text).choices) >= 2 for text in texts)


def test_shifts_equal_those_of_a_slow_loop(sentiment: Backend) -> None:
    found = run_swaps(sentiment, no_progress, [parse_template(TWO_SLOTS)], "class", 2)

    def positive(text: str) -> float:
        prediction = sentiment.trace(text).prediction
        assert prediction is not None
        assert prediction.probabilities is not None
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


def test_cosines_are_those_of_the_first_filling(bundled: Backend) -> None:
    found = run_swaps(bundled, no_progress, [parse_template("A {dog|dog|cat} slept.")], "cosine")
    vectors = bundled.embed(["A dog slept.", "A cat slept."])
    cosine = vectors[0] @ vectors[1] / np.linalg.norm(vectors[0]) / np.linalg.norm(vectors[1])
    np.testing.assert_allclose(found.values[0], [1, 1, cosine], atol=2e-5)
    assert found.swaps[0].shift == pytest.approx(0, abs=1e-6)


def test_a_masked_word_is_followed_from_the_first_filling(bundled: Backend) -> None:
    found = run_swaps(bundled, no_progress, [parse_template(MASKED), parse_template(TWO_SLOTS)], "masked word")
    assert (len(found.templates), found.skipped) == (1, 1)
    first = bundled.trace("The nurse said that [MASK] was tired.").token_prediction
    assert first is not None
    assert found.said[0][0] == first.candidates[0][0]
    assert found.values[0][0] == pytest.approx(float(first.probabilities[0, 0]), abs=1e-5)


def test_templates_that_a_model_cannot_answer_are_said_so(bundled: Backend) -> None:
    with pytest.raises(UnsupportedModelError, match="No template here has a"):
        run_swaps(bundled, no_progress, [parse_template(TWO_SLOTS)], "masked word")
    with pytest.raises(UnsupportedModelError, match="no head that chooses a class"):
        run_swaps(bundled, no_progress, [parse_template(MASKED)], "class")
    with pytest.raises(DataError, match="no templates"):
        run_swaps(bundled, no_progress, [], "cosine")


def test_intervals_of_means_cover_the_truth_as_often_as_they_say() -> None:
    generator = np.random.default_rng(1)
    covered = 0
    for trial in range(200):
        low, high = bootstrap_interval(generator.exponential(size=40).astype(np.float32), seed=trial)
        covered += low <= 1 <= high
    assert 0.88 <= covered / 200 <= 0.98


def test_a_silenced_head_is_measured_as_a_run_without_it(sentiment: Backend) -> None:
    template = parse_template("The {actor|actress} was dull.")
    found = shifts_without_heads(sentiment, no_progress, [template], "class", 2)
    assert found.without.shape == (sentiment.num_layers, sentiment.num_heads)
    values = []
    for who in ("actor", "actress"):
        prediction = sentiment.trace(f"The {who} was dull.", silenced_heads=[(5, 3)]).prediction
        assert prediction is not None
        assert prediction.probabilities is not None
        values.append(float(prediction.probabilities[2]))
    assert found.without[5, 3] == pytest.approx(abs(values[1] - values[0]), abs=1e-5)


def test_classes_are_those_of_the_head(sentiment: Backend) -> None:
    assert class_labels(sentiment) == ("negative", "neutral", "positive")


def test_tags_of_the_words_that_stay_are_those_of_the_probes(bundled: Backend) -> None:
    templates = [parse_template(text) for text in ("The {old|young} man the {boat|boats}s.", MASKED)]
    found = run_swaps(bundled, no_progress, templates, "tag")
    assert (len(found.templates), found.skipped) == (1, 1)
    texts = [f"The {who} man the {what}s." for who, what in product(("old", "young"), ("boat", "boats"))]
    shares = [word_classes(bundled.trace(text)).combined[[0, 2, 3, 5]] for text in texts]  # The, man, the and the stop
    first = shares[0].argmax(axis=1)
    np.testing.assert_allclose(found.values[0], [each[range(4), first].mean() for each in shares], atol=1e-5)
    assert found.said[0][2] == " ".join(
        f"{word}/{TAGS[tag]}" for word, tag in zip(("The", "man", "the", "."), shares[2].argmax(axis=1), strict=True)
    )
    silenced = run_swaps(bundled, no_progress, list(found.templates), "tag", silenced_heads=[(0, 4)])
    assert abs(silenced.values[0] - found.values[0]).max() > 1e-4


def test_tags_of_the_words_that_stay_are_those_of_the_models_head(tmp_path: Path) -> None:
    tokenizer = wordpiece_tokenizer()
    sizes = BERT_SIZES | {"vocab_size": len(tokenizer), "num_labels": 3}
    tagger = encoder.load(str(save(build("BertForTokenClassification", "BertConfig", **sizes), tmp_path, tokenizer)))
    found = run_swaps(tagger, no_progress, [parse_template("{time|fruit} flies like a banana")], "tag")
    shares = []
    for text in ("time flies like a banana", "fruit flies like a banana"):
        tags = word_tags(tagger.trace(text))
        assert tags is not None
        shares.append(tags.probabilities[1:])
    first = shares[0].argmax(axis=1)
    np.testing.assert_allclose(found.values[0], [each[range(4), first].mean() for each in shares], atol=1e-5)
    with pytest.raises(UnsupportedModelError, match="has no head that chooses a class"):
        run_swaps(tagger, no_progress, [parse_template("{time|fruit} flies")], "class")


def test_a_typed_mask_is_that_of_any_model(tmp_path: Path) -> None:
    tokenizer = byte_tokenizer(framed=True)
    own = tokenizer.mask_token
    assert own != "[MASK]"
    sizes = ROBERTA | {"vocab_size": len(tokenizer)}
    filler, chooser = (
        encoder.load(str(save(build(f"RobertaFor{head}", "RobertaConfig", **sizes), tmp_path / head, tokenizer)))
        for head in ("MaskedLM", "SequenceClassification")
    )
    typed, written = parse_template("{a|b} [MASK] c"), parse_template(f"{{a|b}} {own} c")
    found = run_swaps(filler, no_progress, [typed, written, parse_template("{a|b} c")], "masked word")
    np.testing.assert_array_equal(found.values[0], found.values[1])
    assert found.skipped == 1
    assert run_swaps(chooser, no_progress, [typed, written, parse_template("{a|b} c")], "class").skipped == 2
