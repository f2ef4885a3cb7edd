"""A word over a collection: its places, its states against a loop, planted clusters, and tables with hardly a word."""

from pathlib import Path
from typing import get_args

import numpy as np
import pyarrow as pa
import pytest

import encoder
from encoder import Backend
from encoder.collection import word_map
from encoder.collection.names import WordForms
from encoder.collection.shipped_sets import shipped_collection
from encoder.collection.table import Collection
from encoder.collection.word_map import (
    LANGUAGES,
    TAGS,
    Found,
    WordMap,
    cluster,
    find_word,
    label_columns,
    labels_of,
    map_word,
    suggest_words,
    tags_words,
)
from encoder.errors import DataError
from encoder.measures.label_accuracy import NOBODY
from encoder.measures.sense_map import sense_map
from encoder.measures.word_tags import word_tags
from encoder.shipped.probes import word_classes
from encoder.text.occurrences import positions_of_span
from tests.encoder.random_models import bert_folder

TEXTS = (
    "The bank raised its rates.",
    "We sat on the BANK; the other bank was steep.",
    "Her bankbook lies in two banks.",
    "The bank  raised its rates. ",
    "Nothing here.",
    "Banking is a job.",
)


def table(texts: tuple[str, ...] = TEXTS, **columns: list[str]) -> Collection:
    return Collection.of("mine.csv", pa.table({"text": list(texts), **columns}), text="text")


def read_words(collection: Collection, found: Found) -> list[str]:
    return [collection.column(place.column, [place.row])[0][slice(*place.span)] for place in found.places]


@pytest.fixture(scope="module")
def words() -> Collection:
    return shipped_collection("words")


@pytest.fixture(scope="module")
def light(bundled: Backend, words: Collection) -> WordMap:
    return map_word(bundled, words, find_word(words, "light"))


def test_a_form_is_found_in_any_case_as_a_whole_word_and_once_a_text() -> None:
    found = find_word(table(), " bank ")
    assert read_words(table(), found) == ["bank", "BANK", "bank"]
    assert [place.row for place in found.places] == [0, 1, 1]
    assert (found.total, found.repeated, found.num_texts) == (3, 1, 2)


@pytest.mark.parametrize(
    ("word", "forms", "text", "found"),
    [
        (
            "flies",
            "inflections",
            "A fly flew as flies fly; the Flying flier.",
            ["fly", "flew", "flies", "fly", "Flying"],
        ),
        ("good", "inflections", "better goods, and the best goodness", ["better", "goods", "best"]),
        ("mice", "inflections", "one mouse, no moose", ["mouse"]),
        ("universe", "inflections", "A university has no universal universes.", ["universes"]),
        ("bank", "inflections", "It banks on banking, bankers and BANKS", ["banks", "BANKS"]),
        ("fruit fly", "inflections", "Fruit  flies, fruit. Fly!", ["Fruit  flies"]),
        ("Hund", "German", "Die Hunde des Hundes", ["Hunde", "Hundes"]),
        ("книга", "Russian", "Читал книги о книгах.", ["книги", "книгах"]),
    ],
)
def test_inflections_share_a_lemma(word: str, forms: WordForms, text: str, found: list[str]) -> None:
    assert read_words(table((text,)), find_word(table((text,)), word, forms)) == found


def test_every_language_has_a_dictionary() -> None:
    from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

    assert set(LANGUAGES) == set(get_args(WordForms)) - {"form"}
    assert set(LANGUAGES.values()) <= SUPPORTED_LANGUAGES


def test_words_in_a_row_second_texts_and_unspaced_scripts_are_found() -> None:
    rows = table(("In New  York.", "他去银行。"), second=["new york", ""])
    pairs = Collection.of("mine.csv", rows.table, text="text", text_b="second")
    found = find_word(pairs, "new york")
    assert [(place.row, place.column) for place in found.places] == [(0, "text"), (0, "second")]
    assert len(find_word(pairs, "银行").places) == 1


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("   ", "letters or digits"),
        ("?!", "letters or digits"),
        ("qqq", "No text of this table has"),
        ("w" * 99, "at most 80 characters; this one has 99"),
    ],
)
def test_a_word_that_cannot_be_found_is_named(word: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        find_word(table(), word)


def test_too_many_occurrences_are_spread_over_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_map, "MOST_OCCURRENCES", 5)
    many = table(tuple(f"bank {number} bank" for number in range(10)))
    found = find_word(many, "bank")
    assert (len(found.places), found.total) == (5, 20)
    assert [place.row for place in found.places] == [0, 2, 4, 7, 9]


def test_states_are_those_of_each_text_alone(bundled: Backend, words: Collection, light: WordMap) -> None:
    states = []
    for place in light.places:
        tokens = bundled.tokenize(words.column("text", [place.row])[0])
        run = bundled.run(tokens)
        states.append(run.hidden_states[:, list(positions_of_span(tokens, place.span))].mean(axis=1))
    stacked = np.stack(states)  # (N, S, D)
    for state in range(bundled.num_layers + 1):
        expected = sense_map(stacked[:, state])
        np.testing.assert_allclose(light.explained[state], expected.explained, atol=2e-3)
        ours, theirs = (np.linalg.norm(each[:, None] - each, axis=2) for each in (light.points[state], expected.points))
        np.testing.assert_allclose(ours, theirs, atol=0.02 * theirs.max())
        unit = stacked[:, state] / np.linalg.norm(stacked[:, state], axis=1, keepdims=True)
        cosines = np.where(light.texts[:, None] == light.texts, -np.inf, unit @ unit.T)
        found = np.take_along_axis(cosines, light.nearest[state][:, None], axis=1)[:, 0]
        np.testing.assert_allclose(found, cosines.max(axis=1), atol=1e-3)


