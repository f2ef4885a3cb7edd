"""What people type into a search of an atlas, and what the browser is sent of what is found."""

import math
from dataclasses import replace
from typing import Any

import pytest

from encoder.atlas.finding import Search
from encoder.atlas.names import BETWEEN_WORDS
from encoder.atlas.reader import Atlas
from encoder.atlas.records import WordPattern
from encoder.atlas.tables import read_table
from viz.payloads import found_sentences as module
from viz.payloads.found_sentences import found_sentences, number_in, search_of, suggestions, text_in


@pytest.mark.parametrize(
    ("looks", "looked_at", "expected"),
    [
        ("", "", {}),
        (" the ", "", {"looks": WordPattern(form="the")}),
        ("NOUN", "VERB", {"looks": WordPattern(tag="NOUN"), "looked_at": WordPattern(tag="VERB")}),
        ("noun", "Verb", {"looks": WordPattern(form="noun"), "looked_at": WordPattern(form="Verb")}),
        ("obj→", "it", {"relation": "obj", "looked_at": WordPattern(form="it")}),
        ("→acl:relcl", "", {"relation": "acl:relcl", "direction": "head to dependent"}),
        ("→", "", {"looks": WordPattern(form="→")}),
        ("", "obj→", {"looked_at": WordPattern(form="obj→")}),
    ],
)
def test_words_parts_of_speech_and_relations_are_distinguished(looks: str, looked_at: str, expected: Any) -> None:
    found = search_of(2, 0, looks=looks, looked_at=looked_at, least=0.3)
    assert found == replace(Search(layer=2, head=0, least=0.3), **expected)


@pytest.mark.parametrize(("least", "kept"), [(-1.0, 0.0), (7.0, 1.0), (math.inf, 1.0), (0.25, 0.25)])
def test_a_weight_is_a_share(least: float, kept: float) -> None:
    assert search_of(0, 0, looks="", looked_at="", least=least).least == kept


def test_rows_name_the_words_and_tokens_of_their_sentences(atlas: Atlas) -> None:
    found = atlas.find(search_of(2, 0, looks="obj→", looked_at="", least=0.3))
    sent = found_sentences(atlas, found)
    assert sent["n"] == len(sent["rows"]) == len(found.query)
    assert sent["words"] == 1191
    weights = [row[-1] for row in sent["rows"]]
    assert weights == sorted(weights, reverse=True)
    assert min(weights) == 30
    tables = {row["name"]: row for row in read_table(atlas.folder / "sentences.parquet").to_pylist()}
    for sentence, query, key, query_token, key_token, _ in sent["rows"][::50]:
        text = tables[sent["names"][sentence]]
        assert sent["sentences"][sentence].split(BETWEEN_WORDS) == text["words"]
        assert [query_token, key_token] == [text["tokens"][query], text["tokens"][key]]


def test_a_long_list_is_truncated_and_its_length_stated(atlas: Atlas, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 7)
    sent = found_sentences(atlas, atlas.find(search_of(2, 0, looks="", looked_at="", least=0)))
    assert (sent["n"], sent["words"], len(sent["rows"])) == (24717, 24717, 7)
    nothing = found_sentences(atlas, atlas.find(search_of(2, 0, looks="xyz→", looked_at="", least=0)))
    assert (nothing["n"], nothing["words"], nothing["rows"], nothing["sentences"]) == (0, 0, [], [])


def test_suggested_relations_are_written_as_in_the_model_view(atlas: Atlas) -> None:
    found = suggestions(atlas, 2, 0)
    assert {"NOUN", "obj→", "→obj", "acl:relcl→"} <= set(found)
    assert len(found) == len(set(found))


@pytest.mark.parametrize("sent", [None, "0.3", [], {}, math.nan])
def test_invalid_numbers_and_texts_are_empty(sent: Any) -> None:
    assert number_in(sent) == 0
    assert text_in({"looks": sent}, "looks") == (sent if isinstance(sent, str) else "")
    assert text_in({"looks": "a" * 1000}, "looks") == "a" * 100
