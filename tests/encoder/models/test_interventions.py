"""Many texts at once, each changed in a way of its own: as one at a time, and as changing the model by hand."""

from collections.abc import Sequence
from itertools import islice

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from encoder import Backend
from encoder.errors import SelectionError, ShapeError
from encoder.models.hooks import EMBEDDING
from encoder.models.interventions import UNCHANGED, Intervention, Patch
from encoder.models.pretrained_points import expose_states
from encoder.models.scratch import ScratchBackend
from encoder.runs.arrays import FloatArray
from tests.encoder.random_models import CAPTURED, EAGER, FAMILIES, LAYERS, LONG, WIDTH, A, B, Zoo, backend_of

# Measured over all families: padding and batching change states, which reach 7, by 4e-6 at most: the order of sums.
SAME = {"rtol": 1e-5, "atol": 2e-5}
TEXTS = (A, LONG[:40], "time", B)

every_family = pytest.mark.parametrize("family", ["scratch", "scratch-pre-norm", *FAMILIES])
silenceable = pytest.mark.parametrize("family", ["scratch", "scratch-pre-norm", *(family.name for family in CAPTURED)])


def states_of(backend: Backend, texts: Sequence[str], changes: Sequence[Intervention]) -> list[FloatArray]:
    return list(backend.hidden_states([backend.tokenize(text) for text in texts], changes))


def patch(state_index: int, *positions: int, seed: int = 0) -> Patch:
    state = np.random.default_rng(seed).normal(size=WIDTH).astype(np.float32)
    return Patch(state_index=state_index, positions=positions, state=state)


@every_family
def test_many_texts_have_the_states_of_their_traces(zoo: Zoo, family: str) -> None:
    backend = backend_of(zoo, family)
    found = list(backend.hidden_states([backend.tokenize(text) for text in TEXTS]))
    for text, states in zip(TEXTS, found, strict=True):
        assert_allclose(states, backend.trace(text).hidden_states, **SAME, err_msg=text)


@silenceable
def test_silencing_in_a_batch_equals_silencing_one_by_one(zoo: Zoo, family: str) -> None:
    backend = backend_of(zoo, family)
    heads = [((0, 1),), (), ((2, 3),), ((0, 1), (1, 2), (2, 0))]
    found = states_of(backend, TEXTS, [Intervention(silenced_heads=pairs) for pairs in heads])
    for text, pairs, states in zip(TEXTS, heads, found, strict=True):
        assert_allclose(states, backend.trace(text, silenced_heads=pairs).hidden_states, **SAME, err_msg=str(pairs))
    assert not np.allclose(found[0], backend.trace(A).hidden_states, atol=1e-3)


@every_family
@pytest.mark.parametrize("state_index", range(LAYERS + 1))
def test_a_patched_state_is_there_and_changes_what_comes_after_only(zoo: Zoo, family: str, state_index: int) -> None:
    backend = backend_of(zoo, family)
    placed = patch(state_index, 1, 2)
    plain = backend.trace(A).hidden_states
    changed, beside = states_of(backend, (A, A), [Intervention(patches=(placed,)), UNCHANGED])
    assert_allclose(beside, plain, **SAME, err_msg="a patch reaches another text of the batch")
    assert_allclose(changed[:state_index], plain[:state_index], **SAME)
    assert_allclose(changed[state_index, [1, 2]], [placed.state] * 2, **SAME)
    others = [at for at in range(plain.shape[1]) if at not in (1, 2)]
    assert_allclose(changed[state_index, others], plain[state_index, others], **SAME)
    for later in range(state_index + 1, LAYERS + 1):
        assert not np.allclose(changed[later, others], plain[later, others], atol=1e-3)


@torch.inference_mode()
def by_hand(backend: ScratchBackend, text: str, patches: Sequence[Patch]) -> FloatArray:
    """Our encoder, layer by layer, with states overwritten between them."""
    encoder = backend.encoder
    x = encoder.embeddings(torch.tensor([backend.tokenize(text).ids]))
    states = []
    for state_index in range(LAYERS + 1):
        if state_index:
            x = encoder.layers[state_index - 1](x)
        if state_index == LAYERS:
            x = encoder.final_norm(x)
        for placed in patches:
            if placed.state_index == state_index:
                for position in placed.positions:
                    x[0, position] = torch.from_numpy(placed.state)
        states.append(x[0].clone())
    return torch.stack(states).numpy()


@pytest.mark.parametrize("family", ["scratch", "scratch-pre-norm"])
def test_patching_equals_running_our_layers_by_hand(zoo: Zoo, family: str) -> None:
    backend = backend_of(zoo, family)
    assert isinstance(backend, ScratchBackend)
    patches = [(patch(0, 2),), (patch(1, 1, 3),), (patch(3, 2),), (patch(1, 1), patch(2, 2, seed=1))]
    found = states_of(backend, TEXTS[:1] * 4, [Intervention(patches=of_text) for of_text in patches])
    for of_text, states in zip(patches, found, strict=True):
        assert_allclose(states, by_hand(backend, A, of_text), **SAME)


