"""The lines of NumPy of every step run on the numbers of the run, and give the step's own numbers."""

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from encoder.experiments.anatomy.changes import changed, masked
from encoder.experiments.anatomy.names import STEPS as KEYS
from encoder.experiments.anatomy.names import Mask, StepKey
from encoder.experiments.anatomy.readout import readout
from encoder.experiments.anatomy.record import layer_of, shared
from encoder.experiments.anatomy.step_examples import SPLIT_EXAMPLE
from tests.viz.views.anatomy.conftest import answer_of
from viz.answers.answer import Code
from viz.views.anatomy.answer.step import RecordedRun

LONGEST_LINE = 64  # characters that fit beside the picture in a window of 1280 pixels
Names = dict[str, Any]


def code_of(key: StepKey, run: RecordedRun, **chosen: Any) -> Code:
    [code] = answer_of(key, run, **chosen).code.parts
    assert isinstance(code, Code)
    return code


def run_code(code: Code, names: Names) -> Any:
    """Run the lines, and give the value of the last one; the names get what the lines assign."""
    *lines, last = code.source.splitlines()
    exec("\n".join(lines), names)
    return eval(last, names)


def linear(run: RecordedRun, name: str, symbol: str, *, rows: slice = slice(None)) -> Names:
    parameters = run.record.parameters
    return {f"W_{symbol}": parameters[f"{name}.weight"][rows].T, f"b_{symbol}": parameters[f"{name}.bias"][rows]}


def norm(run: RecordedRun, name: str) -> Names:
    return {"gamma": run.record.parameters[f"{name}.weight"], "beta": run.record.parameters[f"{name}.bias"]}


def of_projections(run: RecordedRun) -> Names:
    width = run.sizes.K
    rows = slice(run.head * width, (run.head + 1) * width)
    names = {
        symbol: linear(run, f"attention.{name}", symbol, rows=rows)
        for name, symbol in (("query", "Q"), ("key", "K"), ("value", "V"))
    }
    return {"X": run.record.layer_input} | names["Q"] | names["K"] | names["V"]


def of_embeddings(run: RecordedRun) -> Names:
    tables = run.backend.encoder.embeddings
    ids = np.array(run.record.tokens.ids)
    every = torch.arange(run.sizes.V)
    with torch.inference_mode():
        word = tables.word(every).numpy()
    return {
        "ids": ids,
        "types": np.array(run.record.tokens.token_type_ids),
        "word": word,
        "position": shared(tables.position.weight),
        "token_type": shared(tables.token_type.weight),
        **norm(run, "norm"),
    }


def of_layers(run: RecordedRun) -> Names:
    def as_numpy(index: int) -> Callable[[Any], Any]:
        def call(states: Any) -> Any:
            with torch.inference_mode():
                given = torch.from_numpy(np.array(states))[None]
                return shared(layer_of(run.backend.encoder, index)(given)[0])

        return call

    return {"X_0": run.record.hidden_states[0], "layers": [as_numpy(index) for index in range(run.sizes.L)]}


def of_prediction(run: RecordedRun) -> Names:
    read = readout(run.backend, run.record)
    return {"h": read.state, "W": read.weight[:-1].T, "b": read.bias[:-1]}


def vocabulary_of(run: RecordedRun) -> dict[str, int]:
    vocabulary: dict[str, int] = run.backend.tokenizer.inner.backend_tokenizer.get_vocab()
    return vocabulary


def qk(run: RecordedRun) -> Names:
    return {"Q": run.record.query[run.head], "K": run.record.key[run.head]}


