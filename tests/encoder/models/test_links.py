"""Changed links: as a loop that edits the weights in the eager code of `transformers`, and in our own encoder."""

from collections.abc import Sequence
from itertools import cycle, islice
from typing import Any, cast

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from encoder import Backend, Trace
from encoder.errors import SelectionError
from encoder.models.interventions import Intervention
from encoder.runs.arrays import FloatArray
from encoder.runs.links import Link
from encoder.text.tokens import Tokens
from tests.encoder.random_models import EAGER, HEADS, LAYERS, LONG, A, B, Zoo, backend_of

ROUNDING = {"rtol": 0, "atol": 2e-5}  # of states up to 7, as in test_interventions
CHANGES = {
    "one cell": [Link(query=3, key=1, layer=1, head=2)],
    "a layer": [Link(query=3, key=1, layer=0)],
    "everywhere": [Link(query=3, key=(1, 2))],
    "halved": [Link(key=2, factor=0.5)],
    "two links": [Link(query=2, key=0, layer=2), Link(query=2, key=4, factor=0.25)],
    "one key alone": [Link(query=4, key=1, other_keys=True)],
    "even": [Link(query=(1, 4), factor="even")],
}


def edited(weights: torch.Tensor, links: Sequence[Link], layer: int, *, renormalised: bool) -> torch.Tensor:
    """(1, H, T, T) weights, changed cell by cell."""
    found = weights.clone()
    length = weights.shape[-1]
    everything = tuple(range(length))
    for link in links:
        keys = [key for key in everything if (key in as_tuple(link.key, everything)) != link.other_keys]
        for head in range(weights.shape[1]):
            if link.layer not in (None, layer) or link.head not in (None, head):
                continue
            for query in as_tuple(link.query, everything):
                row = found[0, head, query]
                whole = float(row.sum())
                if link.factor == "even":
                    seen = [key for key in keys if row[key] > 0]
                    share = float(sum(row[key] for key in seen)) / max(1, len(seen))
                    for key in seen:
                        row[key] = share
                    continue
                for key in keys:
                    row[key] *= float(link.factor)
                if renormalised and float(row.sum()) > 0:
                    row *= whole / float(row.sum())
    return found


def as_tuple(place: Any, everything: tuple[int, ...]) -> tuple[int, ...]:
    return everything if place is None else (place,) if isinstance(place, int) else tuple(place)


def eager_states(
    zoo: Zoo, family: str, tokens: Tokens, links: Sequence[Link], monkeypatch: pytest.MonkeyPatch, *, renormalised: bool
) -> list[FloatArray]:
    """The hidden states of the eager model, in which every softmax of scores is edited by `edited`."""
    softmax, layers = torch.nn.functional.softmax, iter(range(LAYERS))

    def editing(scores: torch.Tensor, *args: Any, **options: Any) -> torch.Tensor:
        return edited(softmax(scores, *args, **options), links, next(layers), renormalised=renormalised)

    with monkeypatch.context() as patched, torch.inference_mode():
        patched.setattr(torch.nn.functional, "softmax", editing)
        output = zoo.eager(family)(torch.tensor([tokens.ids]), output_hidden_states=True)
    assert next(layers, None) is None, "the eager model called softmax another number of times"
    return [state[0].numpy() for state in output.hidden_states]


