"""Steps of a training that a callback keeps: folders that open, and traces of a text."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_array_equal
from transformers import Trainer, TrainingArguments

import encoder
from encoder.errors import ArgumentError, CheckpointError
from encoder.offers import saved_steps
from tests.encoder.random_models import FAMILIES, A, B, family_model


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three steps of a training, of which every second is kept."""
    folder = tmp_path_factory.mktemp("training")
    train(folder / "steps", encoder.StepsCallback(folder / "steps", A, every=2))
    return folder / "steps"


def train(folder: Path, callback: Any, **options: Any) -> None:
    model, tokenizer = family_model(FAMILIES["bert"], "ForSequenceClassification")
    rows = [{**tokenizer(text), "labels": label} for text, label in ((A, 0), (B, 1), (B, 0))]
    settings = TrainingArguments(
        output_dir=str(folder),
        max_steps=3,
        per_device_train_batch_size=1,
        learning_rate=0.01,
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
        save_strategy="no",
    )
    options = {"processing_class": tokenizer} | options
    with torch.random.fork_rng(devices=[]):
        Trainer(model=model, args=settings, train_dataset=rows, callbacks=[callback], **options).train()


def test_the_first_every_second_and_the_last_step_are_kept(kept: Path) -> None:
    found = sorted(path.name for path in kept.iterdir())
    steps = (0, 2, 3)
    assert found == [f"checkpoint-{step}" for step in steps] + [f"trace-{step}.safetensors" for step in steps]


def test_a_trace_that_was_kept_is_that_of_its_folder(kept: Path) -> None:
    states = []
    for step in (0, 2, 3):
        trace = encoder.Trace.load(kept / f"trace-{step}.safetensors")
        again = encoder.load(kept / f"checkpoint-{step}").trace(A)
        assert_array_equal(trace.hidden_states, again.hidden_states)
        assert trace.prediction is not None
        states.append(trace.hidden_states)
    assert not np.array_equal(states[0], states[1])
    assert not np.array_equal(states[1], states[2])


def test_each_kept_step_knows_the_others(kept: Path) -> None:
    names = {step: str(kept / f"checkpoint-{step}") for step in (0, 2, 3)}
    assert saved_steps(names[2]) == names
    assert saved_steps(f"{names[0]}/") == names
    assert saved_steps(str(kept)) == saved_steps("bundled") == saved_steps("bert-base-uncased") == {}


def test_the_folder_of_the_steps_names_one_of_them(kept: Path) -> None:
    with pytest.raises(CheckpointError, match=r"holds the steps of a training, .*/checkpoint-3\."):
        encoder.load(kept)


def test_keeping_traces_alone_writes_no_model(tmp_path: Path) -> None:
    train(tmp_path / "steps", encoder.StepsCallback(tmp_path / "steps", A, B, every=9, models=False))
    assert sorted(path.name for path in (tmp_path / "steps").iterdir()) == [
        "trace-0.safetensors",
        "trace-3.safetensors",
    ]


def test_a_training_without_a_tokenizer_is_asked_for_one(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="processing_class=tokenizer"):
        train(tmp_path, encoder.StepsCallback(tmp_path, A), processing_class=None)
    with pytest.raises(ArgumentError, match="not every 0"):
        encoder.StepsCallback(tmp_path, A, every=0)
