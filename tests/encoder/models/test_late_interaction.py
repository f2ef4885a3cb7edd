"""Folders of ColBERT in all their forms: vectors of tokens, MaxSim and its split are those of the library."""

import json
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch
from safetensors.torch import load_file, save_file
from sentence_transformers import MultiVectorEncoder
from sentence_transformers.base.modules import Dense
from sentence_transformers.multi_vector_encoder.modules import MultiVectorMask
from sentence_transformers.sentence_transformer.modules import Normalize, Transformer
from torch import nn
from transformers import AddedToken, AutoModel, AutoTokenizer

import encoder
from encoder import Backend
from encoder.collection.hit_test import remove_strongest_pair
from encoder.collection.search import exact_split_of_texts, search, tokens_of_hit
from encoder.collection.table import Collection
from encoder.comparison.exact_splits import token_vectors
from encoder.errors import UnsupportedModelError
from encoder.models.vector_checks import check_vectors
from encoder.text.tokenizer import Role
from tests.encoder.random_models import LONG, WIDTH, A, B, edit_config

TEXTS = [B, "time, flies! (an) arrow.", LONG, "the banana"]
EXPANSION = {"strategy": "fixed", "length": 12}
OF_TOKENS = {"module_input_name": "token_embeddings"}


def dense() -> Dense:
    torch.manual_seed(1)
    return Dense(WIDTH, 16, bias=False, activation_function=nn.Identity(), **OF_TOKENS)


def add_tokens(folder: Path, *pieces: str, special: bool) -> None:
    """Give a BERT folder further tokens, which are found in text as they are only if they are special."""
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder)
    tokenizer.add_tokens([AddedToken(piece, normalized=not special) for piece in pieces])
    torch.manual_seed(2)
    model.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def of_sentence_transformers(folder: Path, target: Path, expansion: Any = EXPANSION) -> Path:
    modules = [
        Transformer(str(folder), document_length=24, query_expansion=expansion),
        dense(),
        MultiVectorMask(skiplist_words=list(string.punctuation)),
        Normalize(**OF_TOKENS),
    ]
    prompts = {"query": "fruit: ", "document": "over the: "}
    MultiVectorEncoder(modules=modules, device="cpu", prompts=prompts).save_pretrained(str(target))
    return target


def attended(folder: Path, target: Path) -> Path:
    return of_sentence_transformers(folder, target, {"attend": True, "strategy": "min", "length": 7})


def unexpanded(folder: Path, target: Path) -> Path:
    return of_sentence_transformers(folder, target, None)


def of_pylate(folder: Path, target: Path) -> Path:
    add_tokens(folder, "[Q] ", "[D] ", special=False)
    (folder / "1_Dense").mkdir(exist_ok=True)
    config: dict[str, Any] = {"in_features": WIDTH, "out_features": 16, "bias": False}
    config["activation_function"] = "torch.nn.modules.linear.Identity"
    (folder / "1_Dense" / "config.json").write_text(json.dumps(config))
    save_file(dict(dense().state_dict()), folder / "1_Dense" / "model.safetensors")
    kinds = (("sentence_transformers.models.Transformer", ""), ("pylate.models.Dense.Dense", "1_Dense"))
    modules = [{"idx": n, "name": str(n), "path": path, "type": kind} for n, (kind, path) in enumerate(kinds)]
    (folder / "modules.json").write_text(json.dumps(modules))
    about = {"model_type": "ColBERT", "query_prefix": "[Q] ", "document_prefix": "[D] ", "query_length": 10}
    about |= {"document_length": 20, "attend_to_expansion_tokens": False, "similarity_fn_name": "MaxSim"}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(about))
    return folder


