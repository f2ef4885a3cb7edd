"""A model in memory as a `Backend`, also while it is trained: each run leaves it as it was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import TYPE_CHECKING, Any, cast

from torch import nn
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from encoder.errors import ArgumentError, UnsupportedModelError
from encoder.models.loading import max_length_of
from encoder.models.pretrained import PretrainedBackend
from encoder.models.pretrained_points import ATTENTION_NAME, register
from encoder.models.reranker import IDENTITY, activation_of
from encoder.models.task_heads import head_of
from encoder.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

MOST_WRAPPERS = 8  # such as those of torch.compile, of several devices, and of adapters, one around the other
ATTENTION, PADDING = "_attn_implementation", "pad_token_id"
CHUNK = "chunk_size_feed_forward"


class WrappedBackend(PretrainedBackend):
    """A model that others use: its weights are shared, and its modes are restored after each run."""

    def _take_over(self) -> None:
        """Nothing: the model belongs to somebody else."""

    def _fall_back(self) -> None:
        """Nothing: `_in_use` selects the attention."""

    @contextmanager
    def _in_use(self) -> Iterator[None]:
        modules = list(self.model.modules())
        training = [module.training for module in modules]
        configs = {id(config): config for module in modules if (config := getattr(module, "config", None)) is not None}
        attention = {key: getattr(config, ATTENTION, None) for key, config in configs.items()}
        padding = self.model.config.pad_token_id
        chunks = [(module, size) for module in modules if (size := getattr(module, CHUNK, 0))]
        try:
            self.model.eval()
            self.model.config.pad_token_id = self.pad_id
            for config in configs.values():
                setattr(config, ATTENTION, ATTENTION_NAME if self.captured else "eager")
            for module, _ in chunks:  # the same numbers, but lengths that the size does not divide fail
                setattr(module, CHUNK, 0)
            yield
        finally:
            for module, was in zip(modules, training, strict=True):
                module.training = was
            self.model.config.pad_token_id = padding
            for key, config in configs.items():
                setattr(config, ATTENTION, attention[key])
            for module, size in chunks:
                setattr(module, CHUNK, size)


def wrap(
    model: nn.Module, tokenizer: PreTrainedTokenizerBase, *, name: str | None = None, all_positions: bool = False
) -> WrappedBackend:
    """A model of `transformers` in memory, with or without a head, as a model of Headlight; also while it is trained.

    The weights are shared: a later run sees later training steps. A run computes in evaluation mode with Headlight's
    attention; afterwards, training mode and attention are as before. Gradients of the weights are left alone. Hooks
    stay on modules of the model, and do nothing outside of such runs.

    Args:
        model: of the families that `encoder.load` opens. Adapters of peft count as they are switched.
        tokenizer: its fast tokenizer.
        name: of the model in traces; None = where it was loaded from, or its class.
        all_positions: as in `encoder.load`; otherwise texts are cut at the tokenizer's `model_max_length`.
    Raises:
        ArgumentError: this is no model of `transformers`, or no fast tokenizer.
        UnsupportedModelError: it is not a text encoder with attention.
    """
    inner = _inner(model)
    if not isinstance(inner, PreTrainedModel):
        raise ArgumentError(f"A model of transformers can be wrapped, not a {type(model).__name__}: {_advice(model)}")
    if not getattr(tokenizer, "is_fast", False):
        raise ArgumentError(
            f"Give the model's fast tokenizer, as from AutoTokenizer.from_pretrained(), not a "
            f"{type(tokenizer).__name__}: it says which characters a token stands for."
        )
    named = name or inner.name_or_path or type(inner).__name__
    if any(parameter.is_meta for parameter in inner.parameters()):
        raise UnsupportedModelError(f"{named} has weights on the meta device, which have no values: load them first.")
    writes = inner.config.is_encoder_decoder and hasattr(inner.base_model, "decoder")
    if writes and head_of(type(inner).__name__) is None:
        raise UnsupportedModelError(f"{named} is an encoder-decoder: wrap its encoder, model.get_encoder(), alone.")
    register()
    # Truncation and padding are settings of a tokenizer, which a training also uses: hence a copy.
    texts = Tokenizer(deepcopy(cast("PreTrainedTokenizerFast", tokenizer)), max_length=max_length_of(inner))
    backend = WrappedBackend(named, inner, texts)
    backend.activation = activation_of(inner.config, {}, default=IDENTITY)
    backend.unused_head = ""  # the model is what it is, whatever it was made from
    return backend.with_all_positions() if all_positions else backend


def _advice(model: Any) -> str:
    """What to wrap in place of an object of another library, such as sentence-transformers."""
    first = next(iter(model.children()), None) if isinstance(model, nn.Module) else None
    held = {"model[0].auto_model": getattr(first, "auto_model", None), "model.model": getattr(model, "model", None)}
    path = next((path for path, inner in held.items() if isinstance(inner, PreTrainedModel)), None)
    if path is None:
        return "give the model that its from_pretrained() returned."
    return (
        f"give the one that it holds, headlight.wrap({path}, model.tokenizer). Its own pooling and activation are read "
        "from a folder alone: headlight.load(folder) after model.save_pretrained(folder)."
    )


def _inner(model: Any) -> Any:
    """The model inside of wrappers of torch and peft."""
    for _ in range(MOST_WRAPPERS):
        if isinstance(model, PreTrainedModel):
            break
        if hasattr(model, "get_base_model"):  # peft's
            model = model.get_base_model()
        else:
            model = getattr(model, "_orig_mod", getattr(model, "module", model))
    return model
