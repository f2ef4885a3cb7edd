"""Three attentions in one square, and how far one of them follows what is known."""

import dataclasses
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder.errors import ShapeError
from encoder.measures.combined_attention import (
    attention_to_copied_tokens,
    attention_to_copied_tokens_by_head,
    combined_attention,
    combined_head,
    combined_units,
    head_thumbnails,
    uniform_attention_to_copied_tokens,
)
from encoder.measures.head_profiles import mean_entropy_bits
from encoder.measures.units import Special, Units, units_of
from encoder.runs.generation import KINDS, Generation
from encoder.shipped.seq2seq import load_seq2seq
from encoder.shipped.tasks import EXAMPLES, TASKS, parse_item
from tests.rounding import rounding

PLACES = {"encoder": (0, 0), "decoder": (1, 1), "cross": (1, 0)}


@cache
def generated(task: str = "reverse", text: str = "") -> Generation:
    return load_seq2seq().generate(task, text or EXAMPLES[task])  # type: ignore[index, arg-type]


def both(generation: Generation, level: str = "wordpieces", special: str = "show") -> tuple[Units, Units]:
    tokens = generation.source.tokens, generation.target.tokens
    source, target = (units_of(each, level=level, special=special) for each in tokens)  # type: ignore[arg-type]
    return source, target


def block(attention: np.ndarray, kind: str, start: int) -> np.ndarray:
    parts = (slice(start), slice(start, None))
    row, column = PLACES[kind]
    return attention[:, parts[row], parts[column]]


def test_every_attention_stands_in_its_corner_and_nothing_in_the_fourth() -> None:
    generation = generated()
    source, target = both(generation)
    for layer in range(2):
        combined = combined_attention(generation, layer, source, target, special="show")
        assert (combined.attention.shape, combined.attention.dtype) == ((4, 13, 13), np.float32)
        for kind in KINDS:
            np.testing.assert_array_equal(block(combined.attention, kind, 7), generation.weights(kind, layer))
            np.testing.assert_allclose(combined.removed[kind], 0, atol=1e-6)
        assert not combined.attention[:, :7, 7:].any()


def test_hidden_tokens_are_accounted_for_in_each_attention_by_itself() -> None:
    generation = generated("date")
    source, target = both(generation, level="words", special="renormalise")
    hidden = combined_attention(generation, 1, source, target, special="hide")
    scaled = combined_attention(generation, 1, source, target, special="renormalise")
    for kind, queries in (("encoder", source), ("decoder", target), ("cross", target)):
        assert scaled.removed[kind].shape == (4, len(queries))
        missing = 1 - block(hidden.attention, kind, len(source)).sum(-1)
        np.testing.assert_allclose(hidden.removed[kind], missing, atol=1e-5)
        sums = block(scaled.attention, kind, len(source)).sum(-1)
        np.testing.assert_allclose(sums[hidden.removed[kind] < 0.999], 1, atol=1e-4)


def test_units_of_both_texts_follow_each_other() -> None:
    source, target = both(generated("date"), level="words")
    joined = combined_units(source, target)
    assert joined.labels == source.labels + target.labels
    assert joined.sentence_b_start == len(source)
    assert joined.length == source.length + target.length
    positions = [position for members in joined.members for position in members]
    assert positions == list(range(joined.length))


def test_a_layer_that_only_one_half_has_leaves_the_other_empty() -> None:
    whole = generated()
    shallow = dataclasses.replace(
        whole,
        source=dataclasses.replace(
            whole.source, layers=whole.source.layers[:1], hidden_states=whole.source.hidden_states[:2].copy()
        ),
    )
    source, target = both(shallow)
    combined = combined_attention(shallow, 1, source, target, special="show")
    assert not block(combined.attention, "encoder", 7).any()
    assert set(combined.removed) == {"decoder", "cross"}
    assert shallow.num_layers == 2
    pictures, measures = head_thumbnails(shallow, source, target, kind="all", special="show", size=48)
    assert pictures.shape == (2, 4, 13, 13)
    assert np.isnan(measures["encoder, entropy in bits"][1]).all()
    assert head_thumbnails(shallow, source, target, kind="encoder", special="show", size=48)[0].shape == (1, 4, 7, 7)
    with pytest.raises(ShapeError, match="Layer 2 was asked for; there are layers 0 to 1"):
        combined_attention(shallow, 2, source, target, special="show")


