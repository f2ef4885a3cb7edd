"""What links carry: gates against small steps, single cuts against their estimates, sets of links against cut runs."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from encoder import Backend
from encoder.attribution.carriers import carriers, counts_up_to, cut_effects, cut_estimates, gate_gradients, gated
from encoder.attribution.quantities import ClassQuantity, measure
from encoder.errors import ArgumentError, SelectionError
from encoder.measures.ranks import rank_correlation
from encoder.models.interventions import Intervention
from encoder.runs.links import Link
from tests.encoder.attribution.classifiers import classifier
from tests.encoder.random_models import HEADS, LAYERS, A, Zoo

FAMILIES = ("bert", "distilbert", "deberta-v2", "scratch")
QUANTITY = ClassQuantity(1, (0,))
TEXT = "The film is not good, but I liked it."


@pytest.fixture(params=FAMILIES)
def classes(zoo: Zoo, tmp_path: Path, request: pytest.FixtureRequest) -> Backend:
    return classifier(zoo, tmp_path, request.param)


def test_gradients_of_gates_are_those_of_small_steps(classes: Backend) -> None:
    tokens, share = classes.tokenize(A), 3e-3
    [gradients] = gate_gradients(classes, tokens, QUANTITY, [1.0])
    for layer, head, query, key in [(0, 1, 0, 2), (1, 0, 3, 3), (LAYERS - 1, 2, 0, 1)]:
        effects = [
            cut_effects(classes, tokens, QUANTITY, [link], renormalised=False)[0] / (link.factor - 1)
            for factor in (1 - share, 1 + share)
            for link in [Link(query=query, key=key, layer=layer, head=head, factor=factor)]
        ]
        assert gradients[layer, head, query, key] == pytest.approx(np.mean(effects), rel=2e-2, abs=2e-4)


def test_closed_gates_are_cut_links(classes: Backend) -> None:
    tokens = classes.tokenize(A)
    shape = (LAYERS, HEADS, len(tokens), len(tokens))
    gates = [np.random.default_rng(seed).random(shape) < 0.5 for seed in range(3)]
    links = [
        tuple(
            Link(query=query, key=key, layer=layer, head=head) for layer, head, query, key in np.argwhere(~of).tolist()
        )
        for of in gates
    ]
    states = [next(classes.hidden_states([tokens], [Intervention(links=cut, renormalised=False)]))[-1] for cut in links]
    found = gated(classes, tokens, lambda output: output.hidden_states[-1][:, 1].sum(-1), gates)
    assert_allclose(found, [state[1].sum() for state in states], atol=1e-4)


def test_contributions_add_up_to_what_all_links_change(bundled: Backend) -> None:
    found = carriers(bundled, TEXT)
    shape = found.values.shape
    with_all, without = gated(
        bundled, found.target.tokens, found.target.additive, [np.ones(shape, bool), np.zeros(shape, bool)]
    )
    assert found.values.sum() == pytest.approx(with_all - without, rel=0.15)
    many = [(step + 0.5) / 40 for step in range(40)]
    values = gate_gradients(bundled, found.target.tokens, found.target.additive, many).mean(0)
    assert values.sum() == pytest.approx(with_all - without, rel=0.01)


@pytest.mark.parametrize(("renormalised", "least"), [(False, 0.97), (True, 0.93)])
def test_estimates_order_single_cuts(bundled: Backend, renormalised: bool, least: float) -> None:
    found = carriers(bundled, "This movie was bad.", source="gradient")
    tokens, quantity = found.target.tokens, found.target.additive
    estimates = cut_estimates(found.values, found.weights, renormalised=renormalised)
    seen = np.random.default_rng(0).permutation(np.argwhere(found.weights >= 0.05))[:300]
    links = [Link(query=query, key=key, layer=layer, head=head) for layer, head, query, key in seen.tolist()]
    effects = cut_effects(bundled, tokens, quantity, links, renormalised=renormalised)
    assert rank_correlation(estimates[tuple(seen.T)], effects) > least


def test_few_of_the_strongest_links_keep_the_answer(bundled: Backend) -> None:
    found = carriers(bundled, TEXT)
    count = found.smallest(0.9)
    (whole,) = measure(bundled, [found.target.tokens], found.target.shown)
    assert found.kept(count) >= 0.9 * whole
    assert count < 0.03 * found.size
    chance = np.random.default_rng(0).permutation(np.flatnonzero(found.values))
    assert found.smallest(0.9, order=chance) > 10 * count
    assert carriers(bundled, TEXT, source="weights").smallest(0.9) > count


def test_all_links_keep_the_whole_target(classes: Backend) -> None:
    found = carriers(classes, A)
    (whole,) = measure(classes, [found.target.tokens], found.target.shown)
    assert found.kept(found.size) == pytest.approx(float(whole), abs=1e-6)


def test_links_that_cannot_reach_the_target_are_left_out(bundled: Backend, classes: Backend) -> None:
    after_layer_4 = carriers(bundled, TEXT)
    assert after_layer_4.size == 5 / 6 * after_layer_4.values.size
    at_first_token = carriers(classes, A)
    length = at_first_token.weights.shape[-1]
    assert at_first_token.size == HEADS * length * ((LAYERS - 1) * length + 1)
    assert not at_first_token.values[-1, :, 1:].any()
    for found in (after_layer_4, at_first_token):
        alone, whole = gated(
            found.backend,
            found.target.tokens,
            found.target.shown,
            [found.values != 0, np.ones(found.values.shape, bool)],
        )
        assert alone == pytest.approx(whole, abs=1e-6)
        assert set(found.order.tolist()) == set(np.flatnonzero(found.values).tolist())
    for source in ("gradient", "weights"):
        assert carriers(classes, A, source=source).size == at_first_token.size


def test_the_table_has_every_link_with_its_tokens(classes: Backend) -> None:
    found = carriers(classes, A)
    frame, labels = found.frame(), found.target.tokens.labels
    assert len(frame) == found.size
    assert frame["contribution"].is_monotonic_decreasing
    row = frame.iloc[0]
    at = (row["layer"], row["head"], row["query_position"], row["key_position"])
    assert (row["contribution"], row["weight"]) == (found.values[at], found.weights[at])
    assert (row["query"], row["key"]) == (labels[at[2]], labels[at[3]])


def test_counts_go_up_to_all() -> None:
    for size in (1, 2, 7, 4032):
        counts = counts_up_to(size)
        assert (counts[0], counts[-1]) == (0, size)
        assert all(after <= max(before + 1, 1.16 * before + 1) for before, after in pairwise(counts))


def test_what_does_not_exist_is_refused(bundled: Backend) -> None:
    with pytest.raises(ArgumentError, match="no source 'gradients'"):
        carriers(bundled, TEXT, source="gradients")  # type: ignore[arg-type]
    found = carriers(bundled, "Good.")
    nothing = replace(found, values=np.zeros_like(found.values))
    with pytest.raises(SelectionError, match="No attention weight changes this output"):
        nothing.search(0.9)
    for share in (2, 0, -1, np.nan):
        with pytest.raises(ArgumentError, match="between 0 and 1"):
            found.search(share)
    for count in (found.size + 1, -1):
        with pytest.raises(SelectionError, match=f"^{count:,} links were to be kept"):
            found.curve([1, count])


def test_renormalised_estimates_divide_what_a_key_loses() -> None:
    weights = np.array([0.5, 0.3, 0.2]).reshape(1, 1, 1, 3)
    slopes = np.array([2.0, -1.0, 4.0])  # of the quantity with respect to the weights
    gradients = (weights * slopes).astype(np.float32)
    for cut in range(3):
        left = np.where(np.arange(3) == cut, 0, weights.ravel())
        change = slopes @ (left / left.sum() - weights.ravel())
        assert cut_estimates(gradients, weights)[0, 0, 0, cut] == pytest.approx(change, rel=1e-5)
