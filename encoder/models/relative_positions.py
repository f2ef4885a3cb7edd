"""BERT's relative positions, which `transformers` 5 no longer computes: Shaw et al. (2018), equation 5.

Checkpoints of version 4 with `position_embedding_type` "relative_key" or "relative_key_query" have a table of distances
in each attention, and no absolute positions. Here its products are added to the attention's mask, which every
implementation adds to the scores.

Source: `BertSelfAttention` of transformers 4; Huang et al. (2020), methods 3 and 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from encoder.errors import CheckpointError, UnsupportedModelError
from encoder.models.projection_points import has_own_attention
from encoder.models.tensors import additive

KINDS = ("relative_key", "relative_key_query")
END = ".distance_embedding.weight"
TABLE = "distances"


def restore_relative_positions(
    name: str, model: PreTrainedModel, tensors: Mapping[str, Tensor], positions: nn.Embedding | None
) -> set[str]:
    """Let a model compute the relative positions that its config.json asks for.

    Args:
        tensors: those that loading left over.
        positions: the model's table of absolute positions, which is set to 0.
    Returns:
        The names of the tensors that are read; none for a model without relative positions.
    Raises:
        CheckpointError: the checkpoint lacks a table.
        UnsupportedModelError: the model's attention takes no such tables.
    """
    kind = getattr(model.config, "position_embedding_type", None)
    if kind not in KINDS:
        return set()
    base = f"{model.base_model_prefix}."
    tables = {key: tensor for key, tensor in tensors.items() if key.endswith(END)}
    try:
        by_module = {
            model.base_model.get_submodule(key.removesuffix(END).removeprefix(base)): tensor
            for key, tensor in tables.items()
        }
    except AttributeError:
        by_module = {}
    attentions = {type(module) for module in by_module}
    if not by_module or len(by_module) != sum(type(module) in attentions for module in model.modules()):
        raise CheckpointError(
            f"The config.json of {name} asks for relative positions ({kind}), and its checkpoint does not have a "
            f"table of them (distance_embedding) for each attention."
        )
    is_plain = all(hasattr(module, "query") for module in by_module) and not has_own_attention(model)
    if not is_plain or getattr(model.config, "is_decoder", False):
        raise UnsupportedModelError(
            f"{name} has relative positions ({kind}), which neither transformers 5 nor Headlight computes for "
            f"{type(model).__name__}: open a model with absolute positions."
        )
    for module, table in by_module.items():
        module.register_buffer(TABLE, table.float())
        module.register_forward_pre_hook(_adding(of_keys=kind == "relative_key_query"), with_kwargs=True)
    if positions is not None:
        nn.init.zeros_(positions.weight)
    return set(tables)


def _adding(*, of_keys: bool) -> Any:
    """A hook that adds an attention's relative scores to the mask that it is given."""

    def hook(module: Any, given: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        states: Tensor = given[0] if given else named["hidden_states"]
        mask: Tensor | None = given[1] if len(given) > 1 else named.get("attention_mask")
        scores = _relative_scores(states, module.query, module.key if of_keys else None, getattr(module, TABLE))
        with_scores = scores if mask is None else scores + additive(mask)
        if len(given) > 1:
            return (given[0], with_scores, *given[2:]), named
        return given, {**named, "attention_mask": with_scores}

    return hook


def _relative_scores(states: Tensor, query: nn.Module, key: nn.Module | None, table: Tensor) -> Tensor:
    """(B, H, T, T) what relative positions add to the scaled scores.

    Args:
        states: (B, T, D) that the attention reads.
        query, key: its projections; no key for "relative_key".
        table: (2P - 1, K) of the distances 1 - P to P - 1 from key to query.
    """
    length, middle = states.shape[1], len(table) // 2
    near = table[middle - length + 1 : middle + length]  # (2T - 1, K)
    places = torch.arange(length, device=table.device)
    distances = places[:, None] - places + length - 1  # (T, T), query by key

    def products(projection: nn.Module, rows: Tensor) -> Tensor:
        split = projection(states).unflatten(-1, (-1, table.shape[1])).transpose(1, 2)  # (B, H, T, K)
        of_all = split @ near.T  # (B, H, T, 2T - 1)
        return of_all.gather(-1, rows.expand(*of_all.shape[:2], -1, -1))  # (B, H, T, T)

    scores = products(query, distances)
    if key is not None:
        scores = scores + products(key, distances.T).transpose(2, 3)
    return scores / table.shape[1] ** 0.5
