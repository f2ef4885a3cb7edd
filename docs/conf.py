"""The docs as a site, built by Sphinx from the files as they are in the repository: `make site`.

The README is the first page. What only the site has is added here: the list of pages, the link to the page without a
server, and the API reference.
"""

from __future__ import annotations

import inspect
import os
import re
from pathlib import Path
from typing import Final

from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish

import headlight

ROOT: Final = Path(__file__).parents[1]

project = "Headlight"
html_title = "Headlight"
root_doc = "README"
include_patterns = ["*.md", "docs/*.md", "docs/notebooks/*.ipynb", "**/README.md", "bench/results/*.md"]
exclude_patterns = [".*", "deploy", "node_modules", "site", "dist"]
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.githubpages", "sphinx.ext.napoleon"]
suppress_warnings = ["toc.not_included"]  # READMEs of folders, which pages link to

myst_enable_extensions = ["html_image"]
myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_execution_timeout = 300
nb_ipywidgets_js: dict[str, object] = {}  # they come from another host
os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"  # they are widgets

default_role = "code"  # docstrings are Markdown, as far as their words go
autodoc_default_options = {"members": True}
autodoc_member_order = "bysource"
napoleon_custom_sections = ["Source", ("Attributes", "params_style")]
napoleon_numpy_docstring = False
napoleon_use_param = napoleon_use_rtype = False  # which take “query, key” for a key of type “query”

html_theme = "furo"
html_favicon = str(ROOT / "viz" / "icon.svg")
html_copy_source = html_show_sourcelink = html_show_copyright = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#3B4CCA", "color-brand-content": "#3B4CCA"},
    "dark_css_variables": {"color-brand-primary": "#8C9BFF", "color-brand-content": "#8C9BFF"},
    "top_of_page_buttons": [],
}
SearchEnglish.stopwords = SearchEnglish.stopwords | {"can", "use"}

PAGES: Final = {
    "The page": "questions installation views texts models tours exports atlas",
    "Python": "api reference cookbook notebooks/from-bertviz notebooks/my-classifier notebooks/chapter-3",
    "Servers and sites": "deployment site performance /SECURITY",
    "The project": "architecture /CONTRIBUTING /CHANGELOG",
}
BUTTON: Final = "display: inline-block; padding: 0.5rem 1rem; border: 1px solid; border-radius: 0.5rem"
BUTTONS: Final = f"""
<p><a style="{BUTTON}" href="try/index.html">Try it in this browser</a>
<a style="{BUTTON}" href="#install-and-run">Install</a></p>
"""
FOLDER: Final = re.compile(r"\[([^]]+)\]\(([\w./-]+)\)")
CHANGES: Final = {  # of what the theme and the notebooks write, as regular expressions
    "<pre>": '<pre tabindex="0">',  # this and a table scroll where they are wider than a phone
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
    'class="caption" role="heading"': 'class="caption" role="heading" aria-level="2"',
    "<th></th>": "<td></td>",  # of an index of pandas
    '<div id="search-results">': '<h1>Search</h1><div id="search-results">',
    r"<script type=.application/vnd.jupyter.widget-view\+json.>.*?</script>": "<p><i>The widget, in a notebook</i></p>",
    r"<script type=.application/vnd.jupyter.widget-state\+json.>.*?</script>": "",
}


def add_to_source(app: Sphinx, name: str, source: list[str]) -> None:
    """Add what only the site has, and write folders, which a site does not list, without their links."""
    page = Path(app.env.doc2path(name)).parent
    source[0] = FOLDER.sub(lambda link: link[1] if (page / link[2]).is_dir() else link[0], source[0])
    if name == root_doc:
        for caption, names in PAGES.items():
            listed = "\n".join(each[1:] if each.startswith("/") else f"docs/{each}" for each in names.split())
            source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{listed}\n```\n"
    elif name == "docs/reference":
        kinds = {each: getattr(headlight, each) for each in sorted(headlight.__all__) if not each.startswith("_")}
        for each, value in kinds.items():
            kind = "autoclass" if inspect.isclass(value) else "autofunction" if callable(value) else "data"
            source[0] += f"\n## {each}\n\n```{{eval-rst}}\n.. {kind}:: headlight.{each}\n```\n"


def keep_first_line(app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]) -> None:
    """Keep napoleon from reading what is before a colon, in the first line of a property's docstring, as its type."""
    if what == "property":
        lines[:0] = ["..", ""]  # an empty comment


def add_to_page(app: Sphinx, name: str, template: str, context: dict[str, str], doctree: object) -> None:
    """Add the buttons of the first page, below its first paragraph."""
    if name == root_doc:
        context["body"] = context["body"].replace("</p>", f"</p>{BUTTONS}", 1)


def change_pages(app: Sphinx, error: Exception | None) -> None:
    """Change what the theme and the notebooks write, and copy the README to where a server looks for the first page."""
    out = Path(app.outdir)
    for name in ("search", "genindex", *app.env.found_docs) if error is None else ():
        page = out / f"{name}.html"
        html = page.read_text("utf-8")
        for before, after in CHANGES.items():
            html = re.sub(before, after, html, flags=re.DOTALL)
        page.write_text(html, "utf-8")
        if name == root_doc:
            (out / "index.html").write_text(html, "utf-8")


def setup(app: Sphinx) -> None:
    app.connect("source-read", add_to_source)
    app.connect("autodoc-process-docstring", keep_first_line, priority=0)
    app.connect("html-page-context", add_to_page)
    app.connect("build-finished", change_pages)
