"""The docs as a site, as `make site` builds it, but without running the notebooks: links, search, axe, phones."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote

import pytest
from playwright.sync_api import Page, expect
from sphinx.cmd.build import build_main

from tests.browser.pages.axe import CHECK, add_axe
from tests.browser.pages.server import ROOT
from tests.browser.pages.site_page import serving_site
from tests.browser.pages.watch import Watch, assert_none
from tests.browser.pages.window import Window

BUILD = ("-q", "-W", "-c", str(ROOT / "docs"), "-D", "nb_execution_mode=off", str(ROOT))
LOADED = re.compile(r'<(?:script|img|iframe|source)\b[^>]*?\bsrc="([^"]+)"|<link\b[^>]*?\bhref="([^"]+)"')
LINK = re.compile(r'<a\b[^>]*?\bhref="([^"]*)"')
ID = re.compile(r'\bid="([^"]+)"')
ANSWERS = "docs/questions.html"
QUESTIONS = {  # as a newcomer types them, and the page that has more than the short answer
    "how do I install it without a GPU": "docs/installation.html",
    "how do I open my own model": "docs/models.html",
    "can I use it in a Jupyter notebook": "docs/exports.html",
    "does it work offline": "docs/installation.html",
    "is attention an explanation": "README.html",
    "which words explain the prediction": "docs/views.html",
    "what is the longest text": "docs/models.html",
    "how do I save a picture for a paper": "docs/exports.html",
    "how do I replace BertViz": "docs/notebooks/from-bertviz.html",
    "how do I put it on a server with a password": "docs/deployment.html",
}
PAGES = ("index.html", "docs/models.html", "docs/reference.html", "docs/notebooks/chapter-3.html", "search.html?q=head")
TOO_WIDE = "document.documentElement.scrollWidth > innerWidth"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("docs") / "site"
    (out / "try").mkdir(parents=True)
    (out / "try" / "index.html").write_text("the page whose model runs in the browser", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(action="ignore"):
        patch.setenv("HF_HUB_DISABLE_PROGRESS_BARS", "1")  # as the configuration does, for good
        assert build_main([*BUILD, str(out)]) == 0  # in this process, which has imported most of what is documented
    return out


@pytest.fixture
def site(browser: Window, folder: Path) -> Iterator[tuple[Page, str]]:
    """A tab that asks nobody but the site's server, and the address of that."""
    with serving_site(folder) as address, browser.tab(viewport={"width": 1440, "height": 900}) as page:
        watch = Watch(page, address)
        yield page, address
        assert_none(watch.end())


def test_links_and_their_anchors_resolve_and_nothing_is_loaded_from_another_host(folder: Path) -> None:
    pages = {page: page.read_text(encoding="utf-8") for page in folder.glob("**/*.html")}
    ids = {page: {*ID.findall(html)} for page, html in pages.items()}
    faults = []
    for page, html in pages.items():
        loaded = [script or style for script, style in LOADED.findall(html)]
        faults += [(page.name, link) for link in loaded if re.match("(https?:)?//", link)]
        for link in loaded + [link for link in LINK.findall(html) if not link.startswith(("http://", "https://"))]:
            path, _, anchor = unquote(link).partition("#")
            target = (page.parent / path.partition("?")[0]).resolve() if path else page
            if not link.startswith("data:") and (
                not target.is_file() or (anchor and anchor not in ids.get(target, ()))
            ):
                faults.append((page.name, link))
    assert faults == []


def test_questions_of_newcomers_are_answered_by_what_is_found_first(site: tuple[Page, str]) -> None:
    page, address = site
    found = {}
    for question in QUESTIONS:
        page.goto(address)
        page.get_by_role("searchbox").or_(page.get_by_placeholder("Search")).first.fill(question)
        page.keyboard.press("Enter")
        expect(page.locator(".search-summary")).to_contain_text("Search finished")
        found[question] = str(page.locator("ul.search a").first.get_attribute("href"))
    assert {q: at for q, at in found.items() if re.split("[?#]", at)[0] not in (ANSWERS, QUESTIONS[q])} == {}


@pytest.mark.parametrize(("scheme", "width", "pages"), [("light", 1440, PAGES[::3]), ("dark", 390, PAGES)])
def test_pages_fit_a_phone_and_pass_axe(site: tuple[Page, str], scheme: str, width: int, pages: Sequence[str]) -> None:
    page, address = site
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 844})
    for name in pages:
        page.goto(address + name)
        assert not page.evaluate(TOO_WIDE), name
        add_axe(page)
        assert page.evaluate(CHECK, None) == [], name
