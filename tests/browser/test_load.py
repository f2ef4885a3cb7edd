"""What the visitors of the load test do reaches the page; they share its server with the browser's tests."""

from urllib.parse import parse_qs

from bench.load import VIEWS, choose_head, choose_view, message_of, write
from bench.texts import Texts
from bench.visitor import put, visit
from encoder.shipped.bundled import bundled_folder
from encoder.text.tokenizer import Tokenizer
from tests.browser.pages.app_page import App
from tests.threads import in_a_thread


def test_every_action_reaches_the_page(app: App) -> None:
    texts = Texts(
        "time flies like an arrow and fruit flies like a banana " * 4, Tokenizer.from_folder(bundled_folder())
    )

    async def run() -> list[dict[str, list[str]]]:
        addresses = []
        async with visit(app.url) as visitor:
            await visitor.open()
            for change in (write(texts), choose_head(3, 7), *map(choose_view, VIEWS[1:])):
                answer = await visitor.act(change)
                assert answer.errors == ()
                addresses.append(parse_qs(visitor.address, keep_blank_values=True))
        return addresses

    first, second, *others = in_a_thread(run)
    assert len(first["a"][0].split()) > 3
    assert first["b"] == [""]
    assert (second["layer"], second["head"]) == (["3"], ["7"])
    assert [address["view"][0] for address in others] == [view.lower() for view in VIEWS[1:]]


def test_a_head_that_the_model_lacks_is_the_nearest_one(app: App) -> None:
    async def run() -> dict[str, list[str]]:
        async with visit(app.url, view="why here", model="scratch") as visitor:
            await visitor.open()
            answer = await visitor.act(choose_head(5, 8))
            assert answer.errors == ()
            return parse_qs(visitor.address)

    found = in_a_thread(run)
    assert (found["layer"], found["head"]) == (["3"], ["3"])


def test_typing_draws_what_shows_the_text_and_the_rest_where_that_changes(app: App) -> None:
    async def run() -> list[list[str]]:
        told = []
        async with visit(app.url, a="dogs", b="") as visitor:
            await visitor.open()
            for a, b in (("dogs bark", ""), ("dogs bark", "cats purr"), ("dogs bark now", "cats purr")):
                answer = await visitor.act(put("texts_host", "selection", message_of(a=a, b=b, held=True)))
                assert answer.errors == ()
                told.append(visitor.texts)
        return told

    for texts, is_whole_page in zip(in_a_thread(run), (False, True, False), strict=True):
        assert any("Attention is not an explanation" in text for text in texts)
        assert ("# Headlight" in texts) is is_whole_page
