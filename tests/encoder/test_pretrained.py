"""Folders of `transformers` models: positions, embeddings, predictions, and one clear sentence for what is wrong."""

import contextlib
import dataclasses
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from random_models import (
    BERT_SIZES,
    DISTILBERT,
    GPT2,
    ROBERTA,
    T5,
    A,
    B,
    Zoo,
    build,
    byte_tokenizer,
    edit_config,
    padded,
    run_eager,
    save,
    wordpiece_tokenizer,
)
from safetensors.torch import load_file, save_file
from transformers import PreTrainedTokenizerFast

import encoder
from encoder.errors import CheckpointError, ModelError, UnsupportedModelError
from encoder.loading import load_folder

WEIGHTS_FILE = "model.safetensors"


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Zoo:
    return Zoo(tmp_path_factory.mktemp("zoo"))


@pytest.fixture
def folder(zoo: Zoo, tmp_path: Path) -> Path:
    """A copy of a BERT folder, to be damaged."""
    return Path(shutil.copytree(zoo.folder("bert"), tmp_path / "bert"))


def assert_clear(error: ModelError) -> None:
    """One sentence that a page can show."""
    message = str(error)
    assert "\n" not in message
    assert 20 < len(message) < 400
    assert message.isprintable()


# Embeddings and positions --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("family", "parts"),
    [
        ("bert", ["word", "position", "token type"]),
        ("roberta", ["word", "position", "token type"]),
        ("distilbert", ["word", "position"]),
        ("gpt2", ["word", "position"]),
    ],
)
def test_the_parts_of_the_embedding_add_up_to_the_first_hidden_state(zoo: Zoo, family: str, parts: list[str]) -> None:
    backend = zoo.backend(family)
    pad_id = backend.model.config.pad_token_id or 0
    for tokens in (backend.tokenize(A, B), padded(backend.tokenize(A), 4, pad_id)):
        trace = backend.run(tokens)
        assert list(trace.embedding_parts) == parts
        total = torch.tensor(sum(trace.embedding_parts.values()))
        if family != "gpt2":  # which has no norm there
            with torch.inference_mode():
                total = backend.model.get_submodule("embeddings.LayerNorm")(total)
        assert_allclose(trace.hidden_states[0], total.numpy(), atol=2e-6)


def test_padding_that_is_typed_does_not_count_as_a_position_in_roberta(zoo: Zoo) -> None:
    trace = zoo.backend("roberta").trace("time <pad> flies")
    assert trace.tokens.typed_special == ("<pad>",)
    total = torch.tensor(sum(trace.embedding_parts.values()))
    with torch.inference_mode():
        expected = zoo.backend("roberta").model.get_submodule("embeddings.LayerNorm")(total)
    assert_allclose(trace.hidden_states[0], expected.numpy(), atol=2e-6)


@pytest.mark.parametrize(
    ("model_class", "config_class", "settings", "tokenizer", "longest"),
    [
        ("BertModel", "BertConfig", BERT_SIZES | {"max_position_embeddings": 512}, wordpiece_tokenizer, 512),
        ("RobertaModel", "RobertaConfig", ROBERTA | {"max_position_embeddings": 514}, byte_tokenizer, 512),
        ("RobertaModel", "RobertaConfig", ROBERTA | {"max_position_embeddings": 40}, byte_tokenizer, 38),
        ("DistilBertModel", "DistilBertConfig", DISTILBERT | {"max_position_embeddings": 33}, wordpiece_tokenizer, 33),
        ("GPT2Model", "GPT2Config", GPT2 | {"n_positions": 1024}, byte_tokenizer, 512),
        (
            "XLNetModel",
            "XLNetConfig",
            {"d_model": 32, "n_layer": 2, "n_head": 4, "d_inner": 64},
            wordpiece_tokenizer,
            512,
        ),
    ],
    ids=["bert", "roberta", "short-roberta", "distilbert", "gpt2", "xlnet"],
)
def test_a_text_is_cut_where_the_positions_end(
    tmp_path: Path,
    model_class: str,
    config_class: str,
    settings: dict[str, int],
    tokenizer: Callable[..., PreTrainedTokenizerFast],
    longest: int,
) -> None:
    inner = tokenizer() if tokenizer is wordpiece_tokenizer else tokenizer(framed=model_class == "RobertaModel")
    save(build(model_class, config_class, **{"vocab_size": len(inner), **settings}), tmp_path, inner)
    backend = load_folder("m", tmp_path)
    trace = backend.trace("time " * 600)
    assert len(trace.tokens) == trace.tokens.max_length == longest
    assert trace.tokens.truncated[0] > 0
    assert np.isfinite(trace.hidden_states).all()