def of_stanford(folder: Path, target: Path) -> Path:
    path = folder / "tokenizer.json"
    vocabulary = json.loads(path.read_text())
    words = vocabulary["model"]["vocab"]
    for piece in ("[unused0]", "[unused1]"):
        words[piece] = len(words)
    path.write_text(json.dumps(vocabulary))
    model = AutoModel.from_pretrained(folder)
    torch.manual_seed(2)
    model.resize_token_embeddings(len(words), mean_resizing=False)
    model.save_pretrained(folder)
    weights = {f"bert.{name}": tensor for name, tensor in load_file(folder / "model.safetensors").items()}
    save_file(weights | {"linear.weight": dense().linear.weight.data}, folder / "model.safetensors")
    edit_config(folder, architectures=["HF_ColBERT"])
    (folder / "artifact.metadata").write_text(json.dumps({"query_maxlen": 9, "doc_maxlen": 20}))
    return folder


FORMS: dict[str, Callable[[Path, Path], Path]] = {
    "sentence-transformers": of_sentence_transformers,
    "attended": attended,
    "unexpanded": unexpanded,
    "pylate": of_pylate,
    "stanford": of_stanford,
}


@pytest.mark.parametrize("form", FORMS)
def test_vectors_scores_and_their_split_are_those_of_the_library(folder: Path, tmp_path: Path, form: str) -> None:
    target = FORMS[form](folder, tmp_path / "late")
    backend, library = encoder.load(str(target)), MultiVectorEncoder(str(target), device="cpu")
    roles: tuple[tuple[Role, Any], ...] = (("query", library.encode_query), ("document", library.encode_document))
    for role, encode in roles:
        reader = backend.for_role(role)
        ours = token_vectors(reader, list(map(reader.tokenize, TEXTS)), role)
        for mine, theirs in zip(ours, encode(TEXTS), strict=True):
            np.testing.assert_allclose(mine, theirs, atol=1e-6)
    scores = library.similarity(library.encode_query([A]), library.encode_document(TEXTS))[0].numpy()
    found = search(backend, Collection.of("mine", pa.table({"text": TEXTS}), text="text"), A)
    assert found.score == "MaxSim"
    np.testing.assert_allclose(found.scores, scores, atol=1e-5)
    split = exact_split_of_texts(backend, A, B, "words")
    assert split.score == pytest.approx(float(scores[0]), abs=1e-5)
    assert_split_is_that_of_the_vectors(backend, library)
    tested = remove_strongest_pair(backend, Collection.of("mine", pa.table({"text": TEXTS}), text="text"), A, 0)
    assert tested.scores[0] == pytest.approx(float(scores[0]), abs=1e-5)
    assert tested.places[0] == found.ranking.place_of(0)
    with pytest.raises(UnsupportedModelError, match="one of each token, as ColBERT does"):
        backend.embed([A])
    check = check_vectors(backend)
    assert check.outcome == "holds"
    assert "MaxSim" in check.sentence
    assert not backend.passport.remarks


def assert_split_is_that_of_the_vectors(backend: Backend, library: MultiVectorEncoder) -> None:
    """By hand: each query token's best token of the text, summed over the words that both belong to."""
    split, (a, b) = exact_split_of_texts(backend, A, B, "words"), tokens_of_hit(backend, A, B)
    query, text = library.encode_query([A])[0], library.encode_document([B])[0]
    expected = np.zeros_like(split.values)
    kept = [place for place, piece in enumerate(b.pieces) if piece not in string.punctuation]
    for place, vector in enumerate(query):
        best = kept[int((text @ vector).argmax())]
        one, other = a.word_ids[place], b.word_ids[best]
        if one is not None and other is not None:
            expected[one, other] += (text @ vector).max()
    np.testing.assert_allclose(split.values, expected, atol=1e-5)
    assert split.values.sum() + split.rest == pytest.approx(split.score, abs=1e-6)


def test_a_folder_that_selects_tokens_is_refused(folder: Path, tmp_path: Path) -> None:
    target = of_sentence_transformers(folder, tmp_path / "late")
    [path] = [each / "config.json" for each in target.glob("*MultiVectorMask")]
    path.write_text(json.dumps({"keep_only_token_ids": [5]}))
    assert "it compares some tokens of its vocabulary only" in encoder.load(str(target)).pooling.differs
