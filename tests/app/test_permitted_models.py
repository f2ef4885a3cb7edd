"""The page of a server for others: visitors open the models that it offers, and learn nothing about its disk."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from transformers import AutoTokenizer

import encoder
from encoder.errors import CheckpointError, UnknownModelError
from encoder.models import hub
from tests.app.app_script import click, model_shown, open_page, pick_model, run, sentences_of
from tests.app.test_direct import TEXTS, answer, request
from tests.encoder.random_models import BERT_SIZES, build, save
from viz import permitted
from viz.caches import revisions, run_cache
from viz.page.direct import NOTHING_TO_DRAW

pytestmark = pytest.mark.usefixtures("no_work_beside_the_page")

NOT_OFFERED = "This server does not offer the model {}: choose one of the list."


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory, bundled_folder: Path) -> Path:
    tokenizer = AutoTokenizer.from_pretrained(bundled_folder)
    model = build("BertForSequenceClassification", "BertConfig", **BERT_SIZES, vocab_size=len(tokenizer))
    return save(model, tmp_path_factory.mktemp("checkpoint") / "made", tokenizer)


@pytest.fixture
def folder(tmp_path: Path, checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A server's folder of two models and of other things; no model is fetched or looked up on the hub."""
    models = tmp_path / "models"
    for name in ("my-bert", "bert-base-uncased"):
        shutil.copytree(checkpoint, models / name)
    for name in ("logs", ".hidden"):
        (models / name).mkdir()
    shutil.copy(checkpoint / "config.json", models / ".hidden")
    (models / "readme.txt").write_text("no model", encoding="utf-8")
    monkeypatch.setenv(permitted.VARIABLE, str(models))
    monkeypatch.delattr(hub, "fetch")
    monkeypatch.delattr(hub, "cached_folder")
    return models


def test_the_list_has_what_ships_and_the_folders_of_models(folder: Path) -> None:
    at = open_page()
    names = at.selectbox(key="model").options
    assert names[-1] == "my-bert"
    assert "BERT base, uncased" in names
    (folder / "bert-base-uncased").rename(folder / "another")
    assert "BERT base, uncased" not in open_page().selectbox(key="model").options
    assert str(folder) not in sentences_of(at)
    assert permitted.listed() == ("another", "my-bert")


