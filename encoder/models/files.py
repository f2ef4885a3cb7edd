"""Check and read the settings of a model folder, before any weights are read."""

from __future__ import annotations

import hashlib
import json
import re
import stat
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from encoder.errors import CheckpointError, UnsupportedModelError
from encoder.models.other_formats import BEGINNINGS, POINTER

# Patterns of files that are read besides weights, and their largest size in bytes.
SETTINGS = (
    "config.json",
    "generation_config.json",
    "modules.json",
    "config_sentence_transformers.json",
    "sentence_bert_config.json",
    "sentence_roberta_config.json",
    "sentence_distilbert_config.json",
    "adapter_config.json",
    "artifact.metadata",  # of colbert-ai
)
WITHOUT_ADAPTER = "base"  # before a folder's name: the base model of the adapter in it
ALL_POSITIONS = "all-positions:"  # before a model's name: it reads as many tokens as it has positions for
SETTINGS_BYTES = 1_000_000
SMALL_BYTES = 1_000  # of a Git LFS pointer at most
VOCABULARY = ("tokenizer*", "vocab*", "*_map.json", "added_tokens.json", "merges.txt", "*.model")
VOCABULARY_BYTES = 100_000_000
WEIGHTS = ("*.safetensors", "*.safetensors.index.json")
STANFORD, PROJECTION = "HF_ColBERT", "linear.weight"  # the architecture that colbert-ai names, and its own tensor
MODULE_FOLDER = re.compile(r"\d+_\w+")  # of a sentence-transformers module
READ = (*SETTINGS, *VOCABULARY, *WEIGHTS)

# Settings that count modules or labels, each of which takes memory and time even before weights are read.
MODULES = re.compile(r"(layers?|blocks?|block_sizes|block_repeats|networks|experts?|stages|depths?)$")
MOST_MODULES = 512
MOST_LABELS = 100_000

STATIC = ("StaticEmbedding", "WordEmbeddings", "BoW")  # modules of sentence-transformers without a Transformer
ROUTER = "router_config.json"
IS_STATIC = "{} holds static embeddings, which have no attention: there is nothing to show."


def usual_name(name: str) -> str:
    """The name of the same model, which reads as many tokens as its folder says."""
    return name.removeprefix(ALL_POSITIONS)


def quoted(name: str) -> str:
    """A user-supplied name for a message: control characters escaped, and truncated if long."""
    return repr(name if len(name) <= 80 else f"{name[:80]}…")


def read_config(folder: Path) -> dict[str, Any]:
    """`config.json` of a model folder, with plausible counts.

    Raises:
        CheckpointError: it is missing or malformed, a file of the folder must not be read, or a count is too large.
        UnsupportedModelError: the weights are quantised.
    """
    path = folder / "config.json"
    if not path.exists():
        if _is_static(folder):
            raise UnsupportedModelError(IS_STATIC.format(folder))
        raise CheckpointError(_what_it_is_instead(folder))
    check_files(folder)
    settings = read_json(path)
    if settings.get("model_type") == "model2vec" or ("model_type" not in settings and _is_static(folder)):
        raise UnsupportedModelError(IS_STATIC.format(folder))
    architectures = settings.get("architectures")
    if architectures is not None and not (
        isinstance(architectures, list) and all(isinstance(name, str) for name in architectures)
    ):
        raise CheckpointError(f"{path} names architectures={quoted(repr(architectures))}, not a list of class names.")
    quantised = settings.get("quantization_config")
    if quantised is not None:
        method = quantised.get("quant_method") if isinstance(quantised, dict) else quantised
        raise UnsupportedModelError(
            f"{folder} holds quantised weights ({quoted(str(method))}): save the model in float32 or float16 before it "
            "was quantised, and load that."
        )
    for name, count in _counts(settings):
        most = MOST_LABELS if name.endswith("labels") else MOST_MODULES
        if count > most:
            raise CheckpointError(f"{path} asks for {quoted(f'{name}={count}')}; at most {most:,} are supported.")
    return settings


def read_json(path: Path) -> dict[str, Any]:
    """A JSON file that must be an object. Raises CheckpointError if it is not."""
    settings = _read_json(path)
    if not isinstance(settings, dict):
        raise CheckpointError(f"{path} holds {type(settings).__name__}, not an object of settings.")
    return settings


