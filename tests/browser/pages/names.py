"""The names of what can be operated, as assistive technology reads them."""

from __future__ import annotations

import re

from tests.browser.pages.app_page import AppPage

OPERATED = {"button", "checkbox", "combobox", "link", "menuitem", "radio", "slider", "spinbutton", "switch", "textbox"}
# The name of a Material symbol, alone or as Streamlit reads it out.
SYMBOL = re.compile(r"^(\w+ icon|[a-z]+(_[a-z]+)+|close|delete|download|edit|menu|save|slideshow|undo)$")


def without_name(at: AppPage) -> list[tuple[str, str]]:
    """Role and name of what can be operated and has no name, or that of a symbol."""
    session = at.page.context.new_cdp_session(at.page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    operated = [
        (node["role"]["value"], node.get("name", {}).get("value", "").strip())
        for node in nodes
        if not node["ignored"] and node["role"]["value"] in OPERATED
    ]
    assert operated
    return [(role, name) for role, name in operated if not name or SYMBOL.match(name)]
