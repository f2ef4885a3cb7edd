"""Models from the hub, against a hub on this machine: whole, once, safe, and one clear sentence where that fails."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import huggingface_hub
import pytest
from huggingface_hub import constants
from numpy.testing import assert_allclose

import encoder
from encoder.errors import CheckpointError, ModelError, OfflineError, UnknownModelError
from encoder.models.hub import cached_folder, fetch, is_hub_id
from encoder.models.loading import load_folder
from tests.encoder.models.fake_hub import COMMIT, FakeHub, serve
from tests.encoder.random_models import A, Zoo

ID = "someone/tiny-bert"
WEIGHTS_FILE = "model.safetensors"


@pytest.fixture
def hub(tmp_path: Path, zoo: Zoo, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """A hub with one model, and an empty cache."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    huggingface_hub.close_session()  # it keeps its proxies
    with serve() as hub:
        point_at(hub, monkeypatch)
        hub.add(ID, zoo.folder("bert"))
        yield hub
        huggingface_hub.close_session()


def point_at(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    """What HF_ENDPOINT does when it is set before the client is imported."""
    monkeypatch.setattr(constants, "ENDPOINT", hub.endpoint)
    template = f"{hub.endpoint}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)


def break_off(hub: FakeHub, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let half a file arrive; the client, which waits a second before each new attempt, does not wait."""
    monkeypatch.setattr("huggingface_hub.file_download.time.sleep", lambda seconds: None)
    hub.repositories[ID].broken_off[name] = len(hub.repositories[ID].files[name]) // 2


def test_a_model_is_downloaded_and_runs(hub: FakeHub, zoo: Zoo) -> None:
    backend = encoder.load(ID)
    assert backend.name == ID
    assert_allclose(backend.trace(A).hidden_states, zoo.backend("bert").trace(A).hidden_states, atol=1e-6)


def test_progress_only_grows_and_ends_at_what_there_is(hub: FakeHub) -> None:
    hub.repositories[ID].files["pytorch_model.bin"] = b"0" * 100_000
    reports: list[tuple[int, int]] = []
    fetch(ID, progress=lambda arrived, total: reports.append((arrived, total)))
    wanted = {name: data for name, data in hub.repositories[ID].files.items() if name.endswith(("json", "safetensors"))}
    size = sum(len(data) for data in wanted.values())
    assert {total for _, total in reports} == {size}
    arrived = [bytes_arrived for bytes_arrived, _ in reports]
    assert arrived == sorted(set(arrived))
    assert arrived[-1] == size
    assert sorted(hub.downloads()) == sorted(wanted)


def test_the_second_load_asks_the_hub_for_nothing(hub: FakeHub) -> None:
    first = fetch(ID)
    asked = len(hub.requests)
    assert cached_folder(ID) == fetch(ID, progress=pytest.fail) == first
    assert len(hub.requests) == asked > 0
    hub.status = 500
    assert encoder.load(ID).num_layers == 3


def test_code_and_folders_of_other_formats_are_left_on_the_hub(hub: FakeHub) -> None:
    hub.repositories[ID].files |= {"modeling_x.py": b"raise SystemExit", "onnx/model.safetensors": b"0", "x.h5": b"0"}
    folder = fetch(ID)
    assert {path.suffix for path in folder.rglob("*") if path.is_file()} == {".json", ".safetensors"}
    assert not (folder / "onnx").exists()


def test_the_pooling_of_a_sentence_transformers_model_is_downloaded(hub: FakeHub) -> None:
    modules = [{"type": "x.Transformer", "path": ""}, {"type": "x.Pooling", "path": "1_Pooling"}]
    hub.repositories[ID].files |= {
        "modules.json": json.dumps(modules).encode(),
        "1_Pooling/config.json": b'{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}',
        "onnx/1_Pooling/config.json": b"{}",
    }
    pooling = encoder.load(ID).pooling
    assert (pooling.embeds_texts, pooling.mode) == (True, "cls")
    assert not (fetch(ID) / "onnx").exists()


def test_a_pickle_is_refused_before_anything_is_downloaded(hub: FakeHub) -> None:
    files = hub.repositories[ID].files
    files["pytorch_model.bin"] = files.pop(WEIGHTS_FILE)
    with pytest.raises(CheckpointError, match=r"only as a pickle \(pytorch_model\.bin\)"):
        fetch(ID)
    assert hub.downloads() == []


def test_an_unknown_id(hub: FakeHub) -> None:
    with pytest.raises(UnknownModelError, match="The hub has no model 'someone/nobody'"):
        encoder.load("someone/nobody")


def test_a_gated_model(hub: FakeHub) -> None:
    hub.repositories[ID].gated = True
    with pytest.raises(ModelError, match="ask for an agreement") as caught:
        encoder.load(ID)
    assert type(caught.value) is ModelError


@pytest.mark.parametrize("status", [500, 503, 429])
def test_a_hub_that_is_out_of_order(hub: FakeHub, status: int) -> None:
    hub.status = status
    with pytest.raises(OfflineError, match=f"answered {status}"):
        encoder.load(ID)


def test_a_hub_that_cannot_be_reached(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve() as gone:
        point_at(gone, monkeypatch)
    with pytest.raises(OfflineError, match=r"could not be downloaded \(ConnectError\)"):
        fetch(ID)


def test_a_login_page_in_place_of_the_hub(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "tests.encoder.models.fake_hub._Handler._send_json", lambda handler, answer: handler._send(200, b"<html>Log in")
    )
    with pytest.raises(OfflineError, match="could not be downloaded"):
        fetch(ID)


def test_offline_mode_is_reported(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(OfflineError, match="HF_HUB_OFFLINE"):
        encoder.load(ID)
    assert hub.requests == []


@pytest.mark.parametrize("name", [WEIGHTS_FILE, "tokenizer.json", "config.json"])
def test_an_interrupted_download_is_no_model_and_resumes(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    break_off(hub, name, monkeypatch)
    reports: list[int] = []
    with pytest.raises(OfflineError, match="could not be downloaded"):
        fetch(ID, progress=lambda arrived, total: reports.append(arrived))
    assert reports == sorted(reports)
    assert cached_folder(ID) is None
    hub.repositories[ID].broken_off.clear()
    hub.requests.clear()
    folder = fetch(ID)
    assert name in hub.downloads()
    assert cached_folder(ID) == folder
    assert load_folder(ID, folder).num_layers == 3


def cached_by_another_tool(folder: Path, cache: Path, *, without: str = "") -> Path:
    """The cache as a tool leaves it that fetches file by file, and so leaves no listing."""
    repository = cache / f"models--{ID.replace('/', '--')}"
    snapshot = repository / "snapshots" / COMMIT
    snapshot.mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(COMMIT)
    for path in folder.iterdir():
        if without not in path.name or not without:
            os.link(path, snapshot / path.name)
    return snapshot


@pytest.mark.parametrize(
    ("family", "without", "whole"),
    [
        ("bert", "", True),
        ("bert", "tokenizer.json", False),
        ("bert", WEIGHTS_FILE, False),
        ("bert", "config.json", False),
    ],
)
def test_what_another_tool_has_cached_counts_when_it_is_whole(
    hub: FakeHub, zoo: Zoo, family: str, without: str, whole: bool
) -> None:
    snapshot = cached_by_another_tool(zoo.folder(family), Path(constants.HF_HUB_CACHE), without=without)
    assert cached_folder(ID) == (snapshot if whole else None)
    assert load_folder(ID, fetch(ID)).num_layers == 3
    assert bool(hub.requests) is not whole


def test_shards_that_another_tool_has_cached_are_counted(hub: FakeHub, zoo: Zoo, tmp_path: Path) -> None:
    zoo.eager("bert").save_pretrained(tmp_path / "sharded", max_shard_size="50KB")
    zoo.backend("bert").tokenizer.inner.save_pretrained(tmp_path / "sharded")
    snapshot = cached_by_another_tool(tmp_path / "sharded", Path(constants.HF_HUB_CACHE))
    assert cached_folder(ID) == snapshot
    next(snapshot.glob("model-00001*")).unlink()
    assert cached_folder(ID) is None


def test_a_cache_that_cannot_be_written_is_no_network_error(hub: FakeHub, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the cache should be")
    with pytest.raises(ModelError, match="could not be stored on this computer") as caught:
        fetch(ID)
    assert not isinstance(caught.value, OfflineError)


def test_what_progress_raises_is_not_swallowed(hub: FakeHub) -> None:
    class Stop(BaseException):
        """As Streamlit's, when a page is left."""

    def stop(arrived: int, total: int) -> None:
        raise Stop

    with pytest.raises(Stop):
        fetch(ID, progress=stop)
    assert cached_folder(ID) is None


@pytest.mark.parametrize("name", ["", "a b", "a/b/c", "../a", "a..b", "x" * 200, "a\x00b", "模型", "a\n"])
def test_what_is_no_hub_id_never_reaches_the_hub(hub: FakeHub, name: str) -> None:
    assert not is_hub_id(name)
    assert cached_folder(name) is None
    with pytest.raises(UnknownModelError):
        fetch(name)
    assert hub.requests == []
