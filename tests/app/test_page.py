"""The page as a person meets it: what it shows, what survives a click, what bad input gets."""

import base64
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest
import streamlit
from safetensors.numpy import load
from streamlit.testing.v1 import AppTest
from transformers import AutoTokenizer

import encoder
from encoder import Backend, Trace, hub
from encoder.measures.attention import MEAN, head_or_mean, shown_attention
from encoder.measures.units import Special, units_of
from encoder.probes import word_classes
from encoder.trace import FloatArray
from encoder.trained import steps
from tests.encoder.random_models import BERT_SIZES, build, save
from viz import cache, panels
from viz.components.bertviz import HEAD_VIEW_MAX_TOKENS
from viz.components.store import MAX_ERROR, STEPS
from viz.examples import EXAMPLES
from viz.selection import DEFAULT, Mode, View

APP = Path(__file__).parents[2] / "app.py"
VIEWS = get_args(View)
LABELS = ("calm", "angry", "<b>sad</b>")


def open_page(**link: str) -> AppTest:
    at = AppTest.from_file(APP, default_timeout=60)
    at.query_params |= link
    return run(at)


def run(at: AppTest) -> AppTest:
    at.run()
    assert not at.exception, at.exception[0].message
    return at


def components(at: AppTest, name: str) -> list[Any]:
    """What was sent to the components of ours with that name."""
    return [part.proto for part in at.get("bidi_component") if part.proto.component_name == f"headlight_{name}"]


def choose(at: AppTest, **values: Any) -> AppTest:
    """Click one of the choices: view, layer, head, mode, level, special."""
    for key, value in values.items():
        at.button_group(key=key).set_value(value)
    return run(at)


def type_texts(at: AppTest, **texts: str) -> AppTest:
    for key, text in texts.items():
        at.text_area(key=key).set_value(text)
    return run(at)


def example_box(at: AppTest) -> Any:
    """The picker of examples; its key changes with the texts."""
    return next(box for box in at.selectbox if box.label == "Example")


def pick_model(at: AppTest, name: str) -> AppTest:
    """Choose a model from the list, or type its name."""
    box = at.selectbox(key="model")
    if box.format_func(name) not in box.options:
        box.options.append(name)
    box.set_value(name)
    return run(at)


def click(at: AppTest, key: str) -> AppTest:
    at.button(key=key).click()
    return run(at)


def strip(at: AppTest, index: int = 0) -> dict[str, Any]:
    """What the token strip is given."""
    return json.loads(components(at, "token_strip")[index].json)


def model_shown(at: AppTest) -> str:
    return at.session_state["model_in_use"]


def figure(at: AppTest, index: int = 0) -> dict[str, Any]:
    return json.loads(at.get("plotly_chart")[index].proto.spec)


def cells(at: AppTest, index: int = 0) -> FloatArray:
    """The numbers of a figure that is a heat map."""
    z = figure(at, index)["data"][0]["z"]
    shape = tuple(map(int, z["shape"].split(",")))
    return np.frombuffer(base64.b64decode(z["bdata"]), dtype=z["dtype"]).reshape(shape)


def told(at: AppTest, index: int = 0) -> dict[str, Any]:
    """What a heat map is told: the selection and the id of its message, which is in a store."""
    return json.loads(components(at, "cell_map")[index].json)


def message(at: AppTest, index: int = 0) -> bytes:
    """The layer that a heat map draws."""
    identity = told(at, index)["id"].encode()
    (sent,) = {store.bytes for store in components(at, "store") if identity in store.bytes}
    return bytes(sent)


def labels(at: AppTest, index: int = 0) -> list[str]:
    """The tokens of a heat map."""
    data = message(at, index)
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    return json.loads(header["__metadata__"]["extras"])["labels"]


def matrix(at: AppTest, index: int = 0) -> FloatArray:
    """The numbers of a heat map, to `MAX_ERROR`."""
    weights = (load(message(at, index))["weights"].astype(np.float32) / STEPS) ** 2
    return head_or_mean(weights, told(at, index)["selection"]["head"])


