"""The route that answers typed texts without a run of the page's script."""

import asyncio
import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast
from urllib.parse import urlencode

import pytest
from safetensors.numpy import load
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit import config
from streamlit.testing.v1 import AppTest
from streamlit.web.server.starlette.starlette_websocket import _is_origin_allowed

from encoder import Trace
from encoder.errors import NotFiniteError
from encoder.models.tensors import OnLayer
from tests.app.app_script import components, open_page, pick_model, sent_runs, type_texts
from viz.caches import message_cache, run_cache
from viz.computing import worker
from viz.computing.paints import PAINTS
from viz.page import direct
from viz.page.direct import (
    BAD_REQUEST,
    FOREIGN,
    FULL,
    MOST_BYTES,
    MOST_IN_A_NAME,
    NOT_JSON,
    NOTHING_TO_DRAW,
    TOO_LARGE,
    TOO_MANY_WAIT,
    read,
)
from viz.page.request_queue import RequestQueue, Ticket
from viz.state.codecs import Cut
from viz.widgets import first_answer

OK = 200
ADDRESS = "192.0.2.7"  # of the browser
HOST = "headlight.example:8501"
TEXTS = {"a": "dogs bark", "b": "the bark of a tree"}


@pytest.fixture(autouse=True)
def address(monkeypatch: pytest.MonkeyPatch) -> str:
    """The path of the route, which the server has in this process, and no browser whose paint the page waits for."""
    monkeypatch.setattr(direct, "_served", [])
    monkeypatch.setattr(PAINTS, "address", None)
    monkeypatch.setattr(first_answer, "LONGEST", 0.0)
    route, _ = direct.routes()
    return route.path


def request(*, layer: int = 2, texts: dict[str, str] = TEXTS, client: str | None = None, **link: str) -> bytes:
    asked = {"query": f"?{urlencode(link)}", "texts": texts, "layer": layer}
    return json.dumps(asked | ({} if client is None else {"client": client})).encode()


def answer(body: bytes, content_type: str = "application/json", **rest: Any) -> tuple[int, bytes]:
    """The status and the body of the response; options as in `messages_of`."""
    sent = messages_of(body, content_type, **rest)
    return sent[0]["status"], b"".join(message["body"] for message in sent[1:])


def messages_of(
    body: bytes,
    content_type: str = "application/json",
    *,
    origin: str | None = None,
    whole: bool = True,
    leaves: threading.Event | None = None,
    when_begun: Callable[[], object] = lambda: None,
) -> list[dict[str, Any]]:
    """The ASGI messages that the route sends.

    Args:
        origin: of the page that sends it; None = not a browser.
        whole: whether the body is all that was announced.
        leaves: when it is set, the browser goes; None = it stays.
        when_begun: called when the first of the body has come.
    """
    sent: list[dict[str, Any]] = []
    asked = iter([{"type": "http.request", "body": body, "more_body": not whole}])
    route, _ = direct.routes()
    scope = {"type": "http", "method": "POST", "path": route.path, "query_string": b"", "client": (ADDRESS, 50_000)}
    headers = {"content-type": content_type, "host": HOST} | ({} if origin is None else {"origin": origin})
    scope["headers"] = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def receive() -> dict[str, Any]:
        for message in asked:
            return message
        if leaves is None:
            await asyncio.Event().wait()
        else:
            await asyncio.to_thread(leaves.wait, 60)
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)
        if message.get("body") and len(sent) == 2:
            when_begun()

    with ThreadPoolExecutor(1) as elsewhere:  # this thread may have a loop, that of a browser
        elsewhere.submit(asyncio.run, cast(Any, route.app)(scope, receive, send)).result()
    return sent


def parts_of(body: bytes) -> list[bytes]:
    parts = []
    while body:
        end = 4 + int.from_bytes(body[:4], "little")
        parts.append(body[4:end])
        body = body[end:]
    return parts


