"""Parameters against the published model's own."""

import pytest
import torch
from torch import nn
from transformers import BertConfig, BertModel

import encoder
from encoder.experiments.anatomy import parameter_counts
from encoder.experiments.anatomy.parameter_counts import count_model, count_preset
from encoder.experiments.anatomy.record import ours
from encoder.transformer.config import PRESETS


@pytest.mark.parametrize("name", PRESETS)
def test_presets_with_a_pooler_are_as_large_as_berts(name: str) -> None:
    config = PRESETS[name]
    with torch.device("meta"):
        bert = BertModel(
            BertConfig(
                hidden_size=config.hidden_size,
                num_hidden_layers=config.num_hidden_layers,
                num_attention_heads=config.num_attention_heads,
                intermediate_size=config.intermediate_size,
            )
        )
    counts = count_preset(name)
    assert (counts.name, counts.config) == (name, config)
    assert counts.encoder + counts.pooler == sum(parameter.numel() for parameter in bert.parameters())
    assert counts.pooler == sum(parameter.numel() for parameter in bert.pooler.parameters())
    assert (counts.heads, counts.lookup_table, counts.fixed) == (0, 0, 0)
    rounded = pytest.approx(counts.encoder + counts.pooler, rel=0.015)
    assert counts.published == (rounded if name.startswith("bert-") else None)


def test_a_preset_is_counted_without_its_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[nn.Module] = []
    monkeypatch.setattr(parameter_counts, "count_encoder", lambda _, encoder: counted.append(encoder))
    count_preset("bert-large")
    (large,) = counted
    assert all(parameter.is_meta for parameter in large.parameters())


def test_parts_are_the_modules_of_the_model() -> None:
    groups = count_preset("bert-base").by_group
    width, inner, layers = 768, 3072, 12
    assert groups == {
        "word embeddings": 30522 * width,
        "position embeddings": 512 * width,
        "token type embeddings": 2 * width,
        "queries, keys, values": layers * 3 * (width * width + width),
        "output projection": layers * (width * width + width),
        "feed-forward": layers * (2 * width * inner + inner + width),
        "layer norms": (2 * layers + 1) * 2 * width,
    }


@pytest.mark.parametrize("name", ["scratch", "scratch-bert", "scratch-untrained"])
def test_a_loaded_model_is_counted_whole(name: str) -> None:
    backend = ours(encoder.load(name))
    counts = count_model(backend)
    assert counts.encoder == sum(parameter.numel() for parameter in backend.encoder.parameters())
    assert counts.heads == (sum(p.numel() for p in backend.heads.parameters()) if backend.heads else 0)
    if name == "scratch":
        assert counts.fixed == counts.by_group["position embeddings"] == 512 * 128
        assert counts.lookup_table == 30522 * 384
