"""Formats of weights that are not read: how they are recognised, and what to do."""

from __future__ import annotations

from collections.abc import Iterable

from encoder.errors import CheckpointError

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
