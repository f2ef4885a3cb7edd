"""The view Search: hits, what a hit rests on, other rankings next to it, and what it says of odd input."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1.element_tree import TextInput

import encoder
import headlight
from encoder import Backend
from encoder.attribution.explaining import explain
from encoder.attribution.questions import Question
from encoder.collection.hit_test import remove_strongest_pair
from encoder.collection.lexical import WordIndex
from encoder.collection.missed import why_not
from encoder.collection.search import (
    GrowingVectors,
    embed_rows,
    exact_split_of_texts,
    hits_by_words,
    most_moved,
    rank,
    scores_of_query,
    search,
)
from encoder.collection.shipped_sets import shipped_collection
from tests.app.app_script import alerts, captions, click, figure, numbers, run, unfold
from tests.app.app_script import sentences_of as text
from tests.app.jobs import open_settled, settled
from tests.encoder.models.test_late_interaction import of_stanford
from tests.encoder.random_models import A, Zoo, bert_folder

pytestmark = pytest.mark.usefixtures("jobs_begin_at_once", "each_text_is_read_once")

QUERY = "how much sleep do adults need"
VIEW = {"view": "search", "collection": "passages"}
SMALL = VIEW | {"model": "scratch"}


@pytest.fixture
def reranker(tmp_path: Path) -> Path:
    return bert_folder(tmp_path, "BertForSequenceClassification", max_position_embeddings=256, num_labels=1)


def test_hits_and_what_they_rest_on_are_those_of_the_python_api(bundled: Backend) -> None:
    at = open_settled(**VIEW, find=QUERY, level="words")
    collection = shipped_collection("passages")
    vectors = embed_rows(bundled, GrowingVectors(collection))
    ranking = rank(scores_of_query(bundled, QUERY, vectors))
    shown: pd.DataFrame = at.dataframe[0].value
    assert shown["text"].tolist() == collection.column("text", ranking.rows[:100].tolist())
    assert shown["cosine"][1] == f"{ranking.scores[0]:.2f}"
    said = text(at)
    assert f"comes first of 150, with a cosine of {ranking.scores[0]:.2f}" in said
    assert "### Why place 1?" in said
    assert "**Without “adults” in the query and “adults” in the text**" in said
    words = len(QUERY.split())
    for name in ("similar-because-pairs", "search-maxsim"):
        assert np.shape(numbers(figure(at, name)["data"][0]["z"]))[0] == words
    settled(unfold(at, "search_rows", "search_words"))
    said, by_words = text(at), hits_by_words(WordIndex(collection.column("text")), QUERY)
    assert "The two texts of a row have a cosine of" in said
    assert f"{len(by_words.rows)} of 150 texts have a word of the query" in said
    [places] = [table.value["place by the model"] for table in at.dataframe if "BM25" in table.value]
    assert places.tolist() == ranking.places[by_words.rows[:10]].tolist()


def test_a_hostile_query_ranks_as_well_and_unknown_words_get_a_remark() -> None:
    at = open_settled(**SMALL, find="</b>😂 ฉัน")
    assert "comes first of 150" in text(at)
    assert "The model knows 4 of 6 words" in alerts(at)[0]


def test_a_hit_opens_in_another_view_and_the_way_back_keeps_the_query() -> None:
    at = open_settled(**SMALL, find=QUERY)
    click(at, "search_open_similar because")
    assert (at.query_params["view"], at.query_params["a"]) == ("similar because", QUERY)
    click(at, "back_to_table")
    assert (at.query_params["view"], at.query_params["find"]) == ("search", QUERY)


def test_another_query_has_a_grid_of_its_own_in_which_no_row_is_chosen(scratch: Backend) -> None:
    third = search(scratch, shipped_collection("passages"), QUERY).ranking.rows[2]
    at = open_settled(**SMALL, find=QUERY, hit=str(third))
    assert "### Why place 3?" in text(at)

    def key() -> str:
        grid: str = at.dataframe[0].proto.id
        return grid[grid.index("search_hits_") :]

    first = key()
    assert at.session_state[first]["selection"]["rows"] == [2]
    settled(at.text_input(key="find").set_value("is my cake done").run())
    assert "### Why place 1?" in text(at)
    assert at.session_state[key()]["selection"]["rows"] == []
    assert key() != first
    [said] = open_settled(**SMALL, find=QUERY, hit="9999").info
    assert said.value == "The table has no row 10,000: the first text that was found is explained."


def test_rankings_of_another_query_and_another_model_stand_next_to_it() -> None:
    at = open_settled(**SMALL, find=QUERY, find_too="how little sleep do adults need", other_model="scratch-untrained")
    said = text(at)
    assert said.count("of the first 10** are the same") == 2
    places = [name for name in at.dataframe[0].value.columns if name.startswith("place: ")]
    assert len(places) == 2
    assert "### By Small encoder, untrained" in said
    assert said.count("**These pairs add most:**") == 2


def test_the_pairs_that_two_models_weigh_differently_are_named(bundled: Backend) -> None:
    collection, second = shipped_collection("passages"), encoder.load("scratch-untrained")
    rankings = [search(model, collection, QUERY).ranking for model in (bundled, second)]
    rows = most_moved(rankings[0], rankings[1])
    places = [ranking.place_of(rows[0]) for ranking in rankings]
    link = {**VIEW, "find": QUERY, "hit": str(rows[0]), "level": "words"}
    at = open_settled(**link, other_model="scratch-untrained")
    moved = next(each.value for each in at.dataframe if "places apart" in each.value)
    assert moved["text"].tolist() == collection.column("text", rows[:5])
    assert moved["places apart"][0] == abs(places[0] - places[1])
    said = text(at)
    assert f"Of the {len(rows)} texts that are among the first 10 of either ranking" in said
    assert f"### Why place {places[0]}?" in said
    assert "**The models weigh these pairs most differently:**" in said
    assert [chart.proto.id.endswith("_search-maxsim") for chart in at.get("plotly_chart")].count(True) == 2
    unfold(at, "search_differences_search-pair-differences_table")
    [pairs] = [each.value for each in at.dataframe if "query" in each.value and "places apart" not in each.value][1:]
    found = headlight.pair_differences(bundled, second, QUERY, moved["text"][0])
    np.testing.assert_allclose(pairs.iloc[:, 2], found["share"], atol=1e-5)


def test_a_reranker_splits_its_score_over_words_and_is_tested(reranker: Path) -> None:
    at = open_settled(view="search", find="fruit flies", collection="passages", model=str(reranker), level="words")
    settled(click(at, "load_model"))
    said = text(at)
    model, collection = encoder.load(str(reranker)), shipped_collection("passages")
    ranking = search(model, collection, "fruit flies").ranking
    best = collection.column("text", [int(ranking.rows[0])])[0]
    assert f"comes first of 150, with a score of {ranking.scores[0]:.2f}".replace("-", "−") in said
    assert "### Words of the score" in said
    offers = [button.label for button in unfold(at, "search_found", "search_missed").button]
    assert sum(label.startswith("Work out: Scores of 50 queries with 150 texts") for label in offers) == 2
    assert "### Similar because" not in said
    values = explain(model, Question(kind="score", texts=("fruit flies", best)))
    sums = [part for part in captions(at).splitlines() if "The model says" in part]
    assert f"The model says **{values.total:+.3f}**".replace("-", "−") in sums[0]
    assert "reads query and text together" in captions(at)
    assert np.shape(numbers(figure(at, "search-maxsim")["data"][0]["z"]))[0] == 2
    tested = remove_strongest_pair(model, collection, "fruit flies")
    assert f"**Without “{tested.a[tested.pairs[0][0]]}” in the query" in said
    assert f"the score goes from {tested.scores[0]:.2f} to {tested.scores[1]:.2f}".replace("-", "−") in said
    settled(at.selectbox(key="other_model").set_value("bundled").run())
    assert "of the first 10** are the same" in text(at)
    assert "The models weigh these pairs" not in text(at)
    assert "a reranker's score splits over words" in captions(at)
    click(at, "search_open_why")
    assert "### The logit" in text(at)


def test_a_reranker_lacks_no_prompt_and_tries_no_edit(reranker: Path) -> None:
    model, passages = encoder.load(str(reranker)), shipped_collection("passages").select(range(12))
    found = [why_not(model, passages, "how much sleep do adults need", row) for row in range(12)]
    assert sum(each.found for each in found) == 5
    assert all(each.edit is None and each.cause != "missing prompt" for each in found)


def test_second_model_is_loaded_after_consent_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = str(bert_folder(tmp_path, "BertModel"))
    load, loaded = encoder.load, list[str]()

    def noted(name: str) -> Backend:
        loaded.append(name)
        return load(name)

    monkeypatch.setattr(encoder, "load", noted)
    at = open_settled(**SMALL, find=QUERY, other_model=folder)
    assert "comes first of 150" in text(at)
    assert not any(folder in name for name in loaded)
    said = text(settled(click(at, "search_load_model")))
    assert any(folder in name for name in loaded)
    assert said.count("**These pairs add most:**") == 2


def test_a_folder_of_colbert_ranks_by_max_sim_and_splits_it(tmp_path: Path) -> None:
    target = str(of_stanford(Zoo(tmp_path).folder("bert"), tmp_path))
    at = settled(click(open_settled(**VIEW, find=A, model=target, level="words"), "load_model"))
    backend, passages = encoder.load(target), shipped_collection("passages")
    found = search(backend, passages, A)
    assert f"comes first of 150, with a MaxSim of {found.ranking.scores[0]:.2f}" in text(at)
    assert "the largest of each row add up to the score" in captions(at)
    assert "**Without “" in text(at)
    split = exact_split_of_texts(backend, A, passages.column("text", [int(found.ranking.rows[0])])[0], "words")
    z = numbers(figure(at, "similar-because-pairs")["data"][0]["z"])
    np.testing.assert_allclose(z, split.values, atol=1e-5)
    click(at, "search_open_similar because")
    assert f"A as a query and B as a text have a MaxSim of {split.score:.3f}" in text(at)


def test_a_text_that_was_expected_is_found_by_its_words_and_explained() -> None:
    at = open_settled(view="search", collection="passages", find="is my cake done")

    def expected() -> TextInput:
        [found] = [each for each in at.text_input if each.label.startswith("Expected another text?")]
        return found

    expected().set_value("wooden skewer")
    settled(run(at))
    assert at.query_params["hit"] == "145"
    assert "Not among the first 5" in text(at)
    assert "With **“skewer”** added to the query, it is found: place 1" in text(at)
    expected().set_value("no such words")
    settled(run(at))
    assert "No text of the table has these words" in text(at)
    assert at.query_params["hit"] == "145"
    settled(at.text_input(key="find").set_value("how little sleep do adults need").run())
    assert expected().value == ""


def test_without_a_query_the_page_says_what_one_does() -> None:
    at = open_settled(**VIEW)
    assert "Type a query above: it ranks the 150 texts of column “text”." in captions(at)
    assert not alerts(at)
