"""Modules of torch as ONNX graphs, whose numbers are filled in one model after the other."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper, numpy_helper
from torch import Tensor, nn
from torch.export import Dim

from encoder.errors import UnsupportedModelError

Precision = Literal["float32", "int16"]
Graphs = dict[str, ModelProto]  # by what they compute
Inputs = Mapping[str, tuple[Tensor, Mapping[int, Dim]]]  # examples, with the axes that can have another length
OPSET: Final = 18
INT16_MAX: Final = np.iinfo(np.int16).max


def axis(name: str, *, least: int = 1, most: int = 512) -> Dim:
    """A dynamic axis with a minimum and a maximum length."""
    return Dim(name, min=least, max=most)


def graph_of(
    part: nn.Module,
    inputs: Inputs,
    outputs: Sequence[str],
    *,
    graphs: Graphs | None = None,
    kind: str = "",
) -> ModelProto:
    """The graph of a module.

    Args:
        inputs: by name, in the order of the module's arguments.
        outputs: their names; those beyond the module's own are left out.
        graphs: those that were traced before; each is added.
        kind: of the module, if modules of its class have several graphs.
    Raises:
        UnsupportedModelError: torch cannot write it.
    """
    graphs = {} if graphs is None else graphs
    name = kind or type(part).__name__
    if name not in graphs:
        graphs[name] = _traced(part, inputs, outputs)
    return graphs[name]


def _traced(part: nn.Module, inputs: Inputs, outputs: Sequence[str]) -> ModelProto:
    with _quiet():
        program = torch.onnx.export(
            part.eval(),
            tuple(example for example, _ in inputs.values()),
            input_names=list(inputs),
            output_names=list(outputs),
            opset_version=OPSET,
            dynamic_shapes=tuple(dict(axes) for _, axes in inputs.values()),
            optimize=False,  # which would rename the parameters
            verbose=False,
        )
    if program is None:
        raise UnsupportedModelError("torch could not write this model as ONNX.")
    graph = program.model_proto
    _forget_origins(graph)
    return graph


@contextmanager
def _quiet() -> Iterator[None]:
    """Without torch's notes on packages that are missing and on parts of its own that are out of date."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)


def _forget_origins(model: ModelProto) -> None:
    """Remove notes on where the code was, so that the file is the same wherever it is built."""
    for noted in (model, model.graph, *model.graph.node, *model.graph.value_info, *model.graph.initializer):
        del noted.metadata_props[:]
        noted.doc_string = ""
    for ends in (model.graph.input, model.graph.output):
        for value in ends:
            del value.metadata_props[:]


def with_numbers(graph: ModelProto, part: nn.Module, precision: Precision) -> bytes:
    """The file of a graph with the parameters of a module; matrices in 16 bits are converted where the graph begins."""
    model = ModelProto()
    model.CopyFrom(graph)
    parameters = {name: parameter.detach().numpy() for name, parameter in part.named_parameters()}
    names = [stored.name for stored in model.graph.initializer if stored.name in parameters]
    others = [stored for stored in model.graph.initializer if stored.name not in parameters]
    arrays, converted = [], []
    for name in names:
        if precision == "int16" and parameters[name].ndim > 1:
            whole, scales = scaled(parameters[name])
            arrays += [(f"{name}.whole", whole), (f"{name}.scales", scales)]
            converted += [
                helper.make_node("Cast", [f"{name}.whole"], [f"{name}.float"], to=TensorProto.FLOAT),
                helper.make_node("Mul", [f"{name}.float", f"{name}.scales"], [name]),
            ]
        else:
            arrays.append((name, parameters[name]))
    stored = [*others, *(numpy_helper.from_array(array, name) for name, array in arrays)]
    nodes = [*converted, *model.graph.node]
    del model.graph.initializer[:], model.graph.node[:]
    model.graph.initializer.extend(stored)
    model.graph.node.extend(nodes)
    return model.SerializeToString(deterministic=True)


def scaled(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """(R, C) whole numbers and (R, 1) scales, whose product approximates the matrix."""
    scales = np.abs(matrix).max(axis=1, keepdims=True) / np.float32(INT16_MAX)
    return np.rint(matrix / np.where(scales, scales, 1)).astype(np.int16), scales
