"""The pictures' code: served as files, asked for by address, and missed where Headlight is not installed."""

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.testing.v1 import app_test

from tests.app.app_script import alerts, open_page
from viz.components import registered


def test_no_message_carries_code() -> None:
    components = [part.proto for part in open_page().get("bidi_component")]
    assert len(components) > 3
    for component in components:
        assert (component.js_source_path, component.js_content, component.css_content) == ("entry.mjs", "", "")


def test_page_says_what_to_do_where_headlight_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_test, "BidiComponentManager", BidiComponentManager)
    monkeypatch.setattr(manifest_scanner, "scan_component_manifests", list)
    monkeypatch.setattr(registered, "_registered", registered._registered.__wrapped__)
    said = "".join(alerts(open_page()))
    assert "In Headlight's folder run “make run”, or “pip install -r requirements.txt”" in said
