"""A server that takes its time, as a browser sees it."""

from __future__ import annotations

import time

from playwright.sync_api import Page, WebSocketRoute
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg


class SlowAnswers:
    """Between the server and a page: answers can be held back, so that the browser sends what is out of date."""

    def __init__(self, page: Page) -> None:
        self.holding = False
        self.held: list[str | bytes] = []
        page.route_web_socket("**/_stcore/stream", self._connect)

    def _connect(self, browser: WebSocketRoute) -> None:
        self.browser = browser
        server = browser.connect_to_server()
        browser.on_message(server.send)
        server.on_message(lambda message: self.held.append(message) if self.holding else browser.send(message))

    def wait_for_a_run(self, page: Page) -> None:
        until = time.monotonic() + 30
        while time.monotonic() < until:
            if any(ForwardMsg.FromString(message).HasField("script_finished") for message in self.held):
                return
            page.evaluate("0")  # lets Playwright hear of messages
        raise TimeoutError("the server did not finish a run")

    def release(self) -> None:
        self.holding = False
        for message in self.held:
            self.browser.send(message)
        self.held.clear()
