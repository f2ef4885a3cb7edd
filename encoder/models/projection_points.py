"""The points of `encoder.models.hooks` in families of `transformers` that have their own attention code.

It runs unchanged. Queries, keys and values are the outputs of its projections, the context is the input of its output
projection, scores and weights are the input and output of its softmax. The mask is what its scores have more than the
products of queries and keys: relative positions, too.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode
from transformers import PreTrainedModel

from encoder.models.hooks import HookedRun, Point, first_time, run_of
from encoder.models.tensors import additive


class AttentionModules(NamedTuple):
    """The class of a family's attention, the names of its projections below it, and its factor of q · k."""

    class_name: str
    query: str
    key: str
    value: str
    output: str
    scaling: Callable[[Any], float]  # of the model's config


def _head_width(config: Any) -> float:
    return getattr(config, "attention_head_size", config.hidden_size // config.num_attention_heads)


def _of_disentangled_terms(config: Any) -> float:
    """He et al. (2021), equation 4: scores are sums of up to three products, so they are scaled down by more."""
    terms = 1 + sum(kind in (config.pos_att_type or ()) for kind in ("c2p", "p2c"))
    return 1 / math.sqrt(_head_width(config) * terms)


def _of_one_product(config: Any) -> float:
    return 1 / math.sqrt(_head_width(config))


_BERT = ("self.query", "self.key", "self.value", "output.dense")
MODULES_BY_TYPE: Mapping[str, AttentionModules] = {
    "deberta-v2": AttentionModules(
        "DebertaV2Attention",
        "self.query_proj",
        "self.key_proj",
        "self.value_proj",
        "output.dense",
        _of_disentangled_terms,
    ),
    "mpnet": AttentionModules("MPNetSelfAttention", "q", "k", "v", "o", _of_one_product),
    "rembert": AttentionModules("RemBertAttention", *_BERT, _of_one_product),
    "megatron-bert": AttentionModules("MegatronBertAttention", *_BERT, _of_one_product),
}


def has_own_attention(model: PreTrainedModel) -> bool:
    """Whether a model is one of `MODULES_BY_TYPE`."""
    return model.config.model_type in MODULES_BY_TYPE


def expose_attention(model: PreTrainedModel) -> None:
    """Expose the points of each attention of a model of `MODULES_BY_TYPE`, and nothing of others; idempotent."""
    modules = MODULES_BY_TYPE.get(model.config.model_type)
    if modules is None:
        return
    # `set_attn_implementation` refuses models without the interface, but their masks depend on it.
    model.config._attn_implementation = "eager"
    attentions = [module for module in model.modules() if type(module).__name__ == modules.class_name]
    for layer, attention in enumerate(attentions):
        if first_time(model, Point("scores", layer), attention):
            _expose_projections(weakref.ref(model), layer, attention, modules, model.config.num_attention_heads)
            _expose_softmax(weakref.ref(model), layer, attention, modules.scaling(model.config))


def _expose_projections(
    owner: weakref.ref[PreTrainedModel], layer: int, attention: nn.Module, modules: AttentionModules, heads: int
) -> None:
    def after(point: Point) -> Callable[..., Tensor | None]:
        def hook(_: nn.Module, __: tuple[Tensor, ...], output: Tensor) -> Tensor | None:
            run = run_of(owner)
            # DeBERTa may project its table of relative positions with the same module afterwards.
            return None if run is None or run.count_call(point) else _apply(run, point, output, heads)

        return hook

    def before(_: nn.Module, given: tuple[Tensor, ...]) -> tuple[Tensor, ...] | None:
        run = run_of(owner)
        return None if run is None else (_apply(run, Point("context", layer), given[0], heads), *given[1:])

    for name in ("query", "key", "value"):
        attention.get_submodule(getattr(modules, name)).register_forward_hook(after(Point(name, layer)))
    attention.get_submodule(modules.output).register_forward_pre_hook(before)


def _apply(run: HookedRun, point: Point, joined: Tensor, heads: int) -> Tensor:
    """Apply the hooks at a point that takes heads apart to a tensor in which they are joined, (B, T, H * K)."""
    split = joined.unflatten(-1, (heads, -1)).transpose(1, 2)  # (B, H, T, K)
    passed = run.apply(point, split)
    if point.name != "context":
        run.kept[point] = passed
    return joined if passed is split else passed.transpose(1, 2).flatten(2)  # (B, T, H * K)


def _expose_softmax(owner: weakref.ref[PreTrainedModel], layer: int, attention: nn.Module, scaling: float) -> None:
    """Expose what goes into the softmax of an attention and comes out of it, while that attention runs."""
    place = Point("scores", layer)

    def before(_: nn.Module, __: tuple[Any, ...]) -> None:
        run = run_of(owner)
        if run is not None and run.has_hooks(layer, "mask", "scaling", "scores", "weights"):
            run.observe(Point("scaling", layer), torch.tensor(scaling))
            run.kept[place] = _SoftmaxPoints(run, layer, scaling)
            run.kept[place].__enter__()

    def after(_: nn.Module, __: tuple[Any, ...], ___: Any) -> None:
        run = run_of(owner)
        if run is not None and place in run.kept:
            run.kept.pop(place).__exit__(None, None, None)

    attention.register_forward_pre_hook(before)
    attention.register_forward_hook(after, always_call=True)


class _SoftmaxPoints(TorchFunctionMode):
    """Applies the hooks at the mask, scores and weights of one layer to the softmax that is called meanwhile."""

    def __init__(self, run: HookedRun, layer: int, scaling: float) -> None:
        super().__init__()
        self.run, self.layer, self.scaling = run, layer, scaling

    def __torch_function__(
        self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        options = kwargs or {}
        if function is not F.softmax:
            return function(*args, **options)
        scores, *rest = args
        weights = function(self._scores(scores), *rest, **options)  # (B, H, T, T)
        return self.run.apply(Point("weights", self.layer), weights)

    def _scores(self, scores: Tensor) -> Tensor:
        """The (B, H, T, T) scores after the hooks at the mask."""
        run, layer = self.run, self.layer
        if run.has_hooks(layer, "mask"):
            query, key = (run.kept[Point(name, layer)] for name in ("query", "key"))  # (B, H, T, K)
            products = query @ key.transpose(-1, -2) * self.scaling
            mask = additive(scores) - products
            passed = run.apply(Point("mask", layer), mask)
            scores = scores if passed is mask else products + passed
        if run.has_hooks(layer, "scores"):
            run.observe(Point("scores", layer), additive(scores))
        return scores
