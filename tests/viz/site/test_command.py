"""`headlight site build`: a sentence for each model, folder, text and lesson that cannot become a page."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.encoder.random_models import BERT_SIZES, ROBERTA, build, byte_tokenizer, wordpiece_tokenizer
from viz.site.command import main


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random BERT of two layers."""
    folder = tmp_path_factory.mktemp("models") / "tiny"
    build("BertModel", "BertConfig", **BERT_SIZES | {"num_hidden_layers": 2, "vocab_size": 200}).save_pretrained(folder)
    wordpiece_tokenizer().save_pretrained(folder)
    return folder


def refused(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """What the command says on an error."""
    capsys.readouterr()
    assert main(["build", *map(str, arguments)]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    return said


def test_a_model_that_browsers_cannot_run_is_refused_in_a_sentence(
    tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    roberta = tmp_path / "roberta"
    build("RobertaModel", "RobertaConfig", **ROBERTA | {"num_hidden_layers": 1}).save_pretrained(roberta)
    byte_tokenizer(framed=True).save_pretrained(roberta)
    out = tmp_path / "site"
    said = refused(capsys, "--model", roberta, "--out", out)
    assert "cannot run in a browser" in said
    assert "of type 'roberta'" in said
    assert "headlight --model NAME" in said
    of_bytes = tmp_path / "bytes"
    build("BertModel", "BertConfig", **BERT_SIZES | {"num_hidden_layers": 1}).save_pretrained(of_bytes)
    byte_tokenizer(framed=True).save_pretrained(of_bytes)
    assert "is not the WordPiece tokenizer" in refused(capsys, "--model", of_bytes, "--out", out)
    assert "There is no folder" in refused(capsys, "--model", tmp_path / "nothing", "--out", out)
    assert "seq2seq" in refused(capsys, "--model", "seq2seq", "--out", out)
    assert not out.exists()


def test_a_place_or_text_that_does_not_work_is_named(
    tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    used = tmp_path / "used"
    used.mkdir()
    (used / "index.html").write_text("mine")
    assert "index.html that is not from Headlight" in refused(capsys, "--model", tiny, "--out", used)
    assert (used / "index.html").read_text() == "mine"
    assert "cannot be written there" in refused(capsys, "--model", tiny, "--out", used / "index.html")
    assert "Sentence A is empty" in refused(capsys, "--model", tiny, "--out", tmp_path / "new", "--text", " ")
    assert "none is not a tour" in refused(capsys, "--model", tiny, "--out", tmp_path / "new", "--lessons", "none")
    assert refused(capsys, "--out", tmp_path, "--text-b", "alone") == "--text-b needs --text.\n"


def test_a_missing_package_is_named_with_its_requirements(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("viz.site.build", "encoder.export.graph"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "onnx", None)
    assert refused(capsys, "--out", tmp_path) == (
        "This needs the package onnx: pip install -r viz/site/requirements.txt\n"
    )
