"""Tensors that a model leaves out, weights that a checkpoint lacks, prefixes, and relative positions."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from safetensors.torch import load_file, save_file

from encoder.catalogue import load
from encoder.errors import CheckpointError, ModelError, UnsupportedModelError
from encoder.models.loading import NOMIC_NAMES, load_folder, load_seq2seq_folder
from tests.encoder.random_models import (
    FAMILIES,
    T5,
    A,
    B,
    Zoo,
    bert_folder,
    build,
    check_of,
    edit_config,
    family_folder,
    save,
    wordpiece_tokenizer,
)

Tensors = dict[str, torch.Tensor]
ZEROS = torch.zeros(4, 32)
IDS = {"pad_token_id": 0, "decoder_start_token_id": 2, "bos_token_id": 2, "eos_token_id": 3}
LORA = "encoder.layer.1.attention.self.query.lora_A.default.weight"


def rewrite(folder: Path, change: Callable[[Tensors], Tensors | None]) -> None:
    tensors = load_file(folder / "model.safetensors")
    save_file(change(tensors) or tensors, folder / "model.safetensors", metadata={"format": "pt"})


@pytest.mark.parametrize(
    ("model_class", "architectures", "added", "named"),
    [
        ("BertModel", ["BertModel"], {LORA: ZEROS}, "encoder.layer.N.attention.self.query.lora_A.default.weight"),
        ("BertModel", ["BertModel"], {"classifier.weight": ZEROS}, "classifier.weight"),
        ("BertModel", None, {"my_classifier.weight": ZEROS}, "my_classifier.weight"),
        ("BertModel", ["OurModel"], {"linear.weight": ZEROS}, "linear.weight"),
        ("BertModel", ["BertModel"], {"head.weight": ZEROS}, "head.weight"),
        ("BertForTokenClassification", None, {"crf.transitions": ZEROS}, "classifier.bias, classifier.weight"),
        ("BertForTokenClassification", ["BertForTokenClassification"], {"crf.transitions": ZEROS}, "crf.transitions"),
        ("BertModel", ["BertModel"], {"encoder.layer.0.attention.self.distance_embedding.weight": ZEROS}, "distance"),
    ],
)
def test_a_tensor_that_belongs_to_the_numbers_is_named(
    model_class: str, architectures: list[str] | None, added: Tensors, named: str, tmp_path: Path
) -> None:
    folder = bert_folder(tmp_path / "bert", model_class)
    rewrite(folder, lambda tensors: tensors.update(added))
    edit_config(folder, architectures=architectures)
    backend = load_folder("bert", folder)
    [remark] = backend.passport.remarks
    assert remark.name == "Weights"
    assert named in remark.sentence
    assert any(named in note for note in backend.trace(A).notes)


@pytest.mark.parametrize(
    ("model_class", "architectures", "added", "named"),
    [
        ("BertForPreTraining", ["BertForMaskedLM"], {}, "bert.pooler.dense.bias, "),
        ("BertForPreTraining", ["BertForPreTraining"], {}, "cls.seq_relationship.weight"),
        ("BertForPreTraining", ["BertModel"], {}, "cls.predictions.bias"),
        ("BertModel", ["BertModel"], {"embeddings.position_ids": torch.arange(64)[None]}, ""),
        (
            "BertForTokenClassification",
            ["BertForTokenClassification"],
            {"bert.pooler.dense.bias": ZEROS},
            "bert.pooler",
        ),
        ("BertModel", ["BertForMaskedLM"], {}, ""),
    ],
)
def test_heads_of_pretraining_and_buffers_are_no_remark(
    model_class: str, architectures: list[str], added: Tensors, named: str, tmp_path: Path
) -> None:
    folder = bert_folder(tmp_path / "bert", model_class)
    rewrite(folder, lambda tensors: tensors.update(added))
    edit_config(folder, architectures=architectures)
    check = check_of(load_folder("bert", folder), "Weights")
    assert (check.outcome, check.value) == ("holds", 0)
    assert named in check.sentence


def test_weights_that_the_checkpoint_lacks_and_nothing_reads_are_named(tmp_path: Path) -> None:
    folder = bert_folder(tmp_path / "bert")
    rewrite(folder, lambda tensors: {name: each for name, each in tensors.items() if "pooler" not in name})
    check = check_of(load_folder("bert", folder), "Weights")
    assert check.outcome == "holds"
    assert "Not in the checkpoint, and not read: pooler.dense.bias" in check.sentence


@pytest.mark.parametrize(
    ("model_class", "prefix"),
    [
        ("BertModel", "module."),
        ("BertModel", "0.auto_model."),
        ("BertForSequenceClassification", "_orig_mod."),
        ("BertForSequenceClassification", "module._orig_mod."),
        ("BertForMaskedLM", "student.model."),
    ],
)
def test_a_prefix_of_all_names_is_removed_and_named(model_class: str, prefix: str, tmp_path: Path) -> None:
    plain = load_folder("plain", bert_folder(tmp_path / "plain", model_class)).trace(A, B)
    folder = bert_folder(tmp_path / "prefixed", model_class)
    rewrite(folder, lambda tensors: {f"{prefix}{name}": each for name, each in tensors.items()})
    backend = load_folder("prefixed", folder)
    assert_allclose(backend.trace(A, B).hidden_states, plain.hidden_states, rtol=0, atol=0)
    [remark] = backend.passport.remarks
    assert f"begin with “{prefix}”" in remark.sentence


def test_two_models_in_one_checkpoint_are_refused(tmp_path: Path) -> None:
    folder = bert_folder(tmp_path / "bert")
    rewrite(
        folder, lambda t: {f"{side}.{name}": each.clone() for name, each in t.items() for side in ("query", "text")}
    )
    with pytest.raises(CheckpointError, match=r"several models, whose names begin with “query\.” and “text\.”"):
        load_folder("bert", folder)


def as_integers(dtype: torch.dtype) -> Callable[[Tensors], None]:
    def change(tensors: Tensors) -> None:
        for name, tensor in tensors.items():
            if name.endswith("query.weight"):
                tensors[name] = (100 * tensor).to(dtype)

    return change


def with_scales(tensors: Tensors) -> None:
    as_integers(torch.float8_e4m3fn)(tensors)
    tensors["encoder.layer.0.attention.self.query.weight_scale"] = torch.ones(32)


def packed(tensors: Tensors) -> None:
    weight = tensors.pop("encoder.layer.0.attention.self.query.weight")
    tensors["encoder.layer.0.attention.self.query.qweight"] = weight.int()


@pytest.mark.parametrize(
    "change",
    [as_integers(torch.int8), as_integers(torch.uint8), as_integers(torch.int32), with_scales, packed],
    ids=["int8", "uint8", "int32", "float8 with scales", "GPTQ"],
)
def test_quantised_weights_are_refused(change: Callable[[Tensors], None], tmp_path: Path) -> None:
    folder = bert_folder(tmp_path / "bert")
    rewrite(folder, change)
    with pytest.raises(UnsupportedModelError, match=r"query\.q?weight\), whose values need scales"):
        load_folder("bert", folder)


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("onnx/model.onnx", r"only as ONNX \(onnx/model\.onnx\)"),
        ("openvino_model.bin", "only for OpenVINO"),
        ("model-q4.gguf", "only as GGUF"),
        ("tf_model.h5", "only for TensorFlow"),
        ("flax_model.msgpack", "only for Flax"),
        ("model.zip", "only in an archive .*: unpack it"),
    ],
)
def test_weights_in_another_format_are_named(file: str, said: str, tmp_path: Path) -> None:
    folder = bert_folder(tmp_path / "bert")
    (folder / file).parent.mkdir(exist_ok=True)
    (folder / "model.safetensors").rename(folder / file)
    with pytest.raises(CheckpointError, match=said):
        load_folder("bert", folder)


@pytest.mark.parametrize(
    ("file", "start", "said"),
    [
        ("model.safetensors", b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "`git lfs pull`"),
        ("tokenizer.json", b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "`git lfs pull`"),
        ("model.safetensors", b"<!DOCTYPE html><html>Not found</html>", "is a web page"),
        ("model.safetensors", b"PK\x03\x04 and so on", "zip archive or a pickle"),
        ("model.safetensors", b"GGUF and so on", "is a GGUF file"),
    ],
)
def test_a_file_that_is_something_else_is_named(file: str, start: bytes, said: str, tmp_path: Path) -> None:
    folder = bert_folder(tmp_path / "bert")
    (folder / file).write_bytes(start)
    with pytest.raises(CheckpointError, match=said):
        load_folder("bert", folder)


def test_static_embeddings_have_nothing_to_show(tmp_path: Path) -> None:
    modules = '[{"idx": 0, "path": "", "type": "sentence_transformers.models.StaticEmbedding"}]'
    (tmp_path / "modules.json").write_text(modules)
    said = "static embeddings, which have no attention: there is nothing to show"
    with pytest.raises(UnsupportedModelError, match=said):
        load_folder("static", tmp_path)
    for config in ('{"frozen": false}', '{"model_type": "model2vec", "architectures": ["StaticModel"]}'):
        (tmp_path / "config.json").write_text(config)
        with pytest.raises(UnsupportedModelError, match=said):
            load_folder("static", tmp_path)


def test_a_router_names_its_models(tmp_path: Path) -> None:
    (tmp_path / "router_config.json").write_text("{}")
    bert_folder(tmp_path / "query_0_Transformer")
    with pytest.raises(CheckpointError, match=r"a Router .* as in .*query_0_Transformer"):
        load_folder("router", tmp_path)


CODE = {"auto_map": {"AutoModel": "modeling_x.X"}}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"model_type": "new"}, "is of type 'new'.* whose config.json names a model_type of transformers"),
        ({"model_type": "roberta"} | CODE, r"it lacks .* code of its own \(modeling_x.X\), which is not run: take"),
    ],
)
def test_a_model_of_its_own_code_is_refused_with_a_way_on(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    folder = bert_folder(tmp_path / "bert")
    tensors = {f"mixer.{name}": tensor for name, tensor in load_file(folder / "model.safetensors").items()}
    save_file({name.replace("query", "Wqkv"): tensor for name, tensor in tensors.items()}, folder / "model.safetensors")
    edit_config(folder, **changes)
    with pytest.raises(ModelError, match=said):
        load_folder("own", folder)


def test_code_that_is_not_run_is_named(tmp_path: Path) -> None:
    folder = bert_folder(tmp_path / "bert")
    edit_config(folder, **CODE)
    [note] = load_folder("bert", folder).trace("time").notes
    assert "code of its own (modeling_x.X), which is not run: what is shown is BertModel" in note


def test_nomic_bert_is_read_by_the_names_of_its_own_code(tmp_path: Path) -> None:
    zoo = Zoo(tmp_path)
    expected = zoo.backend("nomic-bert").trace("time flies like an arrow")
    settings = json.loads((zoo.folder("nomic-bert") / "config.json").read_text())
    named = {own: settings[name] for own, name in NOMIC_NAMES.items()} | {"rotary_emb_base": 10}
    edit_config(zoo.folder("nomic-bert"), **named, **dict.fromkeys([*NOMIC_NAMES.values(), "rope_parameters"]))
    other = load_folder("nomic", zoo.folder("nomic-bert"))
    assert other.num_heads == zoo.backend("nomic-bert").num_heads
    assert other.model.config.rope_parameters["rope_theta"] == 10
    edit_config(zoo.folder("nomic-bert"), rotary_emb_base=settings["rope_parameters"]["rope_theta"])
    found = load_folder("nomic", zoo.folder("nomic-bert")).trace("time flies like an arrow")
    np.testing.assert_array_equal(found.hidden_states, expected.hidden_states)


def test_a_head_with_more_rows_than_names_is_refused_with_both_numbers(tmp_path: Path) -> None:
    folder = bert_folder(tmp_path / "bert", "BertForSequenceClassification", num_labels=3)
    edit_config(folder, id2label={"0": "no", "1": "yes"}, label2id={"no": 0, "yes": 1})
    with pytest.raises(CheckpointError, match="names 2 classes, and its head has 3"):
        load_folder("bert", folder)


ATTENTION = "encoder.layer.{}.attention.self"
RELATIVE = {
    "bert": ATTENTION,
    "roberta": ATTENTION,
    "megatron-bert": ATTENTION,
    "electra": f"electra.{ATTENTION}",  # below a head
    "albert": "encoder.albert_layer_groups.0.albert_layers.0.attention",
}


def relative_folder(folder: Path, family: str, kind: str) -> Path:
    attention, positions = RELATIVE[family], FAMILIES[family].settings["max_position_embeddings"]
    family_folder(folder, family, "ForSequenceClassification" if family == "electra" else "Model")
    edit_config(folder, position_embedding_type=kind)
    tables = torch.randn(3, 2 * positions - 1, 8, generator=torch.manual_seed(1))
    rewrite(
        folder,
        lambda t: t.update({f"{attention.format(i)}.distance_embedding.weight": tables[i].clone() for i in range(3)}),
    )
    return folder


def relative_weights(attention: Any, states: torch.Tensor, table: torch.Tensor, kind: str) -> torch.Tensor:
    """(H, T, T) as `BertSelfAttention` of transformers 4 computes them."""
    query, key = (
        layer(states).view(1, states.shape[1], -1, 8).transpose(1, 2) for layer in (attention.query, attention.key)
    )
    scores = query @ key.transpose(-1, -2)
    places = torch.arange(states.shape[1])
    embedding = table[places[:, None] - places[None] + (len(table) + 1) // 2 - 1]
    scores = scores + torch.einsum("bhld,lrd->bhlr", query, embedding)
    if kind == "relative_key_query":
        scores = scores + torch.einsum("bhrd,lrd->bhlr", key, embedding)
    return (scores / 8**0.5).softmax(-1)[0]


@pytest.mark.parametrize("kind", ["relative_key", "relative_key_query"])
@pytest.mark.parametrize("family", ["bert", "roberta", "electra", "albert"])
@torch.no_grad()
def test_relative_positions_are_those_of_transformers_4(family: str, kind: str, tmp_path: Path) -> None:
    folder = relative_folder(tmp_path / family, family, kind)
    tables = {name: each for name, each in load_file(folder / "model.safetensors").items() if "distance" in name}
    backend = load_folder(family, folder)
    trace = backend.trace(A, B)
    for layer in range(trace.num_layers):
        name = RELATIVE[family].format(layer)
        states = torch.tensor(trace.hidden_states[layer])[None]
        expected = relative_weights(
            backend.model.get_submodule(name), states, tables[f"{name}.distance_embedding.weight"], kind
        )
        assert_allclose(trace.weights(layer), expected.numpy(), rtol=0, atol=2e-6)
    first = backend.model.base_model.embeddings  # without absolute positions
    summed = first.LayerNorm(sum(torch.tensor(part) for part in trace.embedding_parts.values()))
    if family in ("bert", "roberta"):
        assert_allclose(trace.hidden_states[0], summed.numpy(), rtol=0, atol=1e-6)
    assert "position" not in trace.embedding_parts
    [alone, together] = backend.traces([A, f"{A} {B} {A}"])  # padded
    assert_allclose(alone.hidden_states, backend.trace(A).hidden_states, rtol=0, atol=1e-5)
    assert len(together.tokens) > len(alone.tokens)
    assert [check_of(backend, name).outcome for name in ("Attention", "Weights")] == ["holds", "holds"]


def test_relative_positions_that_cannot_be_computed_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="relative_key"):
        load_folder("m", relative_folder(tmp_path / "m", "megatron-bert", "relative_key"))
    without = bert_folder(tmp_path / "bert")
    edit_config(without, position_embedding_type="relative_key_query")
    with pytest.raises(
        CheckpointError, match=r"asks for relative positions \(relative_key_query\), and its checkpoint"
    ):
        load_folder("bert", without)


@pytest.mark.parametrize("named", [True, False])
def test_our_own_encoder_says_which_head_of_a_folder_it_leaves_out(named: bool, tmp_path: Path) -> None:
    folder = bert_folder(tmp_path / "bert", "BertForSequenceClassification")
    edit_config(folder, architectures=["BertForSequenceClassification"] if named else None)
    backend = load(f"scratch-bert:{folder}")
    check = check_of(backend, "Weights")
    assert check.outcome == "differs"
    assert "classifier.bias, classifier.weight" in check.sentence
    assert len(backend.trace(A).notes) == 1
    assert ("head for the classes" if named else "classifier.weight") in backend.trace(A).notes[0]


@pytest.mark.parametrize("name", ["bundled", "bundled-sentiment", "scratch-bert"])
def test_shipped_weights_of_a_checkpoint_fill_their_encoder(name: str) -> None:
    check = check_of(load(name), "Weights")
    assert check.outcome == "holds"
    assert "The checkpoint's 104 tensors fill the model." in check.sentence


@pytest.mark.parametrize(("prefix", "added"), [("module.", {}), ("", {"lora_A.weight": ZEROS}), ("_orig_mod.", {})])
def test_an_encoder_decoder_says_what_its_checkpoint_has_besides(prefix: str, added: Tensors, tmp_path: Path) -> None:
    tokenizer = wordpiece_tokenizer()
    model = build("T5ForConditionalGeneration", "T5Config", vocab_size=len(tokenizer), **IDS | T5)
    folder = save(model, tmp_path / "t5", tokenizer)
    assert len(load_seq2seq_folder("t5", folder).generate(A, max_length=2).notes) == 1
    rewrite(folder, lambda tensors: {prefix + name: tensor for name, tensor in (tensors | added).items()})
    note = load_seq2seq_folder("t5", folder).generate(A, max_length=2).notes[-1]
    assert (prefix or "lora_A.weight") in note
