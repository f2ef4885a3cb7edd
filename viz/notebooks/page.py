"""What the functions for notebooks return: a page that shows itself and can be saved."""

from __future__ import annotations

import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import Final

from viz.saved_page.contents import Page
from viz.saved_page.document import document

# What takes the frame out, as Jupyter does where a notebook is not trusted, leaves the text that browsers never show.
WITHOUT_FRAME: Final = "Headlight's view is not shown here: trust this notebook, or run the cell."
HEIGHT: Final = 700  # CSS pixels of the frame in a notebook, which can be pulled larger


class NotebookPage:
    """A page of the views: the last expression of a cell shows it, in a frame of its own that loads nothing.

    Attributes:
        page: what is in it.
        html: the whole page, a file that any browser opens.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.html = document(page)

    @property
    def data(self) -> str:
        """What stands in a notebook: HTML with the page in a frame. BertViz's functions give it that name."""
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
        """Write the page into a file, and say where."""
        target = Path(path)
        target.write_text(self.html, encoding="utf-8")
        return target

    def show(self) -> None:
        """Show the page now: in the notebook, or else in the web browser, from a temporary file."""
        if _in_notebook():
            from IPython.display import HTML, display

            display(HTML(self.data))
            return
        with tempfile.NamedTemporaryFile(prefix="headlight-", suffix=".html", delete=False) as file:
            file.write(self.html.encode())
        webbrowser.open(Path(file.name).as_uri())


def _in_notebook() -> bool:
    """Whether a kernel of Jupyter runs this; IPython in a terminal shows no HTML."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    shell = get_ipython()
    return shell is not None and hasattr(shell, "kernel")
