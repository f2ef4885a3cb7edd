"""One Chromium for all browser tests: the one that tests/chromium.sh finds."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

FIND_CHROMIUM = Path(__file__).parents[1] / "chromium.sh"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = subprocess.run(["bash", FIND_CHROMIUM], check=False, capture_output=True, text=True)
    if found.returncode:
        pytest.fail("browser tests need a Chromium: `make test` installs one, `tests/chromium.sh --install` as well")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=found.stdout.strip(), args=["--no-sandbox"])
        yield running
        running.close()