@pytest.mark.parametrize(
    ("family", "embeddings", "layers"),
    [
        ("bert", "embeddings", "encoder.layer.{}"),
        ("distilbert", "embeddings", "transformer.layer.{}"),
        ("gpt2", "drop", "h.{}"),
        ("deberta-v2", "embeddings", "encoder.layer.{}"),
    ],
)
@pytest.mark.parametrize("state_index", range(LAYERS))
def test_patching_equals_overwriting_a_layers_output_in_the_eager_model(
    zoo: Zoo, family: str, embeddings: str, layers: str, state_index: int
) -> None:
    backend, eager = zoo.backend(family), zoo.eager(family)
    placed = patch(state_index, 2, 3)

    def overwrite(_: torch.nn.Module, __: object, output: object) -> object:
        states = (output[0] if isinstance(output, tuple) else output).clone()
        states[0, [2, 3]] = torch.from_numpy(placed.state)
        return (states, *output[1:]) if isinstance(output, tuple) else states

    eager.get_submodule(layers.format(state_index - 1) if state_index else embeddings).register_forward_hook(overwrite)
    with torch.inference_mode():
        expected = eager(torch.tensor([backend.tokenize(A).ids]), output_hidden_states=True).hidden_states
    [states] = states_of(backend, [A], [Intervention(patches=(placed,))])
    for later in range(state_index + 1, LAYERS + 1):
        assert_allclose(states[later], expected[later][0].numpy(), **SAME)


def test_silencing_and_patching_go_together(zoo: Zoo) -> None:
    backend = zoo.backend("bert")
    both = Intervention(silenced_heads=((0, 1),), patches=(patch(1, 2),))
    [together] = states_of(backend, [A], [both])
    silenced = backend.trace(A, silenced_heads=[(0, 1)]).hidden_states
    others = [at for at in range(silenced.shape[1]) if at != 2]
    assert_allclose(together[1, others], silenced[1, others], **SAME)
    assert_allclose(together[1, 2], patch(1, 2).state, **SAME)


def test_a_caller_that_stops_iterating_runs_no_further_batch(zoo: Zoo, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = zoo.backend("bert")
    batches: list[int] = []
    run_batch = backend._run_batch
    monkeypatch.setattr("encoder.models.base.BATCH_TOKENS", 20)
    monkeypatch.setattr(backend, "_run_batch", lambda texts, of: batches.append(len(texts)) or run_batch(texts, of))
    tokens = [backend.tokenize(A)] * 9  # 7 tokens each
    assert len(list(islice(backend.hidden_states(tokens), 3))) == 3
    assert batches == [2, 2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (Intervention(silenced_heads=((3, 0),)), r"L3 H0.*layers 0 to 2"),
        (Intervention(patches=(patch(4, 1),)), r"state 4 was to be patched; there are 0 to 3"),
        (Intervention(patches=(patch(-1, 1),)), r"state -1 was to be patched; there are 0 to 3"),
        (Intervention(patches=(patch(0, 7),)), r"Tokens \(7,\) were to be patched; there are 0 to 6"),
        (Intervention(patches=(patch(0),)), r"Tokens \(\) were to be patched; there are 0 to 6"),
    ],
)
def test_a_change_of_what_is_not_there_is_refused(zoo: Zoo, change: Intervention, message: str) -> None:
    with pytest.raises(SelectionError, match=message):
        states_of(zoo.backend("bert"), [A], [change])


def test_states_and_counts_that_do_not_fit_are_refused(zoo: Zoo) -> None:
    backend = zoo.backend("bert")
    wide = Patch(state_index=0, positions=(1,), state=np.ones(WIDTH + 1, np.float32))
    with pytest.raises(ShapeError, match="width 33 cannot be patched into a model of width 32"):
        states_of(backend, [A], [Intervention(patches=(wide,))])
    with pytest.raises(ShapeError, match="2 texts have 1 interventions"):
        states_of(backend, [A, B], [UNCHANGED])
    with pytest.raises(ShapeError, match=r"\(1, 3\)"):
        Patch(state_index=0, positions=(1,), state=np.ones((1, 3), np.float32))


@pytest.mark.parametrize("family", [family.name for family in EAGER])
def test_models_with_attention_code_of_their_own_cannot_be_silenced(zoo: Zoo, family: str) -> None:
    with pytest.raises(SelectionError, match="cannot be silenced"):
        states_of(zoo.backend(family), [A], [Intervention(silenced_heads=((0, 0),))])


def test_a_model_whose_states_no_module_hands_on_is_not_patched(zoo: Zoo, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = torch.nn.Linear(2, 2)
    assert not expose_states(inner, lambda: {EMBEDDING: torch.zeros(1, 3, 2)})
    assert len(inner._forward_hooks) == 0
    backend = zoo.backend("bert")
    monkeypatch.setattr(backend, "patchable", False)
    with pytest.raises(SelectionError, match="not every hidden state is the output of a module"):
        states_of(backend, [A], [Intervention(patches=(patch(0, 1),))])
