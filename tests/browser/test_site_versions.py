"""A new version of a page without a server: the browser replaces the one that it keeps, as a whole."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.pages.site_page import WAIT, expect_answer, open_page, serving_site
from tests.browser.pages.watch import assert_none
from tests.browser.pages.window import Window
from tests.encoder.random_models import BERT_SIZES, build, wordpiece_tokenizer
from tests.thorough import THOROUGH
from viz.site import build as site
from viz.site.build import PAGE, SERVICE_WORKER
from viz.site.command import main
from viz.site.folder import SUMS

pytestmark = pytest.mark.usefixtures("operators_read_once")

OLD, NEW = "time flies like an arrow", "fruit flies like a banana"
BUILD = ("build", "--model")
READY = "navigator.serviceWorker.ready.then(() => true)"
# An update may end before its version is there: the next one finds it. A refused version is tried again by each.
UPDATE = """(async () => {
    const found = await navigator.serviceWorker.ready, first = found.active;
    for (let tries = 0; tries < 50; tries++) {
        try { await found.update(); } catch { return "refused"; }
        const { installing, waiting, active } = found;
        if (waiting || active !== first) return "installed";
        if (installing) return new Promise((done) => installing.addEventListener("statechange",
            ({ target }) => done(target.state === "installed" ? "installed" : "refused")));
        await new Promise((done) => setTimeout(done, 200));
    }
    return "unchanged";
})()"""
CACHED = """(async () => Object.fromEntries(await Promise.all((await caches.keys()).map(
    async (name) => [name, (await (await caches.open(name)).keys()).map(({ url }) => url)]))))()"""


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The page of a tiny model with different texts, by the text."""
    folder = tmp_path_factory.mktemp("versions")
    tiny = folder / "tiny"
    build("BertModel", "BertConfig", **BERT_SIZES | {"num_hidden_layers": 2, "vocab_size": 200}).save_pretrained(tiny)
    wordpiece_tokenizer().save_pretrained(tiny)
    export, exported = site._model_files, dict[str, bytes]()

    def model_files(*given: Any) -> dict[str, bytes]:
        """Those of the first build: no text changes them, and they take most of the time."""
        exported.update(exported or export(*given))
        return exported

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site, "_model_files", model_files)
        for text in (OLD, NEW):
            assert main([*BUILD, str(tiny), "--text", text, "--out", str(folder / text)]) == 0
    return {text: folder / text for text in (OLD, NEW)}


@pytest.mark.skipif(not THOROUGH, reason="runs at night; tests/browser/test_installed.py compares all but the model")
def test_the_same_site_is_built_in_every_process(versions: dict[str, Path], tmp_path: Path) -> None:
    different = {"PYTHONHASHSEED": "1", "OMP_NUM_THREADS": "3"}
    command = [sys.executable, "-m", "viz.site", *BUILD, str(versions[OLD].parent / "tiny"), "--text", OLD]
    subprocess.run([*command, "--out", str(tmp_path)], env=os.environ | different, check=True, capture_output=True)
    assert (tmp_path / SUMS).read_text() == (versions[OLD] / SUMS).read_text()


@pytest.fixture
def served(versions: dict[str, Path], tmp_path: Path) -> Path:
    return shutil.copytree(versions[OLD], tmp_path / "site")


@pytest.fixture
def context(browser: Window) -> Iterator[BrowserContext]:
    """A browser that has kept nothing."""
    with browser.new_context() as context:
        yield context


def visit(context: BrowserContext, address: str, headline: str) -> Page:
    """The page in the only tab, once it shows that headline."""
    for before in context.pages:
        before.close()
    page = context.new_page()
    watch = open_page(page, address)
    expect(page.get_by_role("heading", level=1)).to_have_text(headline)
    assert_none(watch.end())
    return page


def keep_all(page: Page) -> None:
    page.get_by_role("button", name="Keep for offline use").click()
    expect(page.get_by_text("The whole model is kept in this browser")).to_be_visible(timeout=WAIT)


def keep_old(context: BrowserContext, address: str) -> dict[str, Any]:
    """What the browser keeps of the old version, of which everything was kept."""
    page = visit(context, address, OLD)
    page.evaluate(READY)
    keep_all(page)
    kept: dict[str, Any] = page.evaluate(CACHED)
    return kept


def read(page: Page, text: str) -> None:
    page.get_by_role("textbox", name="Sentence A").fill(text)
    expect_answer(page, 1)
    expect(page.get_by_role("heading", level=1)).to_have_text(text)


def test_a_new_version_replaces_the_old_one_once_its_tab_is_closed(
    context: BrowserContext, versions: dict[str, Path], served: Path
) -> None:
    with serving_site(served) as address:
        before = keep_old(context, address)
        shutil.copytree(versions[NEW], served, dirs_exist_ok=True, copy_function=shutil.copy)
        (model,) = served.glob("model-*")
        shutil.rmtree(model)  # what the browser keeps is not fetched again
        page = visit(context, address, OLD)
        assert page.evaluate(UPDATE) == "installed"
        page = visit(context, address, NEW)
        read(page, "a banana")
        after = page.evaluate(CACHED)
    of_model = f"headlight {address}"
    assert after[of_model] == before[of_model]
    assert len(before) == len(after) == 2
    assert before.keys() & after.keys() == {of_model}
    visit(context, address, NEW)  # without the server


def test_a_server_that_is_half_updated_leaves_the_old_version_whole(
    context: BrowserContext, versions: dict[str, Path], served: Path
) -> None:
    with serving_site(served) as address:
        before = keep_old(context, address)
        shutil.copy(versions[NEW] / SERVICE_WORKER, served)
        page = visit(context, address, OLD)
        assert page.evaluate(UPDATE) == "refused"
        page = visit(context, address, OLD)
        read(page, "a banana")
        shell = next(name for name in before if name != f"headlight {address}")
        assert {*before[shell]} <= {*page.evaluate(CACHED)[shell]}
        shutil.copy(versions[NEW] / PAGE, served)
        assert page.evaluate(UPDATE) == "installed"
        visit(context, address, NEW)
