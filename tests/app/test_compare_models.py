"""Compare and the models side by side, with model folders of one's own."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from peft import LoraConfig
from streamlit.testing.v1 import AppTest

import encoder
from encoder.comparison.compare import compare
from encoder.comparison.run_differences import attention_difference
from tests.app.app_script import choose, click, components, data_of, open_page, run, type_option, unfold
from tests.app.app_script import sentences_of as text
from tests.app.test_compare import difference
from tests.encoder.models.adapter_folders import adapter_folder
from tests.encoder.random_models import BERT_SIZES, Zoo, build, save, wordpiece_tokenizer
from viz import permitted

pytestmark = pytest.mark.usefixtures("no_work_beside_the_page")

A = "time flies like an arrow..."
LINK = {"view": "compare", "compare": "models", "a": A, "b": ""}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A base and models tuned from it, one with another tokenizer, and an encoder-decoder."""
    root = tmp_path_factory.mktemp("folders")
    zoo, tokenizer = Zoo(root), wordpiece_tokenizer()
    zoo.folder("bert")
    zoo.folder("roberta")
    sizes = BERT_SIZES | {"vocab_size": len(tokenizer)}
    fewer = sizes | {"num_hidden_layers": 2, "num_attention_heads": 2, "num_labels": 3}
    for name, settings in (("tuned", sizes | {"num_labels": 2}), ("smaller", fewer)):
        save(build("BertForSequenceClassification", "BertConfig", **settings), root / "runs" / name, tokenizer)
    save(build("BertForTokenClassification", "BertConfig", **sizes), root / "tags", tokenizer)
    (root / "t5").mkdir()
    (root / "t5" / "config.json").write_text('{"model_type": "t5", "architectures": ["T5ForConditionalGeneration"]}')
    return root


def agreed(at: AppTest, *buttons: str) -> AppTest:
    for button in buttons:
        click(at, button)
    return at


def test_two_folders_are_compared_after_consent_to_each(folders: Path) -> None:
    base, tuned = str(folders / "bert"), str(folders / "runs" / "tuned")
    at = click(open_page(**LINK, model=base, with_model=tuned), "load_model")
    assert f"**{tuned}** is a path. Loading it needs a folder there" in text(at).replace("\\", "")
    assert not at.get("plotly_chart")
    click(at, "compare_load_model")
    compared = f"The same text in {base} (“bert”), the page's model, and in {tuned} (“tuned”)."
    assert compared in text(at).replace("\\", "")
    assert "Heads are paired by their numbers" in text(at)
    assert at.query_params["with_model"] == tuned
    assert {base, tuned} <= set(at.selectbox(key="with_model").options)
    unfold(at, "compare_outputs")
    assert "Only “tuned” has a head that predicts something of the text as a whole." in text(at)


def test_an_adapter_is_compared_with_its_base_model(folders: Path) -> None:
    name = str(folders / "adapter")
    adapter_folder(folders / "bert", folders / "adapter", LoraConfig(target_modules=["query"]))
    at = agreed(open_page(**LINK, model=name, with_model=f"base:{name}"), "load_model", "compare_load_model")
    assert f"in base:{name}" in text(at).replace("\\", "")
    assert np.abs(difference(at)).max() > 1e-3


def test_heads_by_likeness_name_their_partners(folders: Path) -> None:
    base, tuned = str(folders / "bert"), str(folders / "runs" / "tuned")
    at = agreed(open_page(**LINK, model=base, with_model=tuned), "load_model", "compare_load_model")
    choose(at, matched="likeness")
    assert at.query_params["matched"] == "likeness"
    traces = [encoder.load(name).trace(A) for name in (base, tuned)]
    found = compare(*traces, measure="structure", matching="likeness")
    (layer, head), *_ = found.largest_heads(1)
    partner = "layer {}, head {}".format(*found.partner(layer, head))
    assert (
        f"**Layer {layer}, head {head} differs most** from the head of “tuned” that is most like it, {partner}"
        in text(at)
    )
    assert f"“tuned” ({partner}) minus “bert”" in text(at)
    np.testing.assert_allclose(difference(at), attention_difference(found.runs, layer)[head], atol=1e-5)


