"""How a sentence-transformers folder pools the last states of a text to a vector.

Source: https://sbert.net/docs/package_reference/sentence_transformer/modules.html
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_args

import torch
from torch import Tensor

from encoder.errors import CheckpointError, UnsupportedModelError
from encoder.models.files import BELOW, read_json, read_list
from encoder.models.tensors import to_numpy
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import PoolingMode, Trace

MODULES, PROMPTS = "modules.json", "config_sentence_transformers.json"
OTHER_VECTOR = "This folder makes the vector of a text in another way"  # in saved traces, too
# By their names, of earlier versions as well. Dividing by the square root of the length does not change the cosine.
MODES: Mapping[str, PoolingMode] = MappingProxyType(
    {mode: mode for mode in get_args(PoolingMode)}
    | {
        "mean_tokens": "mean",
        "mean_sqrt_len_tokens": "mean",
        "max_tokens": "max",
        "weightedmean_tokens": "weightedmean",
    }
)
LEGACY = "pooling_mode_"


@dataclass(frozen=True, slots=True)
class Pooling:
    """How a model folder pools the vectors of texts.

    Attributes:
        embeds_texts: whether it is a sentence-transformers folder, trained to embed texts.
        mode: of the states; "mean" if the folder does not say, or if it is not supported.
        differs: why its cosine is not that of `mode`, as a sentence; "" if it is.
    """

    embeds_texts: bool = False
    mode: PoolingMode = "mean"
    differs: str = ""


def read_pooling(folder: Path) -> Pooling:
    """The pooling of a folder."""
    if not (folder / MODULES).exists():
        return Pooling()
    try:
        return Pooling(embeds_texts=True, mode=_mode(folder))
    except UnsupportedModelError as error:
        why = str(error)
    except (CheckpointError, TypeError, AttributeError) as error:
        why = f"its {MODULES} cannot be read ({type(error).__name__})"
    return Pooling(
        embeds_texts=True,
        differs=f"{OTHER_VECTOR} than those that are supported ({why}): its cosines are not shown here.",
    )


def pooled(states: Tensor, mode: PoolingMode) -> Tensor:
    """(B, D) vectors of texts without padding, from their states (B, T, D)."""
    if mode == "cls":
        return states[:, 0]
    if mode == "max":
        return states.amax(1)
    if mode == "weightedmean":
        weights = torch.arange(1, states.shape[1] + 1).to(states)  # (T,)
        return weights @ states / weights.sum()
    return states.mean(1)


def pooled_states(trace: Trace) -> FloatArray:
    """(L + 1, D) the states of each layer of a run, pooled as the model pools the last ones."""
    return to_numpy(pooled(torch.tensor(trace.hidden_states), trace.pooling))


def unsupported_pooling(*notes: str) -> str:
    """The note that says that the model's pooling is not supported; "" if there is none.

    Args:
        notes: of a run, or `Pooling.differs`.
    """
    return next((note for note in notes if note.startswith(OTHER_VECTOR)), "")


def check_pooling(*notes: str) -> None:
    """Refuse cosines for a model whose pooling is not supported.

    Args:
        notes: as in `unsupported_pooling`.
    Raises:
        UnsupportedModelError: one of the notes says so.
    """
    differs = unsupported_pooling(*notes)
    if differs:
        raise UnsupportedModelError(differs)


def _mode(folder: Path) -> PoolingMode:
    """The pooling of a sentence-transformers folder. Raises UnsupportedModelError if we do not support it."""
    names: set[str] = set()
    for module in read_list(folder / MODULES):
        kind = str(module["type"]).rpartition(".")[2]
        if kind == "Pooling":
            path = str(module["path"])
            if not BELOW.fullmatch(f"{path}/config.json"):
                raise UnsupportedModelError(f"its pooling lies in {path[:40]!r}")
            names |= _names(read_json(folder / path / "config.json"))
        elif kind not in ("Transformer", "Normalize"):
            raise UnsupportedModelError(f"it has a module {kind[:40]!r}")
    if len(names) != 1 or names - MODES.keys():
        raise UnsupportedModelError(f"its pooling is {', '.join(sorted(names)) or 'not named'}")
    if (folder / PROMPTS).exists() and read_json(folder / PROMPTS).get("default_prompt_name"):
        raise UnsupportedModelError("it puts a prompt in front of each text")
    return MODES[names.pop()]


def _names(settings: Mapping[str, Any]) -> set[str]:
    """The names of the poolings whose results are concatenated."""
    named = settings.get("pooling_mode")
    if named is not None:
        return {named} if isinstance(named, str) else set(named)
    flags = {key.removeprefix(LEGACY).removesuffix("_token") for key, on in settings.items() if on and LEGACY in key}
    return flags or {"mean"}
