"""Models by name: the ones on offer, folders, and every name that is neither."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

import encoder
from encoder.catalogue import BUILT_IN
from encoder.errors import CheckpointError, ModelError, OfflineError, UnknownModelError
from encoder.experiments.anatomy.readout import readout
from encoder.experiments.anatomy.record import record
from encoder.models.files import quoted
from encoder.models.scratch import ScratchBackend
from encoder.offers import CATALOGUE, needs_consent
from encoder.shipped import bundled
from encoder.transformer.config import EncoderConfig
from tests.encoder.random_models import A, B, Zoo, bert_folder


@pytest.fixture
def _fresh_bundled_folder() -> object:
    bundled._checked_folder.cache_clear()
    yield
    bundled._checked_folder.cache_clear()


# What is on offer ----------------------------------------------------------------------------------------------------


def test_every_entry_is_built_in_or_downloaded() -> None:
    assert set(BUILT_IN) == {name for name, entry in CATALOGUE.items() if not entry.downloads}
    for name, entry in CATALOGUE.items():
        assert entry.name == name
        assert entry.title
        assert entry.description.endswith(".")


@pytest.mark.parametrize(
    ("name", "kind", "sizes"),
    [
        ("bundled", ScratchBackend, (6, 12)),
        ("bundled-sentiment", ScratchBackend, (6, 12)),
        ("scratch", ScratchBackend, (4, 4)),
        ("scratch:step=0", ScratchBackend, (4, 4)),
        ("scratch-bert", ScratchBackend, (6, 12)),
        ("scratch-untrained", ScratchBackend, (4, 4)),
        ("  bundled\n", ScratchBackend, (6, 12)),
    ],
)
def test_the_built_in_models_load_and_leave_the_random_numbers_alone(
    name: str, kind: type, sizes: tuple[int, int]
) -> None:
    before = torch.get_rng_state(), np.random.get_state()[1].copy()
    backend = encoder.load(name)
    assert isinstance(backend, kind)
    assert backend.name == name.strip()
    assert (backend.num_layers, backend.num_heads) == sizes
    assert backend.trace(A, B).tokens.sentence_b_start == 7
    assert torch.equal(torch.get_rng_state(), before[0])
    assert_array_equal(np.random.get_state()[1], before[1])


def test_the_untrained_model_is_the_same_each_time() -> None:
    traces = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        traces.append(encoder.load("scratch-untrained").trace(A, B))
    assert_array_equal(traces[0].hidden_states, traces[1].hidden_states)
    assert_array_equal(traces[0].prediction.logits, traces[1].prediction.logits)
    assert not traces[0].prediction.trained
    assert "untrained" in traces[0].prediction.note


def test_sessions_that_load_the_untrained_model_at_once_get_the_same() -> None:
    with ThreadPoolExecutor(4) as pool:
        backends = list(pool.map(encoder.load, ["scratch-untrained"] * 4))
    states = [backend.trace(A).hidden_states for backend in backends]
    for other in states[1:]:
        assert_allclose(other, states[0], atol=1e-6)


@pytest.mark.usefixtures("_fresh_bundled_folder")
@pytest.mark.parametrize(("weights", "message"), [(b"other weights", "have sha256"), (None, "cannot be read")])
def test_bundled_weights_that_were_changed_or_removed_are_refused(
    bundled_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, weights: bytes | None, message: str
) -> None:
    for path in bundled_folder.glob("*.json"):
        shutil.copy(path, tmp_path)
    if weights is not None:
        (tmp_path / "model.safetensors").write_bytes(weights)
    monkeypatch.setattr(bundled, "get_model_path", lambda: str(tmp_path))
    with pytest.raises(CheckpointError, match=message):
        encoder.load("bundled")


# Folders -------------------------------------------------------------------------------------------------------------


def test_a_folder_is_found_by_any_way_of_writing_it(zoo: Zoo, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = zoo.folder("bert")
    expected = zoo.backend("bert").trace(A).hidden_states
    monkeypatch.chdir(folder.parent)
    monkeypatch.setenv("HOME", str(folder.parent))
    for name in (str(folder), f"{folder}/", "bert", "./bert", "~/bert", f" {folder} "):
        backend = encoder.load(name)
        assert backend.name == name.strip()
        assert_allclose(backend.trace(A).hidden_states, expected, atol=1e-6)


def test_our_encoder_takes_the_weights_of_a_bert_folder(zoo: Zoo) -> None:
    backend = encoder.load(f"scratch-bert:{zoo.folder('bert')}")
    assert isinstance(backend, ScratchBackend)
    trace, expected = backend.trace(A, B), zoo.backend("bert").trace(A, B)
    assert trace.tokens == expected.tokens
    assert_allclose(trace.hidden_states, expected.hidden_states, atol=1e-5)
    with pytest.raises(CheckpointError, match="of type 'roberta'"):
        encoder.load(f"scratch-bert:{zoo.folder('roberta')}")


def test_a_folder_with_one_token_type_reads_pairs(tmp_path: Path) -> None:
    folder = bert_folder(tmp_path, type_vocab_size=1)
    trace = encoder.load(f"scratch-bert:{folder}").trace(A, B)
    assert set(trace.tokens.token_type_ids) == {0}
    assert trace.tokens.sentence_b_start is not None
    assert_allclose(trace.hidden_states, encoder.load(str(folder)).trace(A, B).hidden_states, atol=1e-5)


def test_our_encoder_pools_the_cls_of_another_vocabulary(zoo: Zoo) -> None:
    backend = encoder.load(f"scratch-bert:{zoo.folder('bert')}")
    assert isinstance(backend, ScratchBackend)
    tokens = backend.tokenize(A)
    assert tokens.labels[0] == "[CLS]"
    assert tokens.ids[0] == backend.encoder.config.cls_token_id != EncoderConfig().cls_token_id
    assert readout(backend, record(backend.encoder, tokens, layer=0)).probabilities.sum() == pytest.approx(1)


@pytest.mark.usefixtures("empty_cache")
def test_a_folder_of_the_same_name_does_not_hide_a_model_on_offer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in CATALOGUE:
        (tmp_path / name).mkdir()
    assert encoder.load("scratch-untrained").num_layers == 4
    with pytest.raises(OfflineError):
        encoder.load("bert-base-uncased")


# Names that are none -------------------------------------------------------------------------------------------------

NAMES = [
    "",
    " \t",
    "../../etc/passwd",
    "/etc/passwd",
    "/",
    "a\x00b",
    "/😀",
    "模型/模型",
    "\u202eabc",
    "\ud800",
    "x" * 5000,
    "/x" * 2500,
    "~nosuchuser/model",
    "a/b/c",
    "a--b",
    "C:\\models\\bert",
    "https://huggingface.co/bert-base-uncased",
    "<img src=x onerror=alert(1)>",
    "Bundled",
    "someone/nobody",
]


@pytest.mark.usefixtures("empty_cache")
@pytest.mark.parametrize("prefix", ["", "scratch-bert:"])
@pytest.mark.parametrize("name", NAMES, ids=lambda name: quoted(name)[:30].encode("ascii", "replace").decode())
def test_any_other_name_is_one_clear_error(
    prefix: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError):
        encoder.load(prefix + name)
    assert needs_consent(prefix + name)


@pytest.mark.parametrize("prefix", ["", "scratch-bert:"])
def test_a_path_that_is_a_file_says_so(tmp_path: Path, prefix: str) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"")
    with pytest.raises(UnknownModelError, match="is a file: name its folder"):
        encoder.load(f"{prefix}{path}")
