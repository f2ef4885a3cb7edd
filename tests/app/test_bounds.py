"""What holds for every visitor of a server, on a real one: requests that never end, uploads, pages, frames."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import AsyncExitStack
from email.message import Message
from http.client import HTTPConnection
from pathlib import Path
from time import monotonic
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

import pyarrow as pa
import pytest
import streamlit
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from bench.server import Server, serve
from bench.visitor import Visitor, visit
from encoder.collection.table import guessed
from encoder.errors import DataError
from tests.threads import in_a_thread
from viz.caches import collections
from viz.page import connections
from viz.page.bounds import FULL
from viz.page.connections import MOST_PAGES, Arrivals, pages_for

PAGES, MOST, SECONDS = 3, 1_000_000, 30
APP = f"""
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st

from viz.page import bounds, connections
from viz.streamlit_internals import end_gone_sessions, shorten_warnings

connections.SECONDS_TO_SEND, bounds.MOST_UPLOADED = 0.3, {MOST}
connections.limit_arrivals(connections.raise_file_limit())
shorten_warnings()


@asynccontextmanager
async def started(_):
    end_gone_sessions()
    yield


app = st.App(Path(__file__).with_name("page.py"), lifespan=started, middleware=bounds.middleware(bounds.Pages({PAGES})))
"""
PAGE = """
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from viz.page.bounds import bytes_held

st.markdown(get_script_run_ctx().session_id)
st.markdown(str(bytes_held()))
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("bounds")
    (folder / "app.py").write_text(APP, encoding="utf-8")
    (folder / "page.py").write_text(PAGE, encoding="utf-8")
    variables = {
        "HEADLIGHT_FRAMES": "https://moodle.example.org",
        "STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL": "1",
    }
    with serve(folder / "app.py", folder / "log.txt", variables) as running:
        yield running
    assert "Traceback" not in (folder / "log.txt").read_text(encoding="utf-8")


def asked(server: Server, path: str = "/", method: str = "GET", **rest: object) -> tuple[int, str, Message]:
    """Status, text and headers of an answer."""
    connection = HTTPConnection(urlsplit(server.url).netloc, timeout=SECONDS)
    try:
        connection.request(method, path, **rest)  # type: ignore[arg-type]
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), answer.headers
    finally:
        connection.close()


def files_of(server: Server) -> int:
    return len(list(Path(f"/proc/{server.pid}/fd").iterdir()))


