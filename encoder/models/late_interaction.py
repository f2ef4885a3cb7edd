"""How a ColBERT folder makes a vector of each token, in the three forms in which such folders are saved.

Queries and documents have markers, lengths of their own and, for queries, [MASK] tokens up to a fixed length; tokens of
documents that are punctuation are skipped. The markers are prompts here, whose tokens are added to the tokenizer.

Sources: Khattab and Zaharia (2020), ColBERT; the files of colbert-ai ("HF_ColBERT"), of PyLate, and of
sentence-transformers' `MultiVectorEncoder`.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

import torch

from encoder.errors import UnsupportedModelError
from encoder.models.files import PROJECTION, read_json, read_list
from encoder.models.sentence_modules import OF_TOKENS, Module, TextModules, loaded, read_module
from encoder.models.tensors import to_numpy
from encoder.models.weight_files import read_headers, read_tensors, weight_files
from encoder.runs.arrays import FloatArray
from encoder.text.tokenizer import Expansion, Role

MARKERS: Mapping[str, Role] = {"query_prefix": "query", "document_prefix": "document"}
METADATA = "artifact.metadata"
# Settings that only PyLate saves, which expands queries unless it says otherwise.
PYLATE = frozenset(
    {"query_length", "document_length", "do_query_expansion", "attend_to_expansion_tokens", "skiplist_words", *MARKERS}
)
USUAL_LENGTH = 32  # of a query with its expansion


@dataclass(frozen=True, slots=True, kw_only=True)
class LateInteraction:
    """How tokens become vectors, and which of them are compared.

    Attributes:
        modules: from the last states to the vectors of tokens.
        markers: in front of queries and documents, each one token of the vocabulary.
        lengths: largest numbers of tokens of queries and documents.
        expansion: of queries; None without one.
        skipped: tokens whose vectors are left out, by role.
        mean: whether MaxSim is divided by the number of the query's tokens.
    """

    modules: TextModules
    markers: Mapping[Role, str] = field(default_factory=dict)
    lengths: Mapping[Role, int] = field(default_factory=dict)
    expansion: Expansion | None = None
    skipped: Mapping[Role, frozenset[str]] = field(default_factory=dict)
    mean: bool = False

    @torch.inference_mode()
    def vectors(self, states: FloatArray) -> FloatArray:
        """(T, D) last states of a text to the vectors (T, D') of its tokens."""
        device = next(self.modules.parameters(), torch.empty(0)).device
        mask = torch.ones(1, len(states), device=device)
        return to_numpy(self.modules(torch.tensor(states, device=device)[None], mask))[0]


def read_stanford(folder: Path) -> LateInteraction:
    """The settings of a folder of colbert-ai, whose projection lies among the weights of its encoder."""
    about = read_json(folder / METADATA) if (folder / METADATA).exists() else {}
    stored = read_headers(weight_files(folder))
    if PROJECTION not in stored:
        raise UnsupportedModelError(f"its checkpoint has no {PROJECTION}, which projects the states of ColBERT")
    weights = read_tensors({PROJECTION: stored[PROJECTION]})
    rows, columns = weights[PROJECTION].shape
    dense = {"in_features": columns, "out_features": rows, "bias": False, "activation_function": _IDENTITY}
    modules = [loaded(Module("Dense", dense | _TOKENS, folder), weights), loaded(Module("Normalize", _TOKENS, folder))]
    document_length = about.get("doc_maxlen")
    return LateInteraction(
        modules=TextModules(modules, output=OF_TOKENS).eval().requires_grad_(False),
        markers={
            "query": f"{about.get('query_token_id') or '[unused0]'} ",
            "document": f"{about.get('doc_token_id') or '[unused1]'} ",
        },
        lengths={} if document_length is None else {"document": int(document_length)},
        expansion=Expansion(
            length=int(about.get("query_maxlen") or USUAL_LENGTH), attend=bool(about.get("attend_to_mask_tokens"))
        ),
        skipped={"document": frozenset(string.punctuation)} if about.get("mask_punctuation", True) else {},
    )


_IDENTITY = "torch.nn.modules.linear.Identity"
_TOKENS = {"module_input_name": OF_TOKENS}


def read_modules_of_tokens(folder: Path, about: Mapping[str, Any], of_texts: Mapping[str, Any]) -> LateInteraction:
    """The settings of a folder of PyLate, or of sentence-transformers' `MultiVectorEncoder`.

    Args:
        about: of config_sentence_transformers.json.
        of_texts: of the Transformer.
    Raises:
        UnsupportedModelError: there is a module of another kind; the message is a clause.
    """
    modules = [read_module(folder, entry, defaults=_TOKENS) for entry in read_list(folder / "modules.json")]
    kinds = [module.kind for module in modules]
    if kinds.index("Transformer") or set(kinds[1:]) - {"Dense", "Normalize", "MultiVectorMask"}:
        raise UnsupportedModelError(f"its modules are {', '.join(kinds)[:80]}")
    masks = [dict(module.settings) for module in modules if module.kind == "MultiVectorMask"]
    if any(mask.get("keep_only_token_ids") for mask in masks):
        raise UnsupportedModelError("it compares some tokens of its vocabulary only")
    made = [loaded(module) for module in modules[1:] if module.kind != "MultiVectorMask"]
    if about.get("model_type") != "MultiVectorEncoder":  # PyLate scales and skips without modules for these
        made.append(loaded(Module("Normalize", _TOKENS, folder)))
        words = about.get("skiplist_words")
        masks.append({"skiplist_words": list(string.punctuation) if words is None else words})
    skipped: dict[Role, frozenset[str]] = {}
    for mask in masks:
        tasks = mask.get("skiplist_tasks") or ["document"]
        left_out = frozenset(mask.get("skiplist_words") or ())
        skipped |= {role: left_out for role in get_args(Role) if role in tasks}
    settings = {**about, **{name: value for name, value in of_texts.items() if value is not None}}
    lengths: dict[Role, Any] = {role: settings.get(f"{role}_length") for role in get_args(Role)}
    return LateInteraction(
        modules=TextModules(made, output=OF_TOKENS).eval().requires_grad_(False),
        markers={role: str(about[name] or "") for name, role in MARKERS.items() if name in about},
        lengths={role: int(length) for role, length in lengths.items() if length},
        expansion=_expansion(settings, is_pylate=not PYLATE.isdisjoint(about)),
        skipped=skipped,
        mean=about.get("similarity_fn_name") == "meanmaxsim",
    )


def _expansion(settings: Mapping[str, Any], *, is_pylate: bool) -> Expansion | None:
    named = settings.get("query_expansion")
    if named is not None:
        return Expansion(
            length=int(named["length"]),
            attend=bool(named.get("attend", False)),
            token=named.get("token"),
            is_fixed=named["strategy"] == "fixed",
        )
    is_off = "query_expansion" in settings or settings.get("do_query_expansion") is False
    if is_off or not is_pylate:
        return None
    attend = settings.get("attend_to_expansion_tokens", settings.get("attend_to_mask_tokens"))
    return Expansion(length=int(settings.get("query_length") or USUAL_LENGTH), attend=bool(attend))
