"""States, and what the classes are read off, as sums of vectors from the tokens of the input."""

import copy
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from encoder import Backend, Trace
from encoder.attribution.layer_runs import layer_runs
from encoder.attribution.methods import decompx
from encoder.attribution.methods.decompx import decomposed_norms, decompx_class, integrated_decompx, propagated
from encoder.attribution.methods.maps import METHODS, input_maps
from encoder.attribution.quantities import ClassQuantity, ShiftQuantity, SimilarityQuantity, TagQuantity, measure
from encoder.attribution.removals import without
from encoder.errors import ArgumentError, UnsupportedModelError
from encoder.models.layer_module_names import blocks_of
from encoder.models.scratch import ScratchBackend
from encoder.models.tensors import to_numpy
from encoder.runs.arrays import FloatArray
from encoder.shipped.probes import load_probes
from tests.encoder.attribution import oracles
from tests.encoder.attribution.classifiers import DECOMPOSED, classifier, every_family
from tests.encoder.random_models import LAYERS, LONG, WIDTH, A, B, Zoo, backend_of
from tests.rounding import rounding

SUM = {"rtol": 0, "atol": 1e-4}


def decomposed_states(backend: Backend, trace: Trace, state_index: int) -> FloatArray:
    """(T, T + 1, D) vectors of one hidden state; the last source is the biases."""
    chunks = propagated(list(layer_runs(backend, trace)), trace.hidden_states[0])
    return np.concatenate([to_numpy(vectors[state_index]) for vectors in chunks]).swapaxes(0, 1)


@every_family
def test_the_vectors_are_those_of_the_slow_version(zoo: Zoo, family: str) -> None:
    backend = backend_of(zoo, family)
    trace = backend.trace("a fruit")
    expected = oracles.decompx(blocks_of(backend), trace)
    assert_allclose(decomposed_states(backend, trace, LAYERS), expected, rtol=1e-3, atol=1e-4)


def test_norms_are_those_of_the_vectors(zoo: Zoo) -> None:
    backend = backend_of(zoo, "bert")
    trace = backend.trace(A)
    norms = decomposed_norms(backend, trace)
    for state_index, of_state in enumerate(norms):
        vectors = decomposed_states(backend, trace, state_index)
        assert_allclose(of_state, np.linalg.norm(vectors, axis=-1), **SUM)
    assert_allclose(list(input_maps(backend, trace, "decompx")), norms[1:])
    (run,) = layer_runs(backend, trace, [1])
    (vectors,) = propagated([run], trace.hidden_states[1])
    assert_allclose(METHODS["decompx"].of_layer(run), vectors[-1].norm(dim=-1).T, **SUM)