def test_pictures_and_measures_are_those_of_the_heads() -> None:
    generation = generated("date")
    source, target = both(generation)
    for kind, shape in (("encoder", (11, 11)), ("decoder", (11, 11)), ("cross", (11, 11)), ("all", (22, 22))):
        pictures, measures = head_thumbnails(generation, source, target, kind=kind, special="show", size=48)  # type: ignore[arg-type]
        assert pictures.shape == (2, 4, *shape)
        assert {(measured.shape, measured.dtype.name) for measured in measures.values()} == {((2, 4), "float32")}
    pictures, measures = head_thumbnails(generation, source, target, kind="cross", special="show", size=5)
    assert pictures.shape == (2, 4, 5, 5)
    for layer in range(2):
        weights = generation.weights("cross", layer)
        np.testing.assert_allclose(measures["entropy in bits"][layer], mean_entropy_bits(weights), rtol=1e-6)
        np.testing.assert_allclose(pictures[layer].max((1, 2)), weights.max((1, 2)))


@pytest.mark.parametrize("special", ["show", "hide", "renormalise"])
def test_pictures_leave_out_what_is_hidden(special: Special) -> None:
    generation = generated("date")
    source, target = both(generation, special=special)
    whole, *parts = (
        head_thumbnails(generation, source, target, kind=kind, special=special, size=48)[0] for kind in ("all", *KINDS)
    )
    for layer in range(2):
        shown = combined_attention(generation, layer, source, target, special=special).attention
        np.testing.assert_array_equal(whole[layer], shown)
        for kind, part in zip(KINDS, parts, strict=True):
            np.testing.assert_array_equal(part[layer], block(shown, kind, len(source)))


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("encoder", ["entropy in bits", "to itself", "to the previous token", "to the next token"]),
        ("decoder", ["entropy in bits", "to itself", "to the previous token"]),
        ("cross", ["entropy in bits", "on the tokens that are copied"]),
        ("all", ["encoder, entropy in bits", "decoder, entropy in bits", "cross, entropy in bits"]),
    ],
)
def test_each_attention_has_measures_of_its_own(kind: str, names: list[str]) -> None:
    generation = generated("date")
    _, measures = head_thumbnails(generation, *both(generation), kind=kind, special="show", size=48)  # type: ignore[arg-type]
    assert list(measures) == names
    if kind == "cross":
        np.testing.assert_array_equal(
            measures["on the tokens that are copied"], attention_to_copied_tokens_by_head(generation)
        )
    elif kind != "all":
        weights = np.stack([generation.weights(kind, layer) for layer in range(2)])  # type: ignore[arg-type]
        tokens = weights.shape[-1]
        to_itself = weights[..., range(tokens), range(tokens)].sum(-1) / tokens
        to_previous = weights[..., range(1, tokens), range(tokens - 1)].sum(-1) / tokens
        np.testing.assert_allclose(measures["to itself"], to_itself, rtol=1e-5)
        np.testing.assert_allclose(measures["to the previous token"], to_previous, rtol=1e-5)


def test_copies_are_not_mentioned_where_no_origin_is_known() -> None:
    generation = generated("date", "march the 3rd")
    _, measures = head_thumbnails(generation, *both(generation), kind="cross", special="show", size=48)
    assert list(measures) == ["entropy in bits"]


