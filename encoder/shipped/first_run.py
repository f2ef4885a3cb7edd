"""The runs that the page opens with, available before torch is imported: the bundled model on two sentences.

Only the hidden states and the predictions ship, a quarter of the traces' 580 kB. The rest follows from the states and
the published weights: queries, keys and values are linear in a layer's input (Vaswani et al. 2017, section 3.2.2), and
the embedding parts are rows of tables. numpy computes them to within 1e-5 of torch on the same processor; on another
one, torch's own predictions differ by up to 2e-5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open

from encoder.errors import CheckpointError, TraceFileError
from encoder.models.files import read_config
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from encoder.runs.trace_file import read_tokens, unpack
from encoder.shipped.bundled import run_fingerprint
from encoder.text.tokens import Tokens

FOLDER = Path(__file__).parent
FILES: Mapping[str, Path] = {
    "time flies like an arrow": FOLDER / "first-run-a.safetensors",
    "fruit flies like a banana": FOLDER / "first-run-b.safetensors",
}
PROJECTIONS = ("query", "key", "value")
EMBEDDINGS = {"word": "word_embeddings", "position": "position_embeddings", "token type": "token_type_embeddings"}


def first_run(folder: Path, file: Path) -> Trace:
    """A run of the bundled model from its file.

    Args:
        folder: the bundled model's.
        file: written by `encoder.lab.training.first_run`.
    Raises:
        TraceFileError: the file is missing, damaged, or from other weights.
        CheckpointError: the model's weights cannot be read.
    """
    try:
        arrays, about = unpack(file.read_bytes())
    except OSError as error:
        raise TraceFileError(f"The first run {file.name} cannot be read: {error}") from error
    if about.get("weights") != run_fingerprint():
        raise TraceFileError(f"The first run {file.name} was made with other weights.")
    try:
        states, tokens = arrays["hidden_states"], read_tokens(about["tokens"])
        derived = dict(_derive(states, tokens, folder))
    except KeyError as error:
        raise TraceFileError(f"The first run {file.name} lacks {error}.") from error
    return Trace.from_arrays(arrays | derived, about)


def _derive(states: FloatArray, tokens: Tokens, folder: Path) -> Iterator[tuple[str, FloatArray]]:
    """The arrays derived from the states (L + 1, T, D) and a BERT's weights, named as in a trace file."""
    heads = int(read_config(folder)["num_attention_heads"])
    rows = {"word": tokens.ids, "position": range(len(tokens)), "token type": tokens.token_type_ids}
    try:
        with safe_open(folder / "model.safetensors", framework="np") as weights:
            for part, table in EMBEDDINGS.items():
                of_table = weights.get_slice(f"embeddings.{table}.weight")  # (V, D); only T rows are read
                yield f"embedding_parts.{part}", np.concatenate([of_table[row : row + 1] for row in rows[part]])
            for layer, state in enumerate(states[:-1]):  # (T, D)
                for name in PROJECTIONS:
                    linear = f"encoder.layer.{layer}.attention.self.{name}"
                    projected = state @ weights.get_tensor(f"{linear}.weight").T + weights.get_tensor(f"{linear}.bias")
                    yield f"layers.{layer}.{name}", _split_heads(projected, heads)
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f"The bundled model's weights cannot be read: {error}") from error


def _split_heads(projected: FloatArray, heads: int) -> FloatArray:
    """(T, D) to (H, T, K)."""
    return projected.reshape(len(projected), heads, -1).transpose(1, 0, 2)