def read_list(path: Path) -> list[Any]:
    """A JSON file that must be a list. Raises CheckpointError if it is not."""
    values = _read_json(path)
    if not isinstance(values, list):
        raise CheckpointError(f"{path} holds {type(values).__name__}, not a list.")
    return values


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except RecursionError as error:
        raise CheckpointError(f"{path} cannot be read: its brackets are nested too deeply.") from error
    except (ValueError, OSError) as error:
        raise CheckpointError(f"{path} cannot be read: {error}") from error


def check_files(folder: Path) -> None:
    """Refuse a folder with a file that is not a regular file, or far too large.

    Raises:
        CheckpointError: the message names the file.
    """
    for path in _files_read(folder):
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise CheckpointError(f"{path} is not a regular file.")
        most = _most_bytes(path.name)
        if most is not None and found.st_size > most:
            raise CheckpointError(f"{path} has {found.st_size:,} bytes; files of that name are read up to {most:,}.")
        if found.st_size < SMALL_BYTES and path.read_bytes().startswith(POINTER):
            raise CheckpointError(f"{path} {BEGINNINGS[POINTER]}.")


def _files_read(folder: Path) -> list[Path]:
    """The files that a model is loaded from, sorted; dangling links are left out."""
    places = (folder, *(module for module in folder.glob("[0-9]*_*") if module.is_dir()))
    found = (path for place in places for path in place.iterdir())
    return sorted(path for path in found if any(fnmatch(path.name, each) for each in READ) and path.exists())


def revision_of(folder: Path) -> str:
    """A checksum of the names, sizes and times of the files that a model is loaded from.

    It includes the ctime, which programs cannot set, to detect files that were copied with their mtime.
    """
    return checksum_of(_files_read(folder), within=folder)


def checksum_of(paths: Iterable[Path], *, within: Path) -> str:
    """A checksum of the names, sizes and times of files."""
    found = [(str(path.relative_to(within)), path.stat()) for path in paths]
    stats = [(name, each.st_size, each.st_mtime_ns, each.st_ctime_ns) for name, each in found]
    return hashlib.blake2b(repr(stats).encode(), digest_size=6).hexdigest()


def _most_bytes(name: str) -> int | None:
    if name in SETTINGS:
        return SETTINGS_BYTES
    return None if name.endswith(".safetensors") else VOCABULARY_BYTES


def _counts(settings: Any, name: str = "") -> Iterator[tuple[str, int]]:
    """The counts of modules and labels in settings, nested ones included, with their names."""
    if isinstance(settings, dict):
        for inner, value in settings.items():
            if inner not in ("id2label", "label2id"):  # label names are limited by the size of the file
                yield from _counts(value, inner)
    elif isinstance(settings, list):
        for value in settings:
            yield from _counts(value, name)
    elif isinstance(settings, int) and (name.endswith("labels") or MODULES.search(name)):
        yield name, settings


def _is_static(folder: Path) -> bool:
    """Whether a sentence-transformers folder begins with a table of vectors in place of a Transformer."""
    modules = folder / "modules.json"
    first = next(iter(read_list(modules)), None) if modules.exists() else None
    return isinstance(first, dict) and str(first.get("type")).endswith(STATIC)


def _what_it_is_instead(folder: Path) -> str:
    if (folder / "adapter_config.json").exists():
        return (
            f"{folder} holds an adapter (adapter_config.json), not a whole model: open it by its own name, which "
            "merges it into its base model."
        )
    if steps := sorted(path.name for path in folder.glob("checkpoint-*/") if any(path.glob("*config.json"))):
        return f"{folder} holds the steps of a training, not a model: name one of them, as in {folder / steps[-1]}."
    if (folder / ROUTER).exists():
        inner = sorted(path.name for path in folder.glob("*_Transformer/"))
        rest = f"open one of these alone, as in {folder / inner[0]}" if inner else "and none of them is a Transformer"
        return f"{folder} holds a Router of sentence-transformers, several models with vectors of their own: {rest}."
    return f"{folder} holds no config.json, so it is not a model folder."
