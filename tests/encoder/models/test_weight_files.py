"""Weights are read into memory of the process: nothing that is done to a file later reaches a loaded model."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from numpy.testing import assert_array_equal
from safetensors.torch import load_file, save, save_file

import encoder
from encoder.catalogue import load_writer
from encoder.errors import CheckpointError
from encoder.models import weight_files as files
from encoder.models.weight_files import read_header, read_headers, read_tensors
from tests.encoder.random_models import A, B, Zoo, build, byte_tokenizer
from tests.encoder.random_models import save as save_model

WEIGHTS_FILE = "model.safetensors"

needs_maps = pytest.mark.skipif(sys.platform != "linux", reason="/proc/self/maps is Linux's")

# A process that reads a page behind the end of a mapped file gets SIGBUS, so that it is not this one.
OVERWRITTEN = """
import os, sys
import encoder
for folder, prefix in zip(sys.argv[1:], ("", "scratch-bert:")):
    model = encoder.load(prefix + folder)
    before = model.trace("time flies").hidden_states
    path = os.path.join(folder, "model.safetensors")
    with open(path, "r+b") as file:
        file.write(bytes(os.path.getsize(path)))
    after = model.trace("time flies like an arrow").hidden_states
    os.truncate(path, 0)
    again = model.trace("time flies").hidden_states
    assert (before == again).all(), prefix
    assert after.std() > 0, prefix
    print("alive")
"""


def test_a_model_survives_what_is_done_to_its_file(zoo: Zoo, tmp_path: Path) -> None:
    folders = [shutil.copytree(zoo.folder("bert"), tmp_path / name) for name in ("theirs", "ours")]
    command = [sys.executable, "-c", OVERWRITTEN, *map(str, folders)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout.split()) == (0, ["alive"] * 2), found.stderr


@needs_maps
@pytest.mark.parametrize("name", ["bundled", "bundled-sentiment", "scratch", "scratch-bert", "scratch:step=287"])
def test_no_model_that_ships_stays_mapped(name: str) -> None:
    before = mapped_weights()
    backend = encoder.load(name)
    backend.trace(A, B)
    assert mapped_weights() <= before


def mapped_weights() -> set[str]:
    """The files of weights that this process has mapped; another test's models may have some."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    return {line.split()[-1] for line in lines if line.endswith(".safetensors")}


def save_t5(folder: Path) -> str:
    tokenizer = byte_tokenizer(framed=True)
    sizes = {"num_layers": 2, "num_heads": 4, "d_model": 32, "d_kv": 8, "d_ff": 64}
    model = build("T5ForConditionalGeneration", "T5Config", vocab_size=len(tokenizer), **sizes)
    model.generation_config.decoder_start_token_id, model.generation_config.eos_token_id = 3, 2
    return str(save_model(model, folder, tokenizer))


def test_an_encoder_decoder_starts_as_its_generation_config_says(tmp_path: Path) -> None:
    folder = Path(save_t5(tmp_path))
    writer = load_writer(str(folder))
    assert (writer.start_id, writer.end_ids) == (3, {2})


def test_every_type_is_read_as_the_library_reads_it(tmp_path: Path) -> None:
    torch.manual_seed(0)
    tensors = {
        f"{dtype}": (torch.randn(3, 5) * 4).to(dtype)
        for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int8, torch.bool)
    }
    tensors |= {"empty": torch.zeros(0, 4), "a number": torch.tensor(3.0), "odd": torch.ones(3, dtype=torch.uint8)}
    path = tmp_path / "m.safetensors"
    save_file(tensors, path, metadata={"about": "us"})
    found, expected = read_tensors(read_headers([path])), load_file(path)
    assert found.keys() == expected.keys()
    for name, tensor in expected.items():
        assert found[name].dtype == tensor.dtype
        assert torch.equal(found[name], tensor)
    assert read_header(path).metadata == {"about": "us"}


def headed(header: object, data: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def entry(start: int, end: int, *, shape: object = (1,), dtype: str = "F32") -> dict[str, object]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}


