"""The card of the chosen head, and the requests of the browser about it."""

from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from encoder.atlas import reader
from encoder.atlas.__main__ import main as atlas_command
from encoder.atlas.database import Database
from encoder.errors import AtlasError
from tests.app.app_script import (
    captions,
    choose,
    components,
    data_of,
    go,
    layer_of,
    map_data,
    matrix,
    open_page,
    pick_model,
    run,
    send,
)
from tests.encoder.atlas.small_corpus import write_corpus
from viz.caches.atlases import VARIABLE
from viz.caches.memo import VALUES
from viz.page import head_card
from viz.state.address import from_query, to_query
from viz.wording.atlas_words import figure


@pytest.fixture(scope="module")
def page() -> AppTest:
    return open_page()


def card(at: AppTest) -> Any:
    (found,) = components(at, "head_card")
    return data_of(found)


def ask(at: AppTest, wanted: Any) -> Any:
    return card(send(at, "head_card", wanted=wanted))["details"]


def test_every_view_of_one_head_has_the_card_except_in_presentation_mode(page: AppTest) -> None:
    assert card(page)["lines"]["2.0"][0].startswith("From object to verb, this head looks most at the right word ")
    assert card(page)["details"] is None
    for link in ({"view": "data"}, {"b": "Go home", "a": "Yes", "mode": "separate"}):
        assert len(card(go(page, link))["lines"]) == 72
    for link in ({"view": "decoder"}, {"stage": "1"}, {"view": "norms"}, {"view": "word lens"}, {"view": "compare"}):
        assert not components(go(page, link), "head_card")


def test_the_card_of_a_cell_compares_weights_as_the_atlas_counted_them(page: AppTest) -> None:
    go(page, {"mode": "pair"})
    assert map_data(page)["words"] == [None, 0, 1, 2, 3, 4, None, 5, 6, 7, 8, 9, None]
    assert any(map_data(page)["quantiles"].encode() in store.bytes for store in components(page, "store"))
    assert map_data(page)["opens"] == ["why here", "anatomy"]
    go(page, {"special": "renormalise"})
    assert map_data(page)["words"] == []


def test_the_model_view_is_labelled_and_the_small_map_is_not(page: AppTest) -> None:
    go(page, {"view": "model view"})
    (large,) = map(data_of, components(page, "head_map"))
    assert large["labels"]["of"]["2.0"]["word"] == "object → verb"
    go(page, {"view": "heat map"})
    (small,) = map(data_of, components(page, "head_map"))
    assert small["labels"] is None


def test_an_example_links_to_its_sentence_with_the_head_and_both_words(page: AppTest) -> None:
    go(page, {"view": "head view"})
    details = ask(page, {"layer": 2, "head": 0})
    example = details["examples"][0]["sentences"][0]
    selection, problems = from_query(dict(parse_qsl(example["address"].removeprefix("?"), keep_blank_values=True)))
    assert problems == ()
    assert (selection.texts.a, selection.texts.b) == (" ".join(example["words"]), "")
    assert (selection.view, selection.place.layer, selection.place.head) == ("head view", 2, 0)
    assert card(run(page))["details"] is None  # is not sent again
    go(page, to_query(replace(selection, view="heat map")))
    query, key = (unit_of(page, token) for token in (selection.place.pins.query, selection.place.pins.key))
    assert figure(matrix(page)[query, key]) == example["value"]  # as the atlas measured it


def unit_of(at: AppTest, token: int | None) -> int:
    """The row of the picture that a token is in."""
    units = layer_of(at, map_data(at)).extras["positions"]
    return next(unit for unit, positions in enumerate(units) if token in positions)


def search(at: AppTest, **typed: Any) -> Any:
    return card(send(at, "head_card", wanted={"layer": 2, "head": 0, "search": typed}))["found"]