def test_writers_are_in_the_list_of_the_decoder_and_encoders_in_the_other(folder: Path) -> None:
    for name, architecture in (("my-t5", "T5ForConditionalGeneration"), ("my-bart", "BartForSequenceClassification")):
        settings = {"is_encoder_decoder": True, "architectures": [architecture], "model_type": "t5"}
        (folder / name).mkdir()
        (folder / name / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    encoders = open_page().selectbox(key="model").options
    writers = open_page(view="decoder").selectbox(key="writer").options
    assert {"my-bert", "my-bart"} <= set(encoders)
    assert {"my-t5"} <= set(writers)
    assert "my-t5" not in encoders
    assert not {"my-bert", "my-bart"} & set(writers)
    assert permitted.listed() == ("bert-base-uncased", "my-bart", "my-bert", "my-t5")


@pytest.mark.parametrize("name", ["my-bert", "bert-base-uncased", "scratch-bert:my-bert"])
def test_a_listed_folder_opens_by_its_name_without_a_question(name: str, folder: Path, checkpoint: Path) -> None:
    at = open_page(model=name, a="a lovely film", b="")
    assert (model_shown(at), [*at.info, *at.error]) == (name, [])
    assert at.query_params["model"] == name
    assert str(folder) not in sentences_of(at)
    trace = run_cache.trace(name, "a lovely film")
    assert str(folder) not in trace.model_name
    expected = encoder.load(str(checkpoint)).trace("a lovely film")
    np.testing.assert_allclose(trace.hidden_states[-1], expected.hidden_states[-1], atol=2e-5)


@pytest.mark.parametrize("limited_to", ["folder", "nothing"])
def test_existing_and_missing_paths_get_the_same_sentence(
    limited_to: str, folder: Path, checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if limited_to == "nothing":
        monkeypatch.setenv(permitted.VARIABLE, "")
    existing = (
        str(checkpoint),
        str(folder / "my-bert"),
        "../models/my-bert",
        __file__,
        "~",
        f"scratch-bert:{checkpoint}",
    )
    for name in (*existing, "/nowhere", "someone/some-model", "//host/share", "two words", "logs", ".hidden"):
        at = open_page(model=name)
        (error,) = (error.value.replace("\\", "") for error in at.error)
        assert error == NOT_OFFERED.format(repr(name[:80]))
        assert model_shown(at) == "bundled"
        assert not [button for button in at.button if button.key == "load_model"]


def test_the_route_for_typed_texts_opens_what_is_offered_only(folder: Path, checkpoint: Path) -> None:
    for name in ("my-bert", str(folder / "my-bert"), str(checkpoint)):
        assert answer(request(model=name))[0] == NOTHING_TO_DRAW  # it is not loaded
    run_cache.model("my-bert")
    status, body = answer(request(model="my-bert", view="heat map"))
    assert (status, len(body) > 1000) == (200, True)
    assert answer(request(model=str(folder / "my-bert"), view="heat map"))[0] == NOTHING_TO_DRAW
    with pytest.raises(UnknownModelError, match="does not offer"):
        run_cache.trace(str(folder / "my-bert"), TEXTS["a"])


def test_errors_of_a_listed_folder_name_no_path(folder: Path) -> None:
    (folder / "my-bert" / "config.json").write_text("{not json", encoding="utf-8")
    at = open_page(model="my-bert")
    (error,) = at.error
    assert "my-bert" in error.value.replace("\\", "")
    assert str(folder.parent) not in sentences_of(at)


def test_a_name_that_is_shortened_in_an_error_shows_no_path(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = Path("/") / "/".join(["a-folder-with-a-long-name"] * 8)
    with pytest.raises(CheckpointError) as raised, permitted.hiding_paths(deep, "my-bert"):
        raise CheckpointError(f"'{str(deep)[:80]}…' and {deep}/config.json are damaged.")
    assert str(raised.value) == "'my-bert…' and my-bert/config.json are damaged."


def test_a_model_that_is_added_is_listed_at_the_next_run(folder: Path) -> None:
    at = open_page()
    shutil.copytree(folder / "my-bert", folder / "newer")
    assert "newer" in run(at).selectbox(key="model").options
    pick_model(at, "newer")
    assert model_shown(at) == "newer"


def test_retrained_files_of_a_listed_model_get_another_revision(folder: Path) -> None:
    before = revisions.current("my-bert")
    assert before.startswith("my-bert@")
    weights = folder / "my-bert" / "model.safetensors"
    weights.write_bytes(weights.read_bytes())
    assert revisions.current("my-bert") != before


def test_consent_to_a_folder_is_one_visitors(checkpoint: Path) -> None:
    one = click(open_page(model=str(checkpoint)), "load_model")
    assert model_shown(one) == str(checkpoint)
    other = open_page(model=str(checkpoint))
    assert model_shown(other) == "bundled"
    assert other.button(key="load_model").label == "Load it"


@pytest.mark.parametrize(
    ("address", "limited"),
    [("localhost", False), ("127.0.0.1", False), ("::1", False), ("0.0.0.0", True), ("10.0.0.7", True), (None, True)],
)
def test_a_server_that_others_reach_offers_no_folder(
    address: str | None, limited: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(permitted.VARIABLE, "x")  # restores what was there
    monkeypatch.delenv(permitted.VARIABLE)
    permitted.limit_if_shared(address)
    assert permitted.is_limited() == limited
    assert permitted.may_open("/a/folder") != limited
    assert permitted.may_open("bundled")


def test_the_page_shows_what_is_proved_of_its_model(folder: Path) -> None:
    settings = folder / "my-bert" / "tokenizer.json"
    changed = json.loads(settings.read_text(encoding="utf-8"))
    changed["normalizer"]["lowercase"] = False
    settings.write_text(json.dumps(changed), encoding="utf-8")
    at = pick_model(open_page(), "my-bert")
    assert "remark" not in sentences_of(at)
    assert run_cache.model("my-bert").passport.remarks
    run(at).session_state["checks"] = True
    assert "the settings are used, as transformers does" in sentences_of(run(at))
