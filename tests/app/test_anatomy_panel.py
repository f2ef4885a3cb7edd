"""The anatomy on the page, without a browser: every step, every switch, every model."""

import re
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from transformers import AutoTokenizer

import encoder
from encoder.experiments.anatomy import record
from encoder.experiments.anatomy.changes import changed
from encoder.experiments.anatomy.names import STEPS as KEYS
from encoder.experiments.anatomy.record import ours
from encoder.measures.operations import total_variation
from tests.app.anatomy_page import (
    HEAD,
    LAYER,
    A,
    assert_drawn,
    chosen,
    go,
    heading,
    html_of,
    open_anatomy,
    recorded,
    seen,
)
from tests.app.app_script import captions, cell_numbers, choose, figures, run, sentences_of
from tests.encoder.random_models import BERT_SIZES, Zoo, build, save
from viz.caches.memo import VALUES
from viz.html.marked_code import html_of_code
from viz.views.anatomy import steps as recipe
from viz.views.anatomy.answer.steps import STEPS
from viz.views.anatomy.answer.steps.model import MADE_UP
from viz.views.anatomy.answer.tensors import MOST_COLUMNS, MOST_TOKENS
from viz.views.anatomy.widgets import PARTS
from viz.wording.labels import escape_markdown

HOSTILE = "<script>alert(1)</script> $x$ `a` *b* [c](http://d) \\frac{1}{2} & < 1 ☃ 漢字 🙂 [SEP]"


def test_the_anatomy_goes_from_the_first_step_to_the_last_and_back() -> None:
    at = open_anatomy(model="scratch")
    used = recorded("scratch")
    assert at.button(key="anatomy_back").disabled
    for index, (key, step) in enumerate(STEPS.items()):
        content = step.content(used)
        assert heading(at) == step.title
        assert content.words in [each.value for each in at.markdown]
        assert at.get("latex") or content.latex in [each.value.strip("$\n") for each in at.markdown]
        for source in content.sources:
            assert html_of_code(source.code) in html_of(at)
        drawn = figures(at)
        for shown, figure in zip([shown for row in content.tensors for shown in row], drawn, strict=False):
            expected = shown.array[:MOST_TOKENS, :MOST_COLUMNS]
            assert_drawn(figure, expected, f"{key}: {shown.name}")
        assert at.query_params.get("walk", "text") == key
        if index < len(STEPS) - 1:
            go(at, "next")
    assert at.button(key="anatomy_next").disabled
    go(at, "back")
    assert at.query_params["walk"] == list(STEPS)[-2]


def test_the_list_goes_anywhere_and_a_link_comes_back() -> None:
    at = open_anatomy(walk="softmax", row="2", column="1")
    assert heading(at) == STEPS["softmax"].title
    assert chosen(at) == (2, 1)
    at.selectbox(key="walk").set_value("scores")
    run(at)
    assert at.query_params["walk"] == "scores"
    assert at.query_params["row"] == "2"


def test_a_cell_of_a_link_that_a_step_does_not_have_is_named() -> None:
    at = open_anatomy(walk="softmax", row="99", column="1")
    assert "Link: row='99' is not there: the page shows 6." in [warning.value for warning in at.warning]


def test_only_the_step_that_is_open_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[int] = []
    plain = record.record

    def noted(*arguments: Any, **options: Any) -> Any:
        runs.append(options["layer"])
        return plain(*arguments, **options)

    monkeypatch.setattr(recipe, "record", noted)
    VALUES.clear()
    at = open_anatomy(walk="projections")
    for step in ("scores", "softmax", "context", "residual"):
        at.selectbox(key="walk").set_value(step)
        run(at)
    assert runs == [LAYER], "one pass serves every step of a layer"
    choose(at, head=5)
    assert runs == [LAYER]
    choose(at, layer=0)
    assert runs == [LAYER, 0]


def test_masks_change_the_rows() -> None:
    at = open_anatomy(walk="mask")
    at.button_group(key="mask").set_value("causal")
    run(at)
    assert "21 of 49 scores" in captions(at)
    assert at.query_params["mask"] == "causal"
    at.button_group(key="mask").set_value("padding")
    run(at)
    _, _, free, padded = (cell_numbers(figure) for figure in figures(at))
    assert (padded[:, 7:] == 0).all()
    assert (free[:, 7:] > 0).all()


def moved(at: AppTest) -> str:
    """The share of attention that went elsewhere."""
    found = re.search(r"that moved, on average over rows: \*\*(.+?)\*\*", sentences_of(at))
    assert found
    return found[1]


def test_a_switch_changes_the_attention_and_says_how_much() -> None:
    at = open_anatomy(walk="what-if")
    own = seen().weights[HEAD]
    assert moved(at) == "0.0 %"
    at.button_group(key="anatomy_switches").set_value(["one-head"])
    run(at)
    backend = ours(encoder.load("scratch-bert"))
    new = changed(backend.encoder, backend.tokenize(A), layer=LAYER, what_ifs=("one-head",)).weights
    new = new[0 if len(new) == 1 else HEAD]
    first, second = figures(at)
    assert_drawn(first, own)
    assert_drawn(second, new)
    assert moved(at) == f"{100 * total_variation(own, new).mean():.1f} %" != "0.0 %"
    assert at.query_params["what_if"] == "one-head"


