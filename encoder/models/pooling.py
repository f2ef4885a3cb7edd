"""How a sentence-transformers folder makes the vector of a text from its last states.

One pooling alone is a line of torch, so that it needs no import and works on saved runs. Everything else, such as
several poolings or a Dense, runs in the library's own modules (`encoder.models.sentence_modules`).

Source: https://sbert.net/docs/package_reference/sentence_transformer/modules.html
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import torch
from torch import Tensor
from torch.nn import functional as F

from encoder.errors import CheckpointError, UnsupportedModelError
from encoder.models.files import STANFORD, read_json, read_list
from encoder.models.tensors import to_numpy
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import WORD_WEIGHTS, PoolingMode, Trace
from encoder.text.tokenizer import Role, Tokenizer

if TYPE_CHECKING:
    from encoder.models.late_interaction import LateInteraction
    from encoder.models.sentence_modules import Scale, TextModules
    from encoder.models.sparse_words import SparseWords

MODULES, PROMPTS = "modules.json", "config_sentence_transformers.json"
TRANSFORMER = ("sentence_bert_config.json", "sentence_roberta_config.json", "sentence_distilbert_config.json")
OTHER_VECTOR = "This folder makes the vector of a text in another way"  # in saved traces, too
Similarity = Literal["cosine", "dot", "euclidean", "manhattan"]
# The prompts that Search reads a role with: the first that is there.
PROMPTS_OF_ROLES: Mapping[Role, tuple[str, ...]] = {"query": ("query",), "document": ("document", "passage", "corpus")}
COMPARED_BY: Mapping[Similarity, str] = {
    "dot": "the dot product",
    "euclidean": "the Euclidean distance",
    "manhattan": "the Manhattan distance",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pooling:
    """How a model folder makes the vectors of texts.

    Attributes:
        embeds_texts: whether it is a sentence-transformers folder, trained to embed texts.
        mode: of the states; "mean" if the folder does not say, or if it is not supported.
        modules: those of the folder, for the modes "linear modules" and "modules"; else None.
        scale: what the vector of one plain pooling is multiplied by, which no cosine depends on.
        similarity: of two vectors, by which the folder ranks texts.
        prompt: read in front of each text.
        prompts: read in front of queries and documents in Search; none of a role that is not there.
        lowercase: whether texts are lowercased.
        late: how it makes a vector of each token instead, as ColBERT does; None if it does not.
        sparse: how it weighs words of the vocabulary instead, as SPLADE does; None if it does not.
        differs: why its cosine is not that of `mode`, as a sentence; "" if it is.
        notes: for each run, in full sentences.
    """

    embeds_texts: bool = False
    mode: PoolingMode = "mean"
    modules: TextModules | None = None
    scale: Scale = "none"
    similarity: Similarity = "cosine"
    prompt: str = ""
    prompts: Mapping[Role, str] = field(default_factory=dict)
    lowercase: bool = False
    late: LateInteraction | None = None
    sparse: SparseWords | None = None
    differs: str = ""
    notes: tuple[str, ...] = ()

    def tokenizer_for(self, role: Role, tokenizer: Tokenizer) -> Tokenizer:
        """The tokenizer as it reads queries or documents: with their prompt, length and expansion."""
        prompt = self.prompts.get(role, "")
        if self.late is not None:
            expansion = self.late.expansion if role == "query" else None
            return tokenizer.for_role(prompt, self.late.lengths.get(role), expansion)
        return tokenizer if prompt == tokenizer.prompt else tokenizer.for_role(prompt)

    @property
    def no_vector(self) -> str:
        """Why a text has no vector, as a sentence; "" if it has one."""
        return "" if self.sparse is not None else self.differs

    @property
    def splits_exactly(self) -> bool:
        """Whether each part of the similarity of two texts belongs to one token of either."""
        return self.late is not None or self.sparse is not None

    @property
    def split_by(self) -> Literal["cosine", "dot"]:
        """The product of vectors that can be split over pairs of words: a distance has none, and its cosine is."""
        return "dot" if self.similarity == "dot" else "cosine"

    def scaled(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """(B, D) pooled vectors as the folder scales them; `lengths` (B,) are the numbers of tokens."""
        if self.scale == "length 1":
            return F.normalize(vectors, dim=-1)
        return vectors if self.scale == "none" else vectors * lengths.to(vectors).sqrt()[:, None]


def read_pooling(folder: Path) -> Pooling:
    """The pooling of a folder."""
    try:
        if (folder / MODULES).exists():
            return _read(folder)
        if STANFORD not in (_settings(folder / "config.json").get("architectures") or ()):
            return Pooling()
        from encoder.models.late_interaction import read_stanford

        return _late(read_stanford(folder), {})
    except UnsupportedModelError as error:
        why = str(error)
    except (CheckpointError, KeyError, TypeError, AttributeError, ValueError) as error:
        why = f"its {MODULES} cannot be read ({type(error).__name__})"
    differs = (
        f"{OTHER_VECTOR} than those that are supported ({why}): its cosines are not shown here, and `encode` of "
        "sentence-transformers gives its vectors."
    )
    return Pooling(embeds_texts=True, differs=differs, notes=(differs,))


def transformer_of(folder: Path) -> Path:
    """The folder of a model's own files: this one, or `0_Transformer` in it, as early versions of the library saved."""
    below = folder / "0_Transformer"
    is_early = (folder / MODULES).exists() and not (folder / "config.json").exists() and below.is_dir()
    return below if is_early else folder


