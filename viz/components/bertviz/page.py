"""The HTML document around one of BertViz's scripts: self-contained, escaped, the same for the same input."""

import base64
import hashlib
import json
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from string import Template
from typing import Any, Final, Literal

from encoder.extras import name_missing_extra
from viz.theme import Theme

View = Literal["head_view", "model_view"]

_HERE: Final = Path(__file__).parent
_MARKER: Final = "PYTHON_PARAMS"  # BertViz has it twice; the second is in a comment


def document(view: View, params: Mapping[str, object], controls: str, css: str, n_heads: int, theme: Theme) -> str:
    """One HTML document: BertViz's script with `params`, all that it needs, and the theme.

    Args:
        params: BertViz's parameters.
        controls: markup above the drawing, with BertViz's menus.
        css: rules for this drawing, after those of page.css.
        n_heads: the number of heads with a colour.
    """
    settings = {"view": view, "colours": list(theme.head_colours), "n_heads": n_heads}
    before, after = _split_script(view)
    scripts = (*script_libraries(), before + _script_json(params) + after, _read_own_file("frame.js"))
    hashes = " ".join(f"'sha256-{_sha256(script)}'" for script in scripts)
    return Template(_read_own_file("page.html")).substitute(
        policy=f"default-src 'none'; style-src 'unsafe-inline'; script-src {hashes}",
        title="BertViz head view" if view == "head_view" else "BertViz model view",
        view=view.replace("_", "-"),
        colour_scheme=theme.name,
        variables=_variables(theme),
        css=_read_own_file("page.css") + css,
        root=root_id(view),
        controls=controls,
        settings=_script_json(settings),
        scripts="\n".join(f"<script>{script}</script>" for script in scripts),
    )


def root_id(view: View) -> str:
    """A constant id: equal input gives equal HTML, and the frame does not reload."""
    return "bertviz-" + view.replace("_", "-")


def _variables(theme: Theme) -> str:
    colours: dict[str, str] = {
        "background": theme.background,
        "secondary-background": theme.secondary_background,
        "text": theme.text,
        "muted": theme.muted,
        "border": theme.border,
        "primary": theme.primary,
    }
    return " ".join(f"--{name}: {colour};" for name, colour in colours.items())


def _script_json(value: Any) -> str:
    """JSON that cannot end or open a script element. It is ASCII, so U+2028 is escaped as well."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _read_own_file(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _split_script(view: View) -> tuple[str, str]:
    """BertViz's script before and after the place of its parameters."""
    before, _, after = _read_package_file("bertviz", f"{view}.js").partition(_MARKER)
    return before, after


def script_libraries() -> tuple[str, str, str]:
    d3 = _read_package_file("xstatic.pkg.d3", "data/d3.js")
    jquery = _read_package_file("xstatic.pkg.jquery", "data/jquery.min.js")
    return d3, jquery, _read_own_file("shim.js")


def _read_package_file(package: str, path: str) -> str:
    """A file of an installed package, without importing it: BertViz would import IPython and torch."""
    with name_missing_extra():
        spec = find_spec(package)
        if spec is None or spec.origin is None:
            raise ModuleNotFoundError(f"No module named {package!r}", name=package)
    return (Path(spec.origin).parent / path).read_text(encoding="utf-8")


def _sha256(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
