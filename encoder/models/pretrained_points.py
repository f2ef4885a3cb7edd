"""The points of `encoder.models.hooks` in a model of `transformers`, without changing its code.

`transformers` looks up its attention function by name in `AttentionInterface`. Ours applies the hooks of the run and
calls the fused kernel, so that a traced forward pass costs no more than a plain one. A mask function must be
registered, too: without it, the model gets no mask, and padding is attended.

Layers are numbered in running order, because some models run one module several times.
"""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AttentionInterface
from transformers.integrations.sdpa_attention import repeat_kv, sdpa_attention_forward
from transformers.masking_utils import AttentionMaskInterface, sdpa_mask
from transformers.utils.logging import disable_progress_bar, set_verbosity_error

from encoder.errors import UnsupportedModelError
from encoder.models.hooks import HookedRun, Point, current_run, run_of
from encoder.models.tensors import additive

ATTENTION_NAME = "headlight"
# What models hand to their attention function besides queries, keys, values and the mask. A sink is a score of no
# token, a softcap bounds the scores; windows are in the mask already; the others change nothing in a run of ours.
COMPUTED = frozenset({"scaling", "is_causal", "position_bias", "s_aux"})
WITHOUT_EFFECT = frozenset(
    {
        *("dropout", "sliding_window", "position_ids", "cache_position", "use_cache", "deterministic"),
        *("output_attentions", "output_hidden_states", "output_router_logits", "return_dict", "num_items_in_batch"),
    }
)
_unknown: weakref.WeakKeyDictionary[nn.Module, set[str]] = weakref.WeakKeyDictionary()


def register() -> None:
    """Register the attention function with `transformers`, and silence its loading; idempotent.

    Missing or mismatched tensors, about which it would warn, raise our errors instead.
    """
    disable_progress_bar()
    set_verbosity_error()
    AttentionInterface.register(ATTENTION_NAME, _attention)
    AttentionMaskInterface.register(ATTENTION_NAME, sdpa_mask)


def _attention(
    module: nn.Module, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None, **options: Any
) -> tuple[Tensor, None]:
    """`sdpa_attention_forward` with the hooks of this run, and with sinks, which it does not compute.

    query: (B, H, T, K); the context is (B, T, H, K).
    """
    if options.get("softcap") is not None:
        raise UnsupportedModelError(
            f"A {type(module).__name__} bounds its scores (softcap), so that its weights are not the softmax of q · k: "
            "Headlight does not compute them."
        )
    if options.get("is_causal") is None and not hasattr(module, "is_causal"):
        options["is_causal"] = False  # of encoders such as Splinter; `transformers` would take them for decoders
    run = current_run()
    if run is None:
        run = HookedRun(module, ())
    else:
        given = {name for name, value in options.items() if value is not None}
        _unknown.setdefault(run.model, set()).update(given - COMPUTED - WITHOUT_EFFECT)
    layer = run.count_call(_attention)
    changed = _hooked_context(run, layer, module, (query, key, value, attention_mask), options)  # (B, H, T, K)
    if changed is None:
        context, _ = sdpa_attention_forward(module, query, key, value, attention_mask, **options)
    else:
        context = changed.transpose(1, 2)  # (B, T, H, K)
    context = run.apply(Point("context", layer), context.transpose(1, 2))  # (B, H, T, K)
    return context.transpose(1, 2).contiguous(), None


def _hooked_context(
    run: HookedRun,
    layer: int,
    module: nn.Module,
    given: tuple[Tensor, Tensor, Tensor, Tensor | None],
    options: Mapping[str, Any],
) -> Tensor | None:
    """Apply the hooks at the inputs of an attention.

    Returns:
        (B, H, T, K) context if the fused kernel cannot compute it, because of a sink, because scores or weights are
        hooked or because an input was changed; otherwise None.
    """
    sink: Tensor | None = options.get("s_aux")
    hooked = run.has_hooks(layer, "query", "key", "value", "mask", "sink", "scaling", "scores", "weights")
    if sink is None and not hooked:
        return None
    query, key, value, mask = given
    # Grouped-query attention: several query heads share a key head.
    shared = query.shape[1] // key.shape[1]
    key, value = repeat_kv(key, shared), repeat_kv(value, shared)  # (B, H, T, K)
    tensors = {"query": query, "key": key, "value": value}
    bias = _shared_bias(run, module, query, mask, options)
    if bias is not None:
        tensors["mask"] = bias
    passed = {name: run.apply(Point(name, layer), tensor) for name, tensor in tensors.items()}
    scaling = options.get("scaling")
    scaling = query.shape[-1] ** -0.5 if scaling is None else float(scaling)
    run.observe(Point("scaling", layer), torch.tensor(scaling))
    if sink is not None:
        sink = sink.reshape(1, -1, 1, 1).float()
        run.observe(Point("sink", layer), sink)
    unchanged = sink is None and all(passed[name] is tensor for name, tensor in tensors.items())
    if unchanged and not run.has_hooks(layer, "scores", "weights"):
        return None
    scores = passed["query"] @ passed["key"].transpose(-1, -2) * scaling  # (B, H, T, T)
    if bias is not None:
        scores = scores + passed["mask"].to(scores.dtype)
    run.observe(Point("scores", layer), scores)
    if sink is not None:
        scores = torch.cat((scores, sink.to(scores).expand(*scores.shape[:-1], 1)), -1)  # (B, H, T, T + 1)
    weights = scores.softmax(-1).nan_to_num()[..., : key.shape[2]]  # (B, H, T, T); rows without any key become zeros
    return run.apply(Point("weights", layer), weights) @ passed["value"]  # (B, H, T, K)


def _shared_bias(
    run: HookedRun, module: nn.Module, query: Tensor, mask: Tensor | None, options: Mapping[str, Any]
) -> Tensor | None:
    """`_bias`, as one tensor for all layers with the same mask: at 8,192 tokens it takes 268 MB."""
    if options.get("position_bias") is not None:
        return _bias(module, query, mask, options)
    key = options.get("is_causal"), getattr(module, "is_causal", True), query.shape[2]
    of_masks = run.kept.setdefault(Point("mask"), [])
    for seen, other, bias in of_masks:
        if seen is mask and other == key:
            found: Tensor | None = bias
            return found
    bias = _bias(module, query, mask, options)
    of_masks.append((mask, key, bias))
    return bias


def _bias(module: nn.Module, query: Tensor, mask: Tensor | None, options: Mapping[str, Any]) -> Tensor | None:
    """Mask and position bias as one additive bias, by the same rules as `sdpa_attention_forward`."""
    length = query.shape[2]
    is_causal = options.get("is_causal")
    if is_causal is None:
        is_causal = getattr(module, "is_causal", True)
    if mask is None and is_causal and length > 1:
        mask = torch.ones(length, length, dtype=torch.bool, device=query.device).tril()[None, None]  # (1, 1, T, T)
    bias = None if mask is None else additive(mask)
    position_bias: Tensor | None = options.get("position_bias")
    if position_bias is None:
        return bias
    return position_bias if bias is None else bias + position_bias


def unknown_keywords(model: nn.Module) -> tuple[str, ...]:
    """What the model handed to its attention function in its runs so far, and which is not computed."""
    return tuple(sorted(_unknown.get(model, ())))


def num_types_of(model: Any) -> int:
    """How many token types a model reads: 0 if it takes none, 3 if it has no table of them, as XLNet."""
    if "token_type_ids" not in inspect.signature(model.forward).parameters:
        return 0
    return int(getattr(model.config, "type_vocab_size", 3))


def expose_states(model: nn.Module, run_model: Callable[[], Mapping[Point, Tensor]]) -> bool:
    """Expose every hidden state of a model of `transformers` as a point; idempotent.

    One observed run shows which module returns which hidden state.

    Args:
        run_model: runs the model on some text and returns its hidden states by their points, in running order.
    Returns:
        Whether every hidden state is some module's output; if not, none becomes a point.
    """
    if model in _exposed:
        return True
    seen: list[tuple[nn.Module, Tensor]] = []

    def watch(module: nn.Module, _: Any, output: Any) -> None:
        first = output[0] if isinstance(output, tuple) else output
        if isinstance(first, Tensor):
            seen.append((module, first))

    handles = [module.register_forward_hook(watch) for module in model.modules()]
    try:
        hidden_states = run_model()
    finally:
        for handle in handles:
            handle.remove()
    states_by_module = _states_by_module(seen, hidden_states)
    if states_by_module is None:
        return False
    for module, point_by_call in states_by_module.items():
        module.register_forward_hook(_state_hook(weakref.ref(model), point_by_call))
    _exposed.add(model)
    return True


_exposed: weakref.WeakSet[nn.Module] = weakref.WeakSet()


def _states_by_module(
    seen: Sequence[tuple[nn.Module, Tensor]], hidden_states: Mapping[Point, Tensor]
) -> dict[nn.Module, dict[int, Point]] | None:
    """For each module that first returns a hidden state: the state's point, by call number."""
    found: dict[nn.Module, dict[int, Point]] = {}
    calls: dict[nn.Module, int] = {}
    remaining = list(hidden_states.items())
    for module, tensor in seen:
        call = calls.get(module, 0)
        calls[module] = call + 1
        if remaining and _same(tensor, remaining[0][1]):
            point, _ = remaining.pop(0)
            found.setdefault(module, {})[call] = point
    return None if remaining else found


def _same(tensor: Tensor, other: Tensor) -> bool:
    return tensor.data_ptr() == other.data_ptr() and tensor.shape == other.shape


def _state_hook(owner: weakref.ref[nn.Module], point_by_call: Mapping[int, Point]) -> Callable[..., Any]:
    def pass_state(module: nn.Module, _: Any, output: Any) -> Any:
        run = run_of(owner)
        if run is None:
            return None
        call = run.count_call(module)
        if call not in point_by_call:
            return None
        point = point_by_call[call]
        if isinstance(output, tuple):
            return (run.apply(point, output[0]), *output[1:])
        return run.apply(point, output)

    return pass_state
