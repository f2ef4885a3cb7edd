"""The choice of a model: its description, consent, and errors of broken models."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import streamlit as st
import torch
from numpy.typing import NDArray
from streamlit.testing.v1 import AppTest
from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

import encoder
from encoder.errors import UnknownModelError
from encoder.models import hub
from encoder.shipped.names import steps
from encoder.shipped.probes import word_classes
from tests.app.app_script import (
    alerts,
    captions,
    choose,
    click,
    components,
    data_of,
    figure,
    matrix,
    model_shown,
    numbers,
    open_page,
    open_settings,
    pick_model,
    run,
    sentences_of,
    setting,
)
from tests.encoder.random_models import BERT_SIZES, build, save, scale_tensors
from viz.caches import run_cache
from viz.examples import EXAMPLES
from viz.page import body, connection
from viz.state import session
from viz.state.selection import DEFAULT

pytestmark = pytest.mark.usefixtures("no_work_beside_the_page")

LABELS = ("calm", "angry", "<b>sad</b>")


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names for which a model is loaded or fetched; the hub's cache is empty."""
    names: list[str] = []

    def noting(function: Callable[..., Any]) -> Callable[..., Any]:
        def note(name: str, **options: Any) -> Any:
            names.append(name)
            return function(name, **options)

        return note

    monkeypatch.setattr(encoder, "load", noting(encoder.load))
    monkeypatch.setattr(hub, "fetch", noting(hub.fetch))
    monkeypatch.setattr(hub, "cached_folder", lambda name: None)
    return names


@pytest.fixture(scope="session")
def classifier(tmp_path_factory: pytest.TempPathFactory, bundled_folder: Path) -> Path:
    """A small trained-looking checkpoint with three classes and the bundled model's vocabulary."""
    tokenizer = AutoTokenizer.from_pretrained(bundled_folder)
    settings = BERT_SIZES | {"vocab_size": len(tokenizer), "id2label": dict(enumerate(LABELS))}
    model = build("BertForSequenceClassification", "BertConfig", **settings)
    return save(model, tmp_path_factory.mktemp("models") / "classifier", tokenizer)


def shown_probabilities(at: AppTest, which: int = 0) -> dict[str, float]:
    """The labels and probabilities of a figure of the page."""
    found = figure(at, which)
    return dict(zip(found["layout"]["yaxis"]["ticktext"], numbers(found["data"][0]["x"]).tolist(), strict=True))


def test_the_untrained_model_says_so_everywhere() -> None:
    at = pick_model(open_page(), "scratch-untrained")
    assert "untrained" in at.warning[0].value
    choose(at, view="predictions")
    assert "Untrained" in at.error[0].value
    shown = shown_probabilities(at)
    assert list(shown) == ["negative", "neutral", "positive"]
    assert sum(shown.values()) == pytest.approx(1)
    assert any("a score of" in each.value for each in at.markdown)


def test_training_slider_changes_the_model_and_the_address() -> None:
    at = open_page(model="scratch")
    trained = matrix(at)
    at.select_slider(key="step").set_value(steps()[0])
    run(at)
    assert at.query_params["model"] == f"scratch:step={steps()[0]}"
    assert "4 layers × 4 heads." in captions(open_settings(at))  # without the words on the trained model
    assert not np.allclose(matrix(at), trained)
    at.select_slider(key="step").set_value(steps()[-1])
    run(at)
    assert at.query_params["model"] == "scratch"
    np.testing.assert_array_equal(matrix(at), trained)


def test_a_checkpoint_has_a_slider_of_its_training(classifier: Path, tmp_path: Path) -> None:
    folders = [Path(shutil.copytree(classifier, tmp_path / f"checkpoint-{step}")) for step in (10, 20)]
    scale_tensors(folders[1], {"query.weight": 3.0})
    at = click(open_page(model=str(folders[0])), "load_model")
    first = matrix(at)
    slider = at.select_slider(key="checkpoint")
    assert (slider.options, slider.value) == (["10", "20"], 10)
    slider.set_value(20)
    run(at)
    assert at.query_params["model"] == str(folders[1])
    assert not np.allclose(matrix(at), first)
    assert at.select_slider(key="checkpoint").value == 20


