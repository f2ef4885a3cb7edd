"""Streamlit's page with the picture that ours opens with in it.

Streamlit's code takes the browser half a second to load, and the page's first run comes after it. The browser paints
the picture before: its HTML holds what the heat map is sent. The page's own takes its place.

`python -m viz.page.first_picture` writes the file that it is made of.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any, Final

from viz.theme import THEMES, css_variables

SIDEBAR: Final = 320  # pixels of its width, until somebody chooses another one
FILE: Final = Path(__file__).with_name("first-picture.json")
_STYLE: Final = Path(__file__).with_name("first_picture.css")
_ROOT: Final = '<div id="root">'


def with_first_picture(index: str, *, views: str) -> str:
    """Streamlit's page, with the picture.

    Args:
        views: the address of the views' code, as the page names it.
    """
    colours = (f'#first-picture[data-theme="{theme.name}"] {{ {css_variables(theme)} }}' for theme in THEMES.values())
    widths = f":root {{ --sidebar: {SIDEBAR}px; --dark-page: {THEMES['dark'].background}; }}"
    style = "\n".join((widths, *colours, _STYLE.read_text(encoding="utf-8")))
    code = f'import {{ drawFirstPicture }} from "{views}"; drawFirstPicture();'
    drawn = FILE.read_text(encoding="utf-8")
    place = (
        f'<div id="first-picture"><script type="application/json">{drawn}</script></div>\n'
        f'<script type="module" async>{code}</script>\n'  # async: not after Streamlit's own, which takes longer to come
    )
    page = index.replace("<head>", f'<head>\n<link rel="modulepreload" href="{views}">')  # before Streamlit's 60 files
    page = page.replace("</head>", f"<style>\n{style}</style>\n</head>")
    return page.replace(_ROOT, place + _ROOT)


def contents() -> dict[str, Any]:
    """What `viz/components/first_picture.mjs` reads: the heat map of the run that ships, as the page draws it."""
    from encoder.shipped.bundled import BUNDLED
    from encoder.shipped.first_run import FIRST_TEXTS
    from viz.caches import run_cache
    from viz.components.cell_map import cell_map_data
    from viz.panels.common import layers_id, layers_message, view_data
    from viz.state.messages import shared_selection
    from viz.state.selection import DEFAULT

    trace = run_cache.trace(BUNDLED, *FIRST_TEXTS)
    message = layers_message(trace, DEFAULT, (DEFAULT.layer,))
    run = layers_id(trace, DEFAULT)
    views = {
        name: cell_map_data(
            view_data(DEFAULT, place="pair", colours=theme), run=run, layers=trace.num_layers, place="pair"
        )
        for name, theme in THEMES.items()
    }
    layer = base64.b64encode(message.data).decode() if message else ""
    return {"selection": shared_selection(DEFAULT) | {"points": []}, "layer": layer, "views": views}


if __name__ == "__main__":
    from viz.exports.document import json_in_html

    FILE.write_text(json_in_html(contents()) + "\n", encoding="utf-8")
