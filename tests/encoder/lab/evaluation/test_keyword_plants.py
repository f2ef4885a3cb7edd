"""The second set of planted searches: every kind keeps the wanted text, and puts before it what it says."""

import json

import numpy as np
import pytest

from encoder import Backend
from encoder.collection.missed_causes import Cause
from encoder.lab.evaluation.keyword_plants import keywords
from encoder.lab.evaluation.plants import KINDS, Plant, Plants

THINGS = ("lamp", "boat", "violin", "garden", "ladder", "kettle", "mirror", "saddle", "carpet", "tunnel")
PLACES = ("Oslo", "Lima", "Quito", "Cairo", "Dublin", "Hanoi", "Tunis", "Sofia", "Riga", "Bern")
TAGS = "DET ADJ NOUN ADP PROPN VERB NUM ADJ NOUN CCONJ AUX PART VERB ADV"


@pytest.fixture(scope="module")
def plants(bundled: Backend, tmp_path_factory: pytest.TempPathFactory) -> Plants:
    folder = tmp_path_factory.mktemp("data")
    rows = []
    for number, (thing, place) in enumerate(zip(THINGS, PLACES, strict=True), 412):
        text = f"the old {thing} in {place} cost {number} golden coins and did not break again"
        rows.append(json.dumps({"words": text.split(), "upos": TAGS.split()}))
    (folder / "ewt_dev.jsonl").write_text("\n".join([*rows, json.dumps({"words": ["A"] * 9, "upos": ["DET"] * 9})]))
    (folder / "longtext.txt").write_text(
        "\n\n".join(f"Alice saw the {thing} in paragraph one." for thing in THINGS * 5)
    )
    return keywords(bundled, folder)


def plant_of(plants: Plants, cause: Cause, number: int = 0) -> Plant:
    chance = np.random.default_rng(0)
    return next(plant for plant in (plants.kinds[cause][number](chance) for _ in range(20)) if plant)


@pytest.mark.parametrize("cause", [*filter(None, KINDS), "near to everything"])
def test_the_wanted_text_is_first_and_comes_from_the_searched_ones(plants: Plants, cause: Cause) -> None:
    wanted, *rivals = plant_of(plants, cause).texts
    source = plant_of(plants, cause).source
    assert source in wanted
    assert source not in rivals
    assert (source in plants.texts) == (cause != "other language")


def test_rivals_differ_in_what_the_query_is_about(plants: Plants) -> None:
    for number, words in enumerate((tuple(map(str, range(412, 422))), PLACES)):
        plant = plant_of(plants, "number or name", number)
        *rest, own = plant.query.split()
        assert own in words
        assert all(rival.split()[:-1] == rest and rival.split()[-1] != own for rival in plant.texts[1:])
    plant = plant_of(plants, "negation")
    assert "not" in plant.query.split()
    assert not any("not" in rival.split() for rival in plant.texts[1:])
