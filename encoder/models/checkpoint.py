"""Folders of checkpoints: their tensors, read strictly and without running anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from encoder.errors import CheckpointError
from encoder.models.files import check_weight_files, read_config
from encoder.models.finite import check_weights
from encoder.transformer.bert_names import config_from_bert, load_bert_weights
from encoder.transformer.encoder import Encoder

DRAWING = frozenset({nn.init.kaiming_uniform_, nn.init.normal_, nn.init.uniform_})


class _NothingDrawn(TorchFunctionMode):
    """Leaves weights unset for which modules would draw random numbers, in this thread: a checkpoint replaces all."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        given = kwargs or MappingProxyType[str, Any]({})
        if func in DRAWING:
            return args[0] if args else given["tensor"]
        return func(*args, **given)


def load_bert_folder(folder: Path, *, cls_token_id: int | None = None) -> Encoder:
    """Our encoder, in evaluation mode, with the weights of a BERT folder (config.json, *.safetensors).

    Args:
        cls_token_id: the id of `[CLS]` in the folder's vocabulary; None = 101, as in BERT's own.
    Raises:
        CheckpointError: a file is missing or corrupt, or does not fit.
    """
    config = config_from_bert(read_config(folder), cls_token_id=101 if cls_token_id is None else cls_token_id)
    with _NothingDrawn():
        encoder = Encoder(config)
    load_bert_weights(encoder, read_safetensors(folder))
    return encoder.eval()


def read_safetensors(folder: Path) -> dict[str, Tensor]:
    """All tensors of a folder's safetensors files, by name.

    Raises:
        CheckpointError: there is no such file, or one is corrupt or holds weights that are not finite.
    """
    tensors: dict[str, Tensor] = {}
    for name in check_weight_files((path.name for path in folder.iterdir()), str(folder)):
        try:
            tensors |= load_file(folder / name)
        except (SafetensorError, OSError) as error:
            raise CheckpointError(f"{folder / name} is not a readable safetensors file: {error}") from error
    check_weights(tensors.items(), f"The checkpoint in {folder}")
    return tensors
