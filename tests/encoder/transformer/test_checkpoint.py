"""The strict loader: every BERT checkpoint fits, and whatever does not is named."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor
from transformers import BertConfig, BertForSequenceClassification, BertModel

from encoder.errors import CheckpointError
from encoder.models.checkpoint import load_bert_folder
from encoder.transformer.bert_names import config_from_bert, load_bert_weights
from encoder.transformer.encoder import Encoder
from tests.encoder.random_models import edit_config

SMALL = {
    "vocab_size": 60,
    "hidden_size": 12,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 20,
    "max_position_embeddings": 16,
}
QUERY = "encoder.layer.1.attention.self.query.weight"
OUR_QUERY = "layers.1.attention.query.weight"
IDS = torch.tensor([[3, 7, 8, 9, 4]])


@pytest.fixture(scope="module")
def bert() -> BertModel:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return BertModel(BertConfig(**SMALL, attn_implementation="eager")).eval()


@pytest.fixture
def tensors(bert: BertModel) -> dict[str, Tensor]:
    return {name: tensor.clone() for name, tensor in bert.state_dict().items()}


@pytest.fixture
def encoder(bert: BertModel) -> Encoder:
    return Encoder(config_from_bert(bert.config.to_dict())).eval()


@pytest.fixture
def folder(tmp_path: Path, bert: BertModel) -> Path:
    bert.save_pretrained(tmp_path)
    return tmp_path


def assert_same_numbers(encoder: Encoder, bert: BertModel) -> None:
    with torch.no_grad():
        theirs = bert(IDS, output_hidden_states=True).hidden_states
        ours = encoder(IDS).hidden_states
    for layer, (our, their) in enumerate(zip(ours, theirs, strict=True)):
        torch.testing.assert_close(our, their, msg=lambda text, layer=layer: f"hidden states [{layer}]: {text}")


# What fits


def test_a_folder_loads_ready_for_inference(folder: Path, bert: BertModel) -> None:
    encoder = load_bert_folder(folder)
    assert not encoder.training
    assert encoder.config.head_width == 4
    assert_same_numbers(encoder, bert)


def test_every_parameter_is_filled(encoder: Encoder, tensors: dict[str, Tensor]) -> None:
    before = {name: tensor.clone() for name, tensor in encoder.state_dict().items()}
    random = {name: torch.randn_like(tensor) for name, tensor in tensors.items()}
    load_bert_weights(encoder, random)
    untouched = [name for name, tensor in encoder.state_dict().items() if torch.equal(tensor, before[name])]
    assert untouched == []
    assert torch.equal(encoder.state_dict()[OUR_QUERY], random[QUERY])


def test_names_of_old_checkpoints_are_understood(encoder: Encoder, bert: BertModel, tensors: dict[str, Tensor]) -> None:
    old = {
        f"bert.{name}".replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): value
        for name, value in tensors.items()
    }
    assert "bert.embeddings.LayerNorm.gamma" in old
    load_bert_weights(encoder, old)
    assert_same_numbers(encoder, bert)


def test_pooler_heads_and_position_buffer_are_left_out(encoder: Encoder, bert: BertModel) -> None:
    classifier = BertForSequenceClassification(bert.config).eval()
    tensors = classifier.state_dict() | {
        "bert.embeddings.position_ids": torch.arange(16)[None],
        "cls.predictions.bias": torch.zeros(60),
    }
    assert {"classifier.weight", "bert.pooler.dense.weight"} <= tensors.keys()
    load_bert_weights(encoder, tensors)
    assert_same_numbers(encoder, classifier.bert)


def test_settings_that_a_config_leaves_out_are_those_of_bert(encoder: Encoder) -> None:
    assert config_from_bert({"model_type": "bert", **SMALL}) == encoder.config


def test_half_precision_becomes_float32(encoder: Encoder, tensors: dict[str, Tensor]) -> None:
    load_bert_weights(encoder, {name: tensor.half() for name, tensor in tensors.items()})
    assert {tensor.dtype for tensor in encoder.state_dict().values()} == {torch.float32}
    torch.testing.assert_close(encoder.state_dict()[OUR_QUERY], tensors[QUERY], atol=1e-4, rtol=1e-3)


def test_weights_in_several_files_are_put_together(folder: Path, bert: BertModel, tensors: dict[str, Tensor]) -> None:
    (folder / "model.safetensors").unlink()
    names = sorted(tensors)
    shards = {"model-1.safetensors": names[:10], "model-2.safetensors": names[10:]}
    for shard, inside in shards.items():
        save_file({name: tensors[name] for name in inside}, folder / shard)
    weight_map = {name: shard for shard, inside in shards.items() for name in inside}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))
    assert_same_numbers(load_bert_folder(folder), bert)


# What does not fit


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"model_type": "roberta"}, "takes BERT's weights.*'roberta'"),
        ({"model_type": None}, "takes BERT's weights"),
        ({"is_decoder": True}, "needs is_decoder=True, position_embedding_type='absolute'"),
        ({"position_embedding_type": "relative_key"}, "needs is_decoder=False, .*='relative_key'"),
        ({"hidden_act": "gelu_new"}, "gelu_new"),
        ({"num_attention_heads": 5}, "12 cannot be divided among 5 heads"),
        ({"hidden_size": "wide"}, "hidden_size is 'wide'"),
        ({"num_hidden_layers": 2.0}, r"num_hidden_layers is 2\.0"),
        ({"num_hidden_layers": 3}, r"The checkpoint does not fit the model\. Missing: layers\.2"),
        ({"num_hidden_layers": 1}, "Left over: layers.1"),
        ({"vocab_size": 61}, r"embeddings.word.weight is \(60, 12\) and should be \(61, 12\)"),
    ],
    ids=str,
)
def test_a_config_that_does_not_fit_is_refused(folder: Path, changes: dict[str, Any], complaint: str) -> None:
    edit_config(folder, **changes)
    with pytest.raises(CheckpointError, match=complaint):
        load_bert_folder(folder)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "weights.ckpt"])
def test_a_pickle_is_named_and_never_opened(folder: Path, name: str) -> None:
    (folder / "model.safetensors").unlink()
    (folder / name).write_bytes(b"cos\nabort\n(tR.")  # opening it would end the tests
    with pytest.raises(CheckpointError, match=rf"only as a pickle \({name}\).*safetensors"):
        load_bert_folder(folder)
