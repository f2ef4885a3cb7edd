"""The view that compares two runs: its choices, and the sentences about what cannot be compared."""

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from encoder import Backend
from encoder.comparison.compare import compare
from encoder.comparison.run_differences import attention_difference
from tests.app.app_script import (
    Offered,
    cell_numbers,
    choose,
    chosen,
    click,
    components,
    data_of,
    figure,
    layer_of,
    open_folds,
    open_page,
    run,
    selected,
    titles_of_folds,
    type_texts,
    unfold,
)
from tests.app.app_script import sentences_of as text
from tests.encoder.random_models import Zoo
from viz.examples import EXAMPLES, MINIMAL_PAIRS
from viz.figures.labels import text_width
from viz.views.compare import steps as recipe

A, B = "the key to the cabinets is on the table", "the keys to the cabinets are on the table"
FOLDS = ("compare_heads", "compare_all_heads", "compare_outputs", "compare_carriers")
PAIR = {"view": "compare", "model": "scratch", "a": A, "b": B, "layer": "3", "head": "2"}


def opened(**link: str) -> AppTest:
    """Compare with its folds open."""
    return unfold(open_page(**link), *FOLDS)


def difference(at: AppTest) -> np.ndarray:
    """The cells of the chosen head's difference: the last one, if the answer shows another head's."""
    [*_, chart] = [each for each in at.get("plotly_chart") if each.proto.id.endswith("_attention-difference")]
    return cell_numbers(json.loads(chart.proto.spec))


def test_a_click_pins_words_in_the_first_text_with_both_and_frames_them() -> None:
    at = open_page(view="compare", a="time flies fast", b="time really flies", query="2", key="1", pinned_in="A")
    (clicks,) = components(at, "plot_clicks")
    chart = data_of(clicks)["charts"]["compare_attention-difference"]
    assert chart["axes"] == {"x": "key", "y": "query"}
    assert chart["texts"] == [
        {"text": "A", "tokens": [0, 1, 2, 4]},
        {"text": "B", "tokens": [0, 1, 3, 4]},
    ]

    def framed() -> list[tuple[float, float]]:
        """The first cell of each frame, across and down."""
        return [
            (shape["x0"] + 0.5, shape["y0"] + 0.5) for shape in figure(at, "attention-difference")["layout"]["shapes"]
        ][-2:]

    assert framed() == [(0, 2), (1, 0)]  # "flies" looks, "time" is looked at
    at = open_page(view="compare", a="time flies fast", b="time really flies", query="3", pinned_in="B")
    assert framed()[-1] == (0, 2)  # "flies"
    at = open_page(view="compare", a="time flies", b="", compare="steps", model="scratch")
    (clicks,) = components(at, "plot_clicks")
    assert [text["text"] for text in data_of(clicks)["charts"]["compare_attention-difference"]["texts"]] == ["A"]


