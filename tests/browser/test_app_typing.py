"""Typing in the app: the picture follows, and the field stays a plain field."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import WebSocketRoute, expect
from streamlit.proto.BackMsg_pb2 import BackMsg

from tests.browser.pages.app_page import SMALL, TO_START, App, AppPage, Open
from tests.browser.pages.slow_answers import SlowAnswers
from tests.browser.pages.stage_page import StagePage
from tests.browser.pages.window import Window

CONNECTED = '[data-testid="stApp"][data-test-connection-state="CONNECTED"]'
KEY = 60  # milliseconds from one key to the next
# Whether a picture of layers is painted whose text has these pieces, one after the other.
DRAWN = """pieces => {
    const views = (node) => [...node.querySelectorAll(".view[data-painted]"),
        ...[...node.querySelectorAll("*")].flatMap(({ shadowRoot }) => shadowRoot ? views(shadowRoot) : [])];
    const { messages } = window[Symbol.for("headlight.store")];
    const drawn = views(document).map((view) => messages.get(view.dataset.painted.split("|")[0])?.message.extras);
    return drawn.some((extras) => extras?.labels?.join(" ").includes(pieces.join(" ")));
}"""


def shows(at: AppPage, *words: str) -> None:
    """Wait until the strip has these tokens, and no others but special ones."""
    expect(at.strip.locator(".token:not(.special) .label")).to_have_text(list(words))


@pytest.fixture
def at(visit_app: Open) -> AppPage:
    """The page with the caret behind "time flies"."""
    at = visit_app(a="time flies", b="")
    at.text("A").click()
    at.page.keyboard.press("Control+End")
    return at


def caret(at: AppPage) -> int:
    place: int = at.text("A").evaluate("field => field.selectionStart")
    return place


def test_the_picture_follows_while_somebody_types(at: AppPage) -> None:
    shown = at.heat_map("L0 H4")
    for word in ("like", "an", "arrow"):  # no key is lost between the answers
        at.page.keyboard.type(f" {word}", delay=KEY)
        expect(at.strip.locator(".token:not(.special) .label").last).to_have_text(word)
        while shown.labels[-2] != word:  # maps of the word's first letters come before
            shown = at.heat_map("L0 H4", after=shown)
    expect(at.text("A")).to_be_focused()
    expect(at.text("A")).to_have_value("time flies like an arrow")
    at.assert_sound()


def test_an_emptied_field_leaves_the_last_view_dimmed(visit_app: Open) -> None:
    at = visit_app(a="time flies", b="fruit flies", view="norms")
    strip = at.idle().page.locator("[class*=st-key-strip_]").first
    expect(strip).to_have_css("opacity", "1")
    stage = StagePage(at)
    places = [stage.box_of(strip), stage.box_of(at.picture())]
    at.text("A").fill("")
    unread = at.page.locator(".st-key-unread")
    expect(unread).to_contain_text("Sentence A is empty")
    expect(unread).to_contain_text("Below is the last text that could be read.")
    expect(strip).to_have_css("opacity", "0.5")
    expect(at.picture()).to_be_visible()
    assert [stage.box_of(strip), stage.box_of(at.picture())] == places
    expect(at.text("A")).to_have_value("")
    at.text("A").press_sequentially("birds sing")
    expect(unread).to_have_count(0)
    expect(strip).to_have_css("opacity", "1")
    expect(at.strip.first.locator(".token:not(.special) .label").first).to_have_text("birds")
    expect(at.page.locator(".js-plotly-plot").first).to_contain_text("birds")
    at.assert_sound()


@pytest.fixture(scope="module")
def slow(browser: Window, app: App) -> Iterator[tuple[AppPage, SlowAnswers]]:
    """A page, and what can hold the server's answers to it back."""
    page = browser.new_page(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    answers = SlowAnswers(page)
    yield AppPage(page, app.url).open(), answers
    page.close()


@pytest.mark.parametrize(
    ("view", "mode"),
    [("heat map", "pair"), ("model view", "separate")],
)
def test_pictures_tokens_and_marks_come_before_the_page_has_answered(
    slow: tuple[AppPage, SlowAnswers], view: str, mode: str
) -> None:
    at, answers = slow
    at.front().go(a="time flies", b="dogs bark", view=view, mode=mode)
    at.painted("[data-painted]", "L0|H4").text("A").press("Control+End")
    place = "pair" if mode == "pair" else "A"
    maps = [at.page.locator(f".st-key-{name}_{place} .view") for name in ("map", "model_view")]
    shown = maps[1:] if view == "model view" else maps[:1]
    painted = [one.get_attribute("data-painted") or "" for one in shown]
    answers.holding = True
    at.page.keyboard.type(" embedding", delay=KEY)
    pieces = ["em", "##bed", "##ding"]
    if view != "model view":
        at.page.wait_for_function(DRAWN, arg=pieces)
    expect(at.strip.locator(".token:not(.special) .label")).to_have_text(["time", "flies", *pieces, "dogs", "bark"])
    expect(at.page.locator(".fields .field").first.locator(".piece")).to_have_text(["em", "bed", "ding"])
    for one, before in zip(shown, painted, strict=True):
        expect(one).not_to_have_attribute("data-painted", before)
    answers.release()
    at.selected(a="time flies embedding")
    if view != "model view":
        at.page.wait_for_function(DRAWN, arg=pieces)
    at.assert_sound()


def test_a_committed_text_is_painted_before_the_page_has_answered(slow: tuple[AppPage, SlowAnswers]) -> None:
    at, answers = slow
    at.front().go(a="time flies", b="")
    answers.holding = True
    at.text("A").fill("an embedding")
    at.text("A").press("Control+Enter")
    at.page.wait_for_function(DRAWN, arg=["an", "em", "##bed", "##ding"])
    answers.release()
    at.selected(a="an embedding")
    at.page.wait_for_function(DRAWN, arg=["an", "em", "##bed", "##ding"])
    at.assert_sound()


@pytest.mark.parametrize("finished", [False, True], ids=["cut short", "finished"])
def test_what_is_typed_before_the_page_has_answered_is_kept(slow: tuple[AppPage, SlowAnswers], finished: bool) -> None:
    at, answers = slow
    at.front().go().heat_map("L0 H4")
    answers.holding = True
    at.text("A").fill("dogs bark")
    at.text("B").focus()  # commits A
    if finished:
        answers.wait_for_a_run(at.page)
    at.text("B").fill("cats sleep")
    at.text("B").press("Control+Enter")
    answers.release()
    at.selected(a="dogs bark", b="cats sleep")
    labels = ["[CLS]", "dogs", "bark", "[SEP]", "[CLS]", "cats", "sleep", "[SEP]"]
    expect(at.strip.locator(".label")).to_have_text(labels)
    at.assert_sound()


def test_the_picture_follows_where_nothing_but_the_page_can_be_asked(browser: Window, app: App) -> None:
    with browser.tab(viewport=SMALL) as page:
        page.route("**/headlight/direct", lambda route: route.fulfill(status=404))
        at = AppPage(page, app.url).open(a="time flies", b="")
        at.text("A").press("Control+End")
        page.keyboard.type(" away", delay=KEY)
        shows(at, "time", "flies", "away")
        at.page.wait_for_function(DRAWN, arg=["[CLS]", "time", "flies", "away", "[SEP]"])
        page.unroute_all()
        at.watch.end()


def test_a_committed_text_does_not_wait_for_an_answer_for_ever(at: AppPage) -> None:
    at.page.route("**/headlight/direct", lambda _: None)
    at.text("A").fill("an embedding")
    at.text("A").press("Control+Enter")
    shows(at, "an", "em", "##bed", "##ding")
    at.selected(a="an embedding")
    at.assert_sound()
    at.page.unroute_all()


def test_the_server_refers_to_no_message_that_a_browser_may_have_dropped(browser: Window, app: App) -> None:
    asked: list[BackMsg] = []
    with browser.tab(viewport=SMALL) as page:
        page.once(
            "websocket", lambda socket: socket.on("framesent", lambda sent: asked.append(BackMsg.FromString(sent)))
        )
        at = AppPage(page, app.url).open(a="time flies", b="")  # whose matrices are large
        at.text("A").press("Control+End")
        page.keyboard.type(" away")
        shows(at, "time", "flies", "away")
        at.selected(a="time flies away")  # keys alone are answered without a run
        at.watch.end()
    runs = [message.rerun_script for message in asked if message.WhichOneof("type") == "rerun_script"]
    assert len(runs) > 1
    assert not any(run.cached_message_hashes for run in runs)


def test_the_caret_stays_in_the_middle_of_a_text(at: AppPage) -> None:
    for _ in "flies":
        at.page.keyboard.press("ArrowLeft")
    for typed, tokens in (("and", ["time", "and", "##flies"]), (" ", ["time", "and", "flies"])):
        at.page.keyboard.type(typed)
        shows(at, *tokens)
    assert caret(at) == len("time and ")
    at.page.keyboard.type("space ")
    shows(at, "time", "and", "space", "flies")
    at.selected(a="time and space flies")
    assert caret(at) == len("time and space ")
    expect(at.text("A")).to_be_focused()


def press_until(at: AppPage, keys: str, value: str) -> None:
    """Press as often as the browser needs, which takes back some keys at a time, as many as came without a break."""
    for _ in " away":
        at.page.keyboard.press(keys)
        if at.text("A").input_value() == value:
            return
    expect(at.text("A")).to_have_value(value)


def test_undo_and_redo_are_those_of_a_plain_field(open_app: Open) -> None:
    at = open_app(a="time flies", b="")  # whose field has nothing else to take back
    at.text("A").press("Control+End")
    at.page.keyboard.type(" away")
    shows(at, "time", "flies", "away")
    at.selected(a="time flies away")
    press_until(at, "Control+Z", "time flies")
    shows(at, "time", "flies")
    press_until(at, "Control+Shift+Z", "time flies away")
    shows(at, "time", "flies", "away")


def test_what_is_pasted_is_run(at: AppPage) -> None:
    at.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    at.page.evaluate("navigator.clipboard.writeText(' over\\nthe moon')")
    at.page.keyboard.press("Control+V")
    shows(at, "time", "flies", "over", "the", "moon")
    expect(at.text("A")).to_have_value("time flies over\nthe moon")


def test_what_an_input_method_has_not_finished_is_not_run(at: AppPage) -> None:
    at.page.evaluate("""() => {
        const within = (node) => node.querySelector(".strip")
            ?? [...node.querySelectorAll("*")].map(({ shadowRoot }) => shadowRoot && within(shadowRoot)).find(Boolean);
        window.seen = [];
        const strip = within(document);
        new MutationObserver(() => seen.push(strip.textContent)).observe(strip, { childList: true, subtree: true });
    }""")
    keyboard = at.page.context.new_cdp_session(at.page)
    for part in ("に", "にほ", "にほん"):
        keyboard.send("Input.imeSetComposition", {"text": part, "selectionStart": len(part), "selectionEnd": len(part)})
    expect(at.text("A")).to_have_value("time fliesにほん")
    keyboard.send("Input.insertText", {"text": "日本"})
    expect(at.text("A")).to_have_value("time flies日本")
    expect(at.strip.locator(".token:not(.special) .label")).to_have_text(["time", "flies", "日", "本"])
    assert not [text for text in at.page.evaluate("seen") if "に" in text]


def test_a_pause_is_one_entry_of_the_history_and_the_way_back_works(open_app: Open) -> None:
    at = open_app(a="time flies", b="")
    at.text("A").press("Control+End")
    entries = at.page.evaluate("history.length")
    at.page.keyboard.type(" like an", delay=KEY)
    at.selected(a="time flies like an")
    assert at.page.evaluate("history.length") == entries + 1
    at.page.keyboard.type(" arrow", delay=KEY)
    at.selected(a="time flies like an arrow")
    assert at.page.evaluate("history.length") == entries + 2
    at.page.go_back()
    shows(at, "time", "flies", "like", "an")
    expect(at.text("A")).to_have_value("time flies like an")
    at.page.go_back()
    shows(at, "time", "flies")
    at.page.go_forward()
    shows(at, "time", "flies", "like", "an")
    at.text("A").press("Control+End")
    at.page.keyboard.type(" hour")
    shows(at, "time", "flies", "like", "an", "hour")
    at.assert_sound()


def test_an_example_replaces_what_was_typed(at: AppPage) -> None:
    at.page.keyboard.type(" away")
    at.pick("Example", "bark: tree or dog?").selected(b="the dogs bark at every stranger who walks past")
    expect(at.text("A")).to_have_value("the bark of the old oak was rough and brown")
    at.text("B").fill("dogs")
    expect(at.strip.locator(".token:not(.special) .label").last).to_have_text("dogs")
    expect(at.page.get_by_role("combobox", name="Example", exact=True)).to_have_value("")


def test_the_fields_stay_where_they_are_when_typing_ends_an_example(visit_app: Open) -> None:
    at = visit_app()
    before = at.text("A").bounding_box()
    at.text("A").press("Control+End")
    at.page.keyboard.type("s")
    expect(at.page.get_by_text("Look for:")).to_have_count(0)
    assert at.text("A").bounding_box() == before
    expect(at.text("A")).to_be_focused()


# --- what lies over the text ---


def test_the_marks_break_their_lines_where_the_field_does(visit_app: Open) -> None:
    at = visit_app(a="short", b="")
    same = """field => {
        const [one, other] = [field, field.parentElement.querySelector(".marks")];
        other.textContent = field.value;
        const names = ["fontFamily", "fontSize", "fontWeight", "letterSpacing", "lineHeight", "paddingLeft",
            "paddingTop", "overflowWrap", "whiteSpace", "tabSize", "textAlign", "wordSpacing", "direction"];
        const styles = [one, other].map((box) => names.map((name) => getComputedStyle(box)[name]));
        const sizes = [one, other].map((box) => [box.clientWidth, box.clientHeight, box.scrollHeight]);
        return { styles, sizes };
    }"""
    for text in ("short", "two pages of a book " * 200, "שלום עולם\nhello 👩\u200d👩\u200d👧\n", "x" * 500):
        at.text("A").fill(text)
        found = at.text("A").evaluate(same)
        assert found["styles"][0] == found["styles"][1], text
        assert found["sizes"][0] == found["sizes"][1], text


# --- what survives ---


def test_what_was_typed_survives_a_reload(at: AppPage) -> None:
    at.page.keyboard.type(" away")
    at.page.evaluate("history.replaceState(null, '', '?a=other&b=')")  # which the fields have not been told
    at.page.reload()
    expect(at.text("A")).to_have_value("time flies away", timeout=TO_START)
    shows(at, "time", "flies", "away")
    at.selected(a="time flies away")
    long = "a long text " * 800
    at.text("A").fill(long)
    expect(at.page.get_by_text("too long for a link")).to_be_visible()
    at.page.reload()
    expect(at.text("A")).to_have_value(long, timeout=TO_START)
    expect(at.strip.locator(".label").nth(2)).to_have_text("long")


@pytest.fixture
def socket(browser: Window, app: App) -> Iterator[tuple[AppPage, list[WebSocketRoute]]]:
    """A page, and its connections to the server, the last one of which is in use."""
    page = browser.new_page()
    sockets: list[WebSocketRoute] = []

    def connect(socket: WebSocketRoute) -> None:
        socket.connect_to_server()
        sockets.append(socket)

    page.route_web_socket("**/_stcore/stream", connect)
    yield AppPage(page, app.url), sockets
    page.close()


def test_keys_pressed_while_the_connection_is_lost_arrive(socket: tuple[AppPage, list[WebSocketRoute]]) -> None:
    at, sockets = socket
    at.open(a="time flies", b="")
    at.text("A").press("Control+End")
    at.page.keyboard.type(" like")
    shows(at, "time", "flies", "like")
    sockets[-1].close(code=1012)
    at.page.keyboard.type(" an arrow")
    at.page.wait_for_selector(CONNECTED, timeout=TO_START)
    expect(at.text("A")).to_have_value("time flies like an arrow")
    shows(at, "time", "flies", "like", "an", "arrow")
    at.selected(a="time flies like an arrow")
