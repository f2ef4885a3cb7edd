"""What the app reads of an atlas: shipped by the weights that it is of, with the steps of a training."""

import json
import shutil
from pathlib import Path

import pytest

from encoder.atlas import plan, reader
from encoder.atlas.__main__ import main
from encoder.atlas.build import shipping
from encoder.atlas.tables import read_table
from encoder.errors import AtlasError
from encoder.shipped.names import step_name, steps
from tests.encoder.atlas.small_corpus import MODEL, run, write_corpus


def test_what_ships_of_an_atlas_is_read_by_the_weights_that_it_is_of(
    undisturbed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "shipped"
    ship = ["ship", str(undisturbed), "--chosen-on", "half", "--measured-on", "the other", "--out", str(out)]
    ship += ["--credit", "Somebody, CC0."]
    for module in (shipping, reader):
        monkeypatch.setattr(module, "attention_fingerprint", lambda name: f"weights of {name}")
    with monkeypatch.context() as patched:
        patched.setattr(plan, "model_checksum", lambda backend: "others")
        code, _, errors = run(ship, capsys)
    assert code == 1
    assert f"was built from other weights than {MODEL} has now" in errors
    assert not out.exists()
    assert main(ship) == 0
    atlas = reader.shipped_atlas(MODEL, out)
    assert (atlas.chosen_on, atlas.measured_on, atlas.credit) == ("half", "the other", "Somebody, CC0.")
    assert atlas.cards.keys() == {(layer, head) for layer in range(4) for head in range(4)}
    assert {relation.relation for relation in atlas.relations(3, 3)} == {"nsubj", "det"}
    assert atlas.examples(0, 0)
    assert all(card.silencing is None and card.quantiles["another word"] for card in atlas.cards.values())
    assert reader.shipped_atlas("another", out) is None


def test_only_training_steps_ship_with_the_trained_model(
    corpus: Path, undisturbed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "shipped"
    names = {"scratch": "last", step_name(28): "step"}
    for model, folder in names.items():
        given = ["build", "--model", model, "--corpus", str(corpus), "--out", str(tmp_path / folder)]
        assert main([*given, "--workers", "1", "--limit", "40"]) == 0
    ship = ["ship", str(tmp_path / "last"), "--chosen-on", "half", "--measured-on", "the other", "--out", str(out)]
    code, _, errors = run([*ship, "--steps", str(undisturbed)], capsys)
    assert code == 1
    assert f"{undisturbed} is of {MODEL}, which is not a training step." in errors
    assert main([*ship, "--steps", str(tmp_path / "step")]) == 0
    atlas = reader.shipped_atlas("scratch", out)
    by_step = atlas.habits_by_step(1, 2)
    assert list(by_step) == [28, steps()[-1]]
    rows = read_table(tmp_path / "step" / "habits.parquet").to_pylist()
    means = [row["mean"] for row in rows if (row["layer"], row["head"]) == (1, 2)]
    assert [habit.mean for habit in by_step[28]] == means
    other = write_corpus(tmp_path / "other.jsonl", 20)
    given = ["build", "--model", step_name(28), "--corpus", str(other), "--out", str(tmp_path / "elsewhere")]
    assert main([*given, "--workers", "1"]) == 0
    code, _, errors = run([*ship, "--steps", str(tmp_path / "elsewhere")], capsys)
    assert code == 1
    assert "was measured on other files than the atlas of scratch" in errors


def test_an_atlas_of_another_model_is_found_by_its_weights(undisturbed: Path, tmp_path: Path) -> None:
    about = json.loads((undisturbed / "atlas.json").read_text(encoding="utf-8"))
    named = tmp_path / "named"
    shutil.copytree(undisturbed, named)
    (named / "atlas.json").write_text(json.dumps(about | {"model": "../bert/tiny:1"}), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(shipping, "load", lambda name: None)
        patched.setattr(plan, "model_checksum", lambda backend: about["model_checksum"])
        shipping.ship(named, tmp_path / "out", chosen_on="half", measured_on="the other")
    assert [folder.name for folder in (tmp_path / "out").iterdir()] == ["bert-tiny-1"]
    found = reader.atlas_of_weights(about["model_checksum"], tmp_path / "out")
    assert found.measured_on == "the other"
    assert reader.atlas_of_weights("other weights", tmp_path / "out") is None
    with pytest.raises(AtlasError, match="There is no folder"):
        reader.atlas_of_weights("other weights", tmp_path / "nowhere")