@pytest.mark.parametrize("renormalised", [True, False])
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("family", ["bert", "roberta", "distilbert", "gpt2", "deberta-v2", "modernbert"])
def test_states_are_those_of_the_eager_model_with_edited_weights(
    zoo: Zoo, family: str, change: str, renormalised: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend, links = zoo.backend(family), CHANGES[change]
    tokens = backend.tokenize(A)
    expected = eager_states(zoo, family, tokens, links, monkeypatch, renormalised=renormalised)
    [states] = backend.hidden_states([tokens], [Intervention(links=tuple(links), renormalised=renormalised)])
    assert_allclose(states[:LAYERS], np.stack(expected[:LAYERS]), **ROUNDING)
    assert not np.allclose(states, backend.run(tokens).hidden_states, atol=1e-4)


@pytest.mark.parametrize("family", ["scratch", "scratch-pre-norm", "bert", "modernbert"])
def test_a_batch_changes_each_text_by_its_own_links(zoo: Zoo, family: str) -> None:
    backend = backend_of(zoo, family)
    changes = [*(Intervention(links=tuple(links)) for links in CHANGES.values()), Intervention()]
    texts = [backend.tokenize(text) for text in islice(cycle((A, LONG[:40], B)), len(changes))]
    found = backend.hidden_states(texts, changes)
    for tokens, change, states in zip(texts, changes, found, strict=True):
        assert_allclose(states, backend.run(tokens, links=change.links).hidden_states, **ROUNDING)


@pytest.mark.parametrize("family", ["scratch", "bert", "distilbert"])
def test_a_trace_shows_the_changed_weights_and_keeps_the_scores(zoo: Zoo, family: str) -> None:
    backend = backend_of(zoo, family)
    link = Link(query="flies", key="time", layer=1)
    before, after = backend.trace(A), backend.trace(A, links=[link])
    [located] = after.links
    query, key = list(located.queries), list(located.keys)
    assert not after.weights(1)[:, query][..., key].any()
    assert_allclose(after.weights(1).sum(-1), 1, atol=1e-6)
    assert_array_equal(after.weights(0), before.weights(0))
    assert_allclose(after.scores(1), before.scores(1), **ROUNDING)
    others = [row for row in range(len(before.tokens)) if row not in query]
    assert_allclose(after.weights(1)[:, others], before.weights(1)[:, others], atol=1e-6)
    assert after.notes == (*before.notes, located.note(after.tokens))
    assert after.notes[-1].endswith("was cut in layer 1.")


def test_a_file_keeps_links_and_changed_weights(zoo: Zoo) -> None:
    trace = zoo.backend("bert").trace(A, links=[Link(query="flies", key="time"), Link(key="[SEP]", factor="even")])
    read = Trace.from_bytes(trace.to_bytes())
    assert read == trace
    assert read.links == trace.links
    for layer in range(LAYERS):
        assert_array_equal(read.weights(layer), trace.weights(layer))


def test_predictions_follow_the_links(bundled: Backend) -> None:
    cut = [Link(query="flies", key="time")]
    [label] = bundled.predict([A], links=cut).probabilities
    prediction = bundled.trace(A, links=cut).prediction
    assert prediction is not None
    assert prediction.probabilities is not None
    assert_allclose(label, prediction.probabilities, **ROUNDING)
    assert not np.allclose(label, bundled.predict([A]).probabilities, atol=1e-4)


@given(factor=st.floats(0, 4), head=st.sampled_from([None, *range(HEADS)]), query=st.integers(0, 6))
def test_a_renormalised_row_keeps_its_sum(zoo: Zoo, factor: float, head: int | None, query: int) -> None:
    trace = zoo.backend("bert").trace(A, links=[Link(query=query, key=1, head=head, factor=factor)])
    assert_allclose(trace.all_weights().sum(-1), 1, atol=1e-5)


def test_a_row_of_which_nothing_remains_is_zero(zoo: Zoo) -> None:
    weights = zoo.backend("bert").trace(A, links=[Link(query=2, layer=0)]).weights(0)
    assert not weights[:, 2].any()
    assert np.isfinite(weights).all()


def test_a_sink_keeps_its_share(zoo: Zoo) -> None:
    backend = zoo.backend("privacy-filter")
    before, after = backend.trace(A), backend.trace(A, links=[Link(query=3, key=1, layer=0)])
    assert before.to_sink(0).any()
    assert_allclose(after.to_sink(0), before.to_sink(0), atol=1e-5)
    assert_allclose(after.weights(0).sum(-1), before.weights(0).sum(-1), atol=1e-5)


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ({"query": "flys"}, "no word 'flys'"),
        ({"query": "flies"}, "is 2 words of the text"),
        ({"key": 99}, "the text has tokens 0 to"),
        ({"key": ()}, "is the key of a link"),
        ({"layer": LAYERS}, f"layer {LAYERS} was to be changed"),
        ({"head": -1}, "head -1 was to be changed"),
    ],
)
def test_a_link_that_does_not_exist_is_refused(zoo: Zoo, link: dict[str, Any], message: str) -> None:
    with pytest.raises(SelectionError, match=message):
        zoo.backend("bert").trace(A, B, links=[Link(**link)])


def test_a_token_that_is_named_twice_counts_once(zoo: Zoo) -> None:
    tokens = zoo.backend("bert").tokenize(A)
    assert Link(query=np.int64(2), key=(3, 3)).located(tokens) == Link(query=2, key=3).located(tokens)


@pytest.mark.parametrize("factor", [-1, float("nan"), float("inf"), "zero", None])
def test_an_impossible_factor_is_refused(factor: Any) -> None:
    with pytest.raises(SelectionError, match="factor of a link"):
        Link(factor=factor)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"layer": True}, "The layer of a link is True: give its number"),
        ({"layer": 1.5}, "The layer of a link is 1.5"),
        ({"head": "x"}, "The head of a link is 'x'"),
        ({"query": 1.0}, "The query of a link is 1.0: give a word, or the positions"),
        ({"key": ("a", "b")}, "The key of a link is"),
    ],
)
def test_a_place_that_is_no_number_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(SelectionError, match=said):
        Link(**given)


def test_numbers_of_numpy_are_numbers() -> None:
    link = Link(query=np.array([1, 2]), key=cast(int, np.int64(3)), layer=cast(int, np.int8(0)), factor=np.float32(0.5))
    assert repr(link) == repr(Link(query=(1, 2), key=3, layer=0, factor=0.5))


def test_a_word_that_was_cut_off_is_refused(zoo: Zoo) -> None:
    with pytest.raises(SelectionError, match="The end of the text was cut off"):
        zoo.backend("bert").trace(f"{'time ' * 99} banana", links=[Link(query="banana")])


def test_a_model_with_its_own_attention_code_refuses(zoo: Zoo) -> None:
    with pytest.raises(SelectionError, match="has its own attention code"):
        zoo.backend(EAGER[0].name).trace(A, links=[Link(query=1, key=2)])
