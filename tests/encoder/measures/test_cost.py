"""Operations against torch's counter."""

import numpy as np
import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from encoder.measures.cost import QUADRATIC, SCORES_AND_CONTEXT, add_up_quadratic_parts, count_operations, crossings
from encoder.transformer.config import PRESETS, EncoderConfig
from encoder.transformer.encoder import Encoder

SMALL = EncoderConfig(
    vocab_size=120, hidden_size=24, num_hidden_layers=3, num_attention_heads=4, intermediate_size=40,
    max_position_embeddings=64,
)  # fmt: skip


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
    assert list(add_up_quadratic_parts(parts)) == [
        *(part for part in parts if part not in QUADRATIC),
        SCORES_AND_CONTEXT,
    ]
    projections = parts["queries, keys, values"] + parts["output projection"]
    assert square[0] == projections[0]
    assert square[1] == parts["feed-forward"][1]
    assert square[2] == projections[2] + parts["feed-forward"][2]
    later = add_up_quadratic_parts(count_operations(config, lengths + 1))
    assert later[SCORES_AND_CONTEXT][1] > later["feed-forward"][1]


def test_512_tokens_of_bert_large_do_not_overflow() -> None:
    total = sum(
        int(counts[0]) for counts in count_operations(PRESETS["bert-large"], np.array([512], dtype=np.int32)).values()
    )
    assert total == 24 * (8 * 512 * 1024**2 + 4 * 512**2 * 1024 + 4 * 512 * 1024 * 4096)