@pytest.mark.parametrize("tags", ["all", "99"])
def test_parts_of_speech_stand_under_the_words(tags: str) -> None:
    at = open_page(tags=tags)
    strip = data_of(components(at, "token_strip")[0])
    classes = word_classes(encoder.load("bundled").trace(EXAMPLES[0].a, EXAMPLES[0].b))
    assert tuple(strip["tags"]) == classes.likeliest(None if tags == "all" else min(int(tags), 6))
    assert len(strip["tags"]) == 10
    assert f"of {classes.n:,} words of {classes.test_set}" in sentences_of(at)


def test_a_pair_says_which_parts_of_speech_it_changes() -> None:
    said = "Read alone, “flies” in A is a verb (80 %); as a pair it is read as a noun (88 %)."
    at = open_page(mode="pair", tags="all")
    assert said in captions(at)
    choose(at, mode="separate")
    assert "Read alone" not in captions(at)


def test_each_sentence_is_run_alone_only_to_compare_parts_of_speech(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[Any] = []
    trace = run_cache.trace

    def note(*of: Any) -> Any:
        runs.append(of[1:])
        return trace(*of)

    monkeypatch.setattr(run_cache, "trace", note)
    at = open_page(mode="pair")  # whose own run is made by another name of the function
    assert runs == []
    setting(at, "tags").set_value("all")
    run(at)
    assert runs == [(DEFAULT.texts.a, None), (DEFAULT.texts.b, None)]


def test_parts_of_speech_are_not_offered_without_a_probe() -> None:
    at = open_page(tags="all", model="scratch-untrained")
    assert setting(at, "tags").disabled
    assert data_of(components(at, "token_strip")[0])["tags"] == []


def test_a_probe_that_only_the_model_before_had_is_no_choice() -> None:
    at = open_page(tags="2")
    probes = setting(at, "tags")
    probes.options.append("Read after layer 11")  # the list as the browser still has it
    probes.set_value(12)
    assert run(at).query_params["tags"] == "2"


def test_an_unknown_id_waits_for_a_click_and_the_page_goes_on(loads: list[str]) -> None:
    at = choose(open_page(), layer=2)
    before = matrix(at)
    pick_model(at, "someone/some-model")
    assert "for a model id of the Hugging Face hub" in at.info[0].value
    assert "goes on with all-MiniLM-L6-v2" in sentences_of(at)
    assert "someone/some-model" not in loads
    click(at, "load_model")
    assert loads == ["someone/some-model"]
    assert len(at.error) == 1
    assert at.error[0].value.startswith("someone/some-model is not on this computer")
    assert at.button(key="try_again").label == "Try again"
    np.testing.assert_array_equal(matrix(at), before)
    assert model_shown(at) == "bundled"

    choose(at, layer=3)  # the error stays on the page, and is not repeated at every click
    assert (len(at.error), loads) == (1, ["someone/some-model"])
    click(at, "try_again")
    assert (len(at.error), loads) == (1, ["someone/some-model"] * 2)
    pick_model(at, "bundled")
    assert alerts(at) == []
    assert "goes on with" not in sentences_of(at)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("x" * 299, f"“{'x' * 79}…” is neither a folder on this computer nor a model id"),
        ("a\nb", "“a⏎b” is neither a folder"),
    ],
)
def test_a_name_that_cannot_be_loaded_is_explained_at_once(name: str, wanted: str, loads: list[str]) -> None:
    at = pick_model(open_page(), name)
    (error,) = (error.value.replace("\\", "").replace("**", "“", 1).replace("**", "”", 1) for error in at.error)
    assert wanted in error
    assert "\n" not in error
    assert name not in loads
    assert not at.info
    assert not [button for button in at.button if button.key == "load_model"]
    assert len(matrix(at)) == 7
    pick_model(at, "bundled")
    assert alerts(at) == []


@pytest.mark.parametrize("kind", ["encoder", "writer"])
def test_a_folder_is_called_a_folder_and_its_requirements_are_listed(kind: str, classifier: Path) -> None:
    link = {"model": str(classifier)} if kind == "encoder" else {"view": "decoder", "writer": str(classifier)}
    at = open_page(**link)
    (sentence,) = (info.value.replace("\\", "") for info in at.info)
    assert sentence.startswith(f"**{classifier}** is a path. Loading it needs a folder there with a config.json")
    assert at.button(key="load_model").label == "Load it"


def test_a_folder_for_our_own_encoder_has_to_be_a_berts(classifier: Path) -> None:
    at = open_page(model=f"scratch-bert:{classifier}")
    (sentence,) = (info.value.replace("\\", "") for info in at.info)
    assert sentence.startswith(f"**{classifier}** is a path.")
    assert sentence.endswith("The weights have to be a BERT's: they are put into our own encoder.")