def test_a_typed_model_of_another_size_and_labels_is_compared_by_likeness(folders: Path) -> None:
    tuned, smaller = str(folders / "runs" / "tuned"), str(folders / "runs" / "smaller")
    at = click(open_page(**LINK, model=tuned), "load_model")
    type_option(at, "with_model", smaller)
    assert at.query_params["with_model"] == smaller
    click(at, "compare_load_model")
    assert "The models have 3 layers × 4 heads and 2 layers × 2 heads" in text(at)
    assert "on this text alone" in text(at)
    unfold(at, "compare_outputs", "compare_heads", "compare_all_heads")
    assert "The labels differ: “tuned” has “LABEL\\_0”, “LABEL\\_1”, and “smaller” has" in text(at)


def test_words_of_two_tokenizers_are_all_shared(folders: Path) -> None:
    at = open_page(**LINK, model=str(folders / "bert"), with_model=str(folders / "roberta"))
    agreed(at, "load_model", "compare_load_model")
    assert "8 words are shared." in text(at)
    assert difference(at).shape == (10, 10)


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        ("t5", "is an encoder-decoder (t5)"),
        ("gone", "There is no folder"),
        ("seq2seq", "There is no folder"),
        ("scratch:step=7", "of the training does not ship"),
    ],
)
def test_a_model_that_cannot_be_compared_is_explained(folders: Path, other: str, sentence: str) -> None:
    is_path = other in ("t5", "gone")
    at = open_page(**LINK, with_model=str(folders / other) if is_path else other)
    if is_path:
        click(at, "compare_load_model")
    assert sentence in text(at)
    assert at.button(key="compare_try_again")
    assert at.query_params["with_model"].endswith(other)
    assert not at.get("plotly_chart")


def test_a_folder_that_vanished_is_explained_and_found_again(folders: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(folders / "bert", tmp_path / "mine"))
    at = click(open_page(**LINK, with_model=str(folder)), "compare_load_model")
    assert at.get("plotly_chart")
    folder.rename(tmp_path / "away")
    run(at)
    assert not at.get("plotly_chart")
    assert at.query_params["with_model"] == str(folder)
    (tmp_path / "away").rename(folder)
    click(at, "compare_try_again")
    assert at.get("plotly_chart")


def test_a_head_of_another_kind_and_a_text_too_long_for_one_model_are_named(folders: Path) -> None:
    at = open_page(**LINK | {"a": "time flies like an arrow " * 20}, with_model=str(folders / "tags"))
    click(at, "compare_load_model")
    assert "**“tags” does not have the last" in text(at)
    unfold(at, "compare_outputs")
    assert "Only “tags” tags words." in text(at)


def test_a_model_is_no_different_from_itself(folders: Path) -> None:
    folder = str(folders / "bert")
    at = agreed(open_page(**LINK, model=folder, with_model=folder), "load_model")
    assert "No difference." in text(at)


def test_models_of_ones_own_stand_side_by_side_after_consent(folders: Path) -> None:
    tuned, smaller = str(folders / "runs" / "tuned"), str(folders / "runs" / "smaller")
    at = open_page(view="models", a=A, b="", models=f"scratch.{tuned}")
    assert at.multiselect(key="models").value == ["scratch", tuned]
    click(at, f"models_{tuned}_load_model")
    pictures = [data for part in components(at, "cell_map") if "follows" in (data := data_of(part))]
    assert [(each["follows"]["layers"], each["follows"]["heads"]) for each in pictures] == [(6, 12), (4, 4), (3, 4)]
    at.multiselect(key="models").set_value([tuned, smaller])
    run(at)
    assert at.query_params["models"] == f"{tuned}.{smaller}"
    click(at, f"models_{smaller}_load_model")
    assert "**tuned**" in text(at) + str([each.value for each in at.markdown])


def test_a_shared_server_opens_what_it_offers_and_shows_no_path(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(permitted.VARIABLE, str(folders / "runs"))
    at = open_page(**LINK, with_model="tuned")
    assert "and in “tuned”." in text(at)
    assert str(folders) not in text(at)
    assert {"tuned", "smaller"} <= set(at.selectbox(key="with_model").options)
    at = open_page(**LINK, with_model=str(folders / "bert"))
    assert "This server does not offer the model" in text(at)
    assert not at.get("plotly_chart")