def _read(folder: Path) -> Pooling:
    about = _settings(folder / PROMPTS)
    model_type = str(about.get("model_type", "SentenceTransformer"))
    if model_type == "CrossEncoder":  # a reranker makes no vectors
        return Pooling()
    is_pylate = any(str(entry["type"]).startswith("pylate.") for entry in read_list(folder / MODULES))
    if is_pylate or model_type in ("ColBERT", "MultiVectorEncoder"):
        from encoder.models.late_interaction import read_modules_of_tokens

        of_texts = _settings_of_texts(folder)
        return _late(
            read_modules_of_tokens(folder, about, of_texts), about, lowercase=bool(of_texts.get("do_lower_case"))
        )
    if model_type == "SparseEncoder":
        from encoder.models.sparse_words import read_sparse_words

        similarity = _similarity({**about, "similarity_fn_name": about.get("similarity_fn_name") or "dot"})
        found = read_sparse_words(folder, about)
        differs = f"{OTHER_VECTOR}: {WORD_WEIGHTS}. Search and Similar because compare these."
        return replace(_of_roles(about, {}, differs), sparse=found, similarity=similarity)
    if model_type != "SentenceTransformer":
        raise UnsupportedModelError(f"its model_type is {model_type[:40]!r}")
    from encoder.models.sentence_modules import read_modules

    dimension, similarity = about.get("truncate_dim"), _similarity(about)
    read = read_modules(folder, dimension=None if dimension is None else int(dimension))
    prompts = _prompts(about)
    prompt, of_roles = prompts.get(str(about.get("default_prompt_name")), ""), _prompts_of_roles(prompts)
    return Pooling(
        embeds_texts=True,
        mode=read.mode,
        modules=read.modules,
        scale=read.scale,
        similarity=similarity,
        prompt=prompt,
        prompts=of_roles,
        lowercase=bool(_settings_of_texts(folder).get("do_lower_case")),
        notes=tuple(filter(None, (read.note, _on_prompts(prompts, prompt, of_roles), _on_similarity(similarity)))),
    )


def _late(found: LateInteraction, about: dict[str, Any], *, lowercase: bool = False) -> Pooling:
    differs = f"{OTHER_VECTOR}: one of each token, as ColBERT does. Search and Similar because compare these by MaxSim."
    return replace(_of_roles(about, found.markers, differs), late=found, lowercase=lowercase)


def _of_roles(about: dict[str, Any], markers: Mapping[Role, str], differs: str) -> Pooling:
    """Of a folder whose texts have no cosine, for the reason in `differs`."""
    prompts = _prompts(about)
    of_roles = _prompts_of_roles(prompts)
    for role, marker in markers.items():
        of_roles[role] = marker + of_roles[role].removeprefix(marker)
    on_prompts = _on_prompts({"query": of_roles["query"], "document": of_roles["document"]}, "", of_roles)
    return Pooling(
        embeds_texts=True,
        prompt=prompts.get(str(about.get("default_prompt_name")), ""),
        prompts=of_roles,
        differs=differs,
        notes=tuple(filter(None, (differs, on_prompts if any(of_roles.values()) else ""))),
    )


def _prompts(about: dict[str, Any]) -> dict[str, str]:
    return {str(name): str(text) for name, text in (about.get("prompts") or {}).items() if text}


def _prompts_of_roles(prompts: Mapping[str, str]) -> dict[Role, str]:
    of_roles = PROMPTS_OF_ROLES.items()
    return {role: next((prompts[name] for name in names if name in prompts), "") for role, names in of_roles}


def _similarity(about: dict[str, Any]) -> Similarity:
    named = about.get("similarity_fn_name") or "cosine"
    if named not in get_args(Similarity):
        raise UnsupportedModelError(f"it compares texts by {str(named)[:40]!r}")
    return cast(Similarity, named)


def folder_length(folder: Path) -> int | None:
    """The largest number of tokens that a sentence-transformers folder sets, which precedes that of its tokenizer."""
    limit = _settings_of_texts(folder).get("max_seq_length")
    return limit if isinstance(limit, int) and limit > 0 else None


def _settings_of_texts(folder: Path) -> dict[str, Any]:
    found = (_settings(transformer_of(folder) / name) for name in TRANSFORMER)
    return next(filter(None, found), {})


def _settings(path: Path) -> dict[str, Any]:
    return read_json(path) if path.exists() else {}


def _on_prompts(prompts: Mapping[str, str], default: str, of_roles: Mapping[Role, str]) -> str:
    """A sentence about the prompts of a folder; "" where there are none."""
    if not prompts:
        return ""
    query, document = (f"after “{text.strip()}”" if text else "without a prompt" for text in of_roles.values())
    in_search = f"Search reads a query {query} and a text {document}."
    if default:
        usual = f"The prompt “{default.strip()}” is read before the text, as this folder sets by default."
    else:
        named = ", ".join(prompts)
        usual = f"This folder has prompts ({named}) but sets none by default: the text is read without one."
    return f"{usual} {in_search}" if set(of_roles.values()) != {default} else usual


def _on_similarity(similarity: Similarity) -> str:
    if similarity == "cosine":
        return ""
    return f"This folder compares texts by {COMPARED_BY[similarity]}: Search ranks by it."


def tokenizer_of(
    folder: Path, pooling: Pooling, *, max_length: int, folder_length: int | None, num_types: int = 2
) -> Tokenizer:
    """The tokenizer of a folder, with its prompt and its largest number of tokens. Raises as `Tokenizer.from_folder`.

    Args:
        max_length, folder_length, num_types: of the model, as in `Tokenizer`.
    """
    tokenizer = Tokenizer.from_folder(
        folder,
        max_length=max_length,
        folder_length=folder_length,
        num_types=num_types,
        prompt=pooling.prompt,
        lowercase=pooling.lowercase,
    )
    if pooling.late is not None:
        tokenizer.add_markers(pooling.late.markers.values())
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
