"""The browser's code, as the page's server answers it: nothing but the way differs from Streamlit's."""

import asyncio
import gzip
import runpy
import tomllib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.types import ASGIApp
from streamlit import file_util
from streamlit.web.server.starlette.starlette_static_routes import create_streamlit_static_assets_routes

from viz.components.registered import files_of_components
from viz.launch import APP
from viz.page.bounds import Bounds
from viz.page.static_files import StaticFiles
from viz.page.warmup import WARMUP

ROOT = Path(file_util.get_static_dir())
FILES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "static").rglob("*.*"))
KINDS = {path.rsplit(".", 1)[1]: path for path in FILES}  # one of each


def answer(app: ASGIApp, path: str, *, encoding: bytes = b"identity") -> tuple[int, Mapping[bytes, bytes], bytes]:
    """The status, the headers and the body that a browser gets which takes an encoding."""
    sent: list[dict[str, Any]] = []
    headers = [(b"accept-encoding", encoding)]
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers}
    asked = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive() -> dict[str, Any]:
        for message in asked:
            return message
        await asyncio.Event().wait()  # the browser stays
        raise AssertionError

    async def send(message: Any) -> None:
        sent.append(message)

    with ThreadPoolExecutor(1) as elsewhere:  # this thread may have a loop, that of a browser
        elsewhere.submit(asyncio.run, app(scope, receive, send)).result()  # type: ignore[arg-type]
    return sent[0]["status"], dict(sent[0]["headers"]), b"".join(message["body"] for message in sent[1:])


def ours() -> Starlette:
    """A server without routes."""
    return Starlette(middleware=[Middleware(StaticFiles)])


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_is_what_streamlit_would_have_sent(kind: str) -> None:
    theirs = Starlette(routes=create_streamlit_static_assets_routes(None))
    path = f"/{KINDS[kind]}"
    (status, headers, body), (their_status, their_headers, their_body) = answer(ours(), path), answer(theirs, path)
    assert (status, their_status) == (200, 200)
    assert hash(body) == hash(their_body) == hash((ROOT / KINDS[kind]).read_bytes())  # pytest would compare letters
    for name in (b"content-type", b"content-length", b"cache-control"):
        assert headers[name] == their_headers[name]


def test_every_component_is_served_its_code() -> None:
    project = tomllib.loads((APP.parent / "pyproject.toml").read_text(encoding="utf-8"))
    names = [component["name"] for component in project["tool"]["streamlit"]["component"]["components"]]
    served = {f"headlight.{name}/entry.mjs" for name in names if name != "views"} | {"headlight.views/views.js"}
    assert set(files_of_components()) == served
    for address, path in files_of_components().items():
        status, headers, body = answer(ours(), f"/_stcore/bidi-components/{address}")
        assert (status, headers[b"content-type"]) == (200, b"text/javascript; charset=utf-8")
        assert hash(body) == hash(path.read_bytes())


def test_only_the_code_that_every_page_fetches_is_compressed() -> None:
    views = "headlight.views/views.js"
    _, headers, body = answer(ours(), f"/_stcore/bidi-components/{views}", encoding=b"gzip")
    code = files_of_components()[views].read_bytes()
    assert headers[b"content-encoding"] == b"gzip"
    assert hash(gzip.decompress(body)) == hash(code)
    assert 2 * len(body) < len(code)
    _, headers, body = answer(ours(), f"/{KINDS['js']}", encoding=b"gzip")  # as Streamlit: a browser keeps it for good
    assert b"content-encoding" not in headers


def test_the_pages_html_is_streamlits() -> None:
    theirs = Starlette(routes=create_streamlit_static_assets_routes(None))
    (status, headers, body), (_, their_headers, their_body) = answer(ours(), "/"), answer(theirs, "/")
    assert (status, body) == (200, their_body)
    for name in (b"content-type", b"cache-control"):
        assert headers[name] == their_headers[name]
    assert answer(ours(), "/other")[0] == 404
    assert len(answer(ours(), "/", encoding=b"gzip")[2]) < len(body) / 2


def test_every_file_of_the_first_page_is_served() -> None:
    page = (ROOT / "index.html").read_text(encoding="utf-8")
    named = [path for path in FILES if path in page]
    assert len(named) > 50
    assert {answer(ours(), f"/{path}")[0] for path in named} == {200}


@pytest.mark.parametrize("path", ["/static/js/none.js", "/static/", "/static/../index.html", "/static//etc/passwd"])
def test_everything_else_is_left_to_the_routes(path: str) -> None:
    assert answer(ours(), path)[0] == 404


def test_a_server_may_have_a_path_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(st, "get_option", {"server.baseUrlPath": "/talks/"}.__getitem__)
    assert answer(ours(), f"/talks/{FILES[0]}")[0] == 200
    assert answer(ours(), f"/{FILES[0]}")[0] == 404
    assert [answer(ours(), path)[0] for path in ("/talks/", "/")] == [200, 404]


def test_the_apps_server_answers_with_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WARMUP, "start", lambda: None)
    app = runpy.run_path(str(APP))["app"]
    assert [each.cls for each in app._user_middleware] == [Bounds, StaticFiles]
