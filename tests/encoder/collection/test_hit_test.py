"""The test of a hit equals a search by hand, for cosines and for a reranker."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import torch
import transformers

import headlight
from encoder import Backend
from encoder.collection.hit_test import (
    RANDOM_PAIRS,
    remove_pair,
    remove_pair_and_rerank,
    remove_strongest_pair,
    tokens_of_test,
)
from encoder.collection.search import GrowingVectors, embed_rows, rank, rerank, scores_of_query, search
from encoder.collection.shipped_sets import shipped_collection
from encoder.collection.table import Collection
from encoder.comparison.text_vectors import text_vectors
from encoder.errors import SelectionError
from encoder.models.loading import load_folder
from tests.encoder.random_models import A, bert_folder

QUERY = "how much sleep do adults need"
FRUIT = "fruit flies over the banana"


@pytest.fixture(scope="module")
def passages() -> Collection:
    return shipped_collection("passages").select(range(12))


@pytest.fixture(scope="module")
def vectors(bundled: Backend, passages: Collection) -> np.ndarray:
    return embed_rows(bundled, GrowingVectors(passages))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bert_folder(tmp_path_factory.mktemp("reranker"), "BertForSequenceClassification", num_labels=1)


@pytest.fixture(scope="module")
def reranker(folder: Path) -> Backend:
    return load_folder("reranker", folder)


@pytest.fixture(scope="module")
def fruit() -> Collection:
    texts = [A, "a banana", "the arrow flies like fruit", "time", "an arrow over a banana", "like the fruit"]
    return Collection.of("fruit", pa.table({"text": texts}), text="text")


def _scores(folder: Path, pairs: list[tuple[str, str]]) -> np.ndarray:
    """The sigmoid of what `transformers` gives each pair, as `CrossEncoder.predict` returns it."""
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    with torch.inference_mode():
        inputs = [tokenizer(*pair, return_token_type_ids=True, return_tensors="pt") for pair in pairs]
        return np.array([model(**each).logits.sigmoid().item() for each in inputs])


def test_a_removed_pair_is_ranked_as_a_search_by_hand(
    bundled: Backend, passages: Collection, vectors: np.ndarray
) -> None:
    row = int(rank(scores_of_query(bundled, QUERY, vectors)).rows[0])
    text = passages.column("text")[row]
    found = remove_pair(bundled, vectors, QUERY, text, row, (3, 0), level="words")
    shorter = bundled.embed(["how much sleep adults need"])[0]  # without its word 3
    own = text_vectors(bundled, [bundled.tokenize(text.split(maxsplit=1)[1])])[0]
    assert found.scores[1] == pytest.approx(float(shorter @ own), abs=2e-5)
    others = np.delete(vectors, row, axis=0) @ shorter
    assert found.places[1] == 1 + int((others > found.scores[1]).sum())
    assert found.places[0] == 1
    assert found.places.shape == found.scores.shape == (RANDOM_PAIRS + 2,)
    assert len(set(found.pairs)) == len(found.pairs)


def test_a_query_of_one_word_is_masked(bundled: Backend, passages: Collection, vectors: np.ndarray) -> None:
    found = remove_pair(bundled, vectors, "sleep", passages.column("text")[0], 0, (0, 0), level="words")
    assert found.scores[1] < found.scores[0]


def test_a_reranker_scores_as_transformers_does(folder: Path, reranker: Backend, fruit: Collection) -> None:
    scores = rerank(reranker, fruit, FRUIT).scores
    np.testing.assert_allclose(scores, _scores(folder, [(FRUIT, text) for text in fruit.texts()]), atol=1e-5)
    found = search(reranker, fruit, FRUIT)
    assert (found.score, found.vectors, found.unread.sentences) == ("score", None, [])
    assert found.ranking.rows.tolist() == np.argsort(-scores, kind="stable").tolist()


def test_texts_that_a_reranker_reads_in_part_are_counted(reranker: Backend) -> None:
    texts = headlight.texts(["a banana", "😂", "a banana " * 300])
    with pytest.warns(UserWarning, match=r"1 of 3 texts\. Without a word that the model knows: 1 of 3 texts\.$"):
        found = texts.search(reranker, "fruit").sort_index()
    with pytest.warns(UserWarning, match="Cut off"):
        texts.two_rankings(reranker, reranker, "fruit")
    assert found["no known word"].tolist() == [False, True, False]
    assert found["cut off"].tolist() == [False, False, True]


def test_without_a_pair_all_texts_are_reranked(folder: Path, reranker: Backend, fruit: Collection) -> None:
    seen: list[tuple[int, int]] = []
    pair, row = (4, 2), 2  # "banana" of the query, "flies" of the text
    found = remove_pair_and_rerank(
        reranker, fruit, FRUIT, row, pair, level="words", progress=lambda done, total: seen.append((done, total))
    )
    texts = list(fruit.texts())
    texts[row] = "the arrow like fruit"
    by_hand = _scores(folder, [("fruit flies over the", text) for text in texts])
    assert found.scores[1] == pytest.approx(by_hand[row], abs=1e-5)
    assert found.places[1] == 1 + int((by_hand > by_hand[row]).sum())
    one, other = found.pairs[1]  # the first random pair
    query, text = (words.split() for words in (FRUIT, "the arrow flies like fruit"))
    texts[row] = " ".join(text[:other] + text[other + 1 :])
    by_hand = _scores(folder, [(" ".join(query[:one] + query[one + 1 :]), text) for text in texts])
    assert found.scores[2] == pytest.approx(by_hand[row], abs=1e-5)
    assert found.places[2] == 1 + int((by_hand > by_hand[row]).sum())
    assert found.places[0] == rerank(reranker, fruit, FRUIT).ranking.place_of(row)
    assert seen[0] == (0, 30)  # five other texts, with the query and without each of its five words
    assert seen[-1] == (30, 30)
    assert tokens_of_test(reranker.tokenize(FRUIT, texts[row]), 6, level="words") == 6 * 6 * 12


def test_a_word_of_the_query_that_is_cut_off_next_to_a_long_text_is_gone(reranker: Backend) -> None:
    query = " ".join(["fruit flies"] * 20)
    table = pa.table({"text": ["time", " ".join(["a banana"] * 40)]})
    found = remove_pair_and_rerank(
        reranker, Collection.of("long", table, text="text"), query, 0, (39, 0), level="words"
    )
    assert np.isfinite(found.scores).all()
    assert len(found.a) == 40


def test_the_strongest_pair_is_one_word_of_each_text(bundled: Backend, reranker: Backend, fruit: Collection) -> None:
    for model in (bundled, reranker):
        found = remove_strongest_pair(model, fruit, FRUIT, 2)
        assert (len(found.a), len(found.b)) == (5, 5)
        columns = found.columns
        one, other = found.pairs[0]
        assert columns["from_query"][:2] == ["", found.a[one]]
        assert columns["from_text"][:2] == ["", found.b[other]]
        assert len(columns["place"]) == RANDOM_PAIRS + 2
    with pytest.raises(SelectionError, match="Row 6 was asked for; the table has rows 0 to 5"):
        remove_strongest_pair(bundled, fruit, FRUIT, 6)