UNENDING = {
    "silent": (b"", b""),
    "header": (b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ", b"a"),
    "direct": (b"POST /headlight/direct HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n{", b" "),
    "no route": (b"POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n{", b" "),
    "page": (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n", b" "),
    "upload": (
        b"PUT /_stcore/upload_file/a/b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"1\r\na\r\n",
    ),
    "second": (b"GET /_stcore/health HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nX: ", b"a"),
}


def is_closed(client: socket.socket, more: bytes) -> bool:
    """Whether the server closed a connection, after it was sent another part."""
    try:
        client.sendall(more)
        return not client.recv(65_536)
    except TimeoutError:
        return False
    except ConnectionError:
        return True


def test_requests_that_never_end_are_closed(server: Server) -> None:
    address = urlsplit(server.url)
    still_open = {name: socket.create_connection((address.hostname, address.port or 0), 0.02) for name in UNENDING}
    for name, client in still_open.items():
        client.sendall(UNENDING[name][0])
    until = monotonic() + SECONDS
    while still_open and monotonic() < until:
        for name in [name for name, client in still_open.items() if is_closed(client, UNENDING[name][1])]:
            still_open.pop(name).close()
    assert not still_open


def test_the_oldest_connection_makes_room_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    class Connection:
        cycle = None

        def __init__(self) -> None:
            self.said: list[bytes] = []
            self.config = self.transport = self
            self.write, self.close = self.said.append, lambda: self.said.append(b"closed")

    async def closed() -> list[bool]:
        arrivals, waiting = Arrivals(2), [Connection() for _ in range(3)]
        for connection in waiting:
            arrivals.begin(connection)
        assert not any(each.said for each in waiting)  # as long as they may be a burst
        await asyncio.sleep(0.01)
        return [bool(each.said) for each in waiting]

    monkeypatch.setattr(connections, "SECONDS_OF_A_BURST", 0.0)
    assert in_a_thread(closed) == [True, False, False]


def test_pages_fit_into_the_files() -> None:
    assert [pages_for(files) for files in (64, 1_024, 65_536)] == [1, 160, MOST_PAGES]


@pytest.mark.parametrize(("header", "value"), [("Origin", "http://[::1"), ("Host", "[::1"), ("Host", "a:b")])
def test_an_address_that_cannot_be_read_is_refused(header: str, value: str, server: Server) -> None:
    for path in ("/", "/_stcore/health", "/_stcore/stream", "/headlight/ready"):
        assert asked(server, path, headers={header: value})[0] == 400
    websocket = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    headers = websocket | {"Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==", header: value}
    assert asked(server, "/_stcore/stream", headers=headers)[0] == 403


@pytest.mark.parametrize("sent", ["hello", b"\xff\xff garbled", b"\x0a\xff\xff\xff\xff\x0f"])
def test_a_page_that_sends_no_message_is_closed_in_a_line_of_the_log(sent: str | bytes, server: Server) -> None:
    async def run() -> None:
        async with connect(f"{server.url.replace('http', 'ws')}/_stcore/stream") as websocket:
            await websocket.send(sent)
            with pytest.raises(ConnectionClosed):
                await websocket.recv()

    in_a_thread(run)


def test_only_named_sites_frame_the_page(server: Server) -> None:
    assert asked(server)[2]["content-security-policy"] == "frame-ancestors 'self' https://moodle.example.org"


def test_a_full_server_says_so_and_takes_pages_again(server: Server) -> None:
    async def run() -> None:
        async with AsyncExitStack() as tabs:
            for _ in range(PAGES):
                await (await tabs.enter_async_context(visit(server.url))).open()
            status, text, _ = await asyncio.to_thread(asked, server)
            assert (status, FULL in text) == (503, True)
            assert (await asyncio.to_thread(asked, server, "/headlight/ready"))[:2] == (404, "full")
            assert (await asyncio.to_thread(asked, server, "/_stcore/health"))[0] == 200
            with pytest.raises(InvalidStatus):
                await tabs.enter_async_context(visit(server.url))
        async with asyncio.timeout(SECONDS):
            while (await asyncio.to_thread(asked, server, "/headlight/ready"))[1] != "ready":
                await asyncio.sleep(0.05)

    in_a_thread(run)


def test_uploads_are_bounded_and_end_with_their_session(server: Server) -> None:
    token = asked(server, "/_stcore/health")[2]["set-cookie"].partition("=")[2].partition(";")[0]

    def put(session: str, size: int) -> int:
        body = b'--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n' + bytes(size) + b"\r\n--b--\r\n"
        headers = {"Content-Type": "multipart/form-data; boundary=b", "X-Xsrftoken": token}
        headers["Cookie"] = f"_streamlit_xsrf={token}"
        return asked(server, f"/_stcore/upload_file/{session}/{size}", "PUT", body=body, headers=headers)[0]

    async def session_and_held(tab: Visitor) -> list[str]:
        await tab.open()
        return tab.texts

    async def run() -> None:
        async with visit(server.url) as one, visit(server.url) as other:
            for size in (600_000, 500_000):  # the second in place of the first
                assert await asyncio.to_thread(put, (await session_and_held(one))[0], size) == 204
            session, held = await session_and_held(other)
            assert held == "500000"
            assert await asyncio.to_thread(put, session, 600_000) == 503
            assert await asyncio.to_thread(put, session, 400_000) == 204
        async with asyncio.timeout(SECONDS), visit(server.url) as last:
            while (await session_and_held(last))[1] != "0":
                await asyncio.sleep(0.05)

    in_a_thread(run)


def test_gone_sessions_hold_no_files(server: Server) -> None:
    async def visits(count: int) -> None:
        for _ in range(count):
            async with visit(server.url) as tab:
                await tab.open()

    in_a_thread(lambda: visits(1))
    before = files_of(server)
    in_a_thread(lambda: visits(10))
    assert files_of(server) < before + 10


def test_own_tables_of_all_visitors_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(session: dict[str, object], text: str) -> None:
        monkeypatch.setattr(streamlit, "session_state", session)
        collections.set_own_collection(guessed("a table", pa.table({"text": [text]})))

    monkeypatch.setattr(collections, "_own_tables", WeakValueDictionary())
    monkeypatch.setattr(collections, "OWN_TABLES_BYTES", 1_500)
    monkeypatch.setattr(collections, "_models_of_page", tuple)  # there is no page
    one: dict[str, object] = {}
    for _ in range(3):
        opened(one, "a" * 1_000)  # in place of the last one
    with pytest.raises(DataError, match="Other visitors have opened as many tables"):
        opened({}, "b" * 1_000)
    one.clear()
    opened({}, "b" * 1_000)
