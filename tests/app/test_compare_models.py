"""Compare and the models side by side, with model folders of one's own."""

import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import encoder
from encoder.comparison.compare import compare
from tests.app.app_script import choose, click, components, data_of, open_page, run, unfold
from tests.app.app_script import sentences_of as text
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


def test_heads_by_likeness_name_their_partners(folders: Path) -> None:
    base, tuned = str(folders / "bert"), str(folders / "runs" / "tuned")
    at = agreed(open_page(**LINK, model=base, with_model=tuned), "load_model", "compare_load_model")
    choose(at, matched="likeness")
    assert at.query_params["matched"] == "likeness"
    traces = [encoder.load(name).trace(A) for name in (base, tuned)]
    found = compare(*traces, measure="structure", matching="likeness")
    head, *_ = found.largest_heads(1)
    partner = "layer {}, head {}".format(*found.partner(*head))
    assert f"differs most** from the head of “tuned” that is most like it, {partner}" in text(at)
    assert f"“tuned” ({partner}) minus “bert”" in text(at)


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        ("t5", "is an encoder-decoder (t5)"),
        ("scratch:step=7", "of the training does not ship"),
    ],
)
def test_a_model_that_cannot_be_compared_is_explained(folders: Path, other: str, sentence: str) -> None:
    is_path = other == "t5"
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