def test_some_sources_at_a_time_give_the_same(zoo: Zoo, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = backend_of(zoo, "bert")
    trace = backend.trace(LONG)
    at_once = decomposed_norms(backend, trace)
    monkeypatch.setattr(decompx, "CHUNK", 3 * len(trace.tokens) * 64)
    assert_allclose(decomposed_norms(backend, trace), at_once, **SUM)


@pytest.fixture(params=DECOMPOSED)
def classes(zoo: Zoo, tmp_path: Path, request: pytest.FixtureRequest) -> Backend:
    return classifier(zoo, tmp_path, request.param)


@pytest.mark.parametrize("silenced", [(), ((1, 2),)])
def test_tokens_and_biases_add_up_to_the_logit(classes: Backend, silenced: tuple[tuple[int, int], ...]) -> None:
    trace = classes.trace(A, B, silenced_heads=silenced)
    for quantity in (ClassQuantity(1, unit="logit"), ClassQuantity(2, (0,))):
        found = decompx_class(classes, trace, quantity)
        assert found.values.shape == (len(trace.tokens),)
        assert found.completeness_error < 1e-4
        assert np.abs(found.values).sum() > 0.01


def test_a_class_takes_the_vectors_of_the_first_token(zoo: Zoo, tmp_path: Path) -> None:
    backend = classifier(zoo, tmp_path, "scratch")
    trace = backend.trace(A)
    vectors = decomposed_states(backend, trace, LAYERS)[0, :-1]  # (T, D)
    weight = backend.modules[1].get_submodule("classifier.output").weight.detach().numpy()  # (C, D)
    found = decompx_class(backend, trace, ClassQuantity(2, unit="logit"))
    assert_allclose(found.values, vectors @ weight[2], rtol=1e-3, atol=1e-5)


def test_states_of_words_and_of_texts_are_split_as_their_vectors_are(bundled: Backend) -> None:
    trace, other = bundled.trace("time flies like an arrow"), bundled.trace("a fly").hidden_states[4, 2]  # (D,)
    of_word = decomposed_states(bundled, trace, 4)[2, :-1]  # (T, D)
    of_text = decomposed_states(bundled, trace, bundled.num_layers).mean(0)[:-1]  # (T, D)
    tag = TagQuantity.of_probes(load_probes("bundled"), (2,), 4, (15, 7))
    lengths = np.linalg.norm(other) * np.linalg.norm(trace.hidden_states[4, 2])
    assert_allclose(decompx_class(bundled, trace, tag).values, of_word @ tag.weight, **SUM)
    shift = decompx_class(bundled, trace, ShiftQuantity(positions=(2,), state_index=4, other=other))
    assert_allclose(shift.values, -of_word @ other / lengths, **SUM)
    lengths = np.linalg.norm(other) * np.linalg.norm(trace.hidden_states[-1].mean(0))
    similarity = decompx_class(bundled, trace, SimilarityQuantity(other))
    assert_allclose(similarity.values, of_text @ other / lengths, **SUM)
    assert max(shift.completeness_error, similarity.completeness_error) < 1e-4


def test_what_is_not_linear_in_the_logits_is_refused(zoo: Zoo, tmp_path: Path) -> None:
    backend = classifier(zoo, tmp_path, "bert")
    trace = backend.trace(A)
    for quantity in (ClassQuantity(0, unit="probability"), ClassQuantity(0)):
        with pytest.raises(ArgumentError, match="log odds against a single class"):
            decompx_class(backend, trace, quantity)
    bare = backend_of(zoo, "bert")
    with pytest.raises(UnsupportedModelError, match="no classification head"):
        decompx_class(bare, bare.trace(A), ClassQuantity(0, unit="logit"))


def test_the_way_leads_from_the_masks_to_the_text(classes: Backend) -> None:
    tokens, quantity = classes.tokenize(A), ClassQuantity(1, unit="logit")
    positions = [position for position, special in enumerate(tokens.special) if not special]
    found = integrated_decompx(classes, tokens, quantity)
    masked = without(tokens, positions, "mask", backend=classes)
    text, masks = measure(classes, [tokens, masked], quantity)
    assert found.total == pytest.approx(text - masks, abs=1e-4)
    assert_allclose(found.values[[0, -1]], 0, atol=rounding(WIDTH))  # ELECTRA projects its embeddings


@every_family
@pytest.mark.parametrize("silenced", [(), ((1, 2),)])
def test_with_shared_biases_only_those_of_the_head_stay_apart(
    zoo: Zoo, tmp_path: Path, family: str, silenced: tuple[tuple[int, int], ...]
) -> None:
    backend = with_biases(classifier(zoo, tmp_path, family))
    trace, quantity = backend.trace(A, B, silenced_heads=silenced), ClassQuantity(2, (0,))
    apart = decompx_class(backend, trace, quantity)
    shared = decompx_class(backend, trace, quantity, biases="shared")
    assert shared.completeness_error < 1e-4
    assert shared.total - apart.total == pytest.approx((shared.values - apart.values).sum(), abs=1e-4)
    assert np.abs(shared.values - apart.values).max() > 1e-3
    if family == "scratch":
        bias = backend.modules[1].get_submodule("classifier.output").bias  # (C,)
        assert shared.of_text - shared.total == pytest.approx((bias[2] - bias[0]).item(), abs=1e-4)


def test_biases_go_to_the_tokens_that_their_state_takes_from(zoo: Zoo, tmp_path: Path) -> None:
    backend = with_biases(classifier(zoo, tmp_path, "scratch"))
    trace, quantity = backend.trace("a fruit fly"), ClassQuantity(2, unit="logit")
    weight = backend.modules[1].get_submodule("classifier.output").weight.detach()[2]  # (D,)
    runs, taken = list(layer_runs(backend, trace)), list(input_maps(backend, trace, "alti"))  # (T, T) each
    expected = decompx_class(backend, trace, quantity).values.astype(float)
    tokens = len(trace.tokens)
    for layer, state in product(range(LAYERS), range(tokens)):  # the bias of one layer at one state, carried on alone
        here, nowhere = torch.zeros(1, tokens, 1), torch.zeros(1, 1, 1)
        here[0, state] = 1
        vectors = torch.zeros(1, tokens, WIDTH)
        for later, run in enumerate(runs[layer:]):
            value_bias = None if layer or later else torch.zeros(1, tokens, 1)  # its token has it in the first layer
            vectors = run.carry(vectors, nowhere if later else here, value_bias)
        expected += (vectors[0, 0] @ weight).item() * taken[layer][state]
    found = decompx_class(backend, trace, quantity, biases="shared")
    assert_allclose(found.values, expected, rtol=1e-3, atol=1e-5)


def with_biases(backend: Backend) -> Backend:
    """A classifier whose biases are random, where untrained ones are 0."""
    if isinstance(backend, ScratchBackend):  # other tests share its encoder
        encoder, heads = copy.deepcopy((backend.encoder, backend.heads))
        backend = ScratchBackend(backend.name, encoder, backend.tokenizer, heads=heads)
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(1)
        for module in backend.modules:
            for name, parameter in module.named_parameters():
                if name.endswith("bias"):
                    parameter.normal_(std=0.3)
    return backend
