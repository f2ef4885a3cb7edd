"""The functions for notebooks: what BertViz takes is taken, and what makes no sense is refused in a sentence."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import bertviz
import numpy as np
import pytest
import torch

import encoder
from encoder import Trace
from encoder.catalogue import load_writer
from encoder.errors import ArgumentError, HeadlightError
from encoder.measures.head_profiles import max_pooled
from encoder.runs.generation import Generation
from encoder.runs.layer_attention import LayerAttention
from tests.rounding import Written
from tests.viz.html.reading import contents_of, elements_of, framed, labels_in, weights_in
from tests.viz.made_up import random_weights
from viz import head_view, heat_map, model_view, neuron_view, tokens_view
from viz.notebooks.arrays import Included
from viz.notebooks.page import WITHOUT_FRAME, NotebookPage
from viz.payloads.model_map import THUMBNAIL

TOKENS = ["[CLS]", "Ġtime", "▁flies", "[SEP]", "fruit</w>", "[SEP]"]
LAYERS, HEADS, COUNT = 4, 3, len(TOKENS)


def attention(count: int = COUNT) -> list[np.ndarray]:
    """One array of (1, H, T, T) for each layer."""
    return [random_weights(count, heads=HEADS, seed=layer)[None] for layer in range(LAYERS)]


def drawn(shown: NotebookPage) -> tuple[dict[str, Any], dict[str, Any], dict[int, np.ndarray]]:
    """The contents of a page, those of its run, and its weights."""
    contents = contents_of(shown.html)
    [run] = contents["runs"]
    return contents, run, weights_in(shown.html, run["attention"])


@pytest.mark.parametrize("function", [head_view, model_view])
def test_arguments_are_those_of_bertviz_in_their_order(function: Callable[..., Any]) -> None:
    ours = inspect.signature(function).parameters
    theirs = inspect.signature(getattr(bertviz, function.__name__)).parameters
    assert [name for name, each in ours.items() if each.kind is not each.KEYWORD_ONLY] == list(theirs)
    for name, parameter in theirs.items():
        if name != "display_mode":  # ours follows the browser, unless it is named
            assert ours[name].default == parameter.default, name


@pytest.mark.parametrize(
    "convert",
    [
        lambda layers: layers,
        lambda layers: tuple(torch.tensor(layer) for layer in layers),
        lambda layers: [torch.tensor(layer, requires_grad=True) for layer in layers],
        lambda layers: np.stack([layer[0] for layer in layers]),
        lambda layers: torch.tensor(np.stack(layers)),
        lambda layers: SimpleNamespace(attentions=tuple(map(torch.tensor, layers))),
    ],
    ids=["arrays", "tensors", "with gradient", "one array", "one tensor", "a model's output"],
)
def test_attention_comes_as_people_have_it(convert: Callable[[list[np.ndarray]], Any]) -> None:
    contents, run, weights = drawn(head_view(convert(attention()), TOKENS))
    assert run["layers"] == list(weights) == list(range(LAYERS))
    for layer, expected in enumerate(attention()):
        np.testing.assert_allclose(weights[layer], expected[0], atol=Written(5.1e-5))
    assert (contents["view"], contents["selection"]["heads"]) == ("head view", "all")


def test_half_precision_is_read() -> None:
    _, _, weights = drawn(heat_map([torch.tensor(layer).bfloat16() for layer in attention()], TOKENS))
    np.testing.assert_allclose(weights[0], attention()[0][0], atol=4e-3)


def test_tokens_are_prettified_unless_that_is_not_wanted() -> None:
    pretty, plain = (head_view(attention(), TOKENS, prettify_tokens=choice) for choice in (True, False))
    assert labels_in(pretty.html) == ["[CLS]", "time", "flies", "[SEP]", "fruit", "[SEP]"]
    assert labels_in(plain.html) == TOKENS


def test_a_pair_offers_its_parts() -> None:
    _, run, _ = drawn(head_view(attention(), TOKENS, 4))
    assert (run["place"], run["pair"], run["texts"]) == ("pair", True, ["A", "B"])
    _, alone, _ = drawn(head_view(attention(), TOKENS))
    assert (alone["place"], alone["pair"]) == ("A", False)


def test_layer_heads_and_what_is_included_are_chosen() -> None:
    contents, run, weights = drawn(head_view(attention(), TOKENS, layer=3, heads=[2, 0], include_layers=[3, 1]))
    assert run["layers"] == list(weights) == [1, 3]
    assert (contents["selection"]["layer"], contents["selection"]["head"]) == (3, 0)
    assert contents["selection"]["heads"] == "0.2"
    contents, run, _ = drawn(
        model_view(attention(), TOKENS, include_heads=[1], include_layers=[2], display_mode="dark")
    )
    assert (run["heads"], contents["theme"], contents["selection"]["layer"]) == ([1], "dark", 2)
    contents, _, _ = drawn(heat_map(attention(), TOKENS, layer=1, head=-1))
    assert (contents["selection"]["layer"], contents["selection"]["head"]) == (1, -1)


def test_an_encoder_decoder_is_drawn_in_three_parts() -> None:
    source, target = ["a", "b", "c"], ["x", "y"]
    cross = [random_weights(3, heads=HEADS, seed=layer)[None, :, :2] for layer in range(2)]
    both = model_view(
        encoder_attention=[random_weights(3, heads=HEADS)[None]] * 2,
        decoder_attention=[random_weights(2, heads=HEADS)[None]] * 2,
        cross_attention=[torch.tensor(layer) for layer in cross],
        encoder_tokens=source,
        decoder_tokens=target,
    )
    _, run, weights = drawn(both)
    assert [part["sentences"] for part in run["parts"]] == ["B→A", "B→B", "A→A"]
    np.testing.assert_allclose(weights[1][:, 3:, :3], cross[1][0], atol=Written(5.1e-5))
    assert not weights[1][:, :3, 3:].any()
    _, alone, weights = drawn(head_view(cross_attention=cross, encoder_tokens=source, decoder_tokens=target))
    assert [part["title"] for part in alone["parts"]] == ["cross-attention"]
    assert weights[0].shape == (HEADS, 5, 5)


def test_of_a_long_encoder_decoder_the_model_view_has_pictures_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    long, short = [f"s{place}" for place in range(100)], [f"t{place}" for place in range(40)]
    cross = random_weights(100, heads=HEADS)[:, :40]
    contents, _, weights = drawn(model_view(cross_attention=[cross], encoder_tokens=long, decoder_tokens=short))
    assert [view["name"] for view in contents["views"]] == ["model view"]
    assert any("and not the weights of every token" in note for note in contents["notes"])
    np.testing.assert_allclose(
        weights[0][:, THUMBNAIL:, :THUMBNAIL], max_pooled(cross, THUMBNAIL), atol=Written(5.1e-5)
    )
    generation: Generation = load_writer().generate("date", "the 3rd of march 1987")
    monkeypatch.setattr("viz.notebooks.views.Included", partial(Included, most_tokens=4))
    monkeypatch.setattr("viz.saved_page.generations.THUMBNAIL", 4)
    contents, _, weights = drawn(model_view(generation))
    assert any("and not the weights of every token" in note for note in contents["notes"])
    of_layer = generation.weights("cross", 1)
    np.testing.assert_allclose(weights[1][:, 4:, :4], max_pooled(of_layer, 4), atol=Written(5.1e-5))
    contents, *_ = drawn(head_view(generation, layer=1))
    assert any("It has layer 1 only" in note for note in contents["notes"])


@pytest.fixture(scope="module")
def trace() -> Trace:
    return encoder.load("bundled").trace("time flies like an arrow", "fruit flies like a banana")


def test_a_trace_is_drawn_with_everything_that_it_holds(trace: Trace) -> None:
    contents, run, _ = drawn(neuron_view(trace, layer=2, head=7))
    assert contents["view"] == "neuron view"
    assert (contents["selection"]["layer"], contents["selection"]["head"]) == (2, 7)
    assert (run["neurons"], run["layers"]) == ("pair.neurons", [2])
    contents, run, weights = drawn(head_view(trace, include_layers=[4], heads=[1]))
    assert run["neurons"] is None
    assert (run["layers"], list(weights), contents["selection"]["heads"]) == ([4], [4], "1")
    assert contents["headline"] == "time flies like an arrow / fruit flies like a banana"


def test_a_generation_is_drawn_in_three_parts() -> None:
    generation: Generation = load_writer().generate("date", "the 3rd of march 1987")
    contents, run, weights = drawn(heat_map(generation))
    assert contents["headline"] == "the 3rd of march 1987 → 1987-03-03"
    assert [view["name"] for view in contents["views"]] == ["heat map", "head view", "model view"]
    start = len(generation.source.tokens)
    np.testing.assert_allclose(weights[1][:, start:, :start], generation.weights("cross", 1), atol=Written(5.1e-5))
    assert len(run["parts"]) == 3


def test_a_page_shows_itself_in_a_frame_of_its_own(trace: Trace, tmp_path: Any) -> None:
    shown = heat_map(trace)
    assert framed(shown._repr_html_()) == shown.html
    assert shown.data == shown._repr_html_()
    [frame] = elements_of(shown.data, "iframe")
    assert frame.attributes["sandbox"] == "allow-scripts allow-downloads"
    assert "src" not in frame.attributes
    path = shown.save(tmp_path / "page.html")
    assert path.read_text(encoding="utf-8") == shown.html
    assert "time flies like an arrow" in repr(shown)


def test_a_cell_takes_little_besides_its_numbers() -> None:
    """At 64 tokens and 12 × 12 heads, numbers take 770 kB: with these, a thirtieth of BertViz's 26.9 MB."""
    shown = head_view([ONE], TOKENS)
    assert len(shown.data.encode()) < 100_000