HOSTILE: dict[str, bytes] = {
    "nothing": b"",
    "a length alone": (2**62).to_bytes(8, "little"),
    "no JSON": headed(b"?" * 20),
    "nested": headed(b"[" * 100_000),
    "a list": headed([1]),
    "a text for a tensor": headed({"x": "y"}),
    "an unknown type": headed({"x": entry(0, 4, dtype="F1")}, bytes(4)),
    "a negative size": headed({"x": entry(0, 4, shape=[-1])}, bytes(4)),
    "a huge shape": headed({"x": entry(0, 4, shape=[2**40, 2**40])}, bytes(4)),
    "a shape of texts": headed({"x": entry(0, 4, shape=["1"])}, bytes(4)),
    "one place twice": headed({"x": entry(0, 4), "y": entry(0, 4)}, bytes(4)),
    "a gap": headed({"x": entry(4, 8)}, bytes(8)),
    "data missing": headed({"x": entry(0, 4)}, bytes(3)),
    "data left over": headed({"x": entry(0, 4)}, bytes(5)),
    "metadata that is none": headed({"__metadata__": [1]}),
}


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_header_that_describes_no_file_is_refused(tmp_path: Path, hostile: str) -> None:
    path = tmp_path / "m.safetensors"
    path.write_bytes(HOSTILE[hostile])
    with pytest.raises(
        CheckpointError, match=r"m\.safetensors cannot be loaded: it is damaged, incomplete, or not a safetensors file"
    ):
        read_header(path)


def test_a_file_that_becomes_shorter_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.safetensors"
    path.write_bytes(save({"x": torch.zeros(50_000), "y": torch.zeros(50_000)}))
    stored, read = read_headers([path]), files._read

    def cut_and_read(*given: object) -> torch.Tensor:
        os.truncate(path, 1000)
        return read(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(files, "_read", cut_and_read)
    with pytest.raises(CheckpointError, match="became shorter while it was read"):
        read_tensors(stored)


def test_without_a_call_that_reads_at_a_place_the_same_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.safetensors"
    save_file({f"t{index}": torch.randn(7, index + 1) for index in range(40)}, path)
    expected = load_file(path)
    monkeypatch.delattr(os, "preadv")
    found = read_tensors(read_headers([path]))
    assert all(torch.equal(found[name], tensor) for name, tensor in expected.items())


def sharded(folder: Path, change: Callable[[dict[str, str]], object]) -> None:
    (folder / WEIGHTS_FILE).rename(folder / "shard.safetensors")
    weight_map = dict.fromkeys(load_file(folder / "shard.safetensors"), "shard.safetensors")
    change(weight_map)
    (folder / f"{WEIGHTS_FILE}.index.json").write_text(json.dumps({"weight_map": weight_map}))


@pytest.mark.parametrize("prefix", ["", "scratch-bert:"])
@pytest.mark.parametrize("shard", ["weights.bin", "../x.safetensors", "/tmp/x.safetensors", "a/../x.safetensors"])
def test_an_index_names_safetensors_of_its_own_folder_alone(folder: Path, prefix: str, shard: str) -> None:
    sharded(folder, lambda weight_map: weight_map.update(dict.fromkeys(list(weight_map)[:3], shard)))
    (folder / "weights.bin").write_bytes(b"cos\nabort\n(tR.")  # opening it would end the tests
    with pytest.raises(CheckpointError, match=r"only \.safetensors files in the same folder are read"):
        encoder.load(f"{prefix}{folder}")


def test_a_folder_of_links_is_read_as_the_hubs_cache_has_them(folder: Path, tmp_path: Path) -> None:
    blobs = tmp_path / "blobs"
    blobs.mkdir()
    expected = encoder.load(str(folder)).trace(A)
    for number, path in enumerate(folder.iterdir()):
        path.rename(blobs / str(number))
        path.symlink_to(blobs / str(number))
    assert_array_equal(encoder.load(str(folder)).trace(A).hidden_states, expected.hidden_states)
