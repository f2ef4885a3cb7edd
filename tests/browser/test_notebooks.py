"""Notebooks that were written for BertViz, with one import line changed: executed, converted, and opened in Chromium.

The models have the architectures of BertViz's examples (DistilBERT, BERT, BART and Marian) and random weights, because
theirs would have to be downloaded; tokens come from the bundled model's vocabulary, which is BERT's. One more line is
another one: the last entry of BERT's output, which BertViz's example takes, is empty in `transformers` 5.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Frame, Page, Route, expect

from tests.browser.pages.window import Window
from tests.viz.made_up import random_weights
from viz import head_view

if TYPE_CHECKING:
    from nbformat import NotebookNode

ROOT = Path(__file__).parents[2]

SETUP = """
import torch
from transformers import AutoModel, AutoTokenizer, BartConfig, BertConfig, DistilBertConfig, MarianConfig, utils
from encoder.shipped.bundled import bundled_folder
from viz import head_view, model_view

utils.logging.set_verbosity_error()
torch.manual_seed(0)
tokenizer = AutoTokenizer.from_pretrained(bundled_folder())
small = {"d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "vocab_size": 30522}
halves = {"encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "encoder_attention_heads": 4, "decoder_attention_heads": 4}

def opened(config):
    config.output_attentions = True
    return AutoModel.from_config(config, attn_implementation="eager").eval()
"""
DISTILBERT = """
model = opened(DistilBertConfig(dim=48, n_layers=6, n_heads=12, hidden_dim=64))
inputs = tokenizer.encode("The cat sat on the mat", return_tensors="pt")
outputs = model(inputs)
attention = outputs[-1]
tokens = tokenizer.convert_ids_to_tokens(inputs[0])
head_view(attention, tokens)
"""
BERT = """
model = opened(BertConfig(hidden_size=48, intermediate_size=64, num_hidden_layers=12, num_attention_heads=12))
inputs = tokenizer("the rabbit quickly hopped", "The turtle slowly crawled", return_tensors="pt")
input_ids = inputs["input_ids"]
token_type_ids = inputs["token_type_ids"]
attention = model(input_ids, token_type_ids=token_type_ids).attentions
sentence_b_start = token_type_ids[0].tolist().index(1)
tokens = tokenizer.convert_ids_to_tokens(input_ids[0].tolist())
model_view(attention, tokens, sentence_b_start)
"""
ENCODER_DECODER = """
model = opened({name}Config(**small, **halves, {more}))
encoder_input_ids = tokenizer("She sees the small elephant.", return_tensors="pt").input_ids
decoder_input_ids = tokenizer("The elephant is small.", return_tensors="pt").input_ids
outputs = model(input_ids=encoder_input_ids, decoder_input_ids=decoder_input_ids)
model_view(
    encoder_attention=outputs.encoder_attentions,
    decoder_attention=outputs.decoder_attentions,
    cross_attention=outputs.cross_attentions,
    encoder_tokens=tokenizer.convert_ids_to_tokens(encoder_input_ids[0]),
    decoder_tokens=tokenizer.convert_ids_to_tokens(decoder_input_ids[0]),
)
"""
CELLS = (
    SETUP,
    DISTILBERT,
    BERT,
    ENCODER_DECODER.format(name="Bart", more=""),
    ENCODER_DECODER.format(name="Marian", more="pad_token_id=0"),
    "for layer in (1, 2):\n    head_view(attention, tokens, layer=layer).show()",
)

# Of pages that show saved notebooks: nbviewer, and VS Code where its experimental setting is on.
POLICIES = {
    "nbviewer": "connect-src 'none';",
    "VS Code": (
        "default-src 'none'; script-src 'self' https://*.vscode-cdn.net 'unsafe-inline' 'unsafe-eval'; "
        "style-src 'self' https://*.vscode-cdn.net 'unsafe-inline'; connect-src https:; child-src https: data:; "
        "img-src 'self' https://*.vscode-cdn.net https: http: data:; font-src 'self' https://*.vscode-cdn.net https:;"
    ),
}


@pytest.fixture(scope="module")
def notebook() -> NotebookNode:
    """The notebook after it has run."""
    import nbformat  # two seconds, which processes without these tests need not spend
    from nbclient import NotebookClient

    written = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    NotebookClient(written, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}).execute()
    return written


@pytest.fixture(scope="module")
def page(notebook: NotebookNode, browser: Window, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The converted notebook. What its own template asks for is refused; the frames are to need nothing."""
    from nbconvert import HTMLExporter

    html, _ = HTMLExporter(template_name="lab").from_notebook_node(notebook)
    path = tmp_path_factory.mktemp("notebook") / "notebook.html"
    path.write_text(html, encoding="utf-8")
    opened = browser.new_page(viewport={"width": 1280, "height": 900})
    asked: list[str] = []

    def refuse(route: Route) -> None:
        if route.request.frame != opened.main_frame:
            asked.append(route.request.url)
        if route.request.url == path.as_uri() or not route.request.url.startswith("http"):
            route.continue_()
        else:
            route.abort()

    opened.route("**/*", refuse)
    opened.goto(path.as_uri(), wait_until="domcontentloaded")
    yield opened
    opened.close()
    assert asked == []


def frames_of(page: Page) -> list[Frame]:
    """The pages in the notebook, when they have read everything."""
    frames = [frame for frame in page.frames if frame != page.main_frame]
    for frame in frames:
        expect(frame.locator("html[data-complete]")).to_be_attached(timeout=60_000)
    return frames


def expect_painted(frame: Frame, name: str, ending: str) -> None:
    """A view shows a layer and heads; browsers draw nothing in a frame that is scrolled out of sight."""
    frame.frame_element().scroll_into_view_if_needed()
    expect(frame.locator(f".picture .{name} .view[data-painted$='|{ending}']")).to_be_attached()


def test_notebooks_written_for_bertviz_show_our_views(page: Page) -> None:
    distilbert, bert, bart, marian, first, second = frames_of(page)
    expect_painted(distilbert, "head_view", f"L0|H{'.'.join(map(str, range(12)))}")
    expect_painted(bert, "head_map", "L0|H0")
    expect(bert.locator(".picture .head_map canvas")).to_have_attribute(
        "aria-label", re.compile("^Map of 12 layers with 12 heads each")
    )
    for frame in (bart, marian):
        expect_painted(frame, "head_map", "L0|H0")
        expect(frame.locator(".parts button")).to_have_count(3)
    expect_painted(first, "head_view", f"L1|H{'.'.join(map(str, range(12)))}")
    expect_painted(second, "head_view", f"L2|H{'.'.join(map(str, range(12)))}")


def test_two_views_of_a_notebook_do_not_disturb_each_other(page: Page) -> None:
    first, second, *_ = frames_of(page)
    first.get_by_role("button", name="Heat map").click()
    first.locator(".map .head_map canvas").focus()
    page.keyboard.press("ArrowDown")
    expect_painted(first, "cell_map", "L1|H0")
    expect_painted(second, "head_map", "L0|H0")


def test_an_encoder_decoders_parts_are_drawn_one_at_a_time(page: Page) -> None:
    bart = frames_of(page)[2]
    bart.get_by_role("button", name="Heat map").click()
    label = bart.locator(".picture .cell_map canvas.over")
    expect(label).to_have_attribute("aria-label", re.compile("^Attention weights of L0 H0 · cross-attention, "))
    bart.get_by_role("button", name="self-attention of the encoder").click()
    expect(label).to_have_attribute("aria-label", re.compile("· self-attention of the encoder, "))


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES.keys())
def test_a_cell_is_drawn_under_the_policies_of_pages_that_show_notebooks(
    policy: str, browser: Window, tmp_path: Path
) -> None:
    shown = head_view([random_weights(5, heads=2)[None]], list("abcde"))
    path = tmp_path / "notebook.html"
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    path.write_text(f'<!doctype html><meta charset="utf-8">{meta}{shown.data}', encoding="utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(path.as_uri())
    expect_painted(*frames_of(page), "head_view", "L0|H0.1")
    page.close()
