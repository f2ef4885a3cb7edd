"""The graphs of a model's measures, as a browser runs them."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pytest
import torch

from encoder.export import measures
from encoder.export.graph import Graphs
from encoder.measures.similarity import ReferenceBand
from encoder.measures.units import Units, units_of
from encoder.models.scratch import ScratchBackend
from encoder.runs.trace import Trace


class Measures:
    def __init__(self, model: ScratchBackend, band: ReferenceBand, graphs: Graphs | None = None) -> None:
        files = measures.export_measures(model, band, graphs=graphs)
        self.sessions = {name: onnxruntime.InferenceSession(file) for name, file in files.items()}

    def run(self, name: str, **given: Any) -> dict[str, Any]:
        session = self.sessions[f"{name}.onnx"]
        return dict(zip([each.name for each in session.get_outputs()], session.run(None, given), strict=True))

    def norms(self, trace: Trace) -> dict[str, Any]:
        return self.run("norms", states=trace.hidden_states)

    def lens(self, a: Trace, b: Trace, places: tuple[int, int]) -> dict[str, Any]:
        """Of the words at two places of A and B."""
        given: dict[str, Any] = {}
        for letter, trace, place in zip("ab", (a, b), places, strict=True):
            words = self.words(trace)
            given |= {letter: words["means"], f"at_{letter}": np.array([place])}
            given |= {f"read_{letter}": words["read"]} if "read" in words else {}
        return self.run("lens", **given)

    def words(self, trace: Trace) -> dict[str, Any]:
        units = units_of(trace.tokens, level="words", special="hide")
        return self.run("words", states=trace.hidden_states, **indices(units))


class Modules(Measures):
    """The modules of which the graphs are made. They take a minute less."""

    def __init__(self, model: ScratchBackend, band: ReferenceBand) -> None:
        self.modules: dict[str, Any] = {}

        def note(part: Any, inputs: Any, outputs: Any, *, graphs: Graphs | None, kind: str) -> None:
            self.modules[kind.partition(" ")[0]] = part, list(inputs), outputs

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(measures, "graph_of", note)
            patch.setattr(measures, "with_numbers", lambda *_: b"")
            measures.export_measures(model, band)

    def run(self, name: str, **given: Any) -> dict[str, Any]:
        part, inputs, outputs = self.modules[name]
        with torch.inference_mode():
            found = part(*(torch.tensor(given[each]) for each in inputs))
        return {each: array.numpy() for each, array in zip(outputs, found, strict=False)}


def indices(units: Units) -> dict[str, Any]:
    """The unit of each token, and the tokens of each unit."""
    found = np.full(units.length, len(units), np.int64)
    for unit, members in enumerate(units.members):
        found[list(members)] = unit
    return {"units": found, "counts": np.array([len(members) for members in units.members], np.float32)}