def alerts(at: AppTest) -> list[str]:
    """Errors, warnings and hints."""
    return [element.value for kind in (at.error, at.warning, at.info) for element in kind]


def sentences_of(at: AppTest) -> str:
    """Everything that the page says."""
    said = (at.caption, at.warning, at.error, at.info, at.markdown)
    return "\n".join(element.value for elements in said for element in elements)


def seen(at: AppTest) -> dict[str, Any]:
    """All that a person sees, but for the place where it stands."""
    return {
        "strips": [strip(at, index) for index in range(len(components(at, "token_strip")))],
        "figures": [chart.proto.spec for chart in at.get("plotly_chart")],
        "maps": [matrix(at, index).tolist() for index in range(len(components(at, "cell_map")))],
        "frames": [frame.proto.srcdoc for frame in at.get("iframe")],
        "tables": [table.value.to_csv() for table in at.dataframe],
        "sentences": sentences_of(at),
        "choices": [(group.key, group.value, group.options, group.proto.disabled) for group in at.button_group],
        "texts": [(area.key, area.value) for area in at.text_area],
        "boxes": [(box.label, box.value) for box in at.selectbox],
    }


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


def regressor(folder: Path, bundled_folder: Path, **settings: Any) -> Path:
    tokenizer = AutoTokenizer.from_pretrained(bundled_folder)
    sizes = BERT_SIZES | {"vocab_size": len(tokenizer), "problem_type": "regression"} | settings
    return save(build("BertForSequenceClassification", "BertConfig", **sizes), folder, tokenizer)


# The first screen


def test_the_first_screen_shows_the_two_flies() -> None:
    at = open_page()
    tokens = strip(at)["tokens"]
    assert [token["id"] for token in tokens[1:6]] == [2051, 10029, 2066, 2019, 8612]
    assert [token["label"] for token in tokens[1:6]] == ["time", "flies", "like", "an", "arrow"]
    assert len(tokens) == 13
    assert [token["position"] for token in tokens if token["sentence"] == 1] == [7, 8, 9, 10, 11]
    assert [token["type"] for token in tokens] == [0] * 7 + [1] * 6
    assert (at.button_group(key="view").value, at.selectbox(key="model").value) == ("heat map", "bundled")
    assert example_box(at).value == EXAMPLES[0].title
    assert alerts(at) == []
    assert at.query_params == {}


def test_the_heat_map_shows_the_models_numbers(bundled: Backend) -> None:
    trace = bundled.trace(DEFAULT.a, DEFAULT.b)
    at = open_page(layer="3", head="7")
    assert told(at)["title"] == "L3 H7"
    np.testing.assert_allclose(matrix(at), trace.weights(3)[7], atol=MAX_ERROR)
    before = message(at)
    choose(at, head=MEAN)
    assert (told(at)["title"], message(at)) == ("L3, mean over heads", before)
    np.testing.assert_allclose(matrix(at), trace.weights(3).mean(axis=0), atol=MAX_ERROR)
    choose(at, layer=0, head=11)
    np.testing.assert_allclose(matrix(at), trace.weights(0)[11], atol=MAX_ERROR)


def test_sentences_apart_are_two_runs(bundled: Backend) -> None:
    at = open_page(mode="separate")
    assert [len(strip(at, index)["tokens"]) for index in range(2)] == [7, 7]
    assert {token["sentence"] for token in strip(at, 1)["tokens"]} == {1, None}
    assert [element.value for element in at.markdown if "Sentence" in element.value] == [
        "#### Sentence A",
        "#### Sentence B",
    ]
    for index, text in enumerate((DEFAULT.a, DEFAULT.b)):
        np.testing.assert_allclose(matrix(at, index), bundled.trace(text).weights(0)[4], atol=MAX_ERROR)


