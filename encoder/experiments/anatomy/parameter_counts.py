"""Parameter counts by module, counted on the real modules.

The modules of a preset are built on torch's meta device, where tensors take no memory: BERT-large is counted without
its 1.3 GB.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import nn

from encoder.models.checkpoint import shapes_only
from encoder.models.scratch import ScratchBackend
from encoder.transformer.config import PRESETS, EncoderConfig
from encoder.transformer.encoder import Encoder

# In the order of the model; a parameter belongs to the first group that matches its name.
GROUPS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("word embeddings", lambda name: name.startswith("embeddings.word.")),
    ("position embeddings", lambda name: name.startswith("embeddings.position.")),
    ("token type embeddings", lambda name: name.startswith("embeddings.token_type.")),
    ("queries, keys, values", lambda name: name.split(".")[-2] in ("query", "key", "value")),
    ("output projection", lambda name: ".attention.output." in name),
    ("feed-forward", lambda name: ".feed_forward." in name),
    ("layer norms", lambda name: "norm" in name),
)
PUBLISHED = {"bert-base": 110_000_000, "bert-large": 340_000_000}  # Devlin et al. (2019), section 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterCounts:
    """Parameters of one encoder.

    Attributes:
        by_group: for each group of `GROUPS`, all layers together, in the order of the model.
        fixed: how many of them are not trained (sinusoidal positions).
        lookup_table: numbers of a word table that is not a parameter.
        pooler: of BERT's layer on `[CLS]`, which our encoder leaves out: a D by D matrix and a bias.
        published: the number in the paper, or None.
    """

    name: str
    config: EncoderConfig
    by_group: dict[str, int]
    fixed: int
    lookup_table: int
    heads: int
    pooler: int
    published: int | None = None

    @property
    def encoder(self) -> int:
        """All parameters of the encoder, without pooler and heads."""
        return sum(self.by_group.values())


def count_preset(name: str) -> ParameterCounts:
    """Parameters of a preset of `encoder.transformer.config.PRESETS`."""
    with shapes_only():
        encoder = Encoder(PRESETS[name])
    return count_encoder(name, encoder)


def count_model(backend: ScratchBackend) -> ParameterCounts:
    """Parameters of a loaded model."""
    return count_encoder(backend.name, backend.encoder, heads=backend.heads)


def count_encoder(name: str, encoder: Encoder, *, heads: nn.Module | None = None) -> ParameterCounts:
    """Count each parameter of an encoder once."""
    by_group = dict.fromkeys((group for group, _ in GROUPS), 0)
    fixed = 0
    for path, parameter in encoder.named_parameters():
        by_group[_group(path)] += parameter.numel()
        fixed += 0 if parameter.requires_grad else parameter.numel()
    width = encoder.config.hidden_size
    with shapes_only():
        pooler = nn.Linear(width, width)
    return ParameterCounts(
        name=name,
        config=encoder.config,
        by_group=by_group,
        fixed=fixed,
        lookup_table=sum(buffer.numel() for buffer in encoder.buffers()),
        heads=_count(heads) if heads is not None else 0,
        pooler=_count(pooler),
        published=PUBLISHED.get(name),
    )


def _group(path: str) -> str:
    return next(group for group, contains in GROUPS if contains(path))


def _count(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())