def shown_by(message: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """The tensors of a message, and its extras without the id."""
    said = json.loads(message[8 : 8 + int.from_bytes(message[:8], "little")])["__metadata__"]["extras"]
    return {name: array.tolist() for name, array in load(message).items()}, json.loads(said) | {"id": ""}


def drawn_by_page(at: AppTest) -> tuple[list[bytes], list[Any], Any]:
    """The layers, the strips and the marks of a page."""
    layers = [store.bytes for store in components(at, "store")]
    strips = [json.loads(strip.json)[0] for strip in components(at, "token_strip")]
    return layers, strips, sent_runs(at)["marks"]


def overflow(*_: object, **__: object) -> None:
    raise NotFiniteError("The run's numbers are not finite.")


@pytest.mark.parametrize(
    "link",
    [
        {"mode": "pair"},
        {"mode": "separate", "query": "2", "key": "1", "pinned_in": "B"},
        {"view": "head view", "level": "words", "special": "hide"},
        {"view": "neuron view", "special": "hide"},
        {"view": "model view", "level": "words"},
        {"method": "alti"},
    ],
    ids=str,
)
def test_the_answer_equals_the_pages_messages_for_these_texts(link: dict[str, Any]) -> None:
    at = open_page(layer="2", **link)
    type_texts(at, a=TEXTS["a"], b=TEXTS["b"])
    status, body = answer(request(**link))
    description, *messages = parts_of(body)
    layers, strips, marks = drawn_by_page(at)
    assert status == OK
    runs = 2 if link.get("mode") == "separate" else 1
    assert len(messages) == (1 if link.get("view") == "model view" else runs + 1)
    assert all(message in layers for message in messages)
    assert json.loads(description)["strips"] == strips
    assert json.loads(description)["marks"] == marks
    assert json.loads(description)["texts"] == ([["A"], ["B"]] if runs == 2 else [["A", "B"]])


@pytest.mark.parametrize("link", [{"level": "words", "special": "hide"}, {"view": "neuron view"}], ids=str)
def test_a_layer_is_sent_while_the_run_continues(link: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"a": "a text of this test alone", "b": str(link)}
    backend = run_cache.model("bundled")
    trace, goes_on = backend.trace, threading.Event()

    def stop_after_layer_2(*of: Any, on_layer: OnLayer, **rest: Any) -> Trace:
        def stop(layer: int, so_far: Callable[[], Trace]) -> None:
            on_layer(layer, so_far)
            assert layer < 2 or goes_on.wait(60)

        return trace(*of, on_layer=stop, **rest)

    monkeypatch.setattr(backend, "trace", stop_after_layer_2)
    try:
        status, early = answer(request(texts=texts, **link), when_begun=goes_on.set)
    finally:
        goes_on.set()
    assert status == OK
    description, message, heads = parts_of(early)
    later_description, later, later_heads = parts_of(answer(request(texts=texts, **link))[1])
    assert (description, heads) == (later_description, later_heads)
    assert shown_by(message) == shown_by(later)
    assert len(shown_by(heads)[0]["profiles"]) == 6


def test_one_sentence_is_the_texts_of_a_pair() -> None:
    run_cache.model("bundled")
    description, *_ = parts_of(answer(request(texts={"a": "dogs bark", "b": " "}))[1])
    assert json.loads(description)["texts"] == [["A", "B"]]


@pytest.mark.parametrize(
    ("link", "texts"),
    [
        ({}, {"a": " ", "b": "dogs"}),
        ({"view": "norms"}, TEXTS),
        ({"view": "decoder"}, TEXTS),
        ({"model": "scratch:step-nowhere"}, TEXTS),
        ({"model": "no/such-model"}, TEXTS),
        ({"special": "hide"}, {"a": "[CLS]", "b": ""}),
        ({"special": "hide", "view": "model view"}, {"a": "[CLS]", "b": ""}),
    ],
    ids=str,
)
def test_there_is_no_answer_if_the_page_has_a_message(link: dict[str, Any], texts: dict[str, str]) -> None:
    run_cache.model("bundled")
    assert answer(request(texts=texts, **link)) == (NOTHING_TO_DRAW, b"")


def test_a_run_whose_numbers_are_not_finite_is_left_to_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    run_cache.model("bundled")
    monkeypatch.setattr(run_cache, "trace_until", overflow)
    assert answer(request())[0] == NOTHING_TO_DRAW


def test_an_overflow_in_later_layers_leaves_out_the_map(monkeypatch: pytest.MonkeyPatch) -> None:
    run_cache.model("bundled")
    monkeypatch.setattr(message_cache, "model_message", overflow)
    description, *messages = parts_of(answer(request(mode="pair"))[1])
    assert json.loads(description)["messages"] == len(messages) == 1


def test_presentation_mode_has_a_map_only_as_a_view() -> None:
    run_cache.model("bundled")
    assert len(parts_of(answer(request(stage="1"))[1])) == 2
    assert len(parts_of(answer(request(stage="1", view="model view"))[1])) == 2


@pytest.mark.parametrize("link", [{}, {"view": "neuron view"}, {"method": "alti"}, {"view": "head view"}], ids=str)
def test_a_missing_layer_gets_no_answer(link: dict[str, Any]) -> None:
    """A browser that has not received a change of the model requests a layer of the previous one."""
    assert run_cache.model("bundled").num_layers == 6
    for layer in (6, 99):
        assert answer(request(layer=layer, **link))[0] == NOTHING_TO_DRAW
    assert answer(request(layer=5, **link))[0] == OK


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b"[" * 200_000,
        b'{"query": "", "texts": {"a": 1, "b": ""}, "layer": 0}',
        b'{"query": "", "texts": {"a": "x"}, "layer": 0}',
        b'{"query": "", "texts": {"a": "x", "b": ""}, "layer": -1}',
        b'{"query": "", "texts": {"a": "x", "b": ""}, "layer": "0"}',
        b'{"query": "", "texts": {"a": "x", "b": ""}, "layer": 0, "client": 7}',
        b'{"query": "", "texts": {"a": "x", "b": ""}, "layer": 0, "client": "%s"}' % (b"x" * (MOST_IN_A_NAME + 1)),
    ],
)
def test_an_invalid_request_is_refused(body: bytes) -> None:
    assert answer(body)[0] == BAD_REQUEST