def test_words_and_hidden_tokens_reach_the_heat_map(bundled: Backend) -> None:
    a, b = "unbelievably, time flies", "antidisestablishmentarianism does not"
    trace = bundled.trace(a, b)
    at = open_page(a=a, b=b, level="words")
    for special in get_args(Special):
        choose(at, special=special)
        units = units_of(trace.tokens, level="words", special=special)
        expected, removed = shown_attention(trace.weights(0)[4], units, special)
        np.testing.assert_allclose(matrix(at), expected, atol=MAX_ERROR)
        assert labels(at) == list(units.labels)
        assert (f"{removed.mean():.0%}" in sentences_of(at)) == (special != "show")


@pytest.mark.parametrize("view", ["heat map", "head view", "model view", "data"])
def test_the_page_claims_whole_rows_only_where_they_are_whole(view: View) -> None:
    at = open_page(view=view)
    assert "hidden" not in sentences_of(at)
    choose(at, special="hide")
    assert "a row sums to 1" not in sentences_of(at)
    assert "They receive" in sentences_of(at)
    choose(at, special="renormalise")
    assert "scaled to sum to 1 again" in sentences_of(at)


def test_the_heat_map_of_a_block_says_over_what_its_rows_sum_to_1() -> None:
    at = open_page(view="heat map")
    assert "key); a row sums to 1." in sentences_of(at)
    choose(at, sentences="B→A")
    assert "key); over both sentences a row sums to 1." in sentences_of(at)


# The views


@pytest.mark.parametrize("mode", get_args(Mode))
def test_every_view_draws(mode: Mode) -> None:
    texts = {"a": "unbelievably, time flies", "b": "fruit flies like bananas"}
    at = open_page(mode=mode, model="scratch-bert", **texts)
    runs = 2 if mode == "separate" else 1
    pictures = {"heat map": "cell_map", "norms": "plotly_chart", "predictions": "alert", "data": "dataframe"}
    pictures |= {"head view": "head_view", "model view": "head_map", "neuron view": "neuron_view", "bertviz": "iframe"}
    assert set(pictures) == set(VIEWS) - {"anatomy", "word lens"}  # views of many pictures, with tests of their own
    for level, special in (("wordpieces", "show"), ("words", "hide"), ("words", "show"), ("wordpieces", "renormalise")):
        choose(at, level=level, special=special)
        for view in pictures:
            choose(at, view=view)
            counts = {kind: len(at.get(kind)) for kind in ("plotly_chart", "iframe")}
            counts |= {"alert": len(alerts(at)), "dataframe": len(at.dataframe)}
            counts |= {name: len(components(at, name)) for name in ("cell_map", "head_view", "neuron_view", "head_map")}
            counts["head_map"] -= runs  # the small ones beside every view
            drawn = {kind: count for kind, count in counts.items() if count}
            assert drawn == {pictures[view]: runs * (4 if view == "norms" else 1)}, (view, level, special)


def test_only_the_visible_view_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    layers: list[int] = []
    weights = Trace.weights

    def note(view: str) -> Callable[..., None]:
        return lambda *arguments, **options: (drawn.append(view), panels_as_they_are[view](*arguments, **options))[1]

    def noted_weights(trace: Trace, layer: int) -> FloatArray:
        layers.append(layer)
        return weights(trace, layer)

    panels_as_they_are = dict(panels.PANELS)
    monkeypatch.setattr(panels, "PANELS", {view: note(view) for view in panels_as_they_are})
    monkeypatch.setattr(Trace, "weights", noted_weights)
    for cached in (cache.layer_message, cache.bertviz_document):
        cached.clear()
    at = open_page(layer="2")
    # The map beside every view has read every layer once; the layer that heat map and head view draw is kept.
    needed = {"data": {2}, "bertviz": {2}}
    for view in panels_as_they_are:
        drawn.clear()
        layers.clear()
        choose(at, view=view)
        assert drawn == [view]
        assert set(layers) == needed.get(view, set())


