"""The password of a shared server: nothing is answered without it, and a browser is asked once."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from encoder.errors import LaunchError
from tests.app.app_script import open_page, open_settings
from viz.page import password
from viz.page.password import COOKIE, FREE_GUESSES, LONGEST_WAIT, MOST_BYTES, WRONG
from viz.permitted import PASSWORD_FILE

SECRET = "open sesame, ünd mehr"
REFUSED, SLOWED = 401, 429


async def answer(request: Request) -> PlainTextResponse:
    return PlainTextResponse("the page")


async def speak(websocket: WebSocket) -> None:
    await websocket.accept()
    await websocket.send_text("the page")
    await websocket.close()


def server(folder: Path, monkeypatch: pytest.MonkeyPatch, secret: str = SECRET) -> TestClient:
    """A browser without cookies at a server with the routes of the page's and this password."""
    file = folder / "password.txt"
    file.write_text(f"{secret}\n", encoding="utf-8")
    monkeypatch.setenv(PASSWORD_FILE, str(file))
    routes = [
        Route("/", answer, methods=["GET", "POST"]),
        Route("/_stcore/health", answer),
        Route("/_stcore/metrics", answer),
        Route("/headlight/direct", answer, methods=["POST"]),
        WebSocketRoute("/_stcore/stream", speak),
    ]
    return TestClient(Starlette(routes=routes, middleware=password.middleware()), follow_redirects=False)


@pytest.fixture
def browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    with server(tmp_path, monkeypatch) as client:
        yield client


def hears(browser: TestClient) -> str:
    with browser.websocket_connect("/_stcore/stream") as websocket:
        return websocket.receive_text()


def give(browser: TestClient, given: str, address: str = "/") -> int:
    form = urlencode({"password": given})
    headers = {"content-type": "application/x-www-form-urlencoded"}
    return browser.post(address, content=form, headers=headers).status_code


def test_nothing_is_answered_before_the_password(browser: TestClient) -> None:
    for address in ("/", "/?a=a+text", "/static/js/index.js", "/headlight/direct", "/_stcore/metrics", "/nowhere"):
        asked = browser.get(address)
        assert asked.status_code == REFUSED
        assert '<input type="password" name="password"' in asked.text
        assert "the page" not in asked.text
        assert asked.headers["cache-control"] == "no-store"
    assert browser.post("/headlight/direct", json={"query": ""}).status_code == REFUSED
    with pytest.raises(WebSocketDisconnect):
        hears(browser)


def test_a_proxy_may_ask_whether_the_server_is_up(browser: TestClient) -> None:
    assert browser.get("/_stcore/health").text == "the page"


def test_the_right_password_opens_what_was_wanted_until_the_browser_closes(browser: TestClient) -> None:
    given = browser.post("/?a=one+text&view=why", data={"password": f" {SECRET} "})
    assert (given.status_code, given.headers["location"]) == (303, "?a=one+text&view=why")
    cookie = given.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Path=/;" in cookie
    assert "Secure" not in cookie
    assert not re.search("expires|max-age", cookie, re.IGNORECASE)
    assert SECRET not in cookie
    assert browser.get("/").text == "the page"
    assert browser.post("/headlight/direct", json={}).text == "the page"
    assert hears(browser) == "the page"


@pytest.mark.parametrize("given", ["open sesame", SECRET.upper(), "", "x" * MOST_BYTES, "\ufffd"])
def test_a_wrong_password_is_asked_for_again(given: str, browser: TestClient) -> None:
    assert give(browser, given) == REFUSED
    assert COOKIE not in browser.cookies
    assert browser.get("/").status_code == REFUSED


def test_a_wrong_password_is_called_wrong_and_never_shown(browser: TestClient) -> None:
    assert WRONG not in browser.get("/").text
    refused = browser.post("/", data={"password": "<b>guess</b>"})
    assert WRONG in refused.text
    assert "guess" not in refused.text


def test_the_redirect_stays_at_this_server(browser: TestClient) -> None:
    given = browser.post("http://testserver//evil.example/", data={"password": SECRET})
    assert given.headers["location"] == "."