def test_a_request_of_another_kind_or_too_large_is_refused() -> None:
    assert answer(request(), "text/plain")[0] == NOT_JSON  # which a page of another server may send
    assert answer(b" " * (MOST_BYTES + 1))[0] == TOO_LARGE


def test_a_report_of_a_painted_page_ends_the_wait_of_its_run() -> None:
    _, route = direct.routes()
    expected = PAINTS.expect()
    TestClient(Starlette(routes=[route])).post(f"{PAINTS.address}/{expected.token}")
    checks: list[None] = []
    PAINTS.wait(expected, 1.0, check=lambda: checks.append(None))
    assert len(checks) == 1


@pytest.mark.parametrize("origin", ["https://elsewhere.example", "http://headlight.example", "null", ""])
def test_a_page_of_another_origin_is_refused(origin: str) -> None:
    assert answer(request(), origin=origin)[0] == FOREIGN


@pytest.mark.parametrize(
    ("options", "origin", "accepted"),
    [
        ({"corsAllowedOrigins": ["https://portal.example"]}, "https://portal.example", True),
        ({"corsAllowedOrigins": ["https://portal.example"]}, "https://elsewhere.example", False),
        ({"enableCORS": False}, "https://elsewhere.example", True),
        ({"allowedHosts": ["headlight.example"]}, f"http://{HOST}", True),
        ({"allowedHosts": ["headlight.example"]}, None, True),
        ({"allowedHosts": ["other.example"]}, f"http://{HOST}", False),  # a name that was rebound to this address
        ({"allowedHosts": ["other.example"]}, None, False),
        ({"allowedHosts": ["other.example"], "enableCORS": False}, f"http://{HOST}", False),
    ],
    ids=str,
)
def test_hosts_and_origins_are_those_of_streamlits_websocket(
    options: dict[str, Any], origin: str | None, accepted: bool
) -> None:
    before = {name: config.get_option(f"server.{name}") for name in options}
    try:
        for name, value in options.items():
            config.set_option(f"server.{name}", value)
        assert _is_origin_allowed(origin, HOST) == accepted
        assert (answer(b"", origin=origin)[0] != FOREIGN) == accepted
    finally:
        for name, value in before.items():
            config.set_option(f"server.{name}", value)


def test_a_page_of_this_origin_gets_an_answer() -> None:
    run_cache.model("bundled")
    assert answer(request(), origin=f"https://{HOST}")[0] == OK


def test_characters_that_stand_for_nothing_are_replaced() -> None:
    run_cache.model("bundled")
    description, *_ = parts_of(answer(request(texts={"a": "dogs \ud800 bark", "b": ""}))[1])
    assert json.loads(description)["marks"]["a"]["read"] == "dogs \ufffd bark"


