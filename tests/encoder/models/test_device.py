"""Where models run: what may be asked for, and that all tensors of a run are where its model is."""

from dataclasses import replace

import numpy as np
import pytest
import torch

import encoder
from encoder.catalogue import load_writer
from encoder.errors import DeviceError
from encoder.experiments.anatomy.changes import changed, masked, pre_norm
from encoder.experiments.anatomy.names import Mask
from encoder.experiments.anatomy.readout import readout
from encoder.experiments.anatomy.record import ours, record
from encoder.experiments.decoder_lens import decoder_lens
from encoder.experiments.mask_lens import fill_masks, mask_lens, sweep_mask
from encoder.models.device import VARIABLE, choose_device
from encoder.models.interventions import Intervention, Patch

GPU = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
MODELS = ("bundled", "bundled-sentiment", "scratch", "scratch-bert", "scratch-untrained")
TEXTS = ("time flies like an arrow", "fruit flies like a banana")


def test_two_devices_in_one_operation_are_noticed(far: torch.device) -> None:
    with pytest.raises(AssertionError, match="two devices"):
        torch.zeros(2) + torch.zeros(2, device=far)


@pytest.mark.parametrize("name", MODELS)
def test_all_tensors_of_a_run_are_on_the_models_device(name: str, far: torch.device) -> None:
    model = encoder.load(name, device="cpu").to(far)
    trace = model.trace(*TEXTS, silenced_heads=[(0, 1)])
    assert trace.hidden_states.shape[:2] == (model.num_layers + 1, len(trace.tokens))
    assert isinstance(trace.queries(0), np.ndarray)


@pytest.mark.parametrize("name", ["bundled", "scratch-untrained"])
def test_all_tensors_of_a_changed_batch_are_on_the_models_device(name: str, far: torch.device) -> None:
    model = encoder.load(name, device="cpu").to(far)
    width = model.trace("flies").hidden_states.shape[-1]
    patch = Patch(state_index=1, positions=(1,), state=np.zeros(width, np.float32))
    interventions = [Intervention(silenced_heads=((1, 2),)), Intervention(patches=(patch,))]
    texts = [model.tokenize(text) for text in TEXTS]
    assert [state.shape for state in model.hidden_states(texts, interventions)] == [
        (model.num_layers + 1, len(tokens), width) for tokens in texts
    ]


def test_all_tensors_of_an_anatomy_are_on_the_models_device(far: torch.device) -> None:
    backend = ours(encoder.load("scratch", device="cpu").to(far))
    tokens = backend.tokenize(*TEXTS)
    recorded = record(backend.encoder, tokens, layer=1)
    masks: tuple[Mask, ...] = ("none", "padding", "causal")
    for mask in masks:
        masked(backend.encoder, tokens, layer=1, mask=mask)
    changed(backend.encoder, tokens, layer=1, what_ifs=("dropout", "no-positions", "unscaled"))
    pre_norm(backend.encoder, recorded)
    assert readout(backend, recorded).state.shape == (128,)


def test_all_tensors_of_a_written_text_are_on_the_models_device(
    far: torch.device, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = load_writer(device="cpu").to(far)
    config = writer.model.config
    monkeypatch.setattr(writer.model, "config", replace(config, max_position_embeddings=3))  # zeros do not end a text
    assert writer.generate("reverse", "arrow banana").source.num_layers == 2
    assert len(decoder_lens(writer, writer.tokenize("reverse", "arrow banana"))) == 3


def test_all_tensors_of_a_masked_word_are_on_the_models_device(far: torch.device) -> None:
    model = encoder.load("bundled", device="cpu").to(far)
    trace = model.trace("time [MASK] like an arrow")
    assert mask_lens(model, trace).positions == (2,)
    assert fill_masks(model, trace.tokens)
    assert sweep_mask(model, trace.tokens, 2).log_odds.shape == (model.num_layers, model.num_heads)
    assert encoder.load("bundled", device="cpu").trace("[MASK] flies").token_prediction is not None  # unmoved


@pytest.mark.parametrize("name", ["gpu", "cuda:", "cuda:x", "cpu:1:2", "cuda:-1", " "])
def test_what_names_no_device_is_refused(name: str) -> None:
    with pytest.raises(DeviceError, match=r"is not a device: use cpu, cuda, cuda:1 or mps\."):
        choose_device(name)


def test_a_device_that_is_not_there_is_refused_before_a_model_is_loaded() -> None:
    with pytest.raises(DeviceError, match="There is no device 'cuda:99' here: torch finds"):
        encoder.load("no such model", device="cuda:99")


def test_the_environment_says_where_unless_somebody_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "cuda:99")
    assert choose_device("cpu") == torch.device("cpu")
    with pytest.raises(DeviceError, match=r"cuda:99.*--device or HEADLIGHT_DEVICE"):
        choose_device()
    monkeypatch.setenv(VARIABLE, "")
    assert choose_device().type == ("cuda" if torch.cuda.is_available() else "cpu")


@GPU
@pytest.mark.parametrize("name", MODELS)
def test_a_gpu_gives_the_numbers_of_the_cpu(name: str) -> None:
    there, here = (encoder.load(name, device=device).trace(*TEXTS) for device in ("cuda", "cpu"))
    np.testing.assert_allclose(there.hidden_states, here.hidden_states, atol=1e-4)
    for layer in range(here.num_layers):
        np.testing.assert_allclose(there.weights(layer), here.weights(layer), atol=1e-4)
    assert there.prediction == here.prediction or there.prediction is not None
