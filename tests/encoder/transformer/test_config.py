"""The sizes of a network: the published ones, and those that contradict each other."""

from dataclasses import replace

import pytest

from encoder.errors import ConfigError
from encoder.transformer.config import EncoderConfig

CONFIG = EncoderConfig(vocab_size=200, hidden_size=12, num_attention_heads=3)


@pytest.mark.parametrize(
    "changes",
    [
        {"vocab_size": 0},
        {"num_hidden_layers": 0},
        {"num_attention_heads": -1},
        {"hidden_size": 12.0},
        {"max_position_embeddings": "512"},
        {"hidden_dropout_prob": 1.0},
        {"attention_probs_dropout_prob": -0.1},
        {"hidden_act": "swish"},
        {"norm": "none"},
        {"position_embedding": "rotary"},
        {"pad_token_id": 200},
        {"pad_token_id": -1},
        {"layer_norm_eps": -1e-12},
        {"layer_norm_eps": float("inf")},
        {"initializer_range": "small"},
        {"hidden_size": 9, "position_embedding": "sinusoidal"},
    ],
    ids=str,
)
def test_a_config_that_contradicts_itself_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=next(iter(changes))):
        replace(CONFIG, **changes)
