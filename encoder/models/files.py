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

ARCHIVES = (".zip", ".tar", ".tgz", ".tar.gz", ".7z")
GRAPH = ", a graph without a model's modules: load the folder that it was exported from"
BY_TRANSFORMERS_4 = (
    ": load it in transformers 4 with {}=True, and write it with save_pretrained(FOLDER, safe_serialization=True)"
)
# Formats of weights that are not read: the ends of their names, what they are, and what to do.
OTHER_FORMATS = (
    (("openvino_model.xml", "openvino_model.bin"), "for OpenVINO", GRAPH),
    (
        (".bin", ".pt", ".pth", ".ckpt", ".pkl"),
        "as a pickle",
        ", which can run code when it is opened: convert it to safetensors and load that",
    ),
    ((".onnx",), "as ONNX", GRAPH),
    (
        (".gguf",),
        "as GGUF",
        ": write it with AutoModel.from_pretrained(FOLDER, gguf_file=NAME).save_pretrained(…) and load that",
    ),
    ((".msgpack",), "for Flax", BY_TRANSFORMERS_4.format("from_flax")),
    ((".h5", ".keras", ".pb", ".ckpt.index", ".tflite"), "for TensorFlow", BY_TRANSFORMERS_4.format("from_tf")),
    (ARCHIVES, "in an archive", ": unpack it and load the folder in it"),
)
OTHER_ENDS = tuple(end for ends, _, _ in OTHER_FORMATS for end in ends)
# How files begin that are something else than their names say.
POINTER = b"version https://git-lfs"
BEGINNINGS = {
    POINTER: "is a Git LFS pointer, not the file itself: run `git lfs pull` in its folder",
    b"PK\x03\x04": "is a zip archive or a pickle of torch, not safetensors: unpack or convert it",
    b"GGUF": "is a GGUF file, not safetensors: convert it",
    b"\x89HDF": "is an HDF5 file of Keras, not safetensors: convert it",
    b"<": "is a web page or XML, not the file itself: download it again",
}
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


def check_weight_files(names: Iterable[str], where: str) -> list[str]:
    """The safetensors files among a model's file names.

    Raises:
        CheckpointError: there are none; the message names weights in another format.
    """
    names = list(names)
    safe = sorted(name for name in names if name.endswith(".safetensors"))
    if safe:
        return safe
    for ends, kind, advice in OTHER_FORMATS:
        if found := sorted(name for name in names if name.endswith(ends)):
            raise CheckpointError(f"{where} has its weights only {kind} ({found[0]}){advice}.")
    raise CheckpointError(f"{where} holds no weights: a .safetensors file is needed.")


# The task of a class of `transformers`, by the suffix of its name; longer suffixes first.
TASKS = {
    "ForTokenClassification": "for token classification",
    "ForQuestionAnswering": "for question answering",
    "ForMultipleChoice": "for multiple choice",
    "ForNextSentencePrediction": "for next-sentence prediction",
    "ElectraForPreTraining": "for finding replaced tokens",
    "ForPreTraining": "for pretraining",
    "ForMaskedLM": "for masked words",
    "WithLMHeadModel": "for masked words",
    "ForCausalLM": "for the next token",
    "LMHeadModel": "for the next token",
    "ForConditionalGeneration": "for the next token",
    "ForSequenceClassification": "for the classes of a text",
}
UNUSED = "The checkpoint's head"


def unused_head(architectures: Iterable[str] | None, used: str, *, lacks: bool = False) -> str:
    """A note on a checkpoint's head that is not used, or "".

    Args:
        architectures: the classes in its config.json.
        used: the class that it was loaded as.
        lacks: whether the checkpoint does not have the weights of that head.
    """
    for name in architectures or ():
        task = next((task for ending, task in TASKS.items() if name.endswith(ending)), None)
        if task and name != used and name.isidentifier():
            if lacks:
                return f"The checkpoint has no head {task}, which its config.json names ({name}): its encoder is shown."
            if used.endswith("ForMaskedLM") and name.endswith("ForPreTraining"):
                return f"{UNUSED} for pairs of sentences ({name}) is not used here: its head for masked words is."
            return f"{UNUSED} {task} ({name}) is not used here: what is shown is its encoder."
    return ""
