"""What a name stands for, and what would be downloaded for it, before any model is opened."""

import os
import shutil
from pathlib import Path

import pytest

import encoder
from encoder import offers
from encoder.errors import OfflineError
from encoder.offers import kind_of_name, needs_consent
from tests.encoder.random_models import Zoo

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.usefixtures("empty_cache")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("bundled", False),
        ("scratch-bert", False),
        ("scratch-untrained", False),
        ("bert-base-uncased", True),
        ("someone/nobody", True),
        ("/etc", True),
        ("scratch-bert:/etc", True),
        ("", True),
    ],
)
def test_what_a_link_may_load_without_a_click(name: str, expected: bool) -> None:
    assert needs_consent(name) is expected


@pytest.mark.usefixtures("empty_cache")
def test_a_model_on_offer_that_is_cached_needs_no_click(zoo: Zoo, tmp_path: Path) -> None:
    repository = tmp_path / "cache" / "models--bert-base-uncased"
    shutil.copytree(zoo.folder("bert"), repository / "snapshots" / COMMIT)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(COMMIT)
    assert not needs_consent("bert-base-uncased")
    assert encoder.load("bert-base-uncased").num_layers == 3
    (repository / "snapshots" / COMMIT / "model.safetensors").unlink()
    assert needs_consent("bert-base-uncased")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("bundled", "listed"),
        ("seq2seq", "listed"),
        ("scratch:step=7", "listed"),
        ("{}", "folder"),
        (" {} ", "folder"),
        ("scratch-bert:{}", "folder"),
        ("{}/config.json", "file"),
        ("{}/nothing", "no folder"),
        ("scratch-bert:nothing", "no folder"),
        ("~nobody-here/x", "no folder"),
        ("./nothing", "no folder"),
        ("someone/some-model", "hub id"),
        ("no model", "nothing"),
        ("a\0b", "nothing"),
        ("x" * 5000, "nothing"),
    ],
)
def test_a_name_is_told_by_its_form_and_by_what_lies_there(name: str, kind: str, zoo: Zoo) -> None:
    assert kind_of_name(name.format(zoo.folder("bert"))) == kind


@pytest.mark.parametrize("name", ["//host/share", r"\\host\share", "scratch-bert://host/share"])
def test_a_path_on_the_network_is_not_looked_for(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def refuse(path: str) -> bool:
        asked.append(path)
        return False

    monkeypatch.setattr(os.path, "isdir", refuse)
    monkeypatch.setattr(os.path, "isfile", refuse)
    assert kind_of_name(name) == "network path"
    assert asked == []


def test_only_what_would_be_downloaded_is_fetched(zoo: Zoo, tmp_path: Path) -> None:
    for name in ("bundled", "scratch-bert", "scratch-untrained", str(zoo.folder("bert")), "/nowhere", ""):
        offers.fetch(name, progress=pytest.fail)
    with pytest.raises(OfflineError):
        offers.fetch("someone/nobody")
