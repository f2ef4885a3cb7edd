"""Orders put to the test: curves by brute force, areas that are known, and what a verdict takes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import permutations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from encoder import Backend
from encoder.attribution.explaining import removal_game
from encoder.attribution.quantities import ClassQuantity, SimilarityQuantity, measure
from encoder.attribution.questions import Question
from encoder.attribution.removal_curves import (
    RANDOM_ORDERS,
    area,
    random_curves,
    random_orders,
    removal_counts,
    removal_curve,
    verdict,
)
from encoder.attribution.removals import (
    RemovalGame,
    greedy_order,
    guided_order,
    leave_one_out,
    removable_units,
    shapley_values,
    without,
)
from encoder.attribution.target import resolve_target
from encoder.errors import ArgumentError, ShapeError, UnsupportedModelError
from encoder.models.base import batches_by_length
from encoder.runs.arrays import FloatArray
from encoder.text.tokens import Tokens
from tests.encoder.random_models import Zoo

TEXT = "time flies like an arrow"


@pytest.fixture
def game_of_model(bundled: Backend) -> RemovalGame:
    target = resolve_target(bundled, Question(kind="class", texts=(TEXT, None)))
    return removal_game(bundled, target, level="words", removal="delete")


def straight(units: int, fall: float) -> FloatArray:
    return 1 - np.linspace(0, fall, len(removal_counts(units)), dtype=np.float32)


def test_a_curve_is_the_number_of_what_is_left(bundled: Backend, game_of_model: RemovalGame) -> None:
    left = [TEXT, "time like an arrow", "time like arrow", "like arrow", "like"]
    wanted = measure(bundled, [bundled.tokenize(text) for text in left], game_of_model.quantity)
    curve = removal_curve(game_of_model, (1, 3, 0, 4, 2))
    assert_allclose(curve[:-1], wanted, atol=1e-4)
    assert len(curve) == 6


def test_long_texts_are_measured_at_as_many_points() -> None:
    assert removal_counts(5) == (0, 1, 2, 3, 4, 5)
    counts = removal_counts(128)
    assert (counts[0], counts[-1], len(counts)) == (0, 128, 21)
    assert set(np.diff(counts)) <= {6, 7}
    assert removal_counts(0) == (0,)


@pytest.mark.parametrize("units", [1, 4, 20, 33, 128])
def test_the_area_of_a_straight_fall_is_half_of_it(units: int) -> None:
    counts = removal_counts(units)
    assert area(1 - 0.6 * np.array(counts, np.float32) / units, counts) == pytest.approx(0.3, abs=1e-5)
    assert area(np.ones(len(counts), np.float32), counts) == 0


def test_random_orders_differ_where_they_can() -> None:
    orders = random_orders(4)
    assert len(set(orders)) == len(orders) == RANDOM_ORDERS
    assert set(orders) <= set(permutations(range(4)))
    assert random_orders(4) == orders
    assert random_orders(1) == [(0,)] * RANDOM_ORDERS


def test_random_curves_begin_and_end_where_every_order_does(game_of_model: RemovalGame) -> None:
    calls: list[tuple[int, int]] = []
    curves = random_curves(game_of_model, progress=lambda *at: calls.append(at))
    assert curves.shape == (RANDOM_ORDERS, 6)
    assert_allclose(curves[:, [0, -1]], np.tile(game_of_model.values([(), range(5)]), (RANDOM_ORDERS, 1)), atol=1e-5)
    assert calls[-1] == (RANDOM_ORDERS, RANDOM_ORDERS)


def test_an_order_holds_where_random_ones_beat_it_in_less_than_five_per_cent() -> None:
    own = straight(8, 0.6)
    weaker, stronger = straight(8, 0.2), straight(8, 0.8)
    for beaten, holds in ((20, True), (19, False), (0, False)):
        found = verdict(own, np.stack([weaker] * beaten + [stronger] * (20 - beaten)), units=8)
        assert (found.beaten, found.of, found.holds) == (beaten, 20, holds)
        assert found.p == pytest.approx((21 - beaten) / 21)
    found = verdict(own, np.stack([weaker] * 20), units=8, greedy=stronger)
    assert (found.area, found.between) == (pytest.approx(0.3), pytest.approx(0.2))
    assert found.share_of_best == pytest.approx(2 / 3)


def test_an_order_that_is_equal_beats_nothing() -> None:
    found = verdict(straight(8, 0.6), np.stack([straight(8, 0.6)] * 20), units=8, greedy=straight(8, 0.6))
    assert (found.beaten, found.holds, found.share_of_best) == (0, False, None)


def test_short_texts_cannot_be_tested() -> None:
    found = verdict(straight(3, 0.6), np.stack([straight(3, 0.2)] * 20), units=3)
    assert found.beaten == 20
    assert not found.testable
    assert not found.holds


def test_what_is_no_order_or_no_curve_is_an_error(game_of_model: RemovalGame) -> None:
    for order in ((0, 1), (0, 0, 1, 2, 3), (0, 1, 2, 3, 5)):
        with pytest.raises(ArgumentError, match="each of 5 units once"):
            removal_curve(game_of_model, order)
    with pytest.raises(ShapeError, match="for 6 points"):
        area(np.ones(3, np.float32), removal_counts(5))


POSITIVE = ClassQuantity(2, (0,))


@dataclass
class FormulaGame:
    """A game whose quantity is a formula of the units that are left: 2 a + b + 3 a c, and d counts for nothing."""

    units: tuple[tuple[int, ...], ...] = ((0,), (1,), (2,), (3,))
    runs: int = 0

    def values(self, gone: list[Collection[int]]) -> FloatArray:
        self.runs += len({frozenset(units) for units in gone})
        left = [{0, 1, 2, 3} - set(units) for units in gone]
        return np.array([2 * (0 in s) + (1 in s) + 3 * ({0, 2} <= s) for s in left], np.float32)


@pytest.fixture
def game() -> RemovalGame:
    return FormulaGame()  # type: ignore[return-value]


@pytest.fixture
def tokens(bundled: Backend) -> Tokens:
    return bundled.tokenize("an unwatchable film", "not good")


def test_words_are_masked_where_they_stand(bundled: Backend, tokens: Tokens) -> None:
    masked = without(tokens, [2, 3], "mask", backend=bundled)
    assert masked.ids == (*tokens.ids[:2], 103, 103, *tokens.ids[4:])
    assert masked.labels[2:4] == ("[MASK]", "[MASK]")
    assert (masked.spans, masked.word_ids, len(masked)) == (tokens.spans, tokens.word_ids, len(tokens))


def test_words_are_deleted_and_the_gap_closes(bundled: Backend, tokens: Tokens) -> None:
    position = tokens.labels.index("not")
    deleted = without(tokens, [1, position], "delete", backend=bundled)
    assert len(deleted) == len(tokens) - 2
    assert "not" not in deleted.labels
    assert deleted.sentence_b_start is not None
    assert deleted.labels[deleted.sentence_b_start] == "good"
    trace = bundled.run(deleted)
    assert trace.weights(0).shape[1:] == (len(deleted), len(deleted))


def test_a_sentence_can_be_deleted_as_a_whole(bundled: Backend, tokens: Tokens) -> None:
    second = [position for position, sentence in enumerate(tokens.sentence_ids) if sentence == 1]
    assert without(tokens, second, "delete", backend=bundled).sentence_b_start is None


def test_framing_tokens_stay(bundled: Backend, tokens: Tokens) -> None:
    with pytest.raises(ArgumentError, match="Special tokens cannot"):
        without(tokens, [0], "delete", backend=bundled)


def test_without_a_mask_token_words_can_be_deleted_only(tokens: Tokens) -> None:
    inner = SimpleNamespace(mask_token_id=None)
    backend: Any = SimpleNamespace(name="causal", tokenizer=SimpleNamespace(inner=inner))
    with pytest.raises(UnsupportedModelError, match="causal has no mask token"):
        without(tokens, [1], "mask", backend=backend)
    assert len(without(tokens, [1], "delete", backend=backend)) == len(tokens) - 1


def test_a_text_without_frame_keeps_a_word(zoo: Zoo) -> None:
    backend = zoo.backend("gpt2")
    tokens = backend.tokenize("time flies")
    quantity = SimilarityQuantity(backend.trace("fruit flies").hidden_states[-1].mean(0))
    game = RemovalGame(backend, tokens, removable_units(tokens), quantity, "delete")
    assert sorted(greedy_order(game)) == [0, 1]
    assert np.isfinite(leave_one_out(game)).all()
    for fails in (lambda: game.values([(0, 1)]), lambda: game.values([(), (0, 1)]), lambda: game.without((0, 1))):
        with pytest.raises(ArgumentError, match="no token is left to read"):
            fails()


def test_a_batch_gives_what_single_runs_give(bundled: Backend) -> None:
    texts = [bundled.tokenize(text) for text in ("a lovely film", "bad", "this is not a film that anybody wants")]
    alone = [measure(bundled, [text], POSITIVE)[0] for text in texts]
    assert_allclose(measure(bundled, texts, POSITIVE), alone, atol=1e-4)
    each = measure(bundled, texts, [POSITIVE, ClassQuantity(0, (2,)), POSITIVE])
    assert_allclose(each, alone * np.array([1, -1, 1]), atol=1e-4)


def test_texts_are_run_with_their_neighbours_by_length() -> None:
    batches = batches_by_length([range(length) for length in (500, 4, 2000, 6, 3000, 499)], 2048)
    assert batches == [[1, 3], [5, 0], [2], [4]]


def test_equal_sets_are_run_once(bundled: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    run_batch = bundled.run_batch
    monkeypatch.setattr(bundled, "run_batch", lambda batch: (seen.append(len(batch.input_ids)), run_batch(batch))[1])
    tokens = bundled.tokenize("a lovely film")
    game = RemovalGame(bundled, tokens, removable_units(tokens), POSITIVE, "mask")
    values = game.values([(), (0, 1), (1, 0), (2,)])
    assert sum(seen) == 3
    assert values[1] == values[2] != values[3]


def test_leaving_one_out_counts_what_only_it_adds(game: RemovalGame) -> None:
    assert_allclose(leave_one_out(game), [5, 1, 3, 0])


def test_shapley_values_of_a_known_game(game: RemovalGame) -> None:
    exact = np.zeros(4)
    for order in permutations(range(4)):
        for place, unit in enumerate(order):
            after, before = game.values([order[place + 1 :], order[place:]])
            exact[unit] += (after - before) / 24
    assert_allclose(exact, [3.5, 1, 1.5, 0])
    assert_allclose(shapley_values(game, permutations=400), exact, atol=0.2)
    assert shapley_values(game, permutations=1).sum() == pytest.approx(6)


def test_orders_in_pairs_split_what_two_do_together(game: RemovalGame) -> None:
    assert_allclose(shapley_values(game, permutations=2), [3.5, 1, 1.5, 0])


def test_the_greedy_order_takes_the_largest_fall_first(game: RemovalGame) -> None:
    assert greedy_order(game) == (0, 1, 2, 3)
    assert game.runs == 9  # type: ignore[attr-defined]  # the last unit is the only one left


def test_progress_is_reported_and_can_stop(game: RemovalGame) -> None:
    calls: list[tuple[int, int]] = []
    shapley_values(game, permutations=3, progress=lambda *at: calls.append(at))
    assert calls == [(1, 3), (2, 3), (3, 3)]

    def stop(done: int, total: int) -> None:
        raise InterruptedError

    for method in (shapley_values, greedy_order):
        with pytest.raises(InterruptedError):
            method(game, progress=stop)


def test_nothing_to_sample_is_an_error(game: RemovalGame) -> None:
    with pytest.raises(ArgumentError, match="at least 1"):
        shapley_values(game, permutations=0)


def test_a_guided_search_tries_what_its_values_put_first(game: RemovalGame) -> None:
    values = np.array([0.0, 3.0, 1.0, 2.0], np.float32)
    assert guided_order(game, values, candidates=1) == (1, 3, 2, 0)
    assert guided_order(game, values, candidates=2, steps=1) == (1, 3, 2, 0)
    assert guided_order(game, values, candidates=3, steps=1) == (2, 1, 3, 0)  # without c, 3 a c is gone
    assert guided_order(game, values, candidates=4, steps=4) == (0, 1, 3, 2)  # as the greedy search, but for c and d
    assert guided_order(game, values, steps=0) == (1, 3, 2, 0)


def test_a_guided_search_keeps_to_its_forward_passes(game: RemovalGame) -> None:
    guided_order(game, np.zeros(4, np.float32), candidates=2, steps=3)
    assert game.runs == 6  # type: ignore[attr-defined]
