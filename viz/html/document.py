"""HTML in one file, under a content security policy that forbids every connection.

The policy names the scripts and the style sheet by their hashes. Everything else is data, so no token text can run.
The views' script is deflated data as well: a short script inflates it and adds it to the page, which its hash allows. A
page with charts contains Plotly in the same way. `make bundle` builds `page.js`, `slides.js`, `site.js` and `start.js`,
and copies `plotly.js`.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from viz.html.quantised import Block
from viz.html.terms import STYLE, definitions_in
from viz.html.text_bytes import text_of_bytes
from viz.theme import THEMES, css_variables

_FOLDER: Final = Path(__file__).parent
PLOTLY: Final = "plotly.js"  # a site has it as a file next to the page
_FONT: Final = '"Source Sans 3", "Source Sans Pro", "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'
ANSWER_SHEETS: Final = ("answers.css", "code.css", "token_rows.css")
SLIDE_SHEETS: Final = ("slides.css", *ANSWER_SHEETS, "room_for_words.css", "paper.css")
_INSTALLED: Final = (
    '<link rel="manifest" href="manifest.webmanifest">\n<link rel="icon" href="icon.svg">\n'
    '<link rel="apple-touch-icon" href="icon.png">\n'
)
_UNREAD: Final = re.compile(r"/\*.*?\*/|^\s+", re.DOTALL | re.MULTILINE)  # comments and indents of style sheets
_EMPTY_HASH: Final = "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="  # of the sheet that Plotly fills by rules


def html_of(
    title: str,
    body: str,
    contents: Mapping[str, Any],
    blocks: Sequence[Block],
    *,
    sheets: Sequence[str],
    has_charts: bool,
    is_site: bool = False,
    plotly_folder: str | None = None,
) -> str:
    """A document that loads nothing, or, of a site, only files of the server from which it came.

    Args:
        body: HTML with all text escaped, and with the element "main", in which the script renders.
        contents: JSON for `browser/page.mjs`, or of slides for `browser/slides.mjs`.
        blocks: the messages of the runs.
        sheets: style sheets of this folder besides the one of every document.
        has_charts: whether the document contains Plotly.
        is_site: whether it runs a model, whose files are in the same folder.
        plotly_folder: address of the folder with Plotly's script, of a site's page; None if the document contains it.
    """
    data = "\n".join(
        f'<script type="text/plain" data-message="{html.escape(block.message)}" '
        f'data-layers="{" ".join(map(str, block.layers))}">{block.text}</script>'
        for block in blocks
    )
    start, style = _script("start.js"), _style(sheets)
    script = "site.js" if is_site else "slides.js" if "slides" in contents else "page.js"
    names = ["start.js", script, *([PLOTLY] if has_charts else [])]
    scripts = " ".join(f"'{_script_hash(name)}'" for name in names)
    images = "img-src data: blob:"
    if is_site:  # its worker is a blob, which this policy governs as well; one from a file would have no policy
        scripts += " 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self' blob:; manifest-src 'self'"
        images = "img-src 'self' data: blob:"
    elif plotly_folder is not None:
        scripts += "; connect-src 'self'"
    styles = f"style-src '{_hash(style)}'"
    if has_charts:  # Plotly's words bring attributes of style
        styles = f"style-src-elem '{_hash(style)}' '{_EMPTY_HASH}'; style-src-attr 'unsafe-inline'"
    policy = f"default-src 'none'; script-src {scripts}; {styles}; {images}; base-uri 'none'; form-action 'none'"
    plotly = ""
    if has_charts and plotly_folder is not None:
        plotly = f'<script type="text/plain" data-plotly="{html.escape(plotly_folder)}{PLOTLY}"></script>\n'
    elif has_charts:
        plotly = f'<script type="text/plain" data-plotly>{_packed_script(PLOTLY)}</script>\n'
    return f"""{_head(title, policy, style, more=_INSTALLED if is_site else "")}
{body}{definitions_in(body)}
<script type="application/json" data-contents>{_json_in_html(contents)}</script>
{data}
{plotly}<script type="text/plain" data-code>{_packed_script(script)}</script>
<script type="module">{start}</script>
</body>
</html>
"""


def html_without_scripts(title: str, body: str, *, sheets: Sequence[str]) -> str:
    """A document that loads and runs nothing.

    Args:
        body: HTML with all text escaped.
        sheets: as for `html_of`.
    """
    style = _style(sheets)
    policy = f"default-src 'none'; style-src '{_hash(style)}'; base-uri 'none'; form-action 'none'"
    return f"""{_head(title, policy, style)}
{body}{definitions_in(body)}
</body>
</html>
"""


def _head(title: str, policy: str, style: str, *, more: str = "") -> str:
    """The beginning of a document; `more` are further elements of its head."""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Headlight">
<title>{html.escape(title)}</title>
{more}<style>{style}</style>
</head>
<body>"""


def _json_in_html(value: Mapping[str, Any]) -> str:
    """JSON in which no text can end its script element or a line."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _script(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _script_hash(name: str) -> str:
    return _hash(_script(name))


def _packed_script(name: str) -> str:
    return text_of_bytes(zlib.compress(_script(name).encode(), level=9))


def _style(names: Sequence[str]) -> str:
    scrolling = _FOLDER.parent / "components" / "shared" / "scrolling.css"
    paths = (_FOLDER / "page.css", STYLE, *map(_FOLDER.joinpath, names), scrolling)
    sheets = [_UNREAD.sub("", path.read_text(encoding="utf-8")) for path in paths]
    light = f":root {{ --st-font: {_FONT}; {css_variables(THEMES['light'])} }}"
    dark = f':root[data-theme="dark"] {{ {css_variables(THEMES["dark"])} }}'
    return "\n".join([light, dark, *sheets])


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
