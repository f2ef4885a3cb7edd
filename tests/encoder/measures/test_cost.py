"""Parameters against the published model's own, operations against torch's counter."""

import numpy as np
import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode
from transformers import BertConfig, BertModel

import encoder
from encoder.experiments.anatomy.our_models import ours
from encoder.experiments.anatomy.parameter_counts import count_model, count_preset
from encoder.measures.cost import QUADRATIC, SCORES_AND_CONTEXT, add_up_quadratic_parts, count_operations, crossings
from encoder.transformer.config import PRESETS, EncoderConfig
from encoder.transformer.encoder import Encoder

SMALL = EncoderConfig(
    vocab_size=120, hidden_size=24, num_hidden_layers=3, num_attention_heads=4, intermediate_size=40,
    max_position_embeddings=64,
)  # fmt: skip


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
    assert counts.encoder + counts.pooler == sum(parameter.numel() for parameter in bert.parameters())
    assert counts.pooler == sum(parameter.numel() for parameter in bert.pooler.parameters())
    assert (counts.heads, counts.lookup_table, counts.fixed) == (0, 0, 0)


@pytest.mark.parametrize(("name", "exact"), [("bert-base", 109_482_240), ("bert-large", 335_141_888)])
def test_the_published_sizes_are_rounded(name: str, exact: int) -> None:
    counts = count_preset(name)
    assert counts.encoder + counts.pooler == exact
    assert counts.published == pytest.approx(exact, rel=0.015)


def test_a_preset_is_counted_without_its_weights() -> None:
    with torch.device("meta"):
        large = Encoder(PRESETS["bert-large"])
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


@pytest.mark.parametrize("tokens", [1, 7, 64])
def test_operations_are_those_that_torch_counts(tokens: int) -> None:
    model = Encoder(SMALL).eval()
    # The fused kernel of a CPU is unknown to torch's counter; the same attention in plain products is not.
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter, torch.no_grad():
        model(torch.ones((1, tokens), dtype=torch.long))
    parts = count_operations(SMALL, np.array([tokens]))
    assert sum(int(counts[0]) for counts in parts.values()) == counter.get_total_flops()
    by_module = counter.get_flop_counts()
    attention = sum(sum(by_module[f"Encoder.layers.{layer}.attention"].values()) for layer in range(3))
    forward = sum(sum(by_module[f"Encoder.layers.{layer}.feed_forward"].values()) for layer in range(3))
    assert forward == parts["feed-forward"][0]
    assert attention == sum(int(counts[0]) for part, counts in parts.items() if part != "feed-forward")


@pytest.mark.parametrize("config", [SMALL, *PRESETS.values()])
def test_the_square_overtakes_where_it_is_said_to(config: EncoderConfig) -> None:
    at = crossings(config)
    lengths = np.array([at.projections, at.feed_forward, at.all_else])
    parts = count_operations(config, lengths)
    square = add_up_quadratic_parts(parts)[SCORES_AND_CONTEXT]
    np.testing.assert_array_equal(square, parts["scores"] + parts["context"])
    projections = parts["queries, keys, values"] + parts["output projection"]
    assert square[0] == projections[0]
    assert square[1] == parts["feed-forward"][1]
    assert square[2] == projections[2] + parts["feed-forward"][2]
    later = add_up_quadratic_parts(count_operations(config, lengths + 1))
    assert later[SCORES_AND_CONTEXT][1] > later["feed-forward"][1]


def test_the_square_is_one_part_of_the_same_total() -> None:
    parts = count_operations(SMALL, np.array([5, 50]))
    joined = add_up_quadratic_parts(parts)
    assert not set(QUADRATIC) & set(joined)
    np.testing.assert_array_equal(sum(joined.values()), sum(parts.values()))


def test_512_tokens_of_bert_large_do_not_overflow() -> None:
    total = sum(
        int(counts[0]) for counts in count_operations(PRESETS["bert-large"], np.array([512], dtype=np.int32)).values()
    )
    assert total == 24 * (8 * 512 * 1024**2 + 4 * 512**2 * 1024 + 4 * 512 * 1024 * 4096)