def test_compare_opens_with_its_answer_and_computes_no_closed_fold(
    bundled: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pooled_differences", "patched_output", "estimates_of_silencing"):
        monkeypatch.setattr(recipe, name, lambda *_, name=name, **__: pytest.fail(f"{name} was computed"))
    at = open_page(view="compare", a=A, b=B)
    found = compare(bundled.trace(A), bundled.trace(B))
    (layer, head), second, _ = found.largest_heads(3)
    assert f"**Layer {layer}, head {head} differs most**" in text(at)
    np.testing.assert_allclose(difference(at), attention_difference(found.runs, layer)[head], atol=1e-5)
    assert titles_of_folds(at) == [
        "Every head, and the chosen one",
        "All heads at once: B minus A",
        "Words, predictions and cosines",
        "Which tokens and heads carry the difference?",
    ]
    assert not components(at, "head_view")
    assert "p = 0." not in text(at)
    click(at, f"compare_largest_{second[0]}_{second[1]}")
    assert chosen(at) == second
    assert f"Layer {second[0]}, head {second[1]}: B minus A" in text(at)


@pytest.mark.parametrize(
    ("link", "key"), [({"layer": "2", "head": "3"}, "heads"), ({"compared_number": "similarity"}, "carriers")]
)
def test_a_link_about_a_head_or_a_number_opens_its_fold(link: dict[str, str], key: str) -> None:
    at = open_page(view="compare", a=A, b=B, **link)
    assert open_folds(at)[:1] == [f"compare_{key}"]


def test_heads_and_words_are_listed_and_a_head_of_the_list_becomes_the_selected_one(offered: Offered) -> None:
    at = open_page(**PAIR)
    matrix = pd.read_csv(io.BytesIO(offered["difference-L3-H2.csv"]()))
    assert matrix.shape == (9, 10)
    unfold(at, "compare_heads", "compare_outputs")
    assert not {"compare-heads.csv", "compare-words.csv"} & set(offered)  # their expanders are closed
    unfold(at, "compare_compare-heads_table", "compare_compare-words_table")
    assert {"compare-heads.csv", "compare-words.csv"} <= set(offered)
    assert figure(unfold(at, "compare_all_heads"), "compare-all-heads")
    key = next(key for button in at.button if (key := button.key or "").startswith("compare_head_"))
    click(at, key)
    assert "_".join(map(str, ("compare_head", *chosen(at)))) == key
    assert f"Layer {chosen(at)[0]}, head {chosen(at)[1]}: B minus A" in text(at)


def test_either_runs_additional_attention_is_drawn_as_lines() -> None:
    at = opened(**PAIR)
    assert [data_of(part)["texts"] for part in components(at, "head_view")] == [["A"], ["B"]]
    at = opened(**(PAIR | {"compare": "heads", "silenced": "0.0"}))
    views = [data_of(part) for part in components(at, "head_view")]
    assert [view["texts"] for view in views] == [["A", "B"]] * 2
    assert layer_of(at, views[0]).extras["b_start"] == 11


def test_a_word_of_the_list_opens_in_the_word_lens() -> None:
    at = opened(**PAIR)
    button = next(each for each in at.button if each.label.startswith("cabinets"))
    click(at, str(button.key))
    assert at.query_params["view"] == "word lens"
    assert (at.query_params["at_a"], at.query_params["at_b"]) == ("4", "4")


def test_a_minimal_pair_fills_both_fields() -> None:
    at = open_page(view="compare", a="time", b="")
    assert "type a second one, or choose one of the minimal pairs" in text(at)
    assert not at.get("plotly_chart")
    click(at, "compare_pair_4")
    assert (at.query_params["a"], at.query_params["b"]) == (MINIMAL_PAIRS[4].a, MINIMAL_PAIRS[4].b)
    assert at.get("plotly_chart")


def test_four_minimal_pairs_show_each_phenomenon_outside_the_examples() -> None:
    phenomena = [pair.phenomenon for pair in MINIMAL_PAIRS]
    assert phenomena == [name for name in dict.fromkeys(phenomena) for _ in range(4)]
    assert len(set(phenomena)) == 4
    assert len({pair.a for pair in MINIMAL_PAIRS}) == 16
    assert len(EXAMPLES) < 16


def test_silencing_a_head_compares_the_run_with_one_without_it() -> None:
    at = open_page(**(PAIR | {"layer": "2", "head": "mean", "compare": "heads"}))
    assert "No head is silenced yet" in text(at)
    choose(at, layer=2, head=3)
    assert "without layer 2, head 3" in text(at)
    click(at, "compare_silence")
    assert at.query_params["silenced"] == "2.3"
    assert "No difference in this head." in text(at)
    choose(at, layer=4, head=1)
    assert "without layer 2, head 3" in text(at)
    assert difference(at).any()


def test_heads_of_models_of_one_size_are_paired_by_number_and_others_by_likeness() -> None:
    at = opened(**(PAIR | {"model": "bundled", "compare": "models"}))
    assert "Heads are paired by their numbers" in text(at)
    at.selectbox(key="with_model").set_value("scratch")
    run(at)
    assert at.query_params["with_model"] == "scratch"
    assert "The models have 6 layers × 12 heads and 4 layers × 4 heads" in text(at)
    assert "on this text alone" in text(at)
    assert "matched" not in [each.key for each in at.get("button_group")]
    assert "no common axes" in text(at).lower()


def test_a_model_that_would_be_downloaded_is_asked_about() -> None:
    at = open_page(**(PAIR | {"compare": "models", "with_model": "bert-base-uncased"}))
    assert "has to be downloaded (440 MB)" in text(at)
    assert at.button(key="compare_load_model").label == "Load it"
    assert not at.get("plotly_chart")


def test_steps_of_the_training_are_compared_the_earlier_one_first() -> None:
    at = open_page(**(PAIR | {"model": "bundled", "compare": "steps", "with_step": "60"}))
    assert "Only the from-scratch model has saved training steps" in text(at)
    click(at, "compare_scratch")
    assert "after step 61 and after step 2057" in text(at)
    at.select_slider(key="with_step").set_value(0)
    run(at)
    assert at.query_params.get("with_step") is None  # the default
    assert "after step 0 and after step 2057" in text(at)


@pytest.mark.parametrize(
    ("link", "sentence"),
    [
        (
            {"model": "bundled", "a": "time", "b": "", "compare": "models", "with_model": "scratch"},
            "this text has one word only",
        ),
        ({"mode": "separate", "compare": "heads", "silenced": "0.0"}, "this compares runs of sentence A"),
    ],
)
def test_unusable_texts_are_explained(link: dict[str, str], sentence: str) -> None:
    assert sentence in text(opened(**(PAIR | link)))


def test_a_text_that_the_other_model_cannot_read_is_explained(tmp_path: Path) -> None:
    folder = str(Zoo(tmp_path).folder("gpt2"))
    at = open_page(view="compare", compare="models", model=folder, a="time flies", b="")
    click(at, "load_model")
    assert "heads cannot be paired by their numbers" in text(at)
    type_texts(at, a="\ufffd")  # which the page's model reads as bytes
    assert "Sentence A is empty" in text(at)
    assert not at.get("plotly_chart")
    assert not at.error  # it is the view that says it


def test_long_texts_are_compared() -> None:
    at = open_page(**(PAIR | {"a": "time flies " * 64, "b": "time really flies " + "time flies " * 63}))
    assert difference(at).shape == (130, 130)
    assert "Words of one text alone are left out." in text(at)
    assert "Lines are drawn for up to 128 shared words; here are 130." in text(at)


def test_predictions_and_cosines_have_as_many_decimals_in_every_row() -> None:
    at = opened(**PAIR)
    tables = [table for table in at.dataframe if set(table.value) & {"prediction", "after"}]
    assert len(tables) == 2
    for table in tables:
        columns = json.loads(table.proto.columns)
        first, *numbers = table.value
        assert columns[first]["width"] >= text_width("embeddings")
        assert {columns[name]["type_config"]["format"] for name in numbers} == {"%.3f"}
        shown = table.value[numbers].to_numpy(dtype=float)
        np.testing.assert_allclose(shown, shown.round(3), atol=1e-6)  # else the browser writes -0.0001 as "-0.000"
        assert not np.signbit(shown[shown == 0]).any()


def test_another_kind_of_comparison_keeps_texts_and_head() -> None:
    at = open_page(**PAIR)
    for kind in ("heads", "models", "steps", "texts"):
        choose(at, compare=kind)
        assert at.query_params.get("compare", "texts") == kind
    assert chosen(at) == (3, 2)
    assert selected(at)["head"] == 2
    type_texts(at, b="the keys are here")
    assert at.get("plotly_chart")


def test_heads_that_only_another_model_has_are_left_out() -> None:
    at = open_page(**(PAIR | {"compare": "heads", "silenced": "0.0"}))
    box = at.multiselect(key="compare_silenced")
    box.options.append("L11 H11")  # the list as the browser still has it
    box.set_value([(0, 0), (1, 2), (11, 11)])
    run(at)
    assert at.query_params["silenced"] == "0.0-1.2"
    assert "without layer 0, head 0 and layer 1, head 2" in text(at)
