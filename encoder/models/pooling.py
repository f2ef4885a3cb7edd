"""How a sentence-transformers folder pools a text to a vector, and whether that equals our mean of states.

Source: https://sbert.net/docs/package_reference/sentence_transformer/modules.html
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from encoder.errors import CheckpointError, UnsupportedModelError
from encoder.models.files import BELOW, read_json, read_list

MODULES, PROMPTS = "modules.json", "config_sentence_transformers.json"
OTHER_VECTOR = "This folder makes the vector of a text in another way"
# Dividing by the square root of the length changes the norm, not the cosine.
LIKE_THE_MEAN = {"mean", "mean_sqrt_len_tokens"}
LEGACY = "pooling_mode_"


@dataclass(frozen=True, slots=True)
class Pooling:
    """How a model folder pools the vectors of texts.

    Attributes:
        embeds_texts: whether it is a sentence-transformers folder, trained to embed texts.
        differs: why its cosine is not that of mean states, as a sentence; "" if it is.
    """

    embeds_texts: bool = False
    differs: str = ""


def read_pooling(folder: Path) -> Pooling:
    """The pooling of a folder. Unknown poolings count as different."""
    if not (folder / MODULES).exists():
        return Pooling()
    try:
        how = _other_vector(folder)
    except (CheckpointError, TypeError, AttributeError) as error:
        how = f"its {MODULES} cannot be read ({type(error).__name__})"
    sentence = f"{OTHER_VECTOR} than as the mean of its states ({how}): its cosines are not shown here."
    return Pooling(embeds_texts=True, differs=sentence if how else "")


def check_pooling(*notes: str) -> None:
    """Refuse cosines for a model that pools its vectors in another way.

    Args:
        notes: of a run, or `Pooling.differs`.
    Raises:
        UnsupportedModelError: one of the notes says so.
    """
    differs = next((note for note in notes if note.startswith(OTHER_VECTOR)), None)
    if differs:
        raise UnsupportedModelError(differs)


def _other_vector(folder: Path) -> str:
    modes: set[str] = set()
    for module in read_list(folder / MODULES):
        kind = str(module["type"]).rpartition(".")[2]
        if kind == "Pooling":
            path = str(module["path"])
            if not BELOW.fullmatch(f"{path}/config.json"):
                return f"its pooling lies in {path[:40]!r}"
            modes |= _modes(read_json(folder / path / "config.json"))
        elif kind not in ("Transformer", "Normalize"):
            return f"it has a module {kind[:40]!r}"
    if not modes or modes - LIKE_THE_MEAN or len(modes) > 1:
        return f"its pooling is {', '.join(sorted(modes)) or 'not named'}"
    if (folder / PROMPTS).exists() and read_json(folder / PROMPTS).get("default_prompt_name"):
        return "it puts a prompt in front of each text"
    return ""


def _modes(settings: Mapping[str, Any]) -> set[str]:
    """The names of the poolings whose results are concatenated."""
    named = settings.get("pooling_mode")
    if named is not None:
        return {named} if isinstance(named, str) else set(named)
    flags = {key.removeprefix(LEGACY).removesuffix("_token") for key, on in settings.items() if on and LEGACY in key}
    return {"mean" if flag == "mean_tokens" else flag for flag in flags} or {"mean"}
