"""The atlases that ship: their tables against a slow recount, and damaged files."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import encoder
from encoder import Backend
from encoder.atlas import reader
from encoder.atlas.build.corpus import Sentence
from encoder.atlas.names import BETWEEN_WORDS, HABITS, LEVELS, SHARES, TOGETHER
from encoder.atlas.reader import CARDS, SHIPPED, Atlas, shipped_atlas
from encoder.atlas.records import Example
from encoder.atlas.tables import read_table
from encoder.errors import AtlasError
from encoder.shipped.names import step_name, steps
from tests.encoder.atlas.small_corpus import slow_habits, word_attention

MOST_BYTES = 12_000_000


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the bundled model's atlas, to be damaged."""
    shutil.copytree(SHIPPED / "bundled", tmp_path / "bundled")
    return tmp_path


def rewrite_cards(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = folder / "bundled" / CARDS
    about = json.loads(path.read_text(encoding="utf-8"))
    change(about)
    path.write_text(json.dumps(about), encoding="utf-8")


def test_what_ships_is_small_and_says_whose_the_sentences_are() -> None:
    assert sum(path.stat().st_size for path in SHIPPED.rglob("*") if path.is_file()) < MOST_BYTES
    said = (SHIPPED / "README.md").read_text(encoding="utf-8")
    assert "CC BY-SA 4.0" in said
    assert "Silveira" in said


@pytest.mark.parametrize("model", ["bundled", "bundled-sentiment", "scratch"])
def test_the_cards_are_those_of_the_tables(model: str) -> None:
    atlas = shipped_atlas(model)
    assert atlas.folder.name == model
    rows = read_table(atlas.folder / "heads.parquet").to_pylist()
    silencing = {(row["layer"], row["head"]): row for row in read_table(atlas.folder / "silencing.parquet").to_pylist()}
    assert atlas.cards.keys() == silencing.keys() == {(row["layer"], row["head"]) for row in rows}
    for row in rows:
        card = atlas.cards[row["layer"], row["head"]]
        relations = {(one.relation, one.direction): one for one in atlas.relations(card.layer, card.head)}
        habits = {one.habit: one for one in atlas.habits(card.layer, card.head)}
        assert card.relation == (relations[row["relation"], row["direction"]] if row["relation"] else None)
        assert card.habit == (habits[row["habit"]] if row["habit"] else None)
        assert (card.peak_offset, card.peak_share) == (row["peak_offset"], row["peak_share"])
        assert card.positional == (card.peak_share >= 0.9)
        assert card.special == row["special"]
        assert card.relation is None or card.relation.accuracy - card.relation.offset_accuracy >= 0.1
        found, silenced = card.silencing, silencing[card.layer, card.head]
        assert {name: getattr(found, name, silenced[name]) for name in silenced} == silenced
        assert found.others == len(rows) - 1
        assert found.larger_than == sum(other["shift"] < found.shift for other in silencing.values())
        assert (found.reviews, found.num_reviews, found.n) == ("sst_dev", 872, 256)


def test_quantiles_are_those_of_a_slow_recount(atlas: Atlas, bundled: Backend) -> None:
    texts = read_table(atlas.folder / "sentences.parquet")["words"].to_pylist()[::40]
    weights = []
    for words in texts:
        attention, units = word_attention(bundled.trace(list(words)))
        places = [unit for unit, word in enumerate(units) if word is not None]
        among = attention[2, 0][np.ix_(places, places)]
        weights += among[~np.eye(len(places), dtype=bool)].tolist()
    quantiles = atlas.cards[2, 0].quantiles["another word"]
    for level, quantile in list(zip(LEVELS, quantiles, strict=True))[4:13]:  # tenths, of every fortieth sentence
        assert np.mean(np.array(weights) < quantile) == pytest.approx(level, abs=0.03)


def test_relation_examples_are_those_of_a_slow_recount(atlas: Atlas, bundled: Backend) -> None:
    examples = [one for one in atlas.examples(2, 0) if one.about == "obj"]
    trees = {row["name"]: row for row in read_table(atlas.folder / "sentences.parquet").to_pylist()}
    for example in (*examples[:3], *[one for one in examples if one.kind == "failing"][:3]):
        attention, units = word_attention(bundled.trace(list(example.words)))
        places = [units.index(word) for word in range(len(example.words))]
        among = attention[2, 0][np.ix_(places, places)]
        looks = among[example.query].copy()
        looks[example.query] = -1
        assert example.key == looks.argmax()
        tree = trees[example.name]
        assert tree["relations"][example.query] == "obj"
        assert (tree["heads"][example.query] == example.key) == (example.kind != "failing")
        assert example.value == pytest.approx(among[example.query, tree["heads"][example.query]], abs=1e-5)


@pytest.mark.parametrize(("layer", "head"), [(0, 2), (3, 11), (2, 7)])
def test_habit_examples_are_those_of_a_slow_recount(atlas: Atlas, bundled: Backend, layer: int, head: int) -> None:
    card = atlas.cards[layer, head]
    for example in [one for one in atlas.examples(layer, head) if one.about == card.habit.habit][:2]:
        sentence = Sentence(where="", name="", document="", words=example.words)
        if card.habit.habit == "punctuation" and any(word in "!?,;:" for word in example.words):
            continue  # the slow count knows the full stop only
        habits, _ = slow_habits(bundled.trace(list(example.words)), sentence)
        assert example.value == pytest.approx(habits[layer, head, SHARES.index(example.about)], abs=1e-5)


def test_an_example_names_the_tokens_of_its_words(atlas: Atlas, bundled: Backend) -> None:
    for example in (*atlas.examples(2, 0), *atlas.examples(0, 2)):
        tokens = bundled.tokenize(" ".join(example.words))
        separate = bundled.tokenize(example.words)
        assert tokens.ids == separate.ids
        assert separate.word_ids[example.query_token] == example.query
        assert separate.word_ids[example.query_token - 1] != example.query
        assert separate.word_ids[example.key_token] == (example.key if example.key >= 0 else None)


def test_the_head_that_joins_words_does_so_on_either_side(atlas: Atlas, bundled: Backend) -> None:
    lifts = {at: next(one for one in atlas.habits(*at) if one.habit == TOGETHER) for at in atlas.cards}
    own = lifts.pop((0, 4))
    assert (round(own.mean, 2), round(own.low, 2), round(own.high, 2), own.n) == (0.24, 0.21, 0.27, 452)
    assert max(lift.high for lift in lifts.values()) < own.low
    assert atlas.cards[0, 4].habit == own
    assert abs(lifts[0, 2].mean) < 0.03 > abs(lifts[1, 8].mean)  # the heads of the previous and of the next word
    examples = [one for one in atlas.examples(0, 4) if one.about == TOGETHER and one.kind == "hardest"]
    assert {-1, 1} <= {one.key - one.query for one in examples}
    for example in examples[:5]:
        attention, units = word_attention(bundled.trace(list(example.words)))
        looks = attention[0, 4][units.index(example.query)][[units.index(word) for word in range(len(example.words))]]
        looks[example.query] = -1
        assert (example.key, example.value) == (looks.argmax(), pytest.approx(looks.max(), abs=0.006))


def test_special_tokens_are_the_first_or_the_last(atlas: Atlas, bundled: Backend) -> None:
    example = next(one for one in atlas.examples(2, 7) if one.about == "[CLS]")
    assert (example.key, example.key_token) == (-1, 0)
    row = {"about": "[SEP] 1", "direction": None, "kind": "random", "value": 0.5, "query": 0, "key": -1}
    found: Example = reader._example(row, {"tokens": [1, 3, 4], "name": "", "words": "two\x1fwords"})
    assert found.key_token == 3


def test_models_share_an_atlas_only_if_they_share_weights(atlas: Atlas, monkeypatch: pytest.MonkeyPatch) -> None:
    same = shipped_atlas("scratch-bert")
    assert (same.folder, same.cards) == (atlas.folder, atlas.cards)
    for name in ("scratch:step=28", "bert-base-uncased", "", "../bundled", "a\0b"):
        assert shipped_atlas(name) is None
    monkeypatch.setattr(reader, "attention_fingerprint", lambda name: "of weights that were trained further")
    assert shipped_atlas("bundled") is None


def test_the_trained_model_has_its_habits_at_every_step() -> None:
    atlas = shipped_atlas("scratch")
    for at in atlas.cards:
        by_step = atlas.habits_by_step(*at)
        assert tuple(by_step) == steps()
        assert by_step[steps()[-1]] == tuple(one for one in atlas.habits(*at) if one.habit != TOGETHER)
    untrained = atlas.habits_by_step(0, 3)[0]
    step = encoder.load(step_name(0))
    words = ("time", "flies", "like", "an", "arrow")
    _, defined = slow_habits(step.trace(list(words)), Sentence(where="", name="", document="", words=words))
    assert len(untrained) == len(HABITS) - 2  # no pairs: neither a second [SEP] nor another sentence
    assert not defined[HABITS.index("other sentence")]
    assert all(abs(habit.mean - habit.chance) < 0.03 for habit in untrained if habit.habit.startswith("offset"))
    assert shipped_atlas("bundled").habits_by_step(0, 0) == {}


DAMAGE: dict[str, Callable[[dict[str, Any]], object]] = {
    "no date": lambda about: about.pop("built"),
    "no share": lambda about: about["cards"][0].pop("peak_share"),
    "half a habit": lambda about: about["cards"][0].update(habit={"habit": "itself"}),
    "no cards": lambda about: about.update(cards=3),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_cards_are_one_sentence(copied: Path, damage: str) -> None:
    rewrite_cards(copied, DAMAGE[damage])
    with pytest.raises(AtlasError, match="is damaged, or not a file of an atlas"):
        shipped_atlas("bundled", copied)


def test_cards_of_another_format_are_refused(copied: Path) -> None:
    rewrite_cards(copied, lambda about: about.update(format=7))
    with pytest.raises(AtlasError, match="format 7; this version reads 3"):
        shipped_atlas("bundled", copied)


def test_a_damaged_table_is_reported_on_first_use(copied: Path) -> None:
    (copied / "bundled" / "habits.parquet").write_bytes(b"PAR1 cut off")
    atlas = shipped_atlas("bundled", copied)
    assert atlas.relations(2, 0)
    with pytest.raises(AtlasError, match="not a table of an atlas, or is damaged"):
        atlas.habits(2, 0)


def test_sentences_come_in_the_requested_order(atlas: Atlas) -> None:
    rows = [7, 3, 7, 1995]
    expected = read_table(atlas.folder / "sentences.parquet").take(rows).to_pylist()
    found = atlas.texts(rows).to_pylist()
    assert [(text["name"], text["tokens"]) for text in found] == [(text["name"], text["tokens"]) for text in expected]
    assert [text["words"].split(BETWEEN_WORDS) for text in found] == [text["words"] for text in expected]
    assert atlas.texts([]).num_rows == 0
