"""Routes: their curves against runs whose links are cut one by one, and how well estimates order single cuts."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from encoder import Backend
from encoder.attribution.carriers import carriers
from encoder.attribution.explaining import target_of
from encoder.attribution.questions import Question
from encoder.attribution.routes import DRAWS, PREFIXES, SHARE, agreement, find_routes, other_orders, other_wordings
from encoder.attribution.target import resolve_target
from encoder.errors import ArgumentError
from encoder.measures.ranks import rank_correlation
from encoder.models.interventions import Intervention
from encoder.runs.links import Link

TEXT = "Not good."


def test_curves_are_those_of_runs_with_cut_links(tuned: Backend) -> None:
    model, target = tuned, target_of(tuned, TEXT)
    found = find_routes(model, target, model.run(target.tokens))
    others = other_orders(model, target, found)

    def without(links: NDArray[np.intp]) -> float:
        """The class's probability, of two, where these links, each (layer, head, query, key), are cut."""
        cuts = [Link(layer=layer, head=head, query=query, key=key) for layer, head, query, key in links.tolist()]
        [(reading, _)] = model.readings_of(target.tokens, [Intervention(links=tuple(cuts), renormalised=False)])
        assert reading.prediction is not None
        label, against = map(reading.prediction.labels.index, (target.label, target.against))
        return float(1 / (1 + np.exp(reading.prediction.logits[against] - reading.prediction.logits[label])))

    for at in (3, len(found.counts) // 2):
        count = found.counts[at]
        for values, curves in ((found.values, (found.kept, others.cut)), (found.weights, (others.weights, None))):
            order = np.stack(np.unravel_index(np.argsort(-values.ravel(), kind="stable"), values.shape), -1)
            assert curves[0][at] == pytest.approx(without(order[count:]), abs=1e-5)
            if curves[1] is not None:
                assert curves[1][at] == pytest.approx(without(order[:count]), abs=1e-5)


def test_all_orders_begin_and_end_alike_and_routes_need_fewest_links(tuned: Backend) -> None:
    model, target = tuned, target_of(tuned, TEXT)
    found = find_routes(model, target, model.run(target.tokens))
    others = other_orders(model, target, found)
    assert others.random.shape == (DRAWS, len(found.counts))
    for curve in (others.weights, *others.random):
        assert_allclose(curve[[0, -1]], found.kept[[0, -1]], atol=1e-5)
    assert_allclose(others.cut[[0, -1]], found.kept[[-1, 0]], atol=1e-5)
    assert all(before < after for before, after in pairwise(found.counts))
    assert found.smallest is not None
    assert found.smallest < 0.03 * found.size
    at = found.counts.index(found.smallest)
    assert (found.kept[:at] < SHARE * found.whole).all()
    assert found.kept[at] >= SHARE * found.whole
    assert others.random[:, at].max() < found.kept[at]
    assert (found.counts[at] - found.counts[at - 1]) <= max(1, 0.16 * found.counts[at])


def test_layers_above_the_output_take_no_part_in_a_comparison(bundled: Backend) -> None:
    target = target_of(bundled, TEXT)  # of the class, which is read after layer 4 of 0 to 5
    found = find_routes(bundled, target, bundled.run(target.tokens))
    length = len(target.tokens)
    assert found.size == found.counts[-1] == 5 * 12 * length**2
    assert not found.values[5].any()
    assert_allclose(other_orders(bundled, target, found).random[:, -1], found.whole, atol=1e-5)
    exact = agreement(bundled, target, found.values, found.weights)
    assert exact.links[:, 0].max() == 4
    question = Question(kind="class", texts=(TEXT, None), label=target.label, rival=target.against)
    assert abs(np.median(other_wordings(bundled, question, target, found.values).shuffled)) < 0.1


def test_an_output_that_no_link_changes_needs_none(tuned: Backend) -> None:
    target = replace(target_of(tuned, TEXT), shown=lambda output: torch.ones(len(output.hidden_states[0])))
    found = find_routes(tuned, target, tuned.run(target.tokens))
    assert (found.smallest, found.needed) == (0, None)
    assert found.opening == max(count for count in found.counts if count <= found.size // 100)


def test_estimates_order_cuts_better_than_contributions(tuned: Backend) -> None:
    model, target = tuned, target_of(tuned, "Good.")
    found = find_routes(model, target, model.run(target.tokens))
    result = agreement(model, target, found.values, found.weights)
    assert result.estimates > 0.9 > result.contributions > 0
    assert len(result.links) == 400
    every = agreement(model, target, found.values, found.weights, most=None)
    assert len(every.links) == (found.weights >= 0.01).sum() > 400
    assert_allclose(every.effects[:400], result.effects, atol=1e-4)
    assert every.estimates == pytest.approx(result.estimates, abs=0.02)


def test_other_wordings_have_routes_alike_and_shuffled_heads_do_not(bundled: Backend) -> None:
    question = Question(kind="part of speech", texts=("good films", None), word=1, layer=5)
    target = resolve_target(bundled, question)
    found = find_routes(bundled, target, bundled.run(target.tokens))
    result = other_wordings(bundled, question, target, found.values)
    assert result.correlations.shape == (len(PREFIXES),)
    worded = Question(kind="part of speech", texts=(f"{PREFIXES[-1]} good films", None), word=3, layer=5)
    again = carriers(bundled, replace(worded, label=target.label, rival=target.against)).values.sum((-2, -1))
    assert result.correlations[-1] == pytest.approx(rank_correlation(found.values.sum((-2, -1)), again), abs=1e-4)
    assert np.median(result.correlations) > np.quantile(result.shuffled, 0.975)
    assert abs(result.shuffled.mean()) < 0.1
    with pytest.raises(ArgumentError, match="this question is about a shift"):
        other_wordings(bundled, replace(question, kind="shift"), target, found.values)