def test_the_page_names_it_where_it_draws_what_the_view_shows(address: str) -> None:
    assert sent_runs(open_page())["direct"] == address
    for view in ("neuron view", "model view"):
        assert sent_runs(open_page(view=view))["direct"] == address
    for view in ("norms", "why", "anatomy", "decoder"):
        assert sent_runs(open_page(view=view))["direct"] is None


def test_the_page_names_no_route_for_a_fallback_model_or_without_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at = pick_model(open_page(), "no/such-model")
    assert sent_runs(at)["direct"] is None
    monkeypatch.setattr(direct, "_served", [])
    assert sent_runs(open_page())["direct"] is None


def test_a_request_says_what_the_address_says_with_newer_texts() -> None:
    asked = read(request(layer=4, view="head view", a="old", level="words"))
    assert asked
    assert (asked.layer, asked.selection.view, asked.selection.level) == (4, "head view", "words")
    assert (asked.selection.texts.a, asked.selection.texts.b) == (TEXTS["a"], TEXTS["b"])


def test_a_request_has_newer_cut_links_but_none_of_the_texts_before() -> None:
    dragged = {"query": urlencode({**TEXTS, "cut": "A2-1"}), "texts": TEXTS, "layer": 0, "cut": "A2-1@0.4x35"}
    asked = read(json.dumps(dragged).encode())
    assert asked
    assert asked.selection.cuts == (Cut(run="A", query=(2,), key=(1,), layer=0, head=4, percent=35),)
    typed = read(request(layer=0, cut="A2-1", a="old"))
    assert typed
    assert typed.selection.cuts == ()


def test_a_run_whose_client_has_gone_does_not_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"a": "its client disconnects", "b": ""}
    backend, submit = run_cache.model("bundled"), worker._submit
    trace, begun, free, leaves = backend.trace, [], threading.Event(), threading.Event()

    def note(*of: Any, **rest: Any) -> Trace:
        begun.append(of[0])
        return trace(*of, **rest)

    def submit_and_leave(work: Callable[[], Any]) -> Any:
        future = submit(work)
        leaves.set()
        return future

    worker._WORKER.submit(free.wait, 60)
    monkeypatch.setattr(backend, "trace", note)
    monkeypatch.setattr(worker, "_submit", submit_and_leave)
    try:
        assert answer(request(texts=texts), leaves=leaves)[0] == NOTHING_TO_DRAW  # while the worker is still busy
    finally:
        free.set()
    assert answer(request(texts={"a": "its client waits", "b": ""}))[0] == OK
    assert [text for text in begun if "client" in text] == ["its client waits"]  # a page of another test may still run


def test_maps_for_a_disconnected_client_are_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    run_cache.model("bundled")
    leaves, drawn = threading.Event(), list[Any]()

    def leave_with_no_turn_free() -> None:
        monkeypatch.setattr(direct, "_queue", RequestQueue(at_once=0, most_waiting=1))
        leaves.set()

    monkeypatch.setattr(direct, "maps", drawn.append)
    assert answer(request(), leaves=leaves, when_begun=leave_with_no_turn_free)[0] == OK
    assert drawn == []


def test_a_request_is_refused_with_a_sentence_if_too_many_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct, "_queue", RequestQueue(at_once=0, most_waiting=0))
    start, said = messages_of(request())
    assert start["status"] == FULL
    assert (b"retry-after", b"1") in start["headers"]
    assert said["body"].decode() == TOO_MANY_WAIT


def test_a_request_waits_under_its_page_s_name_or_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting: list[str] = []

    class Noted(Ticket):
        def __init__(self, client: str, **rest: int) -> None:
            waiting.append(client)
            super().__init__(client, **rest)

    monkeypatch.setattr(direct, "Ticket", Noted)
    monkeypatch.setattr(direct, "_queue", RequestQueue(at_once=0, most_waiting=0))
    answer(request(client="a page"))
    answer(request())
    assert waiting == ["a page", ADDRESS]


def test_a_client_that_goes_while_it_sends_is_no_error() -> None:
    gone = threading.Event()
    gone.set()
    assert answer(request()[:20], whole=False, leaves=gone)[0] == BAD_REQUEST