VIEWS = (head_view, heat_map, model_view, neuron_view)


@pytest.mark.parametrize("view", VIEWS)
def test_a_page_of_a_trace_holds_what_it_shows(view: Callable[..., NotebookPage], bundled: encoder.Backend) -> None:
    short = view(bundled.trace("time flies like an arrow"))
    assert len(short.data.encode()) <= 150_000
    long = bundled.trace("word flies " * 255)
    if view is model_view:
        shown = view(long)
        contents, run, weights = drawn(shown)
        assert ([each["name"] for each in contents["views"]], run["layers"]) == (["model view"], [*range(6)])
        np.testing.assert_allclose(weights[3], max_pooled(long.weights(3), 48), atol=Written(5.1e-5))
        assert any("not the weights of every token" in note for note in contents["notes"])
        assert len(shown.data.encode()) <= 1_000_000
    else:
        shown = view(long, layer=3)
        _, run, _ = drawn(shown)
        assert (run["layers"], len(shown.data.encode()) <= 4_000_000) == ([3], True)
        assert "It has layer 3 only; the model has 6 layers." in contents_of(shown.html)["notes"]
        assert drawn(view(bundled.trace("time flies"), include_layers=[1, 4]))[1]["layers"] == [1, 4]


def test_a_page_of_long_arrays_holds_one_layer() -> None:
    tokens = [f"t{position}" for position in range(129)]
    contents, run, _ = drawn(heat_map(attention(129), tokens, layer=2))
    assert (run["layers"], contents["notes"][1]) == ([2], "It has layer 2 only; the model has 4 layers.")
    contents, run, weights = drawn(model_view(attention(129), tokens))
    np.testing.assert_allclose(weights[3], max_pooled(attention(129)[3][0], 48), atol=Written(5.1e-5))
    assert "not the weights of every token" in contents["notes"][1]


