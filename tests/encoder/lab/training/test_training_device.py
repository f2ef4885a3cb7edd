"""Where a training runs: all its tensors are on one device, and a device that is not there is refused."""

import gzip
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch

from encoder import catalogue
from encoder.lab.training import scratch, sentiment, seq2seq
from encoder.lab.training import train as command
from encoder.lab.training.adapter import Settings
from encoder.lab.training.sentiment import FrozenSettings
from tests.encoder.lab.training.small_corpus import TINY
from tests.encoder.lab.training.test_training_scratch import write_data
from tests.encoder.lab.training.test_training_seq2seq import TINY as TINY_SEQ2SEQ

COMMANDS = {
    "scratch": ["scratch", "--epochs", "1"],
    "sentiment": ["sentiment", "--epochs", "1"],
    "frozen": ["sentiment", "--frozen"],
    "probes": ["probes"],
    "seq2seq": ["seq2seq", "--epochs", "1", "--batches", "2", "--held-out", "1"],
}

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture
def train_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Runs a command of COMMANDS on the small corpus; gives the folder with what it wrote."""
    monkeypatch.setattr(scratch, "CONFIG", TINY)
    monkeypatch.setattr(seq2seq, "CONFIG", replace(TINY_SEQ2SEQ, num_hidden_layers=1))
    monkeypatch.setattr(sentiment, "Settings", partial(Settings, sentences=4, phrases=4))
    monkeypatch.setattr(sentiment, "FrozenSettings", partial(FrozenSettings, iterations=2))
    data = tmp_path / "data"
    data.mkdir()
    write_data(data)
    phrases = data / "sst_phrases_train.tsv.gz"  # whole sentences are no phrases
    phrases.write_bytes(gzip.compress(gzip.decompress(phrases.read_bytes()).replace(b"a ", b"quite a ")))

    def run(name: str, *arguments: str) -> Path:
        out = tmp_path / name
        files = [] if name == "seq2seq" else ["--data", str(data)]
        assert command.main([*COMMANDS[name], "--out", str(out), *files, *arguments]) == 0
        return out

    return run


@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")  # correlations of zeros
@pytest.mark.filterwarnings("ignore:.is_gradient_checkpointing.:FutureWarning")  # peft asks transformers for it
@pytest.mark.parametrize("name", COMMANDS)
def test_all_tensors_of_a_training_are_on_its_device(
    name: str, train_in: Callable[..., Path], far: torch.device, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (command, catalogue):
        monkeypatch.setattr(module, "choose_device", lambda name: far)
    monkeypatch.setattr(sentiment, "write_card", lambda *args: None)  # of zeros, some figures cannot be worked out
    assert any(path.suffix == ".safetensors" for path in train_in(name).iterdir())


def test_an_absent_device_is_refused_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([*COMMANDS["seq2seq"], "--out", str(tmp_path), "--device", "cuda:99"]) == 1
    message = capsys.readouterr().err
    assert message.startswith("There is no device 'cuda:99' here: torch finds ")
    assert message.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
