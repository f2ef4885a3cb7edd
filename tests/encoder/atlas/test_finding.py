"""Searches of an atlas, against a loop over all of its rows."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder.atlas.database import database
from encoder.atlas.finding import Found, Search, find
from encoder.atlas.names import DIRECTIONS
from encoder.atlas.reader import SHIPPED
from encoder.atlas.records import WordPattern
from encoder.atlas.tables import TEXTS, head_columns, looks_schema, read_table, table_of, write_table
from encoder.errors import AtlasError

FOLDER = SHIPPED / "bundled"
SENTENCES = read_table(FOLDER / "sentences.parquet").to_pylist()
patterns = st.builds(
    WordPattern,
    form=st.sampled_from([None, "the", "IT", "Go", "no such word"]),
    tag=st.sampled_from([None, "NOUN", "VERB", "PRON", "X Y"]),
)
searches = st.builds(
    Search,
    layer=st.sampled_from([0, 2]),
    head=st.sampled_from([0, 8]),
    looks=patterns,
    looked_at=patterns,
    relation=st.sampled_from([None, "obj", "acl:*", "nsubj:pass", "nothing"]),
    direction=st.sampled_from(DIRECTIONS),
    least=st.sampled_from([0.0, 0.05, 0.3, 0.305, 1.0]),
)


def slow(search: Search) -> tuple[list[tuple[int, int, int, int]], int]:
    """The looks by hundredths, and how many words may look."""
    columns = head_columns(search.layer, search.head)
    found, words = [], 0
    for row in read_table(FOLDER / "looks.parquet", columns=("sentence", "word", *columns)).to_pylist():
        text, query = SENTENCES[row["sentence"]], row["word"]
        key, hundredths = (row[name] for name in columns)
        if search.relation is None:
            may_look = True
        elif search.direction == DIRECTIONS[0]:
            may_look = is_a(text, query, search.relation)
        else:
            may_look = any(text["heads"][word] == query and is_a(text, word, search.relation) for word in places(text))
        may_look = may_look and is_as(text, query, search.looks)
        words += may_look
        dependent, head = (query, key) if search.direction == DIRECTIONS[0] else (key, query)
        right = search.relation is None or (is_a(text, dependent, search.relation) and text["heads"][dependent] == head)
        if may_look and right and is_as(text, key, search.looked_at) and hundredths >= round(100 * search.least):
            found.append((-hundredths, row["sentence"], query, key))
    return sorted(found, key=lambda look: look[0]), words


def places(text: dict[str, Any]) -> range:
    return range(len(text["words"]))


def is_as(text: dict[str, Any], word: int, pattern: WordPattern) -> bool:
    form = pattern.form is None or text["words"][word].lower() == pattern.form.lower()
    return form and pattern.tag in (None, text["tags"][word])


def is_a(text: dict[str, Any], word: int, relation: str) -> bool:
    name = text["relations"][word]
    return name == relation or (relation.endswith(":*") and name.split(":")[0] == relation[:-2])


def as_rows(found: Found) -> list[tuple[int, int, int, int]]:
    hundredths = np.rint(-100 * found.weight).astype(int)
    return list(zip(*(values.tolist() for values in (hundredths, found.sentence, found.query, found.key)), strict=True))


@given(searches)
def test_a_search_finds_what_a_loop_finds_in_the_same_order(search: Search) -> None:
    found = find(database(FOLDER), search)
    assert (as_rows(found), found.words) == slow(search)


def test_objects_found_looking_at_their_verb_match_the_accuracy() -> None:
    found = find(database(FOLDER), Search(layer=2, head=0, relation="obj"))
    assert (found.words, round(len(found.query) / found.words, 2)) == (1191, 0.74)  # as on the card


def test_a_corpus_without_trees_is_found_by_its_words(tmp_path: Path) -> None:
    sentence = {"where": "a:1", "name": "a", "words": ["Go", "home"], "tokens": [1, 2, 4]}
    write_table(tmp_path / "sentences.parquet", table_of([sentence], TEXTS), {})
    to, weight = head_columns(0, 0)
    rows = [{"sentence": 0, "word": word, to: 1 - word, weight: 40 + word} for word in (0, 1)]
    write_table(tmp_path / "looks.parquet", table_of(rows, looks_schema(1, 1)), {})
    assert as_rows(find(database(tmp_path), Search(layer=0, head=0))) == [(-41, 0, 1, 0), (-40, 0, 0, 1)]
    assert as_rows(find(database(tmp_path), Search(layer=0, head=0, looks=WordPattern(form="GO")))) == [(-40, 0, 0, 1)]
    for search in (Search(layer=0, head=0, relation="obj"), Search(layer=0, head=0, looks=WordPattern(tag="VERB"))):
        assert find(database(tmp_path), search).words == 0


def test_a_head_that_is_not_there_is_one_sentence() -> None:
    with pytest.raises(AtlasError, match="is not a table of an atlas, or is damaged"):
        find(database(FOLDER), Search(layer=6, head=0))
