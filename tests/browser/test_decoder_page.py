"""The decoder in Chromium: its steps, the alignment, and clicks that choose."""

import re
from typing import Any

from playwright.sync_api import Locator, expect

from tests.browser.pages.app_page import AppPage, Open

KEY = 60  # milliseconds from one key to the next

# What the heat map holds, out of the store that all views share: labels and one head's weights, all of the square.
SQUARE = """([layer, head]) => {
    const within = (node) => node.querySelector(".view[data-painted] > .stage")?.parentElement
        ?? [...node.querySelectorAll("*")].map(({ shadowRoot }) => shadowRoot && within(shadowRoot)).find(Boolean);
    const painted = within(document)?.dataset.painted.split("|");
    if (painted?.[1] !== `L${layer}` || painted[2] !== `H${head}`) return null;
    const { tensors: { weights: { shape: [, size], values } }, extras } =
        window[Symbol.for("headlight.store")].messages.get(painted[0]).message;
    const start = head * size * size;
    const weight = (quantised) => (quantised / 65535) ** 2;
    const row = (at) => Array.from(values.subarray(start + at * size, start + (at + 1) * size), weight);
    return { labels: extras.labels, letters: extras.letters, numbers: extras.numbers, start: extras.b_start,
             weights: Array.from({ length: size }, (_, at) => row(at)) };
}"""


def square(at: AppPage, layer: int, head: int) -> dict[str, Any]:
    return at.page.wait_for_function(SQUARE, arg=[layer, head]).json_value()


def written(at: AppPage, step: int, of: int) -> Locator:
    return at.page.get_by_text(re.compile(rf"Step {step} of {of}\."))


def test_a_click_shows_the_decoder_and_what_it_copies(open_app: Open) -> None:
    at = open_app()  # whose decoder nobody has seen: its head is the page's own choice
    at.view("Decoder")
    expect(at.page.get_by_text("Right.")).to_be_visible()
    expect(written(at, 1, 6)).to_be_visible()
    at.selected(layer="1", head="0")
    shown = square(at, 1, 0)
    assert shown["labels"][:7] == ["[reverse]", "time", "flies", "like", "an", "arrow", "[END]"]
    assert shown["labels"][7:] == ["[START]", "arrow", "an", "like", "flies", "time"]
    assert shown["start"] == 7
    assert shown["numbers"] == [*range(7), *range(6)]
    for step, origin in enumerate((5, 4, 3, 2, 1)):
        row = shown["weights"][7 + step][:7]
        assert row.index(max(row)) == origin
    at.assert_sound()


def test_the_picture_follows_while_somebody_types(visit_app: Open) -> None:
    at = visit_app(view="decoder", source="time flies", layer="1", head="0")
    at.page.get_by_role("textbox", name="Text", exact=True).press("Control+End")
    at.page.keyboard.type(" 12", delay=KEY)
    at.page.wait_for_function(f"at => ({SQUARE})(at)?.labels.includes('##2')", arg=[1, 0])
    expect(written(at, 5, 5)).to_be_visible()
    at.selected(source="time flies 12")
    assert square(at, 1, 0)["labels"][:6] == ["[reverse]", "time", "flies", "1", "##2", "[END]"]
    at.assert_sound()


def test_every_picture_and_every_attention_is_painted(visit_app: Open) -> None:
    at = visit_app(view="decoder", layer="1", head="1")
    attention = at.page.get_by_role("radiogroup", name="Attention", exact=True)
    for picture, kind, name in (
        ("Head view", "decoder", "Masked"),
        ("Neuron view", "encoder", "Encoder"),
        ("Model view", "decoder", "Masked"),
        ("Heat map", "encoder", "Encoder"),
    ):
        at.choose("Picture", picture, picture=None if picture == "Heat map" else picture.lower())
        attention.get_by_role("radio", name=re.compile(f"^{name}")).click()
        at.selected(kind=kind)
        expect(at.picture()).to_be_visible()
        at.painted("[data-painted]", "|L1|H1")
        at.assert_sound()
    attention.get_by_role("radio", name=re.compile("^All three")).click()
    at.selected(kind="all").painted("[data-painted]", "|L1|H1")