def test_views_of_the_whole_model_have_no_layer_or_head_to_choose() -> None:
    at = open_page(layer="2", head="3")
    for view in VIEWS:
        choose(at, view=view)
        disabled = [at.button_group(key=key).proto.disabled for key in ("layer", "head")]
        assert disabled == [view in ("norms", "predictions")] * 2
        filtered = view in ("heat map", "head view", "neuron view", "data")
        assert at.button_group(key="sentences").proto.disabled != filtered
        assert (at.button_group(key="layer").value, at.button_group(key="head").value) == (2, 3)


def test_bertviz_gets_the_shown_numbers_and_its_limits_are_told(bundled: Backend) -> None:
    at = open_page(view="bertviz", layer="1", head="mean")
    assert "BertViz draws no mean" in sentences_of(at)
    document = at.get("iframe")[0].proto.srcdoc
    weights = bundled.trace(DEFAULT.a, DEFAULT.b).weights(1)
    assert json.dumps(np.round(weights[0].astype(float), 4).tolist(), separators=(",", ":")) in document
    type_texts(at, a="word " * 30)
    choose(at, bertviz="model view")
    assert "only layer 1 is drawn" in sentences_of(at)
    type_texts(at, a="word " * HEAD_VIEW_MAX_TOKENS)
    for view in ("head view", "model view"):
        choose(at, bertviz=view)
        assert not at.get("iframe")
        assert f"up to {HEAD_VIEW_MAX_TOKENS} tokens" in at.info[0].value


def test_norms_show_the_hidden_states(bundled: Backend) -> None:
    at = open_page(view="norms")
    trace = bundled.trace(DEFAULT.a, DEFAULT.b)
    np.testing.assert_allclose(cells(at), np.linalg.norm(trace.hidden_states, axis=-1), rtol=1e-5)
    assert cells(at, 3).shape == (6, 13)


def test_the_csv_holds_the_shown_matrix(monkeypatch: pytest.MonkeyPatch, bundled: Backend) -> None:
    written: list[tuple[Callable[[], bytes], str]] = []
    button = streamlit.download_button

    def note(label: str, data: Callable[[], bytes], **options: Any) -> bool:
        written.append((data, options["file_name"]))
        return button(label, data, **options)

    monkeypatch.setattr(streamlit, "download_button", note)
    a, b = "=1+1 time, flies\n", '"fruit" flies'
    trace = bundled.trace(a, b)
    at = open_page(view="data", a=a, b=b, layer="5", head="2")
    for head, special in ((2, "show"), (MEAN, "show"), (2, "hide"), (MEAN, "renormalise")):
        choose(at, head=head, special=special)
        units = units_of(trace.tokens, special=special)
        expected, _ = shown_attention(head_or_mean(trace.weights(5), head), units, special)
        data, name = written[-1]
        table = pd.read_csv(io.BytesIO(data()), index_col=0)
        assert name == ("attention-L5-H2.csv" if head == 2 else "attention-L5,-mean-over-heads.csv")
        for frame in (table, at.dataframe[0].value):
            assert list(frame.index) == list(frame.columns)
            assert list(frame.columns) == [f"{index}: {label}" for index, label in enumerate(units.labels)]
            np.testing.assert_allclose(frame.to_numpy(np.float32), expected, rtol=1e-6)


# The state


def test_layer_and_head_survive_a_change_of_text() -> None:
    at = choose(open_page(), layer=5, head=11)
    type_texts(at, a="dogs bark", b="")
    assert (at.button_group(key="layer").value, at.button_group(key="head").value) == (5, 11)
    example_box(at).set_value(EXAMPLES[2].title)
    run(at)
    assert (at.button_group(key="layer").value, at.button_group(key="head").value) == (5, 11)


def test_layer_and_head_are_clamped_to_what_a_model_has() -> None:
    at = choose(open_page(), layer=5, head=11)
    pick_model(at, "scratch-bert")
    assert (at.button_group(key="layer").value, at.button_group(key="head").value) == (5, 11)
    pick_model(at, "scratch-untrained")
    assert (at.button_group(key="layer").value, at.button_group(key="head").value) == (3, 3)
    assert at.button_group(key="layer").options == ["0", "1", "2", "3"]
    assert (at.query_params["layer"], at.query_params["head"]) == ("3", "3")
    choose(at, head=MEAN)
    pick_model(at, "bundled")
    assert (at.button_group(key="layer").value, at.button_group(key="head").value) == (3, MEAN)
    assert (open_page(layer="9999", head="9999").query_params) == {"layer": "5", "head": "11"}