@pytest.mark.parametrize("form", ["{}", "scratch-bert:{}"])
def test_a_link_does_not_reveal_which_paths_exist(form: str, classifier: Path) -> None:
    sentences = set()
    for path in (str(classifier), __file__, "/nowhere"):
        at = open_page(model=form.format(path))
        (sentence,) = (info.value.replace("\\", "") for info in at.info)
        sentences.add(re.sub(r"\*\*.*\*\*", "…", sentence))
        assert not at.error
        assert at.button(key="load_model").label == "Load it"
    assert len(sentences) == 1


def test_a_relative_name_is_a_folder_or_an_id(classifier: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(classifier.parent)
    names = (classifier.name, "nothing-here")
    sentences = [open_page(model=name).info[0].value.replace("\\", "").replace(name, "…") for name in names]
    assert sentences[0] == sentences[1]


def test_a_path_without_a_folder_is_an_error_after_the_click() -> None:
    at = click(pick_model(open_page(), __file__), "load_model")
    assert "test_page_models.py' is a file: name its folder." in at.error[0].value.replace("\\", "")
    assert len(matrix(at)) == 7


def test_a_folder_that_was_made_meanwhile_is_found_when_tried_again(tmp_path: Path, classifier: Path) -> None:
    folder = tmp_path / "later"
    at = click(open_page(model=str(folder)), "load_model")
    assert "There is no folder" in at.error[0].value
    shutil.copytree(classifier, folder)
    run(at)
    assert (model_shown(at), len(at.error)) == (str(folder), 0)


def test_bert_base_waits_for_a_click_unless_it_is_on_this_computer(
    loads: list[str], monkeypatch: pytest.MonkeyPatch, classifier: Path
) -> None:
    at = open_page(model="bert-base-uncased")
    assert "has to be downloaded (440 MB)" in at.info[0].value
    assert "bert-base-uncased" not in loads
    assert at.query_params == {"model": "bert-base-uncased"}
    assert len(matrix(at)) == 13

    monkeypatch.setattr(hub, "cached_folder", lambda name: classifier)
    run(at)
    assert not at.info
    assert model_shown(at) == "bert-base-uncased"
    assert "3 layers × 4 heads" in sentences_of(open_settings(at))


@pytest.mark.parametrize("kind", ["folder", "hub"])
def test_a_link_alone_reads_no_folder_and_downloads_nothing(
    kind: str, loads: list[str], classifier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {"folder": str(classifier), "hub": "someone/some-model"}
    monkeypatch.setattr(hub, "cached_folder", lambda name: classifier)
    at = open_page(model=names[kind])
    for view in ("anatomy", "compare", "models", "tokens"):  # which open models of their own
        choose(at, view=view)
    assert set(loads) <= {"bundled", *DEFAULT.side_by_side.models}  # which ship
    assert at.selectbox(key="model").value == names[kind]
    assert "goes on with all-MiniLM-L6-v2" in sentences_of(at)
    assert at.button(key="load_model").label == "Load it"


def test_a_link_cannot_smuggle_markdown_into_the_page() -> None:
    at = open_page(model="![x](https://evil.example/x.png)", layer="![x](https://evil.example/y.png)")
    assert len(at.error) == 1
    assert "evil.example" in sentences_of(at)
    assert "![" not in sentences_of(at)


def test_a_classifier_in_a_folder_shows_its_labels_after_the_click(classifier: Path) -> None:
    at = open_page(view="predictions", model=str(classifier))
    assert list(shown_probabilities(at)) == ["negative", "neutral", "positive"]
    click(at, "load_model")
    assert alerts(at) == []
    expected = encoder.load(str(classifier)).trace(DEFAULT.texts.a, DEFAULT.texts.b).prediction
    assert expected is not None
    assert expected.labels == LABELS
    assert expected.probabilities is not None
    np.testing.assert_allclose(probabilities_on_page(at), expected.probabilities, rtol=1e-5)
    assert "<b>sad" not in at.get("plotly_chart")[0].proto.spec
    choose(at, view="heat map")
    assert matrix(at).shape == (13, 13)
    pick_model(at, "bundled")
    pick_model(at, str(classifier))  # agreed once is enough
    assert (model_shown(at), len(at.info)) == (str(classifier), 0)


@pytest.mark.parametrize("part", [body._draw_runs, connection._connect])
def test_a_fragment_shows_its_errors(monkeypatch: pytest.MonkeyPatch, part: Callable[..., None]) -> None:
    """A fragment runs outside the page's script, which shows the errors of all other parts."""

    def gone() -> None:
        raise UnknownModelError("There is no folder 'a folder' any more.")

    errors: list[str] = []
    monkeypatch.setattr(session, "current", lambda: DEFAULT)
    monkeypatch.setattr(session, "pop_browser_change", gone)
    monkeypatch.setattr(st, "error", lambda text, **_: errors.append(text))
    part(*[None] * 4)
    assert errors == ["There is no folder 'a folder' any more."]


def retrain(folder: Path, bundled_folder: Path, *, seed: int) -> None:
    """Another checkpoint of the same model in the same folder."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        tokenizer = AutoTokenizer.from_pretrained(bundled_folder)
        settings = BERT_SIZES | {"vocab_size": len(tokenizer), "id2label": dict(enumerate(LABELS))}
        config = BertConfig(**cast(dict[str, Any], settings))
        save(BertForSequenceClassification(config), folder, tokenizer)


def probabilities_on_page(at: AppTest) -> list[float]:
    return list(shown_probabilities(at).values())


def true_probabilities(folder: Path, a: str, b: str | None = None) -> NDArray[np.float32]:
    prediction = encoder.load(str(folder)).trace(a, b).prediction
    assert prediction is not None
    assert prediction.probabilities is not None
    return prediction.probabilities


CHANGED = "The files of this model have changed"
TEXTS = {"a": "a lovely film", "b": ""}


def test_a_retrained_checkpoint_is_reported_and_loaded_again(tmp_path: Path, bundled_folder: Path) -> None:
    retrain(tmp_path, bundled_folder, seed=1)
    link = {"view": "predictions", "model": str(tmp_path), **TEXTS}
    one, other = (click(open_page(**link), "load_model") for _ in range(2))
    before = true_probabilities(tmp_path, TEXTS["a"])
    for at in (one, other):
        np.testing.assert_allclose(probabilities_on_page(at), before, rtol=1e-5)
        assert CHANGED not in sentences_of(at)

    retrain(tmp_path, bundled_folder, seed=2)
    after = true_probabilities(tmp_path, TEXTS["a"])
    assert not np.allclose(before, after, rtol=1e-3)
    for at in (one, other):
        run(at)
        np.testing.assert_allclose(probabilities_on_page(at), after, rtol=1e-5)
        assert CHANGED in " ".join(info.value for info in at.info)
        assert at.query_params["model"] == str(tmp_path)
    newcomer = click(open_page(**link), "load_model")
    np.testing.assert_allclose(probabilities_on_page(newcomer), after, rtol=1e-5)
    assert CHANGED not in sentences_of(newcomer)


@pytest.mark.parametrize("view", ["heat map", "why"])  # drawn by the browser or not
def test_no_view_shows_numbers_of_files_that_have_changed(view: str, tmp_path: Path, bundled_folder: Path) -> None:
    retrain(tmp_path, bundled_folder, seed=1)
    at = click(open_page(view=view, model=str(tmp_path)), "load_model")
    run(at)
    assert CHANGED not in sentences_of(at)
    retrain(tmp_path, bundled_folder, seed=2)
    run(at)
    fresh = click(open_page(view=view, model=str(tmp_path)), "load_model")
    assert not at.exception
    drawn, expected = ([str(data_of(each)) for each in components(page, "cell_map")] for page in (at, fresh))
    assert drawn == expected
    tables, wanted = ([table.value.to_csv() for table in page.dataframe] for page in (at, fresh))
    assert tables == wanted


def test_a_half_written_checkpoint_is_reported_and_tried_again(tmp_path: Path, bundled_folder: Path) -> None:
    retrain(tmp_path, bundled_folder, seed=1)
    at = click(open_page(view="predictions", model=str(tmp_path), **TEXTS), "load_model")
    whole = (tmp_path / "model.safetensors").read_bytes()
    (tmp_path / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    run(at)
    assert "damaged, incomplete" in at.error[0].value
    assert model_shown(at) == "bundled"
    assert "goes on with all-MiniLM-L6-v2" in sentences_of(at)

    (tmp_path / "model.safetensors").write_bytes(whole)
    run(at)
    assert (model_shown(at), len(at.error)) == (str(tmp_path), 0)
    np.testing.assert_allclose(probabilities_on_page(at), true_probabilities(tmp_path, TEXTS["a"]), rtol=1e-5)