def test_a_made_up_cookie_opens_nothing(browser: TestClient) -> None:
    for value in ("", "1", SECRET.encode().hex(), "0" * 64):
        browser.cookies.set(COOKIE, value)
        assert browser.get("/").status_code == REFUSED


def test_copies_with_one_password_accept_each_others_visitors(
    browser: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert give(browser, SECRET) == 303
    for secret, expected in ((SECRET, 200), ("another", REFUSED)):
        with server(tmp_path, monkeypatch, secret) as other:
            other.cookies.update(browser.cookies)
            assert other.get("/").status_code == expected


def test_a_cookie_has_a_date_and_a_salt_of_its_own(browser: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    assert give(browser, SECRET) == 303
    first = browser.cookies[COOKIE]
    until, salt, proof = first.split(".")
    browser.cookies.clear()
    assert give(browser, SECRET) == 303
    assert browser.cookies[COOKIE].split(".")[1:] != [salt, proof]
    for cookie, expected in ((f"{int(until) + 1}.{salt}.{proof}", REFUSED), (first, 200)):
        browser.cookies.clear()
        browser.cookies.set(COOKIE, cookie)
        assert browser.get("/").status_code == expected
    monkeypatch.setattr(time, "time", lambda: float(until))
    assert browser.get("/").status_code == REFUSED


def test_signing_out_drops_the_cookie(browser: TestClient) -> None:
    assert give(browser, SECRET) == 303
    assert browser.get("/headlight/sign-out").headers["location"] == "/"
    assert browser.get("/").status_code == REFUSED


def test_the_page_offers_to_sign_out_where_there_is_a_password(monkeypatch: pytest.MonkeyPatch) -> None:
    def offers() -> bool:
        return any("Sign out" in each.proto.body for each in open_settings(open_page()).get("html"))

    assert not offers()
    monkeypatch.setenv(PASSWORD_FILE, "password.txt")
    assert offers()


def test_behind_https_and_below_a_path_the_cookie_stays_there(
    browser: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(password, "path_on_server", lambda name: f"/tools/{name}")
    assert (
        "Path=/tools/; SameSite=lax; Secure"
        in browser.post("https://testserver/", data={"password": SECRET}).headers["set-cookie"]
    )
    monkeypatch.setenv("HEADLIGHT_FRAMES", "https://moodle.example.org")
    assert "SameSite=none; Secure" in browser.post("/", data={"password": SECRET}).headers["set-cookie"]


def test_guesses_are_counted_slowed_and_logged(
    browser: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    clock = SimpleNamespace(now=0.0, time=time.time)
    clock.monotonic = lambda: clock.now
    monkeypatch.setattr(password, "time", clock)
    assert [give(browser, "guess") for _ in range(FREE_GUESSES + 1)] == [REFUSED] * FREE_GUESSES + [SLOWED]
    assert give(browser, SECRET) == SLOWED  # which says nothing of the password
    assert len(caplog.records) == FREE_GUESSES
    assert "testclient" in caplog.text
    assert "guess" not in caplog.text
    read = 0
    for _ in range(100):
        clock.now += 1
        read += give(browser, "guess") == REFUSED
    assert read == 100 // LONGEST_WAIT + 2  # after 1, 2, 4, 8 and then 10 seconds
    clock.now += LONGEST_WAIT
    assert give(browser, SECRET) == 303


def test_without_a_file_nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PASSWORD_FILE, raising=False)
    assert password.middleware() == []


@pytest.mark.parametrize(
    ("content", "said"),
    [(" ", "is empty"), ("one\ntwo", "has 2 lines"), ("x" * 257, "has 257 characters"), ("a\0b", "control")],
)
def test_a_server_does_not_start_with_a_password_that_nobody_can_type(
    content: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(LaunchError, match=said), server(tmp_path, monkeypatch, content) as client:
        client.get("/")


def test_the_byte_order_mark_of_an_editor_is_no_part_of_the_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with server(tmp_path, monkeypatch, f"\ufeff{SECRET}\r") as browser:
        assert give(browser, SECRET) == 303
