"""How a SPLADE folder weighs the words of its vocabulary, by its head for masked words.

Source: Formal et al. (2021), SPLADE v2, equation 6, as sentence-transformers' `SparseEncoder` saves it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from encoder.errors import UnsupportedModelError
from encoder.models.files import MODULE_FOLDER, read_json, read_list

KINDS = (["Transformer", "SpladePooling"], ["MLMTransformer", "SpladePooling"])


@dataclass(frozen=True, slots=True, kw_only=True)
class SparseWords:
    """How the logits of tokens become weights of words.

    Attributes:
        sums: whether a word has the sum of its weights over tokens; else the largest.
        twice: whether the logarithm is taken twice.
        most: number of words that have a weight; None for all.
    """

    sums: bool = False
    twice: bool = False
    most: int | None = None

    def of_tokens(self, logits: Tensor) -> Tensor:
        """(T, V) logits of a text to the part of each token in the weight of each word; parts sum to the weights."""
        parts = logits.relu().log1p()
        parts = parts.log1p() if self.twice else parts
        if not self.sums:
            best = parts.argmax(0, keepdim=True)  # (1, V)
            parts = torch.zeros_like(parts).scatter_(0, best, parts.gather(0, best))
        if self.most is not None and self.most < parts.shape[1]:
            kept = parts.sum(0).topk(self.most).indices
            parts = torch.zeros_like(parts).index_copy_(1, kept, parts[:, kept])
        return parts


def read_sparse_words(folder: Path, about: Mapping[str, Any]) -> SparseWords:
    """The settings of a folder of `SparseEncoder`. Raises UnsupportedModelError, whose message is a clause."""
    entries = read_list(folder / "modules.json")
    kinds = [str(entry["type"]).rpartition(".")[2] for entry in entries]
    if kinds not in KINDS or not MODULE_FOLDER.fullmatch(str(entries[1]["path"])):
        raise UnsupportedModelError(f"its modules are {', '.join(kinds)[:80]}")
    settings, most = read_json(folder / entries[1]["path"] / "config.json"), about.get("max_active_dims")
    return SparseWords(
        sums=settings.get("pooling_strategy", "max") == "sum",
        twice=settings.get("activation_function", "relu") == "log1p_relu",
        most=None if most is None else int(most),
    )