def test_a_tokenizer_that_belongs_to_another_model_is_an_error(folder: Path, tmp_path: Path) -> None:
    tokenizer = wordpiece_tokenizer()
    tokenizer.add_tokens(["zeitgeist"])
    tokenizer.save_pretrained(folder)
    backend = load_folder("m", folder)
    assert backend.trace(A).num_layers == 3
    with pytest.raises(CheckpointError, match=r"'zeitgeist' the id \d+, while its model knows \d+ ids"):
        backend.trace("the zeitgeist flies")
    small = save(build("BertModel", "BertConfig", vocab_size=6, **BERT_SIZES), tmp_path / "small", tokenizer)
    with pytest.raises(CheckpointError, match="do not belong together"):
        load_folder("m", small)


# Predictions ---------------------------------------------------------------------------------------------------------


def classifier(folder: Path, **settings: object) -> encoder.Trace:
    tokenizer = wordpiece_tokenizer()
    model = build("BertForSequenceClassification", "BertConfig", vocab_size=len(tokenizer), **BERT_SIZES, **settings)
    save(model, folder, tokenizer)
    trace = load_folder("m", folder).trace(A, B)
    expected = run_eager(model, trace.tokens)
    assert trace.prediction is not None
    assert_allclose(trace.prediction.logits, expected.logits[0].numpy(), atol=1e-5)
    assert trace.prediction.trained
    return trace


def test_a_classifier_shows_its_own_labels(tmp_path: Path) -> None:
    labels = {0: "contradiction", 1: "neutral", 2: "entailment"}
    prediction = classifier(tmp_path, id2label=labels, label2id={name: i for i, name in labels.items()}).prediction
    assert prediction.labels == tuple(labels.values())
    exponentials = np.exp(prediction.logits)
    assert_allclose(prediction.probabilities, exponentials / exponentials.sum(), rtol=1e-5)
    assert prediction.score is None


def test_one_label_is_a_score(tmp_path: Path) -> None:
    prediction = classifier(tmp_path, num_labels=1).prediction
    assert prediction.labels == ("score",)
    assert prediction.probabilities is None
    assert prediction.score == pytest.approx(float(prediction.logits[0]))


def test_labels_that_may_hold_at_once_get_a_probability_each(tmp_path: Path) -> None:
    prediction = classifier(tmp_path, num_labels=4, problem_type="multi_label_classification").prediction
    assert_allclose(prediction.probabilities, 1 / (1 + np.exp(-prediction.logits)), rtol=1e-5)
    assert "need not sum to 1" in prediction.note


def test_regression_towards_several_targets_shows_all_of_them(tmp_path: Path) -> None:
    prediction = classifier(tmp_path, num_labels=3, problem_type="regression").prediction
    assert len(prediction.labels) == len(prediction.logits) == 3
    assert prediction.probabilities is None


@pytest.mark.parametrize("family", ["bert", "gpt2", "deberta-v2"])
def test_a_model_without_a_head_predicts_nothing(zoo: Zoo, family: str) -> None:
    assert zoo.backend(family).trace(A).prediction is None


def test_a_masked_language_model_is_shown_without_its_head(tmp_path: Path) -> None:
    tokenizer = wordpiece_tokenizer()
    model = build("BertForMaskedLM", "BertConfig", vocab_size=len(tokenizer), **BERT_SIZES)
    trace = load_folder("m", save(model, tmp_path, tokenizer)).trace(A)
    assert trace.prediction is None
    assert_allclose(trace.hidden_states, torch.cat(run_eager(model, trace.tokens).hidden_states).numpy(), atol=2e-5)


def test_a_classifier_without_its_classifier_is_an_error(folder: Path) -> None:
    edit_config(folder, architectures=["BertForSequenceClassification"])
    with pytest.raises(CheckpointError, match=r"BertForSequenceClassification: it lacks classifier\.bias and 1 more"):
        load_folder("m", folder)


# Folders that are wrong ----------------------------------------------------------------------------------------------


def rewrite(folder: Path, change: Callable[[dict[str, torch.Tensor]], object]) -> None:
    tensors = load_file(folder / WEIGHTS_FILE)
    change(tensors)
    save_file(tensors, folder / WEIGHTS_FILE, metadata={"format": "pt"})


def cut(path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:size])


def remove_tokenizer(folder: Path) -> None:
    for path in folder.glob("tokenizer*"):
        path.unlink()


QUERY = "encoder.layer.1.attention.self.query.weight"
REMOTE_CODE = {"auto_map": {"AutoConfig": "configuration_x.X", "AutoModel": "modeling_x.X"}}

