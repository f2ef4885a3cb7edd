"""The configuration of the from-scratch encoder, and its presets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from encoder.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderConfig:
    """Sizes and choices of one encoder; the names are those of BERT's `config.json`.

    Raises:
        ConfigError: a size below one, a width that is not a multiple of the heads, a probability outside [0, 1), or a
            padding id outside the vocabulary.
    Source: Devlin et al. (2019), section 3; Vaswani et al. (2017), section 3.
    """

    vocab_size: int = 30522
    hidden_size: int = 768
    num_hidden_layers: int = 12
    num_attention_heads: int = 12
    intermediate_size: int = 3072
    max_position_embeddings: int = 512
    type_vocab_size: int = 2
    hidden_dropout_prob: float = 0.1
    attention_probs_dropout_prob: float = 0.1
    layer_norm_eps: float = 1e-12
    initializer_range: float = 0.02
    hidden_act: Literal["gelu", "relu"] = "gelu"
    position_embedding: Literal["learned", "sinusoidal"] = "learned"
    norm: Literal["post", "pre"] = "post"
    pad_token_id: int = 0
    cls_token_id: int = 101

    def __post_init__(self) -> None:
        sizes = (
            "vocab_size",
            "hidden_size",
            "num_hidden_layers",
            "num_attention_heads",
            "intermediate_size",
            "max_position_embeddings",
            "type_vocab_size",
        )
        for name in sizes:
            size = getattr(self, name)
            if not isinstance(size, int) or size < 1:
                raise ConfigError(f"{name} is {size!r}; it must be a whole number, at least 1.")
        if self.hidden_size % self.num_attention_heads:
            raise ConfigError(
                f"A width of {self.hidden_size} cannot be divided among {self.num_attention_heads} heads: "
                f"hidden_size must be a multiple of num_attention_heads."
            )
        if self.position_embedding == "sinusoidal" and self.hidden_size % 2:
            raise ConfigError(f"Sinusoidal positions need an even width; hidden_size is {self.hidden_size}.")
        for name in ("hidden_dropout_prob", "attention_probs_dropout_prob"):
            if not 0 <= getattr(self, name) < 1:
                raise ConfigError(f"{name} is {getattr(self, name)}; a probability below 1 is needed.")
        for name in ("layer_norm_eps", "initializer_range"):
            if not isinstance(getattr(self, name), int | float) or not 0 <= getattr(self, name) < float("inf"):
                raise ConfigError(f"{name} is {getattr(self, name)!r}; a number of at least 0 is needed.")
        if not isinstance(self.pad_token_id, int) or not 0 <= self.pad_token_id < self.vocab_size:
            raise ConfigError(f"pad_token_id is {self.pad_token_id}; it must be an id below {self.vocab_size}.")
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise ConfigError(f"{name} is {getattr(self, name)!r}; it must be one of {', '.join(choices)}.")

    @property
    def head_width(self) -> int:
        """K, the width of one head's queries, keys and values: D / H."""
        return self.hidden_size // self.num_attention_heads


CHOICES = {"hidden_act": ("gelu", "relu"), "position_embedding": ("learned", "sinusoidal"), "norm": ("post", "pre")}

# Layers, heads and widths of the published BERT sizes (Devlin et al. 2019; Turc et al. 2019 for tiny and mini).
PRESETS = {
    "tiny": EncoderConfig(num_hidden_layers=2, num_attention_heads=2, hidden_size=128, intermediate_size=512),
    "mini": EncoderConfig(num_hidden_layers=4, num_attention_heads=4, hidden_size=256, intermediate_size=1024),
    "bert-base": EncoderConfig(),
    "bert-large": EncoderConfig(num_hidden_layers=24, num_attention_heads=16, hidden_size=1024, intermediate_size=4096),
}
