"""The app with the command of its Hugging Face Space, in a frame of another site: password, typing and an upload."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.pages.app_page import TO_START
from tests.browser.pages.server import ROOT, free_port
from tests.browser.pages.window import Window
from viz.launch import Place, wait_for_server

SPACE = ROOT / "deploy" / "space" / "docker"
SITE = "https://huggingface.co"
SECRET = "open sesame"
NO_COOKIES_OF_OTHER_SITES = {  # but those that are partitioned
    "enableThirdPartyCookieRestriction": True,
    "disableThirdPartyCookieMetadata": True,
    "disableThirdPartyCookieHeuristics": True,
}
TABLE = "text,label\nA fine film.,positive\nA dull film.,negative\n"


@pytest.fixture
def space(tmp_path: Path) -> Iterator[str]:
    """The address of the app."""
    (command,) = re.findall(
        r"^CMD (\[.+\])$", (SPACE / "Dockerfile").read_text("utf-8").replace("\\\n", ""), re.MULTILINE
    )
    port = free_port()
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    variables = {"HEADLIGHT_PASSWORD": SECRET, "HOME": str(tmp_path), "PATH": path}
    with (tmp_path / "log.txt").open("wb") as log:
        app = subprocess.Popen(
            [word.replace("7860", str(port)) for word in json.loads(command)],
            cwd=ROOT,
            env=os.environ | variables,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    place = Place(port=port)
    try:
        assert wait_for_server(place, alive=lambda: app.poll() is None), (tmp_path / "log.txt").read_text("utf-8")
        yield place.url
    finally:
        app.terminate()
        app.wait()


def test_a_visitor_signs_in_types_and_uploads_in_a_frame_of_another_site(space: str, browser: Window) -> None:
    with browser.tab(viewport={"width": 1440, "height": 900}) as page:
        around = f'<iframe src="{space}" style="width: 1400px; height: 850px"></iframe>'
        page.route(f"{SITE}/**", lambda route: route.fulfill(body=around, content_type="text/html"))
        browser_settings = page.context.new_cdp_session(page)
        browser_settings.send("Network.enable")
        browser_settings.send("Network.setCookieControls", NO_COOKIES_OF_OTHER_SITES)
        page.context.grant_permissions(["local-network-access"], origin=SITE)  # the app is on this machine
        page.goto(f"{SITE}/spaces/you/headlight")
        app = page.frame_locator("iframe")
        app.get_by_label("Password").fill(SECRET, timeout=TO_START)
        app.get_by_label("Password").press("Enter")
        sentence = app.get_by_role("textbox", name=re.compile("^Sentence A"))
        expect(sentence).to_be_visible(timeout=TO_START)
        sentence.fill("a frame shows the page")
        expect(app.locator(".strip").first).to_contain_text("frame")
        app.get_by_role("button", name=re.compile("^View: ")).click()
        app.get_by_role("menuitem", name=re.compile("^Texts")).click()
        expect(app.get_by_test_id("stDataFrame").first).to_be_visible(timeout=TO_START)
        app.get_by_role("button", name="Open a table").click()
        file = {"name": "films.csv", "mimeType": "text/csv", "buffer": TABLE.encode()}
        app.locator("input[type=file]").first.set_input_files(file)  # type: ignore[arg-type]
        expect(app.get_by_text("What was read: 2 rows of films.csv")).to_be_visible()