@pytest.mark.parametrize("kind", KINDS)
def test_queries_keys_and_bias_of_the_square_give_the_heads_weights(kind: str) -> None:
    generation = generated("date")
    bias = np.random.default_rng(0).normal(size=(4, 11, 11)).astype(np.float32)
    cross = tuple(dataclasses.replace(layer, bias=bias) for layer in generation.cross)
    generation = dataclasses.replace(generation, cross=cross)
    combined = combined_head(generation, kind, 1, 2)  # type: ignore[arg-type]
    assert kind == "cross" or set(combined.bias.ravel().tolist()) == {0, -np.inf}
    assert combined.query.dtype == combined.key.dtype == combined.bias.dtype == np.float32
    scores = combined.query @ combined.key.T * combined.scaling + combined.bias
    allowed = np.isfinite(scores).any(-1)
    powers = np.exp(scores[allowed] - scores[allowed].max(-1, keepdims=True))
    square = np.zeros((1, *scores.shape), dtype=np.float32)
    square[0, allowed] = powers / powers.sum(-1, keepdims=True)
    np.testing.assert_allclose(block(square, kind, 11)[0], generation.weights(kind, 1)[2], atol=rounding(64))  # type: ignore[arg-type]
    assert square.sum() == pytest.approx(11)  # the rows of this attention, and nothing else


# Alignment ------------------------------------------------------------------------------------------------------------


def test_shares_are_sums_over_the_places_that_are_known() -> None:
    weights = np.array([[[0.5, 0.25, 0.25], [0.1, 0.2, 0.7], [1.0, 0.0, 0.0]]], dtype=np.float32)
    assert attention_to_copied_tokens(weights, ((1,), (1, 2), ())) == pytest.approx([(0.25 + 0.9) / 2])
    assert uniform_attention_to_copied_tokens(((1,), (1, 2), ()), 3) == pytest.approx((1 / 3 + 2 / 3) / 2)
    with pytest.raises(ShapeError, match="origins of 2 steps"):
        attention_to_copied_tokens(weights, ((1,), (1,)))
    with pytest.raises(ShapeError, match=r"^No step has a known origin\.$"):
        attention_to_copied_tokens(weights, ((), (), ()))


@given(st.lists(st.lists(st.integers(0, 6), unique=True, max_size=3), min_size=1, max_size=9).filter(any))
def test_a_head_that_looks_everywhere_alike_has_the_share_of_chance(origins: list[list[int]]) -> None:
    uniform = np.full((2, len(origins), 7), 1 / 7, dtype=np.float32)
    np.testing.assert_allclose(
        attention_to_copied_tokens(uniform, origins), uniform_attention_to_copied_tokens(origins, 7), rtol=1e-5
    )


@pytest.mark.parametrize("task", TASKS)
def test_the_trained_last_layer_follows_the_alignment(task: str) -> None:
    generation = generated(task)
    shares = attention_to_copied_tokens_by_head(generation)
    assert shares.shape == (2, 4)
    assert shares[1].max() > 0.7
    assert shares[1].max() > 4 * uniform_attention_to_copied_tokens(generation.origins, len(generation.source.tokens))


# Where they come from -------------------------------------------------------------------------------------------------


def test_origins_of_a_right_answer_are_the_tasks_own() -> None:
    generation = generated("date")
    item = parse_item("date", EXAMPLES["date"])
    assert generation.expected == item.target == "1987-03-03"
    assert generation.origins == (*item.source_positions(generation.source.tokens), ())


def test_origins_do_not_depend_on_blanks_and_capitals() -> None:
    plain, typed = generated("reverse", "time flies like a tiger"), generated("reverse", " Time  flies\tlike a Tiger ")
    assert typed.origins == plain.origins != ()
    assert typed.expected == plain.expected == "tiger a like flies time"


@pytest.mark.parametrize(
    ("task", "text"),
    [
        ("date", "march the 3rd"),  # no date that the task knows
        ("sort", "arrow, time"),  # a comma is a token of its own, and no word
        ("sort", "1987 arrow"),  # four tokens, one word
    ],
)
def test_where_tokens_come_from_stays_open_where_it_is_not_known(task: str, text: str) -> None:
    assert generated(task, text).origins == ()


def test_origins_of_another_number_of_steps_are_refused() -> None:
    with pytest.raises(ShapeError, match="Origins of 1 tokens were given; 6 were written"):
        dataclasses.replace(generated(), origins=((1,),))