@pytest.mark.parametrize("view", [head_view, heat_map, neuron_view])
def test_one_head_is_named_by_head_or_by_heads(view: Callable[..., NotebookPage], trace: Trace) -> None:
    given: list[dict[str, Any]] = [{"head": 5}, {"heads": [5]}, {"heads": 5}]
    selections = [contents_of(view(trace, **each).html)["selection"] for each in given]
    assert selections[0]["head"] == 5
    assert selections[0] == selections[1] == selections[2]
    with pytest.raises(ArgumentError, match=r"head=1 and heads=\[2\] were given: choose either"):
        view(trace, head=1, heads=[2])
    if view is not head_view:
        with pytest.raises(ArgumentError, match=r"heads is \[1, 2\], and the .* shows one head at a time"):
            view(trace, heads=[1, 2])


def test_where_frames_are_taken_out_a_sentence_says_so() -> None:
    import nbformat  # two seconds, which processes without this test need not spend
    from nbconvert import HTMLExporter

    output = nbformat.v4.new_output("display_data", data={"text/html": heat_map(attention(), TOKENS).data})
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("heat_map(...)", outputs=[output])])
    html, _ = HTMLExporter(sanitize_html=True, template_name="basic").from_notebook_node(notebook)
    assert WITHOUT_FRAME in html
    assert "<iframe" not in html


