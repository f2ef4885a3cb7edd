"""Models, runs and their values belong to one revision of the model's files."""

import os
import shutil
from pathlib import Path

import pytest
from safetensors.torch import load, save

import encoder
from encoder import Backend
from encoder.errors import CheckpointError
from encoder.models.files import revision_of
from tests.encoder.random_models import A, Zoo, edit_config
from viz.caches import revisions, run_cache, writers
from viz.caches.memo import MODELS, VALUES, key_of_run

WEIGHTS_FILE = "model.safetensors"


@pytest.fixture(autouse=True)
def own_caches() -> None:
    MODELS.clear()
    VALUES.clear()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A BERT's model folder of its own."""
    return shutil.copytree(Zoo(tmp_path / "zoo").folder("bert"), tmp_path / "bert")


def retrain(folder: Path) -> None:
    path = folder / WEIGHTS_FILE
    tensors = load(path.read_bytes())
    path.write_bytes(save({name: tensor * 1.5 for name, tensor in tensors.items()}, {"format": "pt"}))


@pytest.mark.parametrize("prefix", ["", "scratch-bert:"])
def test_a_run_is_of_the_files_that_are_there(folder: Path, prefix: str) -> None:
    name = f"{prefix}{folder}"
    before = run_cache.trace(name, A, None)
    assert run_cache.trace(name, A, None) is before
    retrain(folder)
    assert not run_cache.is_loaded(name)
    after = run_cache.trace(name, A, None)
    assert (after.hidden_states == encoder.load(name).trace(A).hidden_states).all()
    assert not (after.hidden_states == before.hidden_states).all()
    assert key_of_run(after) != key_of_run(before)


def test_values_of_an_older_run_belong_to_its_files(folder: Path) -> None:
    """A page that is being rendered while the files change shows one model, or says that they have changed."""
    before = run_cache.trace(str(folder), A, None)
    old = run_cache.model(before.model_name)
    retrain(folder)
    new = run_cache.model(str(folder))
    assert run_cache.model(before.model_name) is old
    assert run_cache.trace(before.model_name, A, None) is before
    assert new is not old
    MODELS.clear()
    with pytest.raises(CheckpointError, match="have changed meanwhile: try again"):
        run_cache.model(before.model_name)


def test_files_that_change_while_they_are_read_are_no_model(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load_model = encoder.load

    def interrupted(name: str) -> Backend:
        loaded = load_model(name)
        retrain(folder)
        return loaded

    monkeypatch.setattr(encoder, "load", interrupted)
    with pytest.raises(CheckpointError, match="have changed meanwhile"):
        run_cache.model(str(folder))
    monkeypatch.undo()
    assert (run_cache.trace(str(folder), A, None).hidden_states == load_model(str(folder)).trace(A).hidden_states).all()


def test_models_that_ship_have_no_revision() -> None:
    for name in ("bundled", "bundled-sentiment", "scratch", "scratch-bert", "scratch:step=287", "seq2seq"):
        assert revisions.current(name) == revisions.unrevised(name) == name
        assert revisions.is_current(name)
    assert writers.writer("seq2seq").name == "seq2seq"


def test_a_revision_follows_every_file_that_is_read(folder: Path) -> None:
    found = [revision_of(folder)]
    assert revision_of(folder) == found[0]
    edit_config(folder, id2label={"0": "x"})
    found.append(revision_of(folder))
    with (folder / "tokenizer.json").open("a") as file:
        file.write("\n")
    found.append(revision_of(folder))
    weights = folder / WEIGHTS_FILE
    times, other = weights.stat(), folder / "other"
    shutil.copyfile(weights, other)
    os.utime(other, ns=(times.st_atime_ns, times.st_mtime_ns))
    other.rename(weights)  # of one size and one time, as rsync and cp -p leave it
    found.append(revision_of(folder))
    for name in ("artifact.metadata", "0_Transformer/tokenizer.json", "2_Dense/config.json"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("{}")
        found.append(revision_of(folder))
    assert len(set(found)) == len(found)
    (folder / "trainer_state.json").write_text("{}")
    assert revision_of(folder) == found[-1]
