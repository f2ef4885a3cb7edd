"""The result of the functions for notebooks: a page that displays itself and can be saved."""

from __future__ import annotations

import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import Final

from viz.saved_page.contents import Page
from viz.saved_page.document import document

# Jupyter removes the frame from an untrusted notebook and leaves its text, which browsers do not show otherwise.
WITHOUT_FRAME: Final = "Headlight's view is not shown here: trust this notebook, or run the cell."
HEIGHT: Final = 700  # CSS pixels of the frame in a notebook, which can be resized


class NotebookPage:
    """A page of the views; as the last expression of a cell it is displayed in a frame that loads nothing.

    Attributes:
        page: its content.
        html: the whole page as a file that any browser opens.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.html = document(page)

    @property
    def data(self) -> str:
        """The HTML of the notebook: the page in a frame. BertViz's functions use this name."""
        escaped = self.html.replace("&", "&amp;").replace("'", "&#39;")
        return (
            f'<iframe title="Headlight" sandbox="allow-scripts allow-downloads" width="100%" height="{HEIGHT}" '
            f"style=\"border: 0; resize: vertical\" srcdoc='{escaped}'>{WITHOUT_FRAME}</iframe>"
        )

    def _repr_html_(self) -> str:
        return self.data

    def __repr__(self) -> str:
        return f"<Headlight page {self.page.title!r}, {len(self.html.encode()):,} bytes: .show(), .save(path), .html>"

    def save(self, path: str | Path) -> Path:
        """Write the page to a file and return its path."""
        target = Path(path)
        target.write_text(self.html, encoding="utf-8")
        return target

    def show(self) -> None:
        """Show the page in the notebook, or from a temporary file in the web browser."""
        if _in_notebook():
            from IPython.display import HTML, display

            display(HTML(self.data))
            return
        with tempfile.NamedTemporaryFile(prefix="headlight-", suffix=".html", delete=False) as file:
            file.write(self.html.encode())
        webbrowser.open(Path(file.name).as_uri())


def _in_notebook() -> bool:
    """Whether a Jupyter kernel runs this; IPython in a terminal shows no HTML."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    shell = get_ipython()
    return shell is not None and hasattr(shell, "kernel")
