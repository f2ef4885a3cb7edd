"""A page without a network, and tokens to try it with."""

from __future__ import annotations

from playwright.sync_api import Page, Route

PAIR = ["[CLS]", "time", "flies", "like", "an", "arrow", "[SEP]", "fruit", "flies", "like", "a", "banana", "[SEP]"]
HOSTILE = [
    "[CLS]",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\u202eabc\x00",
    "🙂",
    "[SEP]",
]
PAGE = "http://headlight.test/"


class Offline:
    """A page that is served one document; it notes every other request, error and dialog."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.trouble: list[str] = []
        self.files: dict[str, tuple[str, str]] = {}
        page.on("pageerror", lambda error: self.trouble.append(f"error: {error}"))
        page.on("console", lambda message: self.trouble.append(message.text) if message.type == "error" else None)
        page.on("dialog", lambda dialog: (self.trouble.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.add_init_script("window.alert = (text) => console.error('alert ' + text)")
        page.route("**/*", self._serve)

    def open(self, html: str, **files: tuple[str, str]) -> Page:
        self.files = {PAGE: (html, "text/html")} | {PAGE + name: file for name, file in files.items()}
        self.page.goto(PAGE)
        return self.page

    def _serve(self, route: Route) -> None:
        if route.request.url in self.files:
            body, kind = self.files[route.request.url]
            route.fulfill(body=body, content_type=f"{kind}; charset=utf-8")
            return
        self.trouble.append(f"request: {route.request.url}")
        route.abort()