NAMES: dict[StepKey, Callable[[RecordedRun], Names]] = {
    "text": lambda run: {"vocabulary": vocabulary_of(run)},
    "ids": lambda run: {"vocabulary": vocabulary_of(run), "tokens": run.record.tokens.pieces},
    "positions": lambda run: {},
    "embeddings": of_embeddings,
    "projections": of_projections,
    "scores": qk,
    "scaling": qk,
    "mask": lambda run: {"S": run.record.scores[run.head]},
    "softmax": qk,
    "context": lambda run: {"A": run.record.weights[run.head], "V": run.record.value[run.head]},
    "heads": lambda run: {"A": run.record.weights, "V": run.record.value},
    "output": lambda run: {"C": run.record.merged, **linear(run, "attention.output", "O")},
    "residual": lambda run: {"X": run.record.layer_input, "O": run.record.attended, **norm(run, "attention_norm")},
    "feed-forward": lambda run: {
        "X_1": run.record.attention_normed,
        **linear(run, "feed_forward.up", "1"),
        **linear(run, "feed_forward.down", "2"),
    },
    "layers": of_layers,
    "prediction": of_prediction,
    "what-if": lambda run: {"A": run.record.weights[run.head], "A_changed": run.record.weights[run.head]},
    "numbers": lambda run: {},
}
COMPUTED: dict[StepKey, Callable[[RecordedRun], dict[str, Any]]] = {
    "ids": lambda run: {"ids": run.record.tokens.ids, "types": run.record.tokens.token_type_ids},
    "embeddings": lambda run: {"X_0": run.record.hidden_states[0]},
    "projections": lambda run: {
        "Q": run.record.query[run.head],
        "K": run.record.key[run.head],
        "V": run.record.value[run.head],
    },
    "scores": lambda run: {"S": run.record.products[run.head]},
    "scaling": lambda run: {"S": run.record.scores[run.head]},
    "mask": lambda run: {"A": run.record.weights[run.head]},
    "softmax": lambda run: {"A": run.record.weights[run.head]},
    "context": lambda run: {"C": run.record.context[run.head]},
    "heads": lambda run: {"C": run.record.merged},
    "output": lambda run: {"O": run.record.attended},
    "residual": lambda run: {"Z": run.record.attention_sum, "X_1": run.record.attention_normed},
    "feed-forward": lambda run: {"U": run.record.activated, "Z": run.record.output_sum},
    "prediction": lambda run: {"p": readout(run.backend, run.record).probabilities},
}


@pytest.mark.parametrize("key", KEYS)
def test_the_lines_give_the_numbers_of_the_step(key: StepKey, run: RecordedRun) -> None:
    code = code_of(key, run)
    names = {"np": np, "math": math} | NAMES[key](run)
    result = run_code(code, names)
    expected_tensors = COMPUTED[key](run) if key in COMPUTED else {}
    for name, expected in expected_tensors.items():
        np.testing.assert_allclose(names[name], expected, rtol=2e-4, atol=2e-5, err_msg=name)
    said = code.source.rpartition("# ")[2]
    if number := re.match(r"-?[\d.]+(?:e[-+]\d+)?$", said.split(",")[0]):
        assert float(result) == pytest.approx(float(number[0]), rel=2e-3, abs=2e-5)


def test_a_rare_word_falls_into_the_pieces_of_the_tokenizer(flies: RecordedRun) -> None:
    pieces = run_code(code_of("text", flies), NAMES["text"](flies))
    assert pieces == list(flies.backend.tokenize(SPLIT_EXAMPLE).pieces[1:-1])


@pytest.mark.parametrize("mask", ["padding", "causal"])
def test_the_lines_mask_as_the_model_does(mask: Mask, run: RecordedRun) -> None:
    code = code_of("mask", run, mask=mask)
    found = masked(run.backend.encoder, run.record.tokens, layer=run.record.layer, mask=mask)
    names = {"np": np, "S": found.unmasked[run.head]}
    run_code(code, names)
    np.testing.assert_allclose(names["A"], found.weights[run.head], atol=1e-5)


def test_the_share_that_moved_is_that_of_the_lines(flies: RecordedRun) -> None:
    found = changed(flies.backend.encoder, flies.record.tokens, layer=0, what_ifs=("unscaled",))
    code = code_of("what-if", flies, what_ifs=("unscaled",))
    names = {"np": np, "A": flies.record.weights[flies.head], "A_changed": found.weights[flies.head]}
    assert run_code(code, names) == pytest.approx(float(code.source.rpartition("# ")[2]), rel=1e-3)


@pytest.mark.parametrize("key", KEYS)
def test_the_lines_are_few_and_fit_and_one_is_marked_with_its_symbol(key: StepKey, flies: RecordedRun) -> None:
    code = code_of(key, flies)
    lines = code.source.splitlines()
    assert 2 <= len(lines) <= 6
    assert max(map(len, lines)) <= LONGEST_LINE, max(lines, key=len)
    assert code.marked is not None
    [formula] = answer_of(key, flies).formula.parts
    assert r"\boxed" in formula.latex
