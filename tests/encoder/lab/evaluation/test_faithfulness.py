"""The command that measures attribution methods, on a handful of sentences and the small shipped model."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from encoder import Backend
from encoder.attribution.methods.decompx import decompx_class
from encoder.attribution.removals import removable_units
from encoder.errors import ArgumentError, UnsupportedModelError
from encoder.lab.evaluation import faithfulness
from encoder.lab.evaluation.faithfulness import evaluate, removal_curves, with_interval
from encoder.lab.evaluation.orders import ORDERS, Explained
from encoder.lab.training.data import read_reviews
from encoder.measures.near_ties import largest_first
from tests.encoder.lab.training.small_corpus import write_reviews
from tests.rounding import Written

SENTENCES = (
    ("a lovely and moving film", 0.9, "positive"),
    ("nobody knows", 0.5, "neutral"),
    ("dull , stupid and far too long", 0.1, "negative"),
    ("good", 0.8, "positive"),
)
MOST = tuple(name for name in ORDERS if name not in ("integrated-gradients", "integrated-gradients-8"))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_reviews(tmp_path_factory.mktemp("sst") / "sst.tsv", SENTENCES)


@pytest.fixture
def explained(scratch: Backend) -> Explained:
    tokens = scratch.tokenize("a lovely film , and so moving too")
    return Explained(scratch, tokens, removable_units(tokens), 2, 0)


@pytest.mark.parametrize("method", MOST)
def test_every_method_is_measured_on_polar_sentences(scratch: Backend, file: Path, method: str) -> None:
    figures = evaluate(scratch, read_reviews(file), method)
    assert (figures["model"], figures["method"], figures["n"]) == ("scratch", method, 3)
    for name, low, high in (("aopc", -1, 1), ("accuracy", 0, 100), ("deletion", -1, 1)):
        assert low <= figures[name] <= high
        assert figures[f"{name}_interval"] is None  # of three sentences


def test_the_greedy_order_is_no_worse_than_a_random_one(scratch: Backend, file: Path) -> None:
    greedy, random = (evaluate(scratch, read_reviews(file), name)["aopc"] for name in ("greedy", "random"))
    assert greedy >= random


def test_the_curve_is_what_single_runs_give(explained: Explained) -> None:
    order = (1, 6, *(unit for unit in range(len(explained.units)) if unit not in (1, 6)))
    falls, kept = removal_curves([explained], [order], "mask", (10, 30))
    backend, tokens = explained.backend, explained.tokens
    masked = [piece if index not in (2, 7) else "[MASK]" for index, piece in enumerate(tokens.labels)][1:-1]
    texts = (" ".join(tokens.labels[1:-1]), " ".join(masked))
    logits = [backend.trace(text).prediction.logits for text in texts]  # type: ignore[union-attr]
    before, after = (1 / (1 + np.exp(of_text[0] - of_text[2])) for of_text in logits)
    assert_allclose(falls, [[0, before - after]], atol=1e-5)
    assert_array_equal(kept, [[1, float(after > 0.5)]])


def test_orders_are_permutations_and_repeat(explained: Explained) -> None:
    for name in ("random", "shapley"):
        order = ORDERS[name](explained, 3)
        assert sorted(order) == list(range(len(explained.units)))
        assert ORDERS[name](explained, 3) == order
    assert ORDERS["random"](explained, 4) != ORDERS["random"](explained, 3)


def test_decompx_is_measured_with_shared_biases_and_without(scratch: Backend) -> None:
    tokens = scratch.tokenize("it is never boring , and for once a sequel that nobody will want to miss at all")
    explained, trace = Explained(scratch, tokens, removable_units(tokens), 2, 0), scratch.run(tokens)
    for name, biases in (("decompx", "shared"), ("decompx-biases-apart", "apart")):
        found = decompx_class(scratch, trace, explained.log_odds, biases=biases)  # type: ignore[arg-type]
        assert ORDERS[name](explained, 0) == largest_first(explained.of_units(found.values))
    assert ORDERS["decompx"](explained, 0) != ORDERS["decompx-biases-apart"](explained, 0)


def test_equal_values_keep_the_order_of_the_text() -> None:
    assert largest_first(np.array([1, 3, 1, 2], np.float32)) == (1, 3, 0, 2)


def test_intervals_are_those_of_a_mean() -> None:
    found = with_interval("aopc", np.arange(5, dtype=np.float32))
    assert found == {
        "aopc": 2,
        "aopc_interval": [pytest.approx(0.0368, abs=Written(1e-4)), pytest.approx(3.9632, abs=Written(1e-4))],
    }
    assert with_interval("aopc", np.array([0.25], np.float32)) == {"aopc": 0.25, "aopc_interval": None}


def test_the_command_prints_json(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["--sst", str(file), "--model", "scratch", "--method", "decompx", "--limit", "2"]
    assert faithfulness.main(command) == 0
    assert json.loads(capsys.readouterr().out)["n"] == 2


def test_errors_are_explained_in_a_sentence(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], scratch_bert: Backend
) -> None:
    command = ["--model", "scratch", "--method", "random", "--sst"]
    assert faithfulness.main([*command, str(tmp_path / "none.tsv")]) == 1
    assert "There is no file" in capsys.readouterr().err
    for arguments in ([*command, str(file), "--limit", "0"], [*command[:2], "--method", "none", "--sst", str(file)]):
        with pytest.raises(SystemExit):
            faithfulness.main(arguments)
    assert faithfulness.main(["--model", "scratch-untrained", "--method", "greedy", "--sst", str(file)]) == 0
    with pytest.raises(UnsupportedModelError, match="no sentiment head"):
        evaluate(scratch_bert, read_reviews(file), "random")
    with pytest.raises(ArgumentError, match="no negative or positive sentence"):
        evaluate(scratch_bert, [review for review in read_reviews(file) if review.sentiment == 1], "random")