def test_switches_add_up_and_a_link_brings_them_back() -> None:
    at = open_anatomy(walk="what-if", what_if="shuffled.no-positions")
    assert set(at.button_group(key="anatomy_switches").value or ()) == {"no-positions", "shuffled"}
    together = moved(at)
    at.button_group(key="anatomy_switches").set_value(["no-positions"])
    run(at)
    assert moved(at) == together
    at.button_group(key="anatomy_switches").set_value([])
    run(at)
    assert "what_if" not in at.query_params


def test_every_step_draws_a_hostile_text() -> None:
    at = open_anatomy(a=HOSTILE, b="", what_if="shuffled.dropout", mask="padding")
    for key in STEPS:
        at.selectbox(key="walk").set_value(key)
        run(at)
        assert heading(at) == STEPS[key].title
        assert not at.error
        assert not any(each.proto.allow_html for each in at.markdown)


@pytest.fixture
def other_modules(tmp_path: Path) -> AppTest:
    """The anatomy with a model that is neither ours nor a BERT."""
    at = open_anatomy(model=str(Zoo(tmp_path).folder("electra")))
    at.button(key="load_model").click()
    return run(at)


def test_a_model_of_other_modules_gets_a_sentence_and_two_ways_on(other_modules: AppTest) -> None:
    at = other_modules
    assert any("opens our own encoder" in each.value for each in at.info)
    at.button(key="anatomy_with_scratch").click()
    run(at)
    assert at.query_params["model"] == "scratch"
    assert heading(at) == STEPS["text"].title


@pytest.fixture(scope="module")
def bert_folder(tmp_path_factory: pytest.TempPathFactory, bundled_folder: Path) -> str:
    tokenizer = AutoTokenizer.from_pretrained(bundled_folder)
    model = build("BertModel", "BertConfig", **BERT_SIZES | {"vocab_size": len(tokenizer)})
    return str(save(model, tmp_path_factory.mktemp("models") / "bert", tokenizer))


def test_a_bert_folder_gets_the_name_under_which_it_can_be_opened(bert_folder: str) -> None:
    at = open_anatomy(model=bert_folder)
    at.button(key="load_model").click()
    run(at)
    name = f"scratch-bert:{bert_folder}"
    assert any("BERT folder" in each.value and escape_markdown(name) in each.value for each in at.markdown)
    at.button(key="anatomy_with_folder").click()
    run(at)
    assert at.query_params["model"] == name
    at.button(key="load_model").click()
    run(at)
    assert heading(at) == STEPS["text"].title
    for step in ("layers", "prediction"):
        at.selectbox(key="walk").set_value(step)
        run(at)
        assert heading(at) == STEPS[step].title
    assert MADE_UP in captions(at)


def test_a_model_that_is_no_bert_folder_is_offered_no_name_of_its_own(other_modules: AppTest) -> None:
    assert not any("BERT folder" in each.value for each in other_modules.markdown)
    assert {each.key for each in other_modules.button if (each.key or "").startswith("anatomy_with")} == {
        "anatomy_with_bundled",
        "anatomy_with_scratch",
    }


def test_an_untrained_head_says_so() -> None:
    at = open_anatomy(model="scratch-untrained", walk="prediction")
    assert any("Untrained" in each.value for each in at.error)
    assert not open_anatomy(model="scratch", walk="prediction").error


def test_the_steps_follow_one_of_two_separate_sentences_and_say_which() -> None:
    link = {"b": "fruit flies like a banana", "mode": "separate"}
    pinned_in_b = {"query": "2", "key": "1", "pinned_in": "B"}
    assert "The steps follow sentence A." in captions(open_anatomy(**link, walk="text"))
    assert "The steps follow sentence B." in captions(open_anatomy(**link, **pinned_in_b, walk="text"))
    at = open_anatomy(**link, **pinned_in_b, walk="scores")
    assert sum(each.value.startswith("### Every") for each in at.markdown) == 1
    assert "The steps follow" not in captions(at)
    assert at.selectbox(key="column").value == "1 · fruit"


@pytest.mark.parametrize(("walk", "widgets"), [("text", 0), ("output", 1), ("softmax", 2), ("prediction", 0)])
def test_a_step_has_a_choice_of_layer_and_head_if_it_depends_on_them(walk: str, widgets: int) -> None:
    at = open_anatomy(walk=walk)
    keys = {each.key for each in at.selectbox}
    assert len(keys & {"anatomy_layer", "anatomy_head"}) == widgets


def test_layer_and_head_are_chosen_in_the_row_of_the_step() -> None:
    at = open_anatomy(walk="softmax")
    at.selectbox(key="anatomy_layer").set_value(0)
    run(at)
    at.selectbox(key="anatomy_head").set_value(5)
    run(at)
    assert (at.query_params.get("layer", "0"), at.query_params["head"]) == ("0", "5")
    assert_drawn(figures(at)[0], recorded(layer=0).record.weights[5])


def test_a_mean_over_heads_shows_head_0() -> None:
    at = open_anatomy(head="mean", walk="softmax")
    assert_drawn(figures(at)[0], seen().weights[0])
    assert "head 0" in captions(at)


def test_every_step_has_its_place_in_the_picture_of_the_model() -> None:
    assert tuple(key for keys in PARTS.values() for key in keys) == KEYS
    at = open_anatomy(walk="softmax")
    [picture] = [each.proto.body for each in at.get("html") if 'class="anatomy-model"' in each.proto.body]
    assert "Step 9 of 18, in the part: attention" in picture
    assert picture.count("<i") == len(KEYS)
    before, _ = picture.split("<i class=here>")
    assert before.count("<i>") == KEYS.index("softmax")