def test_an_example_fills_both_texts() -> None:
    at = open_page()
    for example in EXAMPLES:
        example_box(at).set_value(example.title)
        run(at)
        assert (at.text_area(key="a").value, at.text_area(key="b").value) == (example.a, example.b)
        assert example.look_for in sentences_of(at)
        assert not at.error
    type_texts(at, b=f"{EXAMPLES[-1].b} very much")
    assert example_box(at).value is None
    assert "Look for" not in sentences_of(at)


def test_the_address_brings_the_whole_page_back() -> None:
    at = type_texts(open_page(), a="unbelievably, time flies", b="fruit & flies = 100 % <b>bananas</b> 👍")
    choose(at, layer=3, head=2, level="words", special="renormalise")
    pick_model(at, "scratch-bert")
    for view, head, mode in (("heat map", 1, "pair"), ("data", MEAN, "separate"), ("head view", 2, "separate")):
        choose(at, view=view, head=head, mode=mode)
        again = open_page(**at.query_params)
        assert seen(again) == seen(at)
        assert again.query_params == at.query_params
    assert set(at.query_params) == {"a", "b", "layer", "head", "level", "special", "model", "view", "mode"}


def test_going_back_brings_the_page_back() -> None:
    at = choose(open_page(), layer=2)
    before, params = seen(at), dict(at.query_params)
    pick_model(type_texts(at, a="dogs bark", b=""), "scratch-untrained")
    choose(at, view="norms")
    at.query_params = params
    assert seen(run(at)) == before


def test_a_nonsense_link_is_told_and_shows_the_rest() -> None:
    at = open_page(layer="x", head="99999", view="<script>alert(1)</script>", special="hide", utm_source="mail")
    assert len(at.warning) == 3
    assert "<script>" not in sentences_of(at)
    assert at.query_params == {"special": "hide"}
    assert not run(at).warning


# Bad input


@pytest.mark.parametrize("a", ["", " ", " \n\t ", "\x00\x01"])
def test_without_sentence_a_the_page_says_so_and_keeps_b(a: str) -> None:
    at = type_texts(open_page(), a=a, b="fruit flies like a banana")
    for view in VIEWS:
        at.session_state["view"] = view  # there is nothing to choose from
        run(at)
        assert [error.value for error in at.error] == [
            "Sentence A is empty, or holds only spaces and control characters: type a word."
        ]
        assert (at.text_area(key="a").value, at.text_area(key="b").value) == (a, "fruit flies like a banana")
    type_texts(at, a="time flies")
    assert not at.error
    assert at.button_group(key="view").value == VIEWS[-1]


def test_a_bad_sentence_b_is_called_b_in_either_mode() -> None:
    at = type_texts(open_page(), b="\x01\x02")
    for mode in get_args(Mode):
        choose(at, mode=mode)
        assert len(at.error) == 1
        assert at.error[0].value.startswith("Sentence B is empty")
        assert at.text_area(key="b").value == "\x01\x02"


def test_a_blank_sentence_b_is_no_sentence() -> None:
    at = type_texts(open_page(mode="separate"), b="  \n ")
    assert len(components(at, "token_strip")) == 1
    assert at.button_group(key="mode").proto.disabled
    assert (at.text_area(key="b").value, at.button_group(key="mode").value) == ("  \n ", "separate")


