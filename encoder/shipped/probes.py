"""Linear probes on hidden states: what each layer encodes about a word's part of speech.

A probe is one linear layer and a softmax on the state of a word, the mean over its pieces. A good probe may have
learned the task itself. The control task, a fixed random tag per word form, measures this for a probe of the same size.
Selectivity is the accuracy minus the accuracy on the control task.

Source: Hewitt and Liang (2019), "Designing and Interpreting Probes with Control Tasks", section 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file

from encoder.errors import CheckpointError, NoProbesError, SelectionError
from encoder.measures.units import word_states
from encoder.models.files import usual_name
from encoder.models.finite import check_arrays
from encoder.models.labels import TAGS
from encoder.runs.arrays import FloatArray, softmax
from encoder.runs.trace import Trace
from encoder.shipped.card import Figure, figure_of, read_card
from encoder.shipped.names import BUNDLED, SCRATCH, SCRATCH_BERT, WEIGHTS

# The probes of each model; two models share their weights, and so their probes.
PROBES = {BUNDLED: "bundled-probes", SCRATCH_BERT: "bundled-probes", SCRATCH: "scratch-probes"}


@dataclass(frozen=True, slots=True)
class Probes:
    """The probes of one model.

    Attributes:
        weight, bias: (L + 1, C, D) and (L + 1, C), one probe for the embeddings and one per layer.
        combined_weight, combined_bias: (C, (L + 1) * D) and (C,), one probe on all states at once.
    """

    weight: FloatArray
    bias: FloatArray
    combined_weight: FloatArray
    combined_bias: FloatArray

    def read(self, trace: Trace) -> tuple[FloatArray, FloatArray]:
        """(L + 1, W, C) and (W, C) tag probabilities of words, by each layer's probe and by the combined one.

        Raises:
            CheckpointError: the probes do not match the trace's states.
        """
        states = word_states(trace.hidden_states, trace.tokens)  # (L + 1, W, D)
        (layers, _, width), classes = states.shape, len(TAGS)
        wanted = (layers, classes, width), (layers, classes), (classes, layers * width), (classes,)
        shapes = tuple(array.shape for array in (self.weight, self.bias, self.combined_weight, self.combined_bias))
        if shapes != wanted:
            raise CheckpointError(
                f"The probes of {trace.model_name} are {shapes}; its states, {layers} of width {width}, need {wanted}."
            )
        return (
            softmax(states @ self.weight.transpose(0, 2, 1) + self.bias[:, None]),
            self.combined(states),
        )

    def combined(self, states: FloatArray) -> FloatArray:
        """(W, C) tag probabilities of words by the probe on all (L + 1, W, D) states."""
        return softmax(_concatenate_layers(states) @ self.combined_weight.T + self.combined_bias)

    def scores(self, states: FloatArray, state_index: int) -> FloatArray:
        """Scores before softmax of one layer's probe on any states.

        Args:
            states: (..., D).
            state_index: of these hidden states; 0 = the embeddings.
        Returns:
            (..., C).
        Raises:
            SelectionError: there is no probe for that hidden state.
            CheckpointError: the probe does not match the states.
        """
        if not 0 <= state_index < len(self.weight):
            raise SelectionError(
                f"Hidden state {state_index} was asked for; there are probes for 0 to {len(self.weight) - 1}."
            )
        if states.shape[-1] != self.weight.shape[-1]:
            raise CheckpointError(
                f"The probes read states of width {self.weight.shape[-1]}; these are {states.shape[-1]} wide."
            )
        scores: FloatArray = states @ self.weight[state_index].T + self.bias[state_index]
        return scores


@dataclass(frozen=True, slots=True, kw_only=True)
class WordClasses:
    """Parts of speech of a trace's words, by the model's probes.

    Attributes:
        tags: the C tags, 17 universal parts of speech.
        probabilities: (L + 1, W, C), `[0]` from the embeddings; one row per entry of `tokens.words`, NaN for truncated
            words.
        combined: (W, C) of the probe on all layers.
        accuracy, control_accuracy, selectivity: (L + 1,) on held-out words.
        combined_accuracy: of the combined probe, on the same words.
        n, test_set: number and source of these words.
    """

    tags: tuple[str, ...]
    probabilities: FloatArray
    combined: FloatArray
    accuracy: FloatArray
    control_accuracy: FloatArray
    combined_accuracy: float
    n: int
    test_set: str

    @property
    def selectivity(self) -> FloatArray:
        """(L + 1,) accuracy minus that on the control task."""
        return self.accuracy - self.control_accuracy

    def likeliest(self, state_index: int | None) -> tuple[str, ...]:
        """The likeliest tag of each of W words; "" for truncated words.

        Args:
            state_index: the hidden state to read, 0 = the embeddings; None = the combined probe.
        """
        return tuple("" if np.isnan(row).any() else self.tags[row.argmax()] for row in self.read_from(state_index))

    def read_from(self, state_index: int | None) -> FloatArray:
        """(W, C) probabilities from one hidden state, or from the combined probe, as in `likeliest`."""
        return self.combined if state_index is None else self.probabilities[state_index]


def word_classes(trace: Trace) -> WordClasses:
    """The part of speech of each word, by each layer's probe and by the combined one.

    Words are those of `trace.tokens.words`, A's and then B's; special tokens belong to none.

    Raises:
        NoProbesError: no probes were trained for this model.
        CheckpointError: its probes are missing or corrupt, or do not match the states.
    """
    probabilities, combined = load_probes(trace.model_name).read(trace)
    accuracy, control_accuracy, figure = _measured(trace.model_name)
    return WordClasses(
        tags=TAGS,
        probabilities=probabilities,
        combined=combined,
        accuracy=accuracy,
        control_accuracy=control_accuracy,
        combined_accuracy=figure.value,
        n=figure.n,
        test_set=figure.test_set,
    )


def _concatenate_layers(states: NDArray[np.floating]) -> NDArray[np.floating]:
    """(L + 1, W, D) to (W, (L + 1) * D): all states of a word concatenated, the embeddings first."""
    return states.transpose(1, 0, 2).reshape(states.shape[1], states.shape[0] * states.shape[2])


def has_probes(model_name: str) -> bool:
    """Whether there are probes for a model."""
    name = PROBES.get(usual_name(model_name))
    return name is not None and (WEIGHTS / f"{name}.safetensors").is_file()


@cache
def load_probes(model_name: str, folder: Path = WEIGHTS) -> Probes:
    """The probes of a model.

    Raises:
        NoProbesError: there are none for this model.
        CheckpointError: they are missing or corrupt, or not finite.
    """
    if usual_name(model_name) not in PROBES:
        raise NoProbesError(
            f"No probes were trained for {model_name}: parts of speech can be read off {_models_with_probes()}."
        )
    path = folder / f"{PROBES[usual_name(model_name)]}.safetensors"
    try:
        arrays = load_file(path)
        names = ("weight", "bias", "combined.weight", "combined.bias")
        probes = {name: arrays[name].astype(np.float32) for name in names}
    except (OSError, SafetensorError, KeyError) as error:
        raise CheckpointError(
            f"The probes {path.name} that come with Headlight cannot be read ({error}): install Headlight again."
        ) from error
    check_arrays(probes.items(), str(path))
    return Probes(*probes.values())


def probes_of(model_name: str) -> Probes | None:
    """The probes of a model; None where none were trained."""
    return load_probes(model_name) if has_probes(model_name) else None


def _measured(model_name: str) -> tuple[FloatArray, FloatArray, Figure]:
    """(L + 1,) accuracies and (L + 1,) control accuracies on held-out words, and the combined probe's figure."""
    card = read_card(WEIGHTS / f"{PROBES[usual_name(model_name)]}.json")
    layers = len(load_probes(model_name).weight)
    curves = [
        np.array([figure_of(card, f"{name}_{layer}").value for layer in range(layers)], np.float32)
        for name in ("tag_accuracy", "control_accuracy")
    ]
    for curve in curves:
        curve.flags.writeable = False
    return curves[0], curves[1], figure_of(card, "combined_tag_accuracy")


def _models_with_probes() -> str:
    *names, last = PROBES
    return f"{', '.join(names)} and {last}"
