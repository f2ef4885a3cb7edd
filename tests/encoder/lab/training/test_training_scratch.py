"""Training the small encoder: it learns, repeats itself, and resumes after being killed."""

import dataclasses
import gzip
import json
from functools import partial
from pathlib import Path

import pytest
import torch

from encoder.errors import CheckpointError
from encoder.lab.training import multitask, output, scratch
from encoder.lab.training import train as command
from encoder.lab.training.measuring import DevSets
from encoder.lab.training.multitask import Corpus, Training
from encoder.lab.training.scratch import with_states
from encoder.shipped.card import read_card
from encoder.shipped.multi_task import load_scratch, read_step
from encoder.shipped.names import steps
from encoder.shipped.weights_file import quantise
from encoder.text.tokenizer import Tokenizer
from encoder.transformer.encoder import Encoder
from tests.encoder.lab.training.small_corpus import REVIEWS, SETTINGS, TAGGED, TINY

DEV = DevSets(REVIEWS, TAGGED, [])

pytestmark = pytest.mark.usefixtures("one_thread")


def trained(
    corpus: Corpus, table: torch.Tensor, tokenizer: Tokenizer, state: Path | None = None, **changes: object
) -> Training:
    training = Training(dataclasses.replace(SETTINGS, **changes), table)
    training.run(partial(training.run_epoch, corpus, DEV, tokenizer), state=state)
    return training


def assert_same(one: Training, other: Training) -> None:
    assert one.history == other.history
    assert (one.step, one.epoch, one.best["step"]) == (other.step, other.epoch, other.best["step"])
    for name in one.average:
        assert torch.equal(one.average[name], other.average[name]), name
        assert torch.equal(one.best["tensors"][name], other.best["tensors"][name]), name
    assert one.kept.keys() == other.kept.keys()


# Learning -----------------------------------------------------------------------------------------------------------


def test_the_training_rows_are_learned(corpus: Corpus, table: torch.Tensor, tokenizer: Tokenizer) -> None:
    before = table.clone()
    config = dataclasses.replace(TINY, hidden_dropout_prob=0.0)
    training = trained(
        corpus, table, tokenizer, config=config, epochs=60, patience=60, batch_tokens=200, piece_dropout=0.0
    )
    first, last = training.history[0], training.history[-1]
    assert last["loss"] < 0.3 * first["loss"]
    assert (last["three_class_accuracy"], last["tag_accuracy"]) == (1, 1)
    assert last["score_mae"] < 0.1
    assert torch.equal(table, before)
    assert not any("table" in name or "position" in name for name in training.best["tensors"])


def test_hints_are_learned_too(corpus: Corpus, table: torch.Tensor, tokenizer: Tokenizer) -> None:
    torch.manual_seed(0)
    teacher = Encoder(dataclasses.replace(TINY, hidden_size=24, initializer_range=0.3)).eval()
    plain = [dataclasses.replace(example, sentiment=None, tags=None) for example in corpus.always]
    training = trained(
        Corpus(with_states(teacher, 1, plain)), table, tokenizer, epochs=20, patience=20, piece_dropout=0.0
    )
    assert training.history[-1]["loss"] < 0.6 * training.history[0]["loss"]


