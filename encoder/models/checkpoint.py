"""Load BERT checkpoints strictly, without running any code from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from encoder.errors import CheckpointError
from encoder.models.files import read_config
from encoder.models.finite import check_weights
from encoder.models.weight_files import StoredTensor, read_headers, read_tensors, weight_files
from encoder.models.weight_report import WeightReport
from encoder.transformer.bert_names import NOT_IN_ENCODER, config_from_bert, load_bert_weights
from encoder.transformer.config import EncoderConfig
from encoder.transformer.encoder import Encoder

DRAWING = frozenset({nn.init.kaiming_uniform_, nn.init.normal_, nn.init.uniform_})


class _NothingDrawn(TorchFunctionMode):
    """Skips random initialisation in this thread, because a checkpoint replaces all weights."""

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


@contextmanager
def shapes_only() -> Iterator[None]:
    """Make modules on the meta device, where weights take no memory and have no values.

    Without it, torch would import its compiler for the random numbers of a meta tensor, which takes two seconds.
    """
    with torch.device("meta"), _NothingDrawn():
        yield


def load_bert_folder(folder: Path, *, cls_token_id: int | None = None) -> Encoder:
    """Our encoder, in evaluation mode, with the weights of a BERT folder (config.json, *.safetensors).

    Args:
        cls_token_id: the id of `[CLS]` in the folder's vocabulary; None = 101, as in BERT.
    Raises:
        CheckpointError: a file is missing or corrupt, or does not match.
    """
    config = config_from_bert(read_config(folder), cls_token_id=101 if cls_token_id is None else cls_token_id)
    stored = read_headers(weight_files(folder))
    _check_shapes(config, stored)
    with _NothingDrawn():
        encoder = Encoder(config)
    tensors = read_tensors(stored)
    check_weights(tensors.items(), f"The checkpoint in {folder}")
    load_bert_weights(encoder, tensors)
    return encoder.eval()


def report_of_bert_folder(folder: Path) -> WeightReport:
    """How the checkpoint of a BERT folder fills our encoder, which takes neither pooler nor heads."""
    stored = read_headers(weight_files(folder))
    left_over = (name for name in stored if name.removeprefix("bert.").startswith(NOT_IN_ENCODER))
    return WeightReport.of(len(stored), left_over, ())


def _check_shapes(config: EncoderConfig, stored: Mapping[str, StoredTensor]) -> None:
    """Compare the shapes of a checkpoint with an encoder on the meta device. Raises as `load_bert_weights`."""
    try:
        with shapes_only():
            outline = Encoder(config)
            tensors = {name: torch.empty(tensor.shape) for name, tensor in stored.items()}
    except RuntimeError as error:  # sizes whose product overflows
        raise CheckpointError(f"config.json does not describe an encoder: {error}") from error
    load_bert_weights(outline, tensors)