def test_a_search_is_answered_with_sentences_and_what_links_to_them_need(page: AppTest) -> None:
    go(page, {"view": "head view"})
    typed = {"looks": "obj→", "looked_at": "overstating", "least": 0.9}
    found = search(page, **typed)
    assert (found["layer"], found["head"], found["search"]) == (2, 0, typed)
    assert card(page)["details"] is None
    (row,) = found["rows"]
    index, *_, query_token, key_token, weight = row
    words = found["sentences"][index].split("\x1f")
    link = found["address"] | {"a": " ".join(words), "b": "", "query": str(query_token), "key": str(key_token)}
    selection, problems = from_query(link)
    assert problems == ()
    assert (selection.view, selection.level) == ("head view", "words")
    assert (selection.place.layer, selection.place.head) == (2, 0)
    go(page, to_query(replace(selection, view="heat map")))
    positions = layer_of(page, map_data(page)).extras["positions"]
    place = [
        next(unit for unit, tokens in enumerate(positions) if token in tokens) for token in (query_token, key_token)
    ]
    assert round(100 * matrix(page)[*place]) == weight
    assert card(run(page))["found"] is None  # is not sent again


@pytest.mark.parametrize("typed", [{}, {"looks": 3, "least": "x"}, {"looks": "</script>", "looked_at": "=1+1"}])
def test_a_search_for_anything_is_answered(page: AppTest, typed: dict[str, Any]) -> None:
    go(page, {})
    found = search(page, **typed)
    assert found["n"] == (0 if "looked_at" in typed else 24717)
    assert found["search"] == typed


@pytest.mark.parametrize(
    "wanted",
    [None, 7, [2, 0], {}, {"layer": 6, "head": 0}, {"layer": "2", "head": 0}, {"layer": [2], "head": {}}, {"layer": 2}],
)
def test_an_invalid_head_is_ignored(page: AppTest, wanted: Any) -> None:
    assert ask(page, wanted) is None


def test_the_card_reports_a_damaged_table(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AtlasError("The table is damaged.")

    monkeypatch.setattr(Database, "rows_of_head", fail)
    assert ask(page, {"layer": 1, "head": 3}) == {"layer": 1, "head": 3, "problem": "The table is damaged."}
    monkeypatch.setattr(reader.Atlas, "find", fail)
    assert search(page, looks="the") == {"layer": 2, "head": 0, "problem": "The table is damaged."}
    assert card(page)["details"] is None


def test_a_model_without_an_atlas_says_that_nothing_was_measured() -> None:
    at = pick_model(open_page(), "scratch-untrained")
    assert not components(at, "head_card")
    assert "No corpus measurements of the heads exist for this model." in captions(at)


def test_a_training_step_refers_to_the_atlas_of_the_last_one() -> None:
    at = go(open_page(), {"model": "scratch"})
    assert len(card(at)["lines"]) == 16
    go(at, {"model": "scratch:step=28"})
    assert not components(at, "head_card")
    assert head_card.OF_THE_LAST_STEP in captions(at)


def test_a_custom_model_has_the_atlas_of_its_weights_in_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, out = "scratch-untrained", tmp_path / "atlases"
    monkeypatch.setenv(VARIABLE, str(out))
    at = pick_model(open_page(), model)
    assert "There is no folder" in captions(at)
    corpus = write_corpus(tmp_path / "small.jsonl", 40)
    given = ["build", "--model", model, "--corpus", str(corpus), "--out", str(tmp_path / "built"), "--workers", "1"]
    assert atlas_command(given) == 0
    shipping = ["ship", str(tmp_path / "built"), "--chosen-on", "one half", "--measured-on", "the other"]
    assert atlas_command([*shipping, "--out", str(out)]) == 0
    found = card(run(at))
    assert found["source"].startswith("Measured on the other, chosen on one half, ")
    assert len(found["lines"]) == 16
    assert search(at, looks="flies")["words"] > 0
    choose(at, view="model view")
    assert any(data_of(head_map)["labels"] for head_map in components(at, "head_map"))
    (next(out.iterdir()) / "cards.json").write_text("{}", encoding="utf-8")
    VALUES.clear()
    assert "is damaged, or not a file of an atlas" in captions(choose(at, view="heat map"))