ONE = np.eye(COUNT, dtype=np.float32)[None, None]
NONSENSE: list[tuple[str, Callable[[], Any], str]] = [
    ("nothing", head_view, "No attention was given"),
    ("no tokens", lambda: head_view(attention()), "tokens is missing"),
    ("no attention", lambda: head_view(tokens=TOKENS), "belong to attention, which is missing"),
    ("too few tokens", lambda: head_view(attention(), TOKENS[:-1]), "attention has 6 queries, and tokens 5 tokens"),
    ("a text as tokens", lambda: head_view(attention(), "[CLS] time"), "tokens is no list of texts"),
    ("numbers as tokens", lambda: head_view(attention(), list(range(COUNT))), "tokens is no list of texts"),
    ("both kinds", lambda: head_view(attention(), TOKENS, cross_attention=[ONE]), "Choose either"),
    ("half without tokens", lambda: head_view(encoder_attention=[ONE]), "encoder_tokens is missing: encoder_attention"),
    (
        "cross without source",
        lambda: head_view(cross_attention=[ONE], decoder_tokens=TOKENS),
        "encoder_tokens is missing: cross_attention",
    ),
    ("no layers", lambda: head_view((), TOKENS), "attention is empty: .*attn_implementation='eager'"),
    ("layers of None", lambda: head_view((None, None), TOKENS), r"attention\[0\] is None.*attn_implementation='eager'"),
    ("a batch", lambda: head_view([np.repeat(ONE, 2, axis=0)], TOKENS), "a batch of 2 texts: choose one"),
    ("a matrix", lambda: head_view([ONE[0, 0]], TOKENS), r"attention\[0\] is \(6, 6\)"),
    ("scores", lambda: head_view([5 * ONE], TOKENS), "Are these scores, before softmax"),
    ("keys before queries", lambda: head_view([np.full_like(ONE, 0.9)], TOKENS), "add up to 5.4, and not to 1"),
    ("heads as a text", lambda: head_view([ONE], TOKENS, heads="10"), "heads is '10': a list of numbers is needed"),
    ("a layer between", lambda: head_view([ONE], TOKENS, include_layers=[0.5]), "a list of numbers is needed"),
    ("not a number", lambda: head_view([ONE * np.nan], TOKENS), "attention weights lie between 0 and 1"),
    ("texts", lambda: head_view(["time"], TOKENS), r"attention\[0\] is a str: arrays or tensors"),
    ("unlike layers", lambda: head_view([ONE, np.tile(ONE, (1, 2, 1, 1))], TOKENS), "they must be alike"),
    (
        "sentence B nowhere",
        lambda: head_view([ONE], TOKENS, 6),
        "sentence_b_start is 6: with 6 tokens it can be 1 to 5",
    ),
    ("no such layer", lambda: head_view([ONE], TOKENS, layer=1), r"layer is 1: the page has the layers \[0\]"),
    ("no such head", lambda: head_view([ONE], TOKENS, heads=[1]), r"heads is \[1\]: there are heads 0 to 0"),
    ("no heads", lambda: head_view([ONE], TOKENS, heads=[]), r"heads is \[\]: there are heads 0 to 0"),
    ("no such layers", lambda: head_view([ONE], TOKENS, include_layers=[0, 3]), r"include_layers is \[0, 3\]"),
    ("letters as layers", lambda: head_view([ONE], TOKENS, include_layers="x"), "include_layers is 'x': a list"),
    ("no such columns", lambda: model_view([ONE], TOKENS, include_heads=[4]), r"include_heads is \[4\]"),
    ("another action", lambda: head_view([ONE], TOKENS, html_action="save"), "html_action is 'save'"),
    ("another theme", lambda: model_view([ONE], TOKENS, display_mode="blue"), "display_mode is 'blue'"),
    ("BertViz's neuron view", lambda: neuron_view(object(), "bert", None, "time flies"), "neuron_view takes a trace"),
]