HOSTILE = {
    "emoji, combining marks": ("👩‍👩‍👧 🏳️‍🌈 time flies 👍🏽", "a\u0301\u0302\u0303 Z͑ͫ̓ͪ̂ͫ̽͏a̴l̷g̸o̵ \u0301"),
    "right to left, CJK": ("שלום עולם مرحبا بالعالم", "我喜欢苹果。時間が飛ぶ"),
    "control characters": ("a\x00b\x07 \x1b[31mred\u200b \u2028 \u202eevil\u202c \x7f", ".\x85\ufeff"),
    "scripts": ("</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>"),
    "markup": ("![x](https://evil.example/x.png) **b** :red[c] # e | f", "$x^2$ %{x} {{y}} `d` \\ ${z}"),
    "special tokens": ("time [MASK] like [SEP] an arrow", "[SEP] [CLS] [PAD] [UNK]"),
}


@pytest.mark.parametrize(("a", "b"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_shown_as_text_in_every_view(a: str, b: str) -> None:
    at = type_texts(open_page(), a=a, b=b)
    for view in VIEWS:
        choose(at, view=view)
        assert not at.error
        assert "evil.example" not in sentences_of(at)
        for frame in at.get("iframe"):
            assert "<script>alert" not in frame.proto.srcdoc
            assert "<img" not in frame.proto.srcdoc
        for index in range(len(at.get("plotly_chart"))):
            layout = figure(at, index)["layout"]
            names = "".join(name for axis in ("xaxis", "yaxis") for name in layout[axis].get("labelalias", {}).values())
            assert not [tag for tag in ("<script", "<img") if tag in names]
    choose(at, mode="separate", special="hide", level="words", view="heat map")
    choose(at, view="data")
    assert (at.text_area(key="a").value, at.text_area(key="b").value) == (a, b)
    again = open_page(**at.query_params)
    assert (again.text_area(key="a").value, again.text_area(key="b").value) == (a, b)


def test_special_tokens_in_the_text_are_told() -> None:
    at = open_page(a="time [MASK] flies [SEP]", b="")
    (told,) = (caption.value for caption in at.caption if "the model's own token" in caption.value)
    assert told.replace("\\", "").startswith("[MASK], [SEP] in the text")


def test_where_every_token_is_hidden_the_page_says_so() -> None:
    at = open_page(a="[SEP]", b="", special="hide", model="scratch-bert")
    for view in set(VIEWS) - {"anatomy"}:  # which shows every token
        choose(at, view=view)
        assert len(alerts(at)) == len(at.info) == 1
        assert [len(at.get(kind)) for kind in ("plotly_chart", "iframe", "dataframe")] == [0, 0, 0]


@pytest.mark.parametrize("mode", get_args(Mode))
def test_too_long_a_text_is_cut_and_told(mode: Mode) -> None:
    words = "word " * 10_000
    at = open_page(mode=mode)
    type_texts(at, a="time flies", b=words)
    assert at.warning[0].value.startswith("Sentence B is too long")
    kept = sum(token["sentence"] == 1 for token in strip(at, 1 if mode == "separate" else 0)["tokens"])
    assert kept == (510 if mode == "separate" else 507)
    assert f"first {kept:,} tokens" in at.warning[0].value
    assert f"last {10_000 - kept:,} are" in at.warning[0].value
    assert len(at.warning) == 1
    assert "too long for an address" in sentences_of(at)
    assert at.text_area(key="b").value == words


def test_every_view_stands_512_tokens() -> None:
    words = "word " * 10_000
    at = type_texts(open_page(), a=words)
    for view in VIEWS:
        choose(at, view=view)
        assert at.text_area(key="a").value == words
        assert not at.error


def test_both_sentences_too_long_are_both_told() -> None:
    at = type_texts(open_page(), a="time " * 1000, b="flies " * 1000)
    assert [warning.value[:22] for warning in at.warning] == ["Sentence A is too long", "Sentence B is too long"]


def test_100_kb_without_a_space_is_kept() -> None:
    text = "x" * 100_000
    at = type_texts(open_page(), a=text)
    for view in VIEWS:
        choose(at, view=view)
        assert at.text_area(key="a").value == text
    choose(at, level="words", view="heat map")
    assert len(components(at, "token_strip")[0].json) < 10_000
    assert len(message(at)) < 500_000


# Models


def test_the_untrained_model_says_so_everywhere() -> None:
    at = pick_model(open_page(), "scratch-untrained")
    assert "untrained" in at.warning[0].value
    choose(at, view="predictions")
    assert "UNTRAINED" in at.error[0].value
    assert list(at.dataframe[0].value["label"]) == ["negative", "neutral", "positive"]
    assert at.dataframe[0].value["probability"].sum() == pytest.approx(1)
    assert at.metric[0].label == "Regression score"


@pytest.mark.parametrize("model", ["bundled", "bundled-sentiment", "scratch"])
def test_trained_models_tell_praise_from_blame_and_how_often_they_are_right(model: str) -> None:
    texts = {"a": "a gorgeous, witty, seductive movie", "b": "a dull, lifeless mess"}
    at = open_page(view="predictions", model=model, mode="separate", **texts)
    praise, blame = (frame.value.set_index("label")["probability"] for frame in at.dataframe)
    assert praise["positive"] > 0.5 > praise["negative"]
    assert blame["negative"] > 0.5 > blame["positive"]
    assert "Measured on SST dev" in sentences_of(at)
    assert "n = 1,101" in sentences_of(at)
    assert [json.loads(chart.proto.spec)["layout"]["xaxis"]["range"] for chart in at.get("plotly_chart")] == [
        [0, 1]
    ] * 4


def test_training_slider_changes_the_model_and_the_address() -> None:
    at = open_page(model="scratch")
    trained = matrix(at)
    at.select_slider(key="step").set_value(steps()[0])
    run(at)
    assert at.query_params["model"] == f"scratch:step={steps()[0]}"
    assert not np.allclose(matrix(at), trained)
    at.select_slider(key="step").set_value(steps()[-1])
    run(at)
    assert at.query_params["model"] == "scratch"
    np.testing.assert_array_equal(matrix(at), trained)


@pytest.mark.parametrize("tags", ["all", "0", "2", "99"])
def test_parts_of_speech_stand_under_the_words(tags: str) -> None:
    at = open_page(tags=tags)
    strip = json.loads(components(at, "token_strip")[0].json)
    classes = word_classes(encoder.load("bundled").trace(EXAMPLES[0].a, EXAMPLES[0].b))
    assert tuple(strip["tags"]) == classes.likeliest(None if tags == "all" else min(int(tags), 6))
    assert len(strip["tags"]) == 10
    assert f"of {classes.n:,} words of {classes.test_set}" in sentences_of(at)


def test_parts_of_speech_are_not_offered_without_a_probe() -> None:
    at = open_page(tags="all", model="scratch-untrained")
    assert at.selectbox(key="tags").disabled
    assert json.loads(components(at, "token_strip")[0].json)["tags"] == []


def test_a_model_without_a_head_says_what_to_load() -> None:
    at = open_page(view="predictions", model="scratch-bert")
    assert "no prediction head" in at.info[0].value
    assert "ForSequenceClassification" in at.info[0].value


def test_an_unknown_id_waits_for_a_click_and_the_page_goes_on(loads: list[str]) -> None:
    at = choose(open_page(), layer=2)
    before = matrix(at)
    pick_model(at, "someone/some-model")
    assert "not one of the list" in at.info[0].value
    assert "goes on with Pretrained BERT" in sentences_of(at)
    assert "someone/some-model" not in loads
    click(at, "load_model")
    assert loads == ["someone/some-model"]
    assert len(at.error) == 1
    assert at.error[0].value.startswith("someone/some-model is not on this computer")
    assert at.button(key="try_again").label == "Try again"
    np.testing.assert_array_equal(matrix(at), before)
    assert model_shown(at) == "bundled"

    choose(at, layer=3)  # the failure stays told, and is not repeated at every click
    assert (len(at.error), loads) == (1, ["someone/some-model"])
    click(at, "try_again")
    assert (len(at.error), loads) == (1, ["someone/some-model"] * 2)
    pick_model(at, "bundled")
    assert alerts(at) == []
    assert "goes on with" not in sentences_of(at)


@pytest.mark.parametrize(
    "name", ["nonsense name", "a/b/c", "~nobody-here/x", "../../etc", "x" * 299, "scratch-bert:/x"]
)
def test_a_name_that_cannot_be_gets_one_sentence(name: str) -> None:
    at = click(pick_model(open_page(), name), "load_model")
    assert len(at.error) == 1
    assert "\n" not in at.error[0].value
    assert len(matrix(at)) == 13


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
    assert "3 layers × 4 heads" in sentences_of(at)


@pytest.mark.parametrize("kind", ["folder", "hub", "scratch"])
def test_a_link_alone_reads_no_folder_and_downloads_nothing(
    kind: str, loads: list[str], classifier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {"folder": str(classifier), "hub": "someone/some-model", "scratch": f"scratch-bert:{classifier}"}
    monkeypatch.setattr(hub, "cached_folder", lambda name: classifier)
    at = open_page(model=names[kind])
    for view in VIEWS:
        choose(at, view=view)
    assert set(loads) <= {"bundled", "scratch-bert"}  # the walk opens our own encoder with the bundled weights
    assert at.selectbox(key="model").value == names[kind]
    assert "goes on with Pretrained BERT" in sentences_of(at)
    assert at.button(key="load_model").label == "Load it"


def test_a_link_cannot_smuggle_markdown_into_the_page() -> None:
    at = open_page(model="![x](https://evil.example/x.png)", layer="![x](https://evil.example/y.png)")
    click(at, "load_model")
    assert "evil.example" in sentences_of(at)
    assert "![" not in sentences_of(at)


def test_a_classifier_in_a_folder_shows_its_labels_after_the_click(classifier: Path) -> None:
    at = open_page(view="predictions", model=str(classifier))
    assert list(at.dataframe[0].value["label"]) != list(LABELS)
    click(at, "load_model")
    assert alerts(at) == []
    expected = encoder.load(str(classifier)).trace(DEFAULT.a, DEFAULT.b).prediction
    assert expected is not None
    table = at.dataframe[0].value
    assert tuple(table["label"]) == LABELS
    np.testing.assert_allclose(table["logit"], expected.logits, rtol=1e-5)
    np.testing.assert_allclose(table["probability"], expected.probabilities, rtol=1e-5)
    assert "<b>sad" not in at.get("plotly_chart")[0].proto.spec
    choose(at, view="heat map")
    assert matrix(at).shape == (13, 13)
    pick_model(at, "bundled")
    pick_model(at, str(classifier))  # agreed once is enough
    assert (model_shown(at), len(at.info)) == (str(classifier), 0)


@pytest.mark.parametrize("outputs", [1, 2])
def test_a_regression_shows_its_numbers(outputs: int, tmp_path: Path, bundled_folder: Path) -> None:
    folder = str(regressor(tmp_path / "regression", bundled_folder, num_labels=outputs))
    at = click(open_page(view="predictions", model=folder), "load_model")
    expected = encoder.load(folder).trace(DEFAULT.a, DEFAULT.b).prediction
    assert expected is not None
    if outputs == 1:
        assert at.metric[0].value == f"{expected.logits[0]:.3f}"
    else:
        np.testing.assert_allclose(at.dataframe[0].value["logit"], expected.logits, rtol=1e-5)
    assert not at.get("plotly_chart")
    assert "probability" not in [column for table in at.dataframe for column in table.value]


def test_a_broken_folder_gets_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{not json")
    at = click(open_page(model=str(tmp_path)), "load_model")
    assert len(at.error) == 1
    assert "config.json" in at.error[0].value
    assert "Traceback" not in at.error[0].value
    assert (model_shown(at), len(matrix(at))) == ("bundled", 13)


def test_a_folder_that_was_repaired_loads_when_tried_again(tmp_path: Path, classifier: Path) -> None:
    at = click(open_page(model=str(tmp_path)), "load_model")
    assert at.error
    for file in classifier.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    click(at, "try_again")
    assert (model_shown(at), len(at.error)) == (str(tmp_path), 0)
