"""Firefox by WebDriver BiDi, its own protocol: Playwright drives no Firefox but one that it has built itself."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final

from websockets.sync.client import ClientConnection, connect

LISTENING: Final = "WebDriver BiDi listening on "
LIMIT: Final = 60  # seconds for an answer
UNTIL: Final = """async (wanted) => {
    const isTrue = new Function(`return (${wanted})`);
    while (!isTrue()) await new Promise((next) => setTimeout(next, 20));
}"""
KEYS: Final = {"ArrowRight": "\ue014"}


def find_firefox() -> str | None:
    return shutil.which("firefox") or shutil.which("firefox-esr")


class Firefox:
    """One tab."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection, self._numbers = connection, count()
        self._send("session.new", capabilities={})
        self._tab: str = self._send("browsingContext.getTree")["contexts"][0]["context"]

    def open(self, address: str) -> None:
        self._send("browsingContext.navigate", context=self._tab, url=address, wait="complete")

    def reload(self) -> None:
        self._send("browsingContext.reload", context=self._tab, wait="complete")

    def evaluate(self, expression: str, arg: Any = None) -> Any:
        """What a function returns for an argument, as `Page.evaluate` does; both are JSON."""
        found = self._send(
            "script.callFunction",
            functionDeclaration=f"async (given) => JSON.stringify(await ({expression})(JSON.parse(given)) ?? null)",
            arguments=[{"type": "string", "value": json.dumps(arg)}],
            target={"context": self._tab},
            awaitPromise=True,
        )
        assert found["type"] == "success", found["exceptionDetails"]["text"]
        return json.loads(found["result"]["value"])

    def wait_for(self, expression: str) -> None:
        """Wait until an expression is true."""
        self.evaluate(UNTIL, expression)

    def press(self, *keys: str) -> None:
        """Press keys, one after the other, in the element that has the focus."""
        values = [KEYS.get(key, key) for key in keys]
        actions = [{"type": kind, "value": value} for value in values for kind in ("keyDown", "keyUp")]
        source = {"type": "key", "id": "keyboard", "actions": actions}
        self._send("input.performActions", context=self._tab, actions=[source])

    def _send(self, method: str, **params: Any) -> Any:
        number = next(self._numbers)
        self._connection.send(json.dumps({"id": number, "method": method, "params": params}))
        while (answer := json.loads(self._connection.recv(LIMIT))).get("id") != number:
            continue  # an event
        assert answer["type"] == "success", answer
        return answer["result"]


@contextmanager
def firefox(path: str, profile: Path) -> Iterator[Firefox]:
    """A Firefox without a window, whose profile is an empty folder."""
    command = [path, "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as running:
        try:
            line = next((line for line in running.stderr if line.startswith(LISTENING)), "")
            address = f"{line.removeprefix(LISTENING).strip()}/session"
            with connect(address, open_timeout=LIMIT, max_size=None) as connection:
                yield Firefox(connection)
        finally:
            running.terminate()