def test_a_killed_training_resumes_to_equal_weights(
    corpus: Corpus, table: torch.Tensor, tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = trained(corpus, table, tokenizer)
    state = tmp_path / "state.pt"
    real, calls = multitask.loss_of, []

    def dies(*args: object) -> torch.Tensor:
        calls.append(1)
        if len(calls) == whole.step * 2 // 3 - 1:
            raise KeyboardInterrupt
        return real(*args)

    with monkeypatch.context() as patched:
        patched.setattr(multitask, "loss_of", dies)
        with pytest.raises(KeyboardInterrupt):
            trained(corpus, table, tokenizer, state)
    torch.manual_seed(99)
    resumed = Training(SETTINGS, table)
    resumed.resume(state)
    assert resumed.epoch == 1
    resumed.run(partial(resumed.run_epoch, corpus, DEV, tokenizer), state=state)
    assert_same(resumed, whole)
    other = trained(corpus, table, tokenizer, seed=1)
    assert any(not torch.equal(whole.average[name], other.average[name]) for name in whole.average)


def test_training_stops_early_and_keeps_the_best(
    corpus: Corpus, table: torch.Tensor, tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = iter([1.0, 3.0, 2.0, 2.5, 9.0])
    monkeypatch.setattr(multitask, "validation", lambda figures: next(values))
    training = trained(corpus, table, tokenizer, epochs=5, patience=2)
    assert training.epoch == 4
    assert training.best["epoch"] == 2


# Saving -------------------------------------------------------------------------------------------------------------


def test_another_trainings_state_and_a_damaged_one_are_refused(table: torch.Tensor, tmp_path: Path) -> None:
    state = tmp_path / "state.pt"
    with pytest.raises(CheckpointError, match="nothing to resume"):
        Training(SETTINGS, table).resume(state)
    Training(SETTINGS, table).save(state)
    with pytest.raises(CheckpointError, match=r"other settings \(seed: 0 there, 3 here\)"):
        Training(dataclasses.replace(SETTINGS, seed=3), table).resume(state)
    state.write_bytes(state.read_bytes()[:-2000])
    with pytest.raises(CheckpointError, match="cannot be resumed"):
        Training(SETTINGS, table).resume(state)


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def fails(temporary: Path) -> None:
        temporary.write_text("half of the n")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        output.write_atomically(path, fails)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_eight_bits_are_accurate_to_half_a_percent_of_the_row(tmp_path: Path) -> None:
    tensors = {"matrix": torch.randn(5, 40), "zero": torch.zeros(2, 3), "vector": torch.randn(7)}
    path = tmp_path / "steps.safetensors"
    output.save_tensors(path, {f"7/{name}": value for name, value in quantise(tensors).items()})
    back = read_step(path, 7)
    assert back.keys() == tensors.keys()
    error = (back["matrix"] - tensors["matrix"]).abs().amax(1) / tensors["matrix"].abs().amax(1)
    assert error.max() < 0.005
    assert torch.equal(back["zero"], tensors["zero"])
    assert torch.equal(back["vector"], tensors["vector"].half().float())


def test_shipped_steps_are_spread_from_first_to_last() -> None:
    assert scratch.choose_evenly(range(18), 11) == [0, 2, 3, 5, 7, 8, 10, 12, 14, 15, 17]
    assert scratch.choose_evenly([4, 1], 11) == [1, 4]
    assert scratch.choose_evenly([], 11) == []


# The command --------------------------------------------------------------------------------------------------------


def write_data(folder: Path) -> None:
    header = "text\tscore\tlabel3\tclass5\tnatural"
    names = ("negative", "neutral", "positive")
    rows = [f"{row.text}\t{row.score}\t{names[row.sentiment]}\t{row.fine_class}\t{row.text}" for row in REVIEWS]
    for name, columns in (("sst_train", ""), ("sst_dev", ""), ("sst_phrases_train", "\tscore_exact")):
        text = "\n".join([header + columns, *(row + ("\t" if columns else "") for row in rows)]) + "\n"
        (folder / f"{name}.tsv.gz").write_bytes(gzip.compress(text.encode()))
    tagged = "".join(json.dumps({"words": ["Time", "flies"], "upos": ["NOUN", "VERB"]}) + "\n" for _ in range(3))
    for name in ("ewt_train", "ewt_dev"):
        (folder / f"{name}.jsonl").write_text(tagged)
    homograph = {"words": ["Time", "flies"], "index": 1, "upos": "VERB", "split": "train", "balanced": True}
    (folder / "noun_verb_homographs.jsonl").write_text(json.dumps(homograph) + "\n")
    challenge = {"words": ["Time", "flies"], "index": 1, "label": "VERB"}
    (folder / "noun_verb_challenge_dev.jsonl").write_text(json.dumps(challenge) + "\n")


def test_the_command_writes_weights_and_a_card_that_load(
    tmp_path: Path, bundled_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scratch, "CONFIG", TINY)
    data, out = tmp_path / "data", tmp_path / "out"
    data.mkdir()
    write_data(data)
    arguments = ["scratch", "--data", str(data), "--out", str(out), "--epochs", "2"]
    assert command.main(arguments) == 0
    names = {path.name for path in out.iterdir()}
    assert names == {"scratch.safetensors", "scratch-steps.safetensors", "scratch.json", "scratch.md"}
    card = read_card(out / "scratch.json")
    assert card["settings"]["seed"] == 0
    assert [row["step"] for row in card["extra"]["curve"]] == list(steps(out))
    assert "CC BY-SA 4.0" in (out / "scratch.md").read_text()
    with torch.random.fork_rng():
        backend = load_scratch(bundled_folder, weights=out)
    assert backend.trace("a good movie").prediction.trained