DAMAGES: dict[str, tuple[Callable[[Path], object], type[ModelError], str]] = {
    "no weights": (lambda f: (f / WEIGHTS_FILE).unlink(), CheckpointError, "holds no weights"),
    "pickle only": (
        lambda f: (f / WEIGHTS_FILE).rename(f / "pytorch_model.bin"),
        CheckpointError,
        "as a pickle only",
    ),
    "header cut": (lambda f: cut(f / WEIGHTS_FILE, 1000), CheckpointError, "cannot be loaded"),
    "data cut": (lambda f: cut(f / WEIGHTS_FILE, 50_000), CheckpointError, "cannot be loaded"),
    "empty weights": (lambda f: cut(f / WEIGHTS_FILE, 0), CheckpointError, "cannot be loaded"),
    "a web page for weights": (
        lambda f: (f / WEIGHTS_FILE).write_text("<html>Not found</html>" * 9),
        CheckpointError,
        "cannot be loaded",
    ),
    "weights of another name": (
        lambda f: (f / WEIGHTS_FILE).rename(f / "weights.safetensors"),
        CheckpointError,
        "cannot be loaded",
    ),
    "a tensor missing": (
        lambda f: rewrite(f, lambda tensors: tensors.pop(QUERY)),
        CheckpointError,
        f"it lacks {QUERY}",
    ),
    "a tensor of another shape": (
        lambda f: rewrite(f, lambda tensors: tensors.update({QUERY: torch.zeros(8, 32)})),
        CheckpointError,
        rf"{QUERY} is \(8, 32\) and should be \(32, 32\)",
    ),
    "more layers than weights": (
        lambda f: edit_config(f, num_hidden_layers=7),
        CheckpointError,
        r"it lacks encoder\.layer\.3\..* and 63 more",
    ),
    "fewer layers than weights": (
        lambda f: edit_config(f, num_hidden_layers=2),
        CheckpointError,
        r"more layers than its config\.json says \(2\): encoder\.layer\.2\.",
    ),
    "wider than the weights": (
        lambda f: edit_config(f, hidden_size=64),
        CheckpointError,
        r"is \(32,\) and should be \(64,\)",
    ),
    "heads that do not divide the width": (
        lambda f: edit_config(f, num_attention_heads=5),
        CheckpointError,
        "not a multiple",
    ),
    "no heads": (lambda f: edit_config(f, num_attention_heads=0), CheckpointError, "cannot be loaded"),
    "a width that is no number": (
        lambda f: edit_config(f, hidden_size="wide"),
        CheckpointError,
        "describes no bert model.*'wide'",
    ),
    "an unknown activation": (lambda f: edit_config(f, hidden_act="nope"), CheckpointError, "nope"),
    "no config": (lambda f: (f / "config.json").unlink(), CheckpointError, "not a model folder"),
    "config cut": (lambda f: cut(f / "config.json", 40), CheckpointError, r"config\.json cannot be read"),
    "config that is no text": (
        lambda f: (f / "config.json").write_bytes(b"\xff\xfe\x00"),
        CheckpointError,
        r"config\.json cannot be read",
    ),
    "config that is a list": (lambda f: (f / "config.json").write_text("[1]"), CheckpointError, "holds list"),
    "no model type": (lambda f: edit_config(f, model_type=None), CheckpointError, "does not say which model_type"),
    "a model type that is no text": (lambda f: edit_config(f, model_type=[3]), ModelError, "3"),
    "an unknown model type": (
        lambda f: edit_config(f, model_type="ours"),
        UnsupportedModelError,
        "'ours'.*without running code",
    ),
    "remote code": (
        lambda f: edit_config(f, model_type="ours", **REMOTE_CODE),
        UnsupportedModelError,
        "'ours'.*without running code",
    ),
    "no tokenizer": (remove_tokenizer, CheckpointError, "holds no tokenizer"),
    "tokenizer cut": (lambda f: cut(f / "tokenizer.json", 100), CheckpointError, "tokenizer .* cannot be loaded"),
    "tokenizer of another program": (
        lambda f: (f / "tokenizer.json").write_text('{"version": "1.0"}'),
        CheckpointError,
        "tokenizer .* cannot be loaded",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_folder_is_one_clear_error(folder: Path, damage: str, capfd: pytest.CaptureFixture[str]) -> None:
    change, kind, message = DAMAGES[damage]
    change(folder)
    capfd.readouterr()
    with pytest.raises(kind, match=message) as caught:
        encoder.load(str(folder))
    assert_clear(caught.value)
    assert capfd.readouterr() == ("", "")
    with contextlib.suppress(ModelError):  # our own encoder reads less of the folder, so that some damage is none
        encoder.load(f"scratch-bert:{folder}")


def test_code_that_comes_with_a_known_model_type_does_not_run(folder: Path) -> None:
    edit_config(folder, **REMOTE_CODE)
    for name in ("configuration_x.py", "modeling_x.py"):
        (folder / name).write_text("raise SystemExit('this code ran')")
    assert load_folder("m", folder).trace(A).num_layers == 3


def test_a_sharded_model_loads_and_a_missing_shard_is_an_error(folder: Path, zoo: Zoo) -> None:
    (folder / WEIGHTS_FILE).unlink()
    zoo.eager("bert").save_pretrained(folder, max_shard_size="50KB")
    shards = sorted(folder.glob("model-*.safetensors"))
    assert len(shards) > 1
    assert_allclose(
        load_folder("m", folder).trace(A).hidden_states, zoo.backend("bert").trace(A).hidden_states, atol=1e-5
    )
    shards[-1].unlink()
    with pytest.raises(CheckpointError, match="No such file") as caught:
        load_folder("m", folder)
    assert_clear(caught.value)
    (folder / f"{WEIGHTS_FILE}.index.json").write_text("{")
    with pytest.raises(CheckpointError):
        load_folder("m", folder)


def test_a_pooler_is_not_missed(folder: Path) -> None:
    rewrite(folder, lambda tensors: [tensors.pop(name) for name in list(tensors) if "pooler" in name])
    assert load_folder("m", folder).trace(A).num_layers == 3


TINY = {"num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 32, "intermediate_size": 64}
BART = {"d_model": 32, "encoder_layers": 1, "encoder_attention_heads": 4, "encoder_ffn_dim": 64}
BART |= {"decoder_layers": 1, "decoder_attention_heads": 4, "decoder_ffn_dim": 64}
UNSUPPORTED = {
    "no attention": ("FNetModel", "FNetConfig", TINY, "returns no attention"),
    "state space": (
        "MambaModel",
        "MambaConfig",
        {"hidden_size": 32, "num_hidden_layers": 2},
        "returns no attention",
    ),
    "local attention": (
        "LongformerModel",
        "LongformerConfig",
        TINY | {"attention_window": 4},
        "does not weigh every token against every token",
    ),
    "pooled layers": (
        "FunnelModel",
        "FunnelConfig",
        {"d_model": 32, "n_head": 4, "d_head": 8, "d_inner": 64, "block_sizes": [1, 1]},
        "cannot be run on a text|not one stack",
    ),
    "encoder-decoder": ("T5Model", "T5Config", T5, r"encoder-decoder \(t5\)"),
    "encoder-decoder to generate": ("T5ForConditionalGeneration", "T5Config", T5, r"encoder-decoder \(t5\)"),
    "BART": (
        "BartModel",
        "BartConfig",
        BART,
        r"encoder-decoder \(bart\)",
    ),
    "images": ("ViTModel", "ViTConfig", TINY | {"image_size": 32, "patch_size": 16}, "reads pixel_values, not text"),
}


@pytest.mark.parametrize("kind", UNSUPPORTED)
def test_what_is_no_text_encoder_with_attention_is_one_clear_error(tmp_path: Path, kind: str) -> None:
    model_class, config_class, settings, message = UNSUPPORTED[kind]
    tokenizer = wordpiece_tokenizer()
    vocabulary = {} if kind == "images" else {"vocab_size": len(tokenizer), "pad_token_id": 0}
    save(build(model_class, config_class, **vocabulary, **settings), tmp_path, None if kind == "images" else tokenizer)
    with pytest.raises(UnsupportedModelError, match=message) as caught:
        encoder.load(str(tmp_path))
    assert_clear(caught.value)


def test_a_failed_load_leaves_the_others_as_they_were(zoo: Zoo, folder: Path) -> None:
    before = zoo.backend("bert").trace(A)
    cut(folder / WEIGHTS_FILE, 1000)
    with pytest.raises(CheckpointError):
        load_folder("m", folder)
    assert_allclose(zoo.backend("bert").trace(A).hidden_states, before.hidden_states)


def test_an_old_folder_without_tokenizer_json_is_read_from_its_vocabulary(folder: Path, zoo: Zoo) -> None:
    vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    remove_tokenizer(folder)
    (folder / "vocab.txt").write_text("\n".join(sorted(vocabulary, key=vocabulary.__getitem__)) + "\n")
    ours, expected = load_folder("m", folder).tokenize(A, B), zoo.backend("bert").tokenize(A, B)
    assert dataclasses.replace(ours, max_length=expected.max_length) == expected