@pytest.mark.parametrize(("call", "message"), [pytest.param(call, text, id=name) for name, call, text in NONSENSE])
def test_arguments_that_make_no_sense_get_one_sentence(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        call()


def test_a_trace_has_its_own_tokens(trace: Trace) -> None:
    with pytest.raises(ArgumentError, match="tokens, encoder_tokens cannot be given with a trace"):
        head_view(trace, TOKENS, encoder_tokens=TOKENS)


def test_a_model_that_hands_out_weights_alone_has_no_neuron_view(trace: Trace) -> None:
    layers = tuple(LayerAttention(given_weights=np.array(trace.weights(layer))) for layer in range(trace.num_layers))
    alone = Trace(model_name="weights", tokens=trace.tokens, layers=layers, hidden_states=np.array(trace.hidden_states))
    with pytest.raises(HeadlightError, match="neuron view was asked for; what there is can be drawn as heat map"):
        neuron_view(alone)


def test_a_trace_is_its_head_view_of_at_most_100_kb(bundled: encoder.Backend) -> None:
    trace = bundled.trace("time flies like an arrow", "fruit flies like a banana")
    shown = trace._repr_html_()
    assert len(shown) <= 100_000
    frame, _, remark = shown.rpartition("<p>")
    layers = weights_in(framed(frame), "pair.attention")
    assert remark.startswith(f"Layers 0 to {len(layers) - 1} of 6")
    np.testing.assert_allclose(layers[2], trace.weights(2), atol=Written(1e-4))
    assert labels_in(framed(frame)) == list(trace.tokens.labels)


def test_a_trace_of_a_changed_run_says_so(bundled: encoder.Backend) -> None:
    shown = bundled.trace("a", silenced_heads=[(0, 4)])._repr_html_() or ""
    assert "<p>Switched off in this run: layer 0, head 4.</p>" in shown


def test_a_trace_too_long_for_a_cell_is_one_line(bundled: encoder.Backend) -> None:
    trace = bundled.trace("word " * 60)
    assert trace._repr_html_() is None
    assert "\n" not in repr(trace)


# Tokens


def test_tokens_are_a_page_of_their_own_without_attention(bundled: encoder.Backend) -> None:
    page = tokens_view(bundled.trace("Über 😂", "</script><b>"))
    contents = contents_of(page.html)
    assert [view["name"] for view in contents["views"]] == ["tokens"]
    assert "data-message" not in page.html
    assert len(page.html.encode()) < 150_000
    assert "1 character loses its marks and 1 is in an unknown piece" in page.html
    with pytest.raises(ArgumentError, match="takes a trace, and this is of type list"):
        tokens_view([1])  # type: ignore[arg-type]
