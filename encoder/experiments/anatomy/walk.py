"""The walk as a whole: which models it takes, and its steps by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from encoder.errors import UnsupportedModelError
from encoder.experiments.anatomy import steps_attention, steps_input, steps_layer
from encoder.experiments.anatomy.names import StepKey
from encoder.experiments.anatomy.record import Record
from encoder.experiments.anatomy.steps import Step
from encoder.models.base import Backend
from encoder.models.scratch import ScratchBackend

TWIN = {"bundled": "scratch-bert"}  # the same weights in our own modules
Builder = Callable[[ScratchBackend, Record, int], Step]

BUILDERS: Mapping[StepKey, Builder] = MappingProxyType(
    {
        "text": steps_input.text,
        "ids": steps_input.ids,
        "embeddings": steps_input.embeddings,
        "positions": steps_input.positions,
        "projections": steps_attention.projections,
        "scores": steps_attention.scores,
        "scaling": steps_attention.scaling,
        "mask": steps_attention.mask,
        "softmax": steps_attention.weights,
        "context": steps_attention.context,
        "heads": steps_attention.heads,
        "output": steps_attention.output,
        "residual": steps_layer.residual,
        "feed-forward": steps_layer.feed_forward,
        "layers": steps_layer.layers,
        "prediction": steps_layer.prediction,
        "what-if": steps_layer.what_if,
        "numbers": steps_layer.numbers,
    }
)


def is_ours(backend: Backend) -> bool:
    """Whether a model is our own encoder, whose modules the walk can open."""
    return isinstance(backend, ScratchBackend)


def ours(backend: Backend) -> ScratchBackend:
    """The model as our own encoder.

    Raises:
        UnsupportedModelError: it is another.
    """
    if not isinstance(backend, ScratchBackend):
        raise UnsupportedModelError(f"The walk opens our own encoder; {backend.name!r} has other modules.")
    return backend


def build(key: StepKey, backend: ScratchBackend, record: Record, *, head: int) -> Step:
    """One step of the walk, of one record and head."""
    return BUILDERS[key](backend, record, head)