def test_senses_separate_and_the_words_are_where_the_lens_finds_them(words: Collection, light: WordMap) -> None:
    found = light.accuracies["sense"]
    assert set(found.labels) == {"light:weight", "light:brightness"}
    assert found.neighbour[-3] > 0.8 > found.shuffled["neighbour"].max(axis=0)[-3]
    labels = labels_of(words, "sense", light.places)
    right = [labels[index] == labels[near] for index, near in enumerate(light.nearest[-3]) if index in found.scored]
    assert np.mean(right) == pytest.approx(found.neighbour[-3], abs=0.03)  # the map compares unlabelled ones too
    assert label_columns(words)[0] == "sense"
    assert (light.cut_off, light.in_pieces) == (0, 0)


def test_planted_clusters_are_found() -> None:
    generator = np.random.default_rng(0)
    unit = np.repeat(np.eye(5)[:3], (30, 20, 10), axis=0) + 0.05 * generator.normal(size=(60, 5))
    unit = (unit / np.linalg.norm(unit, axis=1, keepdims=True)).astype(np.float32)
    assert np.bincount(cluster(unit)).tolist() == [30, 20, 10]
    assert not cluster(np.ones((20, 4), np.float32)).any()


def test_occurrences_cut_off_and_in_pieces_are_counted(bundled: Backend) -> None:
    texts = ("gherkinless news", "it was gherkinless", "word " * 300 + "gherkinless")
    rows = table(texts, label=["a", "a", "a"])
    found = map_word(bundled, rows, find_word(rows, "gherkinless"))
    assert (len(found), found.cut_off, found.in_pieces) == (2, 1, 2)
    assert found.words.tolist() == [0, 2]
    assert found.accuracies == {}
    late = table(("word " * 300 + "late",))
    with pytest.raises(DataError, match="reads “late” in none of these texts"):
        map_word(bundled, late, find_word(late, "late"))


def test_a_single_occurrence_is_a_map(bundled: Backend) -> None:
    rows = table(("One bank.",))
    found = map_word(bundled, rows, find_word(rows, "bank"))
    assert found.points.shape == (bundled.num_layers + 1, 1, 2)
    assert (found.nearest == NOBODY).all()


def test_progress_ends_the_work_and_counts_texts_and_states(bundled: Backend) -> None:
    seen: list[tuple[int, int]] = []
    map_word(bundled, table(), find_word(table(), "bank"), progress=lambda done, total: seen.append((done, total)))
    steps = 2 + bundled.num_layers + 1
    assert seen[0] == (0, steps)
    assert seen[-1] == (steps, steps)


def test_suggestions_are_the_words_column_or_frequent_ambiguous_words(words: Collection) -> None:
    assert set(suggest_words(words)) == {"spring", "flies", "bank", "light", "run", "plant", "match"}
    texts = tuple(f"the bank {number} is with gherkins" for number in range(6)) + tuple("abcdefghijklmnopqrstuvwxyz")
    assert suggest_words(table(texts)) == ("bank", "with", "gherkins")
    assert suggest_words(table(("a", "b"))) == ()


def test_tags_are_those_of_the_probes_and_are_scored_once_a_text(bundled: Backend) -> None:
    texts = ("time flies like an arrow", "fruit flies like a banana and the bird flies", "two flies", "he flies home")
    rows = table(texts)
    found = map_word(bundled, rows, find_word(rows, "flies"))
    expected = []
    for place, word in zip(found.places, found.words, strict=True):
        classes = word_classes(bundled.trace(rows.column("text", [place.row])[0]))
        expected.append(classes.likeliest(None)[word])
    assert list(found.tags) == expected
    assert set(found.tags) == {"NOUN", "VERB"}
    scored = found.accuracies[TAGS]
    assert found.texts[scored.scored].tolist() == [0, 1, 2, 3]
    assert found.columns["tag"] == expected * (bundled.num_layers + 1)
    assert tags_words(bundled)


def test_tags_are_those_of_the_models_head(tmp_path: Path) -> None:
    tagger = encoder.load(str(bert_folder(tmp_path, "BertForTokenClassification", num_labels=3)))
    rows = table(("time flies like an arrow", "fruit flies like a banana"))
    found = map_word(tagger, rows, find_word(rows, "flies"))
    for place, word, tag in zip(found.places, found.words, found.tags, strict=True):
        trace = tagger.trace(rows.column("text", [place.row])[0])
        tags = word_tags(trace)
        assert tag == tags.likeliest[tags.words.index(word)]
    assert tags_words(tagger)


def test_a_model_that_does_not_tag_has_no_tags() -> None:
    model = encoder.load("bundled-sentiment")
    rows = table()
    found = map_word(model, rows, find_word(rows, "bank"))
    assert found.tags == ()
    assert "tag" not in found.columns
    assert not tags_words(model)
