"""Folders that strangers name: sizes, types and files that would take the server down are refused in a sentence."""

import os
import resource
from collections.abc import Callable
from pathlib import Path

import pytest

import encoder
from encoder.catalogue import load_writer
from encoder.errors import ModelError
from tests.encoder.random_models import edit_config


def set_text(folder: Path, text: str) -> None:
    (folder / "config.json").write_text(text)


def replace_file(folder: Path, name: str, make: Callable[[Path], object]) -> None:
    (folder / name).unlink(missing_ok=True)
    make(folder / name)


def link_to(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


def grow(path: Path, size: int) -> None:
    """A file of holes, which takes no room on the disk."""
    with path.open("ab") as file:
        file.truncate(size)


SIZES = {
    "a billion labels": {"num_labels": 10**9},
    "twenty thousand layers": {"num_hidden_layers": 20_000},
    "layers inside": {"text_config": {"num_hidden_layers": 10**9}},
    "layers in a list": {"block_sizes": [4, 10**9]},
    "width 65536": {"hidden_size": 65_536},
    "width a billion": {"hidden_size": 10**9},
    "a wide feed-forward": {"intermediate_size": 10**9},
    "a billion words": {"vocab_size": 10**9},
    "sizes beyond every address": {"hidden_size": 2**62, "intermediate_size": 2**62},
    "a width below zero": {"hidden_size": -32},
    "a width that is a list": {"hidden_size": [32]},
    "null for a width": {"hidden_size": None, "num_attention_heads": None},
    "layers that are a text": {"num_hidden_layers": "3"},
    "an epsilon that is a text": {"layer_norm_eps": "small"},
    "an activation that is a number": {"hidden_act": 3},
    "a dropout that is a list": {"hidden_dropout_prob": [0.1]},
    "padding behind the vocabulary": {"pad_token_id": 10**9},
    "one class as a number": {"architectures": 5},
    "classes as numbers": {"architectures": [5]},
}
FILES: dict[str, Callable[[Path], object]] = {
    "nested objects": lambda f: set_text(f, '{"a":' * 100_000),
    "nested lists": lambda f: set_text(f, '{"model_type": "bert", "a": ' + "[" * 100_000 + "]" * 100_000 + "}"),
    "more than a megabyte": lambda f: edit_config(f, x="y" * 1_000_001),
    "a config that is a device": lambda f: replace_file(f, "config.json", link_to("/dev/zero")),
    "a config that is a pipe": lambda f: replace_file(f, "config.json", os.mkfifo),
    "a config that is a folder": lambda f: replace_file(f, "config.json", os.mkdir),
    "weights that are a device": lambda f: replace_file(f, "model.safetensors", link_to("/dev/zero")),
    "weights that are a pipe": lambda f: replace_file(f, "model.safetensors", os.mkfifo),
    "a tokenizer that is a device": lambda f: replace_file(f, "tokenizer.json", link_to("/dev/zero")),
    "a tokenizer that is a pipe": lambda f: replace_file(f, "tokenizer_config.json", os.mkfifo),
    "a tokenizer of a terabyte": lambda f: grow(f / "tokenizer.json", 10**12),
}
FOLDERS = {name: lambda f, sizes=sizes: edit_config(f, **sizes) for name, sizes in SIZES.items()} | FILES
# Our own encoder does not read these settings.
HARMLESS_TO_OURS = ("null for a width",)


@pytest.mark.parametrize("hostile", FOLDERS)
def test_a_hostile_folder_is_refused_in_a_sentence(folder: Path, hostile: str) -> None:
    FOLDERS[hostile](folder)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for name in (str(folder), f"scratch-bert:{folder}"):
        if name.startswith("scratch") and hostile in HARMLESS_TO_OURS:
            continue
        with pytest.raises(ModelError):
            encoder.load(name)
    with pytest.raises(ModelError):
        load_writer(str(folder))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000  # kilobytes


def test_feed_forward_layers_in_pieces_read_texts_of_every_length(folder: Path) -> None:
    expected = encoder.load(str(folder))
    edit_config(folder, chunk_size_feed_forward=3)
    found = encoder.load(str(folder))
    for text in ("time", "time flies", "time flies like", "time flies like an"):
        assert (found.trace(text).hidden_states == expected.trace(text).hidden_states).all()


def test_labels_may_be_called_like_layers(folder: Path) -> None:
    edit_config(folder, label2id={"layers": 600, "labels": 700_000})
    assert encoder.load(str(folder)).num_layers == 3
