"""How a sentence-transformers folder makes the vector of a text from its last states.

One pooling alone is a line of torch, so that it needs no import and works on saved runs. Everything else, such as
several poolings or a Dense, runs in the library's own modules (`encoder.models.sentence_modules`).

Source: https://sbert.net/docs/package_reference/sentence_transformer/modules.html
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from encoder.errors import CheckpointError, UnsupportedModelError
from encoder.models.files import read_json
from encoder.models.tensors import to_numpy
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import PoolingMode, Trace
from encoder.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from encoder.models.sentence_modules import TextModules

MODULES, PROMPTS = "modules.json", "config_sentence_transformers.json"
TRANSFORMER = ("sentence_bert_config.json", "sentence_roberta_config.json", "sentence_distilbert_config.json")
OTHER_VECTOR = "This folder makes the vector of a text in another way"  # in saved traces, too


@dataclass(frozen=True, slots=True, kw_only=True)
class Pooling:
    """How a model folder makes the vectors of texts.

    Attributes:
        embeds_texts: whether it is a sentence-transformers folder, trained to embed texts.
        mode: of the states; "mean" if the folder does not say, or if it is not supported.
        modules: those of the folder, for the modes "linear modules" and "modules"; else None.
        prompt: read in front of each text.
        max_length: of a text in tokens, prompt and special tokens included; None = as the tokenizer says.
        lowercase: whether texts are lowercased.
        differs: why its cosine is not that of `mode`, as a sentence; "" if it is.
        notes: for each run, in full sentences.
    """

    embeds_texts: bool = False
    mode: PoolingMode = "mean"
    modules: TextModules | None = None
    prompt: str = ""
    max_length: int | None = None
    lowercase: bool = False
    differs: str = ""
    notes: tuple[str, ...] = ()


def read_pooling(folder: Path) -> Pooling:
    """The pooling of a folder."""
    if not (folder / MODULES).exists():
        return Pooling()
    try:
        return _read(folder)
    except UnsupportedModelError as error:
        why = str(error)
    except (CheckpointError, KeyError, TypeError, AttributeError, ValueError) as error:
        why = f"its {MODULES} cannot be read ({type(error).__name__})"
    differs = f"{OTHER_VECTOR} than those that are supported ({why}): its cosines are not shown here."
    return Pooling(embeds_texts=True, differs=differs, notes=(differs,))


def transformer_of(folder: Path) -> Path:
    """The folder of a model's own files: this one, or `0_Transformer` in it, as early versions of the library saved."""
    below = folder / "0_Transformer"
    is_early = (folder / MODULES).exists() and not (folder / "config.json").exists() and below.is_dir()
    return below if is_early else folder


def _read(folder: Path) -> Pooling:
    about = _settings(folder / PROMPTS)
    if about.get("model_type", "SentenceTransformer") != "SentenceTransformer":  # a reranker, for example
        return Pooling()
    from encoder.models.sentence_modules import read_modules

    read = read_modules(folder)
    prompt, of_prompt = _prompt(about)
    found = (_settings(transformer_of(folder) / name) for name in TRANSFORMER)
    of_texts = next(filter(None, found), {})
    limit = of_texts.get("max_seq_length")
    return Pooling(
        embeds_texts=True,
        mode=read.mode,
        modules=read.modules,
        prompt=prompt,
        max_length=limit if isinstance(limit, int) and limit > 0 else None,
        lowercase=bool(of_texts.get("do_lower_case")),
        notes=tuple(filter(None, (read.note, of_prompt))),
    )


def _settings(path: Path) -> dict[str, Any]:
    return read_json(path) if path.exists() else {}


def _prompt(about: dict[str, Any]) -> tuple[str, str]:
    """The prompt that a folder sets by default, and a sentence about its prompts; "" where there is none."""
    prompts = {str(name): str(text) for name, text in (about.get("prompts") or {}).items() if text}
    default = about.get("default_prompt_name")
    if prompt := prompts.get(str(default), ""):
        return prompt, f"The prompt “{prompt.strip()}” is read before the text, as this folder sets by default."
    if not prompts:
        return "", ""
    return "", f"This folder has prompts ({', '.join(prompts)}) but sets none by default: the text is read without one."


def tokenizer_of(folder: Path, pooling: Pooling, *, max_length: int, num_types: int = 2) -> Tokenizer:
    """The tokenizer of a folder, with its prompt and its largest number of tokens. Raises as `Tokenizer.from_folder`.

    Args:
        max_length, num_types: of the model, as in `Tokenizer`.
    """
    tokenizer = Tokenizer.from_folder(
        folder, max_length=max_length, num_types=num_types, prompt=pooling.prompt, lowercase=pooling.lowercase
    )
    if pooling.embeds_texts and not pooling.differs:
        tokenizer.max_length = min(tokenizer.max_length, pooling.max_length or int(tokenizer.inner.model_max_length))
    return tokenizer


def pooled(states: Tensor, mode: PoolingMode) -> Tensor:
    """(B, D) vectors of texts without padding, from their states (B, T, D), for the modes of one pooling."""
    if mode == "cls":
        return states[:, 0]
    if mode == "lasttoken":
        return states[:, -1]
    if mode == "max":
        return states.amax(1)
    if mode == "weightedmean":
        weights = torch.arange(1, states.shape[1] + 1).to(states)  # (T,)
        return weights @ states / weights.sum()
    return states.mean(1)


def pooled_states(trace: Trace) -> FloatArray:
    """(L + 1, D) the states of each layer of a run, pooled as the model pools the last ones."""
    if trace.text_vectors is not None:
        return trace.text_vectors
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
