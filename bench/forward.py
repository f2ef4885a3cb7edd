"""Without a browser: traces against `transformers`, and our encoder against two others of the same weights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch
from torch import Tensor

import encoder
from bench.context import Context
from bench.measure import Row, alternate, compare, timed
from bench.models import load_bert
from bench.textbook import TextbookEncoder
from bench.texts import SIZES, Texts
from encoder.models.base import Backend
from encoder.models.checkpoint import load_bert_folder
from encoder.models.files import usual_name
from encoder.models.loading import load_folder
from encoder.runs.trace import Trace
from encoder.text.tokens import Tokens

TRACE = "A trace, against `transformers`: SDPA, which gives no attentions, and eager with `output_attentions=True`"
ENCODER = "Our encoder, from scratch"
TRACE_OVER = {"SDPA": "≤ 1.03", "eager": "≤ 0.85"}  # at 512 tokens
TRACE_BYTES, ENCODER_TIME = "≤ 0.5", "≤ 1.05"


def inputs(tokens: Tokens) -> dict[str, Tensor]:
    """What a `BertModel` takes."""
    return {
        "input_ids": torch.tensor([tokens.ids]),  # (1, T)
        "attention_mask": torch.tensor([tokens.attention_mask]),  # (1, T)
        "token_type_ids": torch.tensor([tokens.token_type_ids]),  # (1, T)
    }


def trace_bytes(trace: Trace) -> int:
    """Bytes of all arrays that a trace keeps, each buffer once."""
    arrays = [trace.hidden_states, *trace.embedding_parts.values()]
    for layer in trace.layers:
        arrays += [part for field in fields(layer) if isinstance(part := getattr(layer, field.name), np.ndarray)]
    return sum({_buffer(array): _size(array) for array in arrays}.values())


def _buffer(array: np.ndarray[Any, Any]) -> int:
    return array.__array_interface__["data"][0]


def _size(array: np.ndarray[Any, Any]) -> int:
    """Bytes that a view spans without what it only repeats."""
    return array.itemsize * int(np.prod([n for n, step in zip(array.shape, array.strides, strict=True) if step]))


def output_bytes(output: Any) -> int:
    """Bytes of all tensors in what `transformers` returns, each once."""
    tensors: dict[int, int] = {}

    def collect(value: Any) -> None:
        if isinstance(value, Tensor):
            tensors[value.data_ptr()] = value.nbytes
        elif isinstance(value, Iterable) and not isinstance(value, str):
            for part in value.values() if hasattr(value, "values") else value:
                collect(part)

    collect(output)
    return sum(tensors.values())


def rows_of_traces(context: Context) -> Iterator[Row]:
    """Both models, as the app runs them."""
    for name, folder in context.models.items():
        yield from trace_rows(name, encoder.load(usual_name(context.link(name))), folder, context.texts, context.rounds)


def rows_of_encoders(context: Context) -> Iterator[Row]:
    """Both models."""
    for name, folder in context.models.items():
        yield from encoder_rows(name, folder, context.texts, context.rounds)


def trace_rows(name: str, backend: Backend, folder: Path, texts: Texts, rounds: int) -> Iterator[Row]:
    """Seconds of a whole trace, tokens to numpy, against the same weights in `transformers`; bytes that are kept."""
    sdpa, eager = load_bert(folder, "sdpa"), load_bert(folder, "eager")
    of_any_length = backend.with_all_positions()
    for size in SIZES:
        tokens = of_any_length.tokenize(texts.new(size))
        given = inputs(tokens)

        @torch.inference_mode()
        def run_sdpa(given: dict[str, Tensor] = given) -> Any:
            return sdpa(**given)

        @torch.inference_mode()
        def run_eager(given: dict[str, Tensor] = given, *, hidden: bool = False) -> Any:
            return eager(**given, output_attentions=True, output_hidden_states=hidden)

        def run_trace(tokens: Tokens = tokens) -> Trace:
            return backend.run(tokens)

        times = alternate({"trace": timed(run_trace), "SDPA": timed(run_sdpa), "eager": timed(run_eager)}, rounds)
        last = size == SIZES[-1]
        for other, target in TRACE_OVER.items():
            what = f"time over {other}, {name}"
            yield compare(times, "trace", other, part=TRACE, what=what, tokens=size, target=target if last else "")
        if last:
            kept = trace_bytes(run_trace())
            for what, hidden in (("attentions and hidden states", True), ("attentions alone", False)):
                yield Row(
                    part=TRACE,
                    what=f"bytes kept, {name}; eager keeps {what}",
                    ours=kept / 1e6,
                    other=output_bytes(run_eager(hidden=hidden)) / 1e6,
                    tokens=size,
                    unit="MB",
                    target=TRACE_BYTES,
                )


def encoder_rows(name: str, folder: Path, texts: Texts, rounds: int) -> Iterator[Row]:
    """Our encoder with the fused kernel against `BertModel` with SDPA, and against a module for every head."""
    tokenize = load_folder(name, folder).with_all_positions().tokenize
    sdpa = load_bert(folder, "sdpa")
    ours = load_bert_folder(folder)
    textbook = TextbookEncoder(ours).eval()
    for size in SIZES:
        given = inputs(tokenize(texts.new(size)))
        ids, types = given["input_ids"], given["token_type_ids"]

        @torch.inference_mode()
        def run_ours(ids: Tensor = ids, types: Tensor = types) -> Any:
            return ours(ids, types)

        @torch.inference_mode()
        def run_sdpa(ids: Tensor = ids, types: Tensor = types) -> Any:
            return sdpa(input_ids=ids, token_type_ids=types)

        @torch.inference_mode()
        def run_textbook(ids: Tensor = ids) -> Any:
            return textbook(ids)

        drift = float((run_ours().last_hidden_state - run_textbook()).abs().max())
        times = alternate(
            {"ours": timed(run_ours), "sdpa": timed(run_sdpa), "textbook": timed(run_textbook)}, 3 * rounds
        )
        yield compare(
            times,
            "ours",
            "sdpa",
            part=ENCODER,
            what=f"against `BertModel` with SDPA, {name}",
            tokens=size,
            target=ENCODER_TIME,
        )
        yield Row(
            part=ENCODER,
            what=f"against a module for every head, as in the textbook, {name}",
            ours=1e3 * median(times["ours"]),
            other=1e3 * median(times["textbook"]),
            tokens=size,
            n=len(times["ours"]),
            judged_by="inverse",
            note=f"{drift:.0e} apart at most",
        )
