"""Folders of SPLADE: the weights of words, their product and its split are those of the library."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sentence_transformers import SparseEncoder
from sentence_transformers.base.modules import Transformer
from sentence_transformers.sparse_encoder.modules import SpladePooling

import encoder
from encoder.collection.hit_test import remove_strongest_pair
from encoder.collection.search import exact_split_of_texts, search
from encoder.collection.table import Collection
from encoder.comparison.exact_splits import heaviest_words
from encoder.errors import UnsupportedModelError
from encoder.models.vector_checks import check_vectors
from tests.encoder.random_models import LONG, WIDTH, A, B, bert_folder
from tests.rounding import rounding

TEXTS = [B, LONG, "the banana", "time flies"]
SETTINGS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "largest": ({}, {}),
    "sums": ({"pooling_strategy": "sum"}, {"prompts": {"query": "fruit: ", "document": "over the: "}}),
    "twice": ({"activation_function": "log1p_relu"}, {"similarity_fn_name": "cosine"}),
    "few words": ({}, {"max_active_dims": 9}),
}


@pytest.fixture
def masked(tmp_path: Path) -> Path:
    return bert_folder(tmp_path / "masked", "BertForMaskedLM")


def sparse_folder(masked: Path, pooling: dict[str, Any], **options: Any) -> Path:
    modules = [Transformer(str(masked), transformer_task="fill-mask"), SpladePooling(**pooling)]
    SparseEncoder(modules=modules, device="cpu", **options).save_pretrained(str(masked.parent / "sparse"))
    return masked.parent / "sparse"


@pytest.mark.parametrize("kind", SETTINGS)
def test_weights_scores_and_their_split_are_those_of_the_library(masked: Path, kind: str) -> None:
    target = sparse_folder(masked, SETTINGS[kind][0], **SETTINGS[kind][1])
    backend, library = encoder.load(str(target)), SparseEncoder(str(target), device="cpu")
    query, texts = library.encode_query([A]), library.encode_document(TEXTS)
    np.testing.assert_allclose(backend.embed([A], role="query"), query.to_dense(), atol=rounding(WIDTH, 10))
    np.testing.assert_allclose(backend.embed(TEXTS, role="document"), texts.to_dense(), atol=rounding(WIDTH, 10))
    scores = library.similarity(query, texts).to_dense()[0].numpy()
    rows = Collection.of("mine", pa.table({"text": TEXTS}), text="text")
    found = search(backend, rows, A)
    np.testing.assert_allclose(found.scores, scores, rtol=1e-5)
    assert found.score == ("cosine" if kind == "twice" else "dot product")
    split = exact_split_of_texts(backend, A, B, "words")
    assert split.score == pytest.approx(float(scores[0]), rel=1e-5)
    assert split.values.sum() + split.rest == pytest.approx(split.score, rel=1e-6)
    assert (split.values >= 0).all()
    assert split.values.sum() > 0
    tested = remove_strongest_pair(backend, rows, A, 0)
    assert tested.scores[0] == pytest.approx(float(scores[0]), rel=1e-5)
    theirs = library.decode(library.encode([A])[0], top_k=5)
    ours = heaviest_words(backend, A, 5)
    assert [word for word, _ in theirs] == [word for word, _ in ours]
    assert [weight for _, weight in theirs] == pytest.approx([weight for _, weight in ours], rel=1e-5)
    assert check_vectors(backend).outcome == "holds"
    assert any("a weight of each word of its vocabulary" in note for note in backend.trace(A).notes)


def test_a_distance_of_weights_and_another_encoder_are_refused(masked: Path) -> None:
    target = sparse_folder(masked, {}, similarity_fn_name="euclidean")
    with pytest.raises(UnsupportedModelError, match="ranks by a distance, which pairs of words do not add up to"):
        exact_split_of_texts(encoder.load(str(target)), A, B, "words")
    with pytest.raises(UnsupportedModelError, match="has no head for masked words"):
        encoder.load(f"scratch-bert:{target}").embed([A])
