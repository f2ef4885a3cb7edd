"""What the tests of the page share."""

from collections.abc import Iterator
from functools import cache

import pytest
from streamlit.components.v2 import manifest_scanner


@pytest.fixture(scope="session", autouse=True)
def one_scan_of_the_installed_packages() -> Iterator[None]:
    """Streamlit looks through every installed package for components, for each AppTest anew: 0.1 s of the 0.14 s that
    opening a page takes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield
